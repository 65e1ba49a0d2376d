/**
 * Requests made beforehand: for each workload the exact bytes, signed, that the client will send.
 *
 * Honest signatures. A server may remember signatures it has verified. That must not help with
 * point reads and replaces, whose signed text holds the item's link and which real clients hardly
 * ever repeat: no (item, date) pair is sent twice to one server. It rightly helps with creates and
 * upserts, whose signed text is the container's link and a date in whole seconds, so that a real
 * client repeats it all second long: there the date moves on every 1,000 requests.
 *
 * Making them beforehand needs dates that are not "now"; the protocol accepts 15 minutes either way.
 */
import { itemTextOf, partitionKeyOf, randomFrom } from "./items.mjs";
import { authorizationOf } from "./signing.mjs";

/** @typedef {import("./client.mjs").RequestPool} RequestPool */
/** @typedef {"point-read" | "create" | "upsert" | "replace"} Workload */
/** @typedef {{ path: string, partitionKey: string, text: string }} Written */

/** The verb of each workload, and the status a database answers it with. */
/** @type {Readonly<Record<Workload, { verb: string, status: number }>>} */
export const WORKLOADS = {
  "point-read": { verb: "GET", status: 200 },
  create: { verb: "POST", status: 201 },
  upsert: { verb: "POST", status: 200 },
  replace: { verb: "PUT", status: 200 },
};

export const DATABASE = "bench";
/** Loaded before the rounds; read, upserted and replaced. Its item count stays the same. */
export const LOADED_CONTAINER = "loaded";
/** Starts empty and grows with every create. */
export const CREATED_CONTAINER = "created";

const REQUEST_BYTES_MAX = 2048;
const REQUESTS_PER_DATE = 1000;
const DATE_DRIFT_SECONDS_MAX = 600;

/** @param {string} container */
export function itemsPathOf(container) {
  return `/dbs/${DATABASE}/colls/${container}/docs`;
}

/** @param {number} index */
export function loadedIdOf(index) {
  return `item-${String(index).padStart(7, "0")}`;
}

/** Makes the requests for one server and remembers what it has already been sent. */
export class RequestSource {
  #host;
  #keyBytes;
  #itemCount;
  #random = randomFrom(1);
  #createdCount = 0;
  #revision = 0;
  #lastDateSecond = 0;

  /** @param {{ port: number, key: string, itemCount: number }} server */
  constructor({ port, key, itemCount }) {
    this.#host = `127.0.0.1:${port}`;
    this.#keyBytes = Buffer.from(key, "base64");
    this.#itemCount = itemCount;
  }

  /**
   * Creates of the loaded items `from` to `from + count`.
   * @param {number} from
   * @param {number} count
   * @returns {RequestPool}
   */
  loadPool(from, count) {
    const path = itemsPathOf(LOADED_CONTAINER);
    const sign = this.#feedSigner(path);
    return packed(count, (position) => {
      const index = from + position;
      const text = itemTextOf(loadedIdOf(index), index, 0);
      return this.#request("POST", path, sign(position), index, text);
    });
  }

  /**
   * The next `count` requests of a workload, and the last item they write, for reading it back.
   * @param {Workload} workload
   * @param {number} count
   * @returns {{ pool: RequestPool, lastWritten: Written | undefined }}
   */
  pool(workload, count) {
    if (workload === "create") return this.#createPool(count);
    this.#revision += 1;
    return workload === "upsert" ? this.#upsertPool(count) : this.#byItemPool(workload, count);
  }

