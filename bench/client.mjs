/**
 * The load generator: HTTP/1.1 over plain sockets, one request in flight per connection.
 *
 * It shares the machine with the server it measures, so it does as little as it can: requests are
 * bytes made beforehand, of an answer it reads the status and the length and counts the rest, and
 * each connection receives into one buffer for its whole life. Every status is checked. A connection
 * that the server closes is an error, which proves that keep-alive is on.
 *
 * What is not here: how requests are made (`requests.mjs`).
 */
import { request } from "node:http";
import { connect } from "node:net";
import { authorizationOf } from "./signing.mjs";

const HOST = "127.0.0.1";
const RECEIVE_BYTES = 64 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH_NAMES = [Buffer.from("\r\nContent-Length: "), Buffer.from("\r\ncontent-length: ")];

/** Requests as bytes: request `i` lies between `offsets[i]` and `offsets[i + 1]`. */
/** @typedef {{ bytes: Buffer, offsets: Uint32Array, count: number }} RequestPool */

/**
 * Sends every request of the pool once and waits for all answers.
 * @param {object} load
 * @param {number} load.port
 * @param {RequestPool} load.pool
 * @param {number} load.connections
 * @param {number} load.status the only right one
 * @param {number} load.timeoutMs
 * @param {() => void} [load.onStart] called when all connections stand, before the first request
 * @returns {Promise<number>} milliseconds from the first request to the last answer
 */
export async function runLoad({ port, pool, connections, status, timeoutMs, onStart }) {
  let sentCount = 0;
  let answeredCount = 0;
  /** @type {(error?: Error) => void} */
  let settle = () => {};
  const done = new Promise((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve(undefined) : reject(error));
  });
  // The load may fail while connections are still being opened, before anyone waits for it.
  done.catch(() => {});

  /** @param {Connection} connection */
  const sendNext = (connection) => {
    if (sentCount === pool.count) return;
    const start = pool.offsets[sentCount];
    sentCount += 1;
    connection.send(pool.bytes.subarray(start, pool.offsets[sentCount]));
  };
  /** @type {(connection: Connection, answered: number, head: string) => void} */
  const onAnswer = (connection, answered, head) => {
    if (answered !== status) settle(new Error(`expected ${status}, got ${answered}\n${head}`));
    answeredCount += 1;
    if (answeredCount === pool.count) settle();
    else sendNext(connection);
  };

  const opened = Array.from({ length: Math.min(connections, pool.count) }, () => {
    return new Connection(port, status, onAnswer, settle);
  });
  const timer = setTimeout(() => {
    settle(new Error(`${answeredCount} of ${pool.count} answers after ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    await Promise.race([Promise.all(opened.map((connection) => connection.opened)), done]);
    onStart?.();
    const startedAt = performance.now();
    for (const connection of opened) sendNext(connection);
    await done;
    return performance.now() - startedAt;
  } finally {
    clearTimeout(timer);
    for (const connection of opened) connection.close();
  }
}

/** One keep-alive connection and the answer it is in the middle of. */
class Connection {
  /** Body bytes of the current answer that have not arrived. */
  #missingByteCount = 0;
  /** The status whose body is arriving. */
  #status = 0;
  /** The start of an answer whose head has not arrived whole. */
  #partialHead = Buffer.alloc(0);
  #isClosed = false;
  #expectedStatus;
  #onAnswer;
  #onError;
  #socket;

  /**
   * @param {number} port
   * @param {number} expectedStatus heads are only turned into text when the status is another one
   * @param {(connection: Connection, status: number, head: string) => void} onAnswer
   * @param {(error: Error) => void} onError
   */
  constructor(port, expectedStatus, onAnswer, onError) {
    this.#expectedStatus = expectedStatus;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
    const buffer = Buffer.allocUnsafeSlow(RECEIVE_BYTES);
    this.#socket = connect({
      host: HOST,
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (byteCount) => {
          this.#receive(buffer.subarray(0, byteCount));
          return true;
        },
      },
    });
    const fail = () => {
      if (!this.#isClosed) onError(new Error("the server closed a keep-alive connection"));
    };
    this.#socket.on("error", onError).on("end", fail).on("close", fail);
    /** @type {Promise<void>} */
    this.opened = new Promise((resolve) => this.#socket.once("connect", () => resolve()));
  }

  /** @param {Buffer} bytes */
  send(bytes) {
    this.#socket.write(bytes);
  }

  close() {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  /** @param {Buffer} received */
  #receive(received) {
    if (this.#missingByteCount > 0) {
      this.#countBody(received.length, "");
      return;
    }
    const bytes =
      this.#partialHead.length === 0 ? received : Buffer.concat([this.#partialHead, received]);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1) {
      // A copy, because the next bytes arrive in the same buffer.
      this.#partialHead = Buffer.from(bytes);
      return;
    }
    if (this.#partialHead.length > 0) this.#partialHead = Buffer.alloc(0);
    // "HTTP/1.1 200 OK": the status is the three digits from byte 9.
    this.#status = (bytes[9] - 48) * 100 + (bytes[10] - 48) * 10 + (bytes[11] - 48);
    const bodyBytes = contentLengthOf(bytes, headEnd);
    if (bodyBytes === undefined) {
      this.#onError(new Error(`no content-length\n${bytes.toString("latin1", 0, headEnd)}`));
      return;
    }
    this.#missingByteCount = bodyBytes;
    const text = this.#status === this.#expectedStatus ? "" : bytes.toString("latin1", 0, 1000);
    this.#countBody(bytes.length - headEnd - HEAD_END.length, text);
  }

  /** @type {(byteCount: number, text: string) => void} */
  #countBody(byteCount, text) {
    this.#missingByteCount -= byteCount;
    if (this.#missingByteCount < 0) this.#onError(new Error("more bytes than content-length said"));
    if (this.#missingByteCount === 0) this.#onAnswer(this, this.#status, text);
    else if (text !== "") this.#onError(new Error(`got ${this.#status}\n${text}`));
  }
}

/** @type {(bytes: Buffer, headEnd: number) => number | undefined} */
function contentLengthOf(bytes, headEnd) {
  for (const name of LENGTH_NAMES) {
    const start = bytes.indexOf(name);
    if (start === -1 || start > headEnd) continue;
    let length = 0;
    for (let at = start + name.length; bytes[at] >= 48 && bytes[at] <= 57; at += 1) {
      length = length * 10 + bytes[at] - 48;
    }
    return length;
  }
  return undefined;
}

/**
 * One signed request outside of any timing: set-up and checks.
 * @param {{ port: number, key: string }} target
 * @param {string} verb
 * @param {string} path
 * @param {{ headers?: Record<string, string>, body?: unknown }} [extra]
 * @returns {Promise<{ status: number, text: string, headers: import("node:http").IncomingHttpHeaders }>}
 */
export function call(target, verb, path, { headers = {}, body } = {}) {
  const date = new Date().toUTCString();
  const keyBytes = Buffer.from(target.key, "base64");
  const text = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: HOST,
      port: target.port,
      method: verb,
      path,
      agent: false,
      timeout: 30_000,
      headers: {
        "x-ms-version": "2020-07-15",
        "x-ms-date": date,
        authorization: authorizationOf(keyBytes, verb, path, date),
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer to ${verb} ${path}`)));
    sent.on("error", reject);
    sent.on("response", (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.end(text);
  });
}
