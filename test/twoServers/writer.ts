/**
 * Somebody who writes to whatever server there is, one item after the other, and remembers which
 * were acknowledged. Afterwards each of these has to be there.
 */
import type { Call } from "../crash/serverProcess.ts";
import { Client, type Server } from "../crash/serverProcess.ts";

const CONTAINER = "dbs/two/colls/items";

export class Writer {
  readonly #acknowledged = new Set<string>();
  #count = 0;

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  static async makeContainer(server: Server): Promise<void> {
    const client = new Client(server);
    const body = JSON.stringify({ id: "items", partitionKey: { paths: ["/id"], kind: "Hash" } });
    const calls: readonly Call[] = [
      { method: "POST", resourceType: "dbs", link: "", path: "/dbs", body: '{"id":"two"}' },
      { method: "POST", resourceType: "colls", link: "dbs/two", path: "/dbs/two/colls", body },
    ];
    for (const call of calls) {
      const answer = await client.call(call);
      if (answer.status !== 201) throw new Error(`no container: ${answer.body}`);
    }
    client.close();
  }

  /** One write; its status, or undefined when no answer came. */
  async write(server: Server): Promise<{ readonly status: number | undefined; body: string }> {
    const client = new Client(server);
    const id = `item-${++this.#count}`;
    const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([id]) };
    const body = JSON.stringify({ id, text: "x".repeat(200) });
    const call = { method: "POST", resourceType: "docs", link: CONTAINER } as const;
    try {
      const answer = await client.call({ ...call, path: `/${CONTAINER}/docs`, headers, body });
      if (answer.status === 201) this.#acknowledged.add(id);
      return answer;
    } catch {
      return { status: undefined, body: "" };
    } finally {
      client.close();
    }
  }

  /** Writes on four connections until a server no longer acknowledges. */
  async writeOn(server: Server): Promise<void> {
    const lines = Array.from({ length: 4 }, async () => {
      while ((await this.write(server)).status === 201);
    });
    await Promise.all(lines);
  }

  /** Acknowledged items that are not there, of all or of the last so many. */
  async lostOn(
    server: Server,
    countMax: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly string[]> {
    const client = new Client(server);
    const lost: string[] = [];
    const first = Math.max(0, this.#acknowledged.size - countMax);
    for (const id of [...this.#acknowledged].slice(first)) {
      const link = `${CONTAINER}/docs/${id}`;
      const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([id]) };
      const call = { method: "GET", resourceType: "docs", link, path: `/${link}` } as const;
      const { status } = await client.call({ ...call, headers });
      if (status !== 200) lost.push(`${id}: ${status}`);
    }
    client.close();
    return lost;
  }
}
