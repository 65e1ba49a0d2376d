/** Queries as clients of the service send them: signed, and again when the server is too busy. */
import type { OutgoingHttpHeaders } from "node:http";
import { realClock } from "../server/realWorld.ts";
import { type Answer, ServerConnection } from "./connection.ts";
import type { Account, ContainerName } from "./serverOptions.ts";
import { Signer } from "./signer.ts";
import { whileThrottled } from "./whileThrottled.ts";

export class Client {
  readonly #signer: Signer;
  readonly #connection: ServerConnection;

  constructor({ endpoint, key }: Account) {
    this.#signer = new Signer(key, realClock);
    this.#connection = new ServerConnection(endpoint);
  }

  /** One page. Waits and tries again when the server is too busy. */
  query(
    { database, container }: ContainerName,
    body: string,
    headers: OutgoingHttpHeaders,
  ): Promise<Answer> {
    const link = `dbs/${database}/colls/${container}`;
    const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}/docs`;
    return whileThrottled(() =>
      this.#connection.ask({
        method: "POST",
        path,
        headers: {
          ...headers,
          "content-type": "application/query+json",
          "x-ms-documentdb-isquery": "True",
          "x-orrery-merge-query": "true",
          ...this.#signer.headersFor({ method: "POST", resourceType: "docs", link }),
        },
        body,
      }),
    );
  }

  close(): void {
    this.#connection.close();
  }
}
