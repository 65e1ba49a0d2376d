/** Signatures of requests. One is good for all requests of its second to the same place. */
import { createHmac } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { Clock } from "../../base/world.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";

export interface SignedPlace {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Such as `docs`. */
  readonly resourceType: string;
  /** What is signed: ids as they are, such as `dbs/d/colls/c`. */
  readonly link: string;
}

/** The version of the protocol that official clients of today name. */
const API_VERSION = "2020-07-15";
const SECOND_MS = 1000;

export class Signer {
  readonly #key: Buffer;
  readonly #clock: Clock;
  #second = -1;
  readonly #made = new Map<string, OutgoingHttpHeaders>();

  constructor(key: string, clock: Clock) {
    this.#key = Buffer.from(key, "base64");
    this.#clock = clock;
  }

  headersFor({ method, resourceType, link }: SignedPlace): OutgoingHttpHeaders {
    const second = Math.floor(this.#clock.wallNow() / SECOND_MS);
    if (second !== this.#second) this.#made.clear();
    this.#second = second;
    const name = `${method.toLowerCase()}\n${resourceType}\n${link}`;
    let headers = this.#made.get(name);
    if (headers === undefined) {
      headers = this.#sign(name, new Date(second * SECOND_MS).toUTCString());
      this.#made.set(name, headers);
    }
    return headers;
  }

  #sign(name: string, date: string): OutgoingHttpHeaders {
    const text = `${name}\n${date.toLowerCase()}\n\n`;
    const signature = createHmac("sha256", this.#key).update(text).digest("base64");
    return {
      [HEADER.version]: API_VERSION,
      [HEADER.date]: date,
      authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
    };
  }
}
