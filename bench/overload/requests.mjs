/**
 * Requests of this run as bytes: point reads and upserts of items of 1 KB, by container and number.
 *
 * No two point reads of one container are signed with the same link and date, so a server that
 * remembers verified signatures gains nothing by it; see `../requests.mjs`.
 */
import { itemTextOf, partitionKeyOf } from "../items.mjs";
import { DATABASE, itemsPathOf, loadedIdOf } from "../requests.mjs";
import { authorizationOf } from "../signing.mjs";

/** @typedef {{ port: number, key: string }} Target */

export const CONTAINERS_PATH = `/dbs/${DATABASE}/colls`;
const DATE_DRIFT_SECONDS_MAX = 600;

/** Makes the requests about one container. */
export class Asking {
  #path;
  #host;
  #keyBytes;
  #itemCount;
  #readCount = 0;
  #upsertCount = 0;

  /** @param {Target & { container: string, itemCount: number }} about */
  constructor({ port, key, container, itemCount }) {
    this.#path = itemsPathOf(container);
    this.#host = `127.0.0.1:${port}`;
    this.#keyBytes = Buffer.from(key, "base64");
    this.#itemCount = itemCount;
  }

  /** The next item, in an order that has nothing to do with where items lie. */
  read() {
    const index = (this.#readCount * 7919) % this.#itemCount;
    const pass = Math.floor(this.#readCount / this.#itemCount) % (2 * DATE_DRIFT_SECONDS_MAX);
    this.#readCount += 1;
    const date = dateText(pass - DATE_DRIFT_SECONDS_MAX);
    return this.#request("GET", `${this.#path}/${loadedIdOf(index)}`, date, index, "");
  }

  /** Another version of the next item; the first pass creates them all. */
  upsert() {
    const index = this.#upsertCount % this.#itemCount;
    const revision = Math.floor(this.#upsertCount / this.#itemCount);
    this.#upsertCount += 1;
    const text = itemTextOf(loadedIdOf(index), index, revision);
    const upsert = "x-ms-documentdb-is-upsert: true\r\n";
    return this.#request("POST", this.#path, dateText(0), index, text, upsert);
  }

  /** An item with so many values that writing it puts a small rate into debt for a minute. */
  largeUpsert() {
    const values = Array.from({ length: 100_000 }, (_, index) => 1_000_000 + index);
    const text = JSON.stringify({ id: "large", pk: partitionKeyOf(0), values });
    const upsert = "x-ms-documentdb-is-upsert: true\r\n";
    return this.#request("POST", this.#path, dateText(0), 0, text, upsert);
  }

  /**
   * Many at once, for `runLoad`.
   * @param {"read" | "upsert"} kind
   * @param {number} count
   * @returns {import("../client.mjs").RequestPool}
   */
  pool(kind, count) {
    const requests = Array.from({ length: count }, () => Buffer.from(this[kind](), "latin1"));
    const offsets = new Uint32Array(count + 1);
    requests.forEach((bytes, index) => {
      offsets[index + 1] = offsets[index] + bytes.length;
    });
    return { bytes: Buffer.concat(requests), offsets, count };
  }

  /** @type {(verb: string, path: string, date: string, index: number, text: string, extra?: string) => string} */
  #request(verb, path, date, index, text, extra = "") {
    const head =
      `${verb} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nx-ms-date: ${date}\r\n` +
      `authorization: ${authorizationOf(this.#keyBytes, verb, path, date)}\r\n` +
      "accept: application/json\r\nx-ms-version: 2020-07-15\r\n" +
      `x-ms-documentdb-partitionkey: ["${partitionKeyOf(index)}"]\r\n${extra}`;
    if (text === "") return `${head}\r\n`;
    return `${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  }
}

/** @param {number} secondsFromNow */
function dateText(secondsFromNow) {
  return new Date(Date.now() + secondsFromNow * 1000).toUTCString();
}
