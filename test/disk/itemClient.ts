/**
 * Clients of a server whose disk fails: they note what was acknowledged, and ask for it again. Not
 * one of those notes may be contradicted by the server, or by the one that is started after it.
 */
import { expect } from "vitest";
import type { Answer, Server } from "../crash/serverProcess.ts";
import { Client } from "../crash/serverProcess.ts";

const CONTAINER = "dbs/d/colls/c";

export interface LogLine {
  readonly event: string;
  readonly kind?: string;
  readonly says?: string;
  readonly directory?: string;
}

interface AlertLine {
  readonly rule: string;
  readonly state: string;
}

export class ItemClient {
  readonly #client: Client;
  /** Of everything acknowledged: the number that the item has, or nothing if it was deleted. */
  readonly acknowledged: Map<string, number | undefined>;

  constructor(server: Server, acknowledged: Map<string, number | undefined> = new Map()) {
    this.#client = new Client(server);
    this.acknowledged = acknowledged;
  }

  async createContainer(): Promise<void> {
    const made = [
      await this.#client.call({
        method: "POST",
        resourceType: "dbs",
        link: "",
        path: "/dbs",
        body: '{"id":"d"}',
      }),
      await this.createContainerNamed("c"),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
  }

  createContainerNamed(id: string): Promise<Answer> {
    return this.#client.call({
      method: "POST",
      resourceType: "colls",
      link: "dbs/d",
      path: "/dbs/d/colls",
      body: JSON.stringify({ id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } }),
    });
  }

  async upsert(id: string, number: number, bytes = 100): Promise<Answer> {
    const answer = await this.#client.call({
      method: "POST",
      resourceType: "docs",
      link: CONTAINER,
      path: `/${CONTAINER}/docs`,
      headers: { ...keyOf(id), "x-ms-documentdb-is-upsert": "true" },
      body: JSON.stringify({ id, pk: id, number, padding: paddingOf(number, bytes) }),
    });
    if (answer.status < 300) this.acknowledged.set(id, number);
    return answer;
  }

  async remove(id: string): Promise<Answer> {
    const answer = await this.#client.call({
      method: "DELETE",
      resourceType: "docs",
      link: `${CONTAINER}/docs/${id}`,
      path: `/${CONTAINER}/docs/${id}`,
      headers: keyOf(id),
    });
    if (answer.status < 300) this.acknowledged.set(id, undefined);
    return answer;
  }

  read(id: string): Promise<Answer> {
    return this.#client.call({
      method: "GET",
      resourceType: "docs",
      link: `${CONTAINER}/docs/${id}`,
      path: `/${CONTAINER}/docs/${id}`,
      headers: keyOf(id),
    });
  }

  /** Everything acknowledged is as it was acknowledged. */
  async expectAcknowledged(): Promise<void> {
    const wrong: string[] = [];
    for (const [id, number] of this.acknowledged) {
      const { status, body } = await this.read(id);
      const found = status === 200 ? (JSON.parse(body) as { number: number }).number : undefined;
      if (found !== number || (status !== 200 && status !== 404)) {
        wrong.push(`${id}: ${status}, ${found} instead of ${number}`);
      }
    }
    expect(wrong).toEqual([]);
  }

  /** Rules whose alerts fire, as the admin API has them. */
  async firing(): Promise<readonly string[]> {
    const path = "/_orrery/v1/alerts";
    const { body } = await this.#client.call({
      method: "GET",
      resourceType: "docs",
      link: "",
      path,
    });
    const { alerts } = JSON.parse(body) as { alerts: { alerts: AlertLine[] } };
    return alerts.alerts.filter(({ state }) => state === "firing").map(({ rule }) => rule);
  }

  close(): void {
    this.#client.close();
  }
}

/** Lines of the log about storage, in order. */
export function storageLines(server: Server): readonly LogLine[] {
  return server
    .complaints()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ event }) => event.startsWith("storage") || event.startsWith("journal"));
}

function keyOf(id: string): Readonly<Record<string, string>> {
  return { "x-ms-documentdb-partitionkey": JSON.stringify([id]) };
}

function paddingOf(number: number, bytes: number): string {
  return `${number} `.padEnd(bytes, `${number}-`);
}
