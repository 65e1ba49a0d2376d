/** Queries as clients of the service send them: signed, and again when the server is too busy. */
import type { OutgoingHttpHeaders } from "node:http";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Answer } from "./connection.ts";
import { ServerConnection } from "./connection.ts";
import type { ContainerName, ServerAccount } from "./serverOptions.ts";
import { Signer } from "./signer.ts";
import { whileThrottled } from "./whileThrottled.ts";

export class Client {
  readonly #signer: Signer;
  readonly #connection: ServerConnection;
  readonly #tryCountMax: number | undefined;

  /** `tryCountMax`: how often a page is asked for, where that is not as often as usual. */
  constructor(account: ServerAccount, tryCountMax?: number) {
    this.#tryCountMax = tryCountMax;
    this.#signer = new Signer(account.key, realClock);
    this.#connection = new ServerConnection(account);
  }

  /** One page. Waits and tries again when the server is too busy. */
  query(
    { database, container }: ContainerName,
    body: string,
    headers: OutgoingHttpHeaders,
  ): Promise<Answer> {
    const link = `dbs/${database}/colls/${container}`;
    const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}/docs`;
    const ask = (): Promise<Answer> =>
      this.#connection.ask({
        method: "POST",
        path,
        headers: {
          ...headers,
          "content-type": "application/query+json",
          [HEADER.isQuery]: "True",
          [HEADER.mergeQuery]: "true",
          ...this.#signer.headersFor({ method: "POST", resourceType: "docs", link }),
        },
        body,
      });
    return whileThrottled(ask, this.#tryCountMax);
  }

  close(): void {
    this.#connection.close();
  }
}
