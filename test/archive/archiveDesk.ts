/** A real server that is killed and started again, with what a test asks of it about archives. */
import { CosmosClient } from "@azure/cosmos";
import { readManifest, verifyFile } from "../../src/archive/verifyArchive.ts";
import type { ArchiveJobEntry } from "../../src/model/archiveJob.ts";
import { openArchive } from "../../src/server/archives/archiveShelf.ts";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";

export type Item = Record<string, unknown> & { readonly id: string };

export class ArchiveDesk {
  readonly #data: string;
  #server: Server;
  killCount = 0;

  private constructor(data: string, server: Server) {
    this.#data = data;
    this.#server = server;
  }

  static async open(data: string): Promise<ArchiveDesk> {
    return new ArchiveDesk(data, await startServer(data));
  }

  get endpoint(): string {
    return this.#server.endpoint;
  }

  client(): CosmosClient {
    const { endpoint, key } = this.#server;
    return new CosmosClient({ endpoint, key });
  }

  async killed(): Promise<void> {
    await this.#server.kill();
    this.killCount++;
    this.#server = await startServer(this.#data);
  }

  async close(): Promise<void> {
    await this.#server.end();
  }

  async ask<T>(
    route: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: T }> {
    const response = await fetch(`${this.endpoint}/_orrery/v1/${route}`, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" },
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  async job(id: string): Promise<ArchiveJobEntry> {
    return (await this.ask<{ job: ArchiveJobEntry }>(`jobs/${id}`)).body.job;
  }

  /** Looks until the job is in one of these states, or is over. */
  async until(id: string, states: readonly string[]): Promise<ArchiveJobEntry> {
    for (;;) {
      const job = await this.job(id);
      if (states.includes(job.state) || job.endedAt !== undefined) return job;
    }
  }

  /** What clients see of a container, by key and id, without system properties. */
  async items(database: string, container: string): Promise<ReadonlyMap<string, string>> {
    const client = this.client();
    try {
      const query = "SELECT * FROM c";
      const found = client.database(database).container(container).items.query<Item>(query);
      const { resources } = await found.fetchAll();
      return new Map(resources.map((item) => [nameOf(item), ownText(item)]));
    } finally {
      client.dispose();
    }
  }

  folder(name: string): ReturnType<typeof openArchive> {
    return openArchive(`${this.#data}/archives/${name}`);
  }

  /** What is in an archive, if every file of it is right; nothing otherwise. */
  async proven(name: string): Promise<ReadonlyMap<string, string>> {
    const folder = this.folder(name);
    const read = await readManifest(folder);
    const items = new Map<string, string>();
    if (read.kind === "damaged") return items;
    for (const file of read.manifest.files) {
      const damage = await verifyFile(folder, file, {
        onLines: async (lines) => {
          for (const line of lines) {
            const item = JSON.parse(line.toString()) as Item;
            items.set(nameOf(item), ownText(item));
          }
        },
      });
      if (damage !== undefined) return new Map();
    }
    return items;
  }
}

export function nameOf(item: Item): string {
  return JSON.stringify([item["month"], item.id]);
}

export function ownText(item: Item): string {
  const { _rid, _self, _etag, _attachments, _ts, ...own } = item;
  return JSON.stringify(own);
}