  /** @param {number} count */
  #createPool(count) {
    const path = itemsPathOf(CREATED_CONTAINER);
    const sign = this.#feedSigner(path);
    /** @type {Written | undefined} */
    let lastWritten;
    const pool = packed(count, (position) => {
      const index = this.#createdCount;
      this.#createdCount += 1;
      const id = `created-${String(index).padStart(7, "0")}`;
      const text = itemTextOf(id, index, 0);
      lastWritten = { path: `${path}/${id}`, partitionKey: partitionKeyOf(index), text };
      return this.#request("POST", path, sign(position), index, text);
    });
    return { pool, lastWritten };
  }

  /** @param {number} count */
  #upsertPool(count) {
    const path = itemsPathOf(LOADED_CONTAINER);
    const sign = this.#feedSigner(path);
    const indexOf = this.#walk();
    /** @type {Written | undefined} */
    let lastWritten;
    const pool = packed(count, (position) => {
      const index = indexOf(position);
      const id = loadedIdOf(index);
      const text = itemTextOf(id, index, this.#revision);
      lastWritten = { path: `${path}/${id}`, partitionKey: partitionKeyOf(index), text };
      const signed = `${sign(position)}x-ms-documentdb-is-upsert: true\r\n`;
      return this.#request("POST", path, signed, index, text);
    });
    return { pool, lastWritten };
  }

  /**
   * Requests whose path names the item: reads without a body, replaces with one.
   * @param {"point-read" | "replace"} workload
   * @param {number} count
   */
  #byItemPool(workload, count) {
    const { verb } = WORKLOADS[workload];
    let date = "";
    const indexOf = this.#walk(() => {
      date = this.#unusedDate();
    });
    /** @type {Written | undefined} */
    let lastWritten;
    const pool = packed(count, (position) => {
      const index = indexOf(position);
      const id = loadedIdOf(index);
      const path = `${itemsPathOf(LOADED_CONTAINER)}/${id}`;
      const signed = signedHeaders(this.#keyBytes, verb, path, date);
      if (workload === "point-read") return this.#request(verb, path, signed, index, "");
      const text = itemTextOf(id, index, this.#revision);
      lastWritten = { path, partitionKey: partitionKeyOf(index), text };
      return this.#request(verb, path, signed, index, text);
    });
    return { pool, lastWritten };
  }

  /**
   * Walks the loaded items in random order, each once per pass, in another order every pass.
   * @param {() => void} [onPass]
   * @returns {(position: number) => number}
   */
  #walk(onPass) {
    const order = Uint32Array.from({ length: this.#itemCount }, (_, index) => index);
    return (position) => {
      const step = position % order.length;
      if (step === 0) {
        for (let last = order.length - 1; last > 0; last -= 1) {
          const other = Math.floor(this.#random() * (last + 1));
          [order[last], order[other]] = [order[other], order[last]];
        }
        onPass?.();
      }
      return order[step];
    };
  }

  /** The next second that no request by item was dated with. */
  #unusedDate() {
    const now = Math.floor(Date.now() / 1000);
    this.#lastDateSecond = Math.max(this.#lastDateSecond + 1, now - DATE_DRIFT_SECONDS_MAX);
    if (this.#lastDateSecond > now + DATE_DRIFT_SECONDS_MAX) {
      throw new Error("no unused dates left: take fewer rounds, or fewer requests per round");
    }
    return new Date(this.#lastDateSecond * 1000).toUTCString();
  }

  /**
   * Signed headers for POSTs to one feed, by position in the pool.
   * @param {string} path
   * @returns {(position: number) => string}
   */
  #feedSigner(path) {
    const now = Date.now();
    let headers = "";
    return (position) => {
      if (position % REQUESTS_PER_DATE === 0) {
        const secondsAgo = Math.floor(position / REQUESTS_PER_DATE) % DATE_DRIFT_SECONDS_MAX;
        const date = new Date(now - secondsAgo * 1000).toUTCString();
        headers = signedHeaders(this.#keyBytes, "POST", path, date);
      }
      return headers;
    };
  }

  /** @type {(verb: string, path: string, signed: string, index: number, text: string) => string} */
  #request(verb, path, signed, index, text) {
    // The official JavaScript client sends the cross-partition header with every request; the peer
    // skips a check when it is there.
    const head =
      `${verb} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${signed}` +
      "accept: application/json\r\nx-ms-version: 2020-07-15\r\n" +
      "x-ms-documentdb-query-enablecrosspartition: true\r\n" +
      `x-ms-documentdb-partitionkey: ["${partitionKeyOf(index)}"]\r\n`;
    if (text === "") return `${head}\r\n`;
    return `${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  }
}

/** @type {(keyBytes: Buffer, verb: string, path: string, date: string) => string} */
function signedHeaders(keyBytes, verb, path, date) {
  const authorization = authorizationOf(keyBytes, verb, path, date);
  return `x-ms-date: ${date}\r\nauthorization: ${authorization}\r\n`;
}

/**
 * One block of memory for all requests, so that the collector has nothing to do while the clock
 * runs.
 * @param {number} count
 * @param {(position: number) => string} requestAt
 * @returns {RequestPool}
 */
export function packed(count, requestAt) {
  const bytes = Buffer.allocUnsafeSlow(count * REQUEST_BYTES_MAX);
  const offsets = new Uint32Array(count + 1);
  for (let position = 0; position < count; position += 1) {
    const text = requestAt(position);
    if (text.length > REQUEST_BYTES_MAX) throw new Error("a request does not fit");
    offsets[position + 1] = offsets[position] + bytes.write(text, offsets[position], "latin1");
  }
  return { bytes, offsets, count };
}
