/**
 * One keep-alive connection that asks and hears the head of each answer: status and headers, as
 * text. One request at a time. A connection that the server closes while asked is an error.
 *
 * What is not here: how requests are made (`requests.mjs`), and the quicker client that looks at
 * nothing but the status (`../client.mjs`).
 */
import { connect } from "node:net";

const HEAD_END = "\r\n\r\n";

/** @typedef {{ status: number, charge: number, retryAfterMs: number }} Answer */

export class Line {
  #socket;
  /** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void } | undefined} */
  #waiting;
  #head = "";
  /** @type {Answer | undefined} The answer whose body is arriving. */
  #answer;
  #missingByteCount = 0;

  /** @param {number} port */
  constructor(port) {
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true });
    const fail = (/** @type {unknown} */ cause) => {
      this.#waiting?.reject(new Error("the connection broke", { cause }));
    };
    this.#socket.on("data", (bytes) => this.#receive(bytes)).on("error", fail);
    this.#socket.on("close", fail);
  }

  /**
   * @param {Buffer | string} request
   * @returns {Promise<Answer>}
   */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#socket.destroyed) reject(new Error("the connection is closed"));
      else this.#socket.write(request);
    });
  }

  /** A server gives up connections on which nobody asks for long. */
  get isClosed() {
    return this.#socket.destroyed;
  }

  close() {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  /** @param {Buffer} bytes */
  #receive(bytes) {
    let bodyBytes = bytes.length;
    if (this.#answer === undefined) {
      const before = this.#head.length;
      this.#head += bytes.toString("latin1");
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) return;
      this.#missingByteCount = Number(headerIn(this.#head, "content-length") ?? 0);
      this.#answer = {
        status: Number(this.#head.slice(9, 12)),
        charge: Number(headerIn(this.#head, "x-ms-request-charge") ?? 0),
        retryAfterMs: Number(headerIn(this.#head, "x-ms-retry-after-ms") ?? 0),
      };
      bodyBytes = before + bytes.length - end - HEAD_END.length;
      this.#head = "";
    }
    this.#missingByteCount -= bodyBytes;
    if (this.#missingByteCount > 0) return;
    const answer = this.#answer;
    const waiting = this.#waiting;
    this.#answer = undefined;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }
}

/** @type {(head: string, name: string) => string | undefined} */
function headerIn(head, name) {
  const start = head.indexOf(`\r\n${name}: `);
  if (start === -1) return undefined;
  return head.slice(start + name.length + 4, head.indexOf("\r\n", start + 2));
}
