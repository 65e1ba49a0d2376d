/** Queries as clients of the service send them: signed, and again when the server is too busy. */
import { createHmac } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { millis } from "../base/units.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import { realClock, realTimer } from "../server/realWorld.ts";
import type { Answer } from "./connection.ts";
import { Connection } from "./connection.ts";
import type { Account, ContainerName } from "./serverOptions.ts";

/** The version of the protocol that official clients of today name. */
const API_VERSION = "2020-07-15";
/** A server that keeps saying "later" is believed at last. */
const TRY_COUNT_MAX = 10;

export class Client {
  readonly #key: Buffer;
  readonly #connection: Connection;

  constructor({ endpoint, key }: Account) {
    this.#key = Buffer.from(key, "base64");
    this.#connection = new Connection(endpoint);
  }

  /** One page. Waits and tries again when the server is too busy. */
  async query(
    { database, container }: ContainerName,
    body: string,
    headers: OutgoingHttpHeaders,
  ): Promise<Answer> {
    const link = `dbs/${database}/colls/${container}`;
    const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}/docs`;
    for (let tries = 1; ; tries++) {
      const date = new Date(realClock.wallNow()).toUTCString();
      const signed = {
        ...headers,
        "content-type": "application/query+json",
        [HEADER.isQuery]: "True",
        [HEADER.mergeQuery]: "true",
        [HEADER.version]: API_VERSION,
        [HEADER.date]: date,
        authorization: this.#signatureOf(`post\ndocs\n${link}\n${date.toLowerCase()}\n\n`),
      };
      const answer = await this.#connection.ask({ method: "POST", path, headers: signed, body });
      if (answer.status !== 429 || tries === TRY_COUNT_MAX) return answer;
      await pause(Number(answer.headers[HEADER.retryAfter] ?? 100));
    }
  }

  close(): void {
    this.#connection.close();
  }

  #signatureOf(text: string): string {
    const signature = createHmac("sha256", this.#key).update(text).digest("base64");
    return encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    realTimer.after(millis(Number.isFinite(ms) ? ms : 100), resolve);
  });
}
