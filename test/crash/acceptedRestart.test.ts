/**
 * A real server that is told to end, or killed, right after it has accepted a split: the one that
 * is started on the same directory goes on with it, and says under the same id what became of it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { KillWriters } from "./killWriters.ts";
import type { Server } from "./serverProcess.ts";
import { Client, startServer } from "./serverProcess.ts";

const ITEM_COUNT = 200;
const ADMIN = "/_orrery/v1/";

interface JobShown {
  readonly id: string;
  readonly outcome?: { readonly state: string; readonly newPartitionIds?: readonly string[] };
}

let data: string | undefined;
let server: Server | undefined;

afterEach(async () => {
  await server?.kill();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

test.each(["SIGTERM", "SIGKILL"])(
  "a split is not forgotten at %s",
  async (signal) => {
    data = await mkdtemp(join(tmpdir(), "orrery-accepted-"));
    server = await startServer(data);
    await KillWriters.makeContainer(server);
    await fill(server);
    const answer = await fetch(new URL(`${ADMIN}containers/crash/items/split`, server.endpoint), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ at: "median" }),
    });
    expect(answer.status).toBe(202);
    const { job } = (await answer.json()) as { job: JobShown };
    if (signal === "SIGTERM") expect(await server.end()).toBe(0);
    else await server.kill();

    server = await startServer(data);
    let found = await jobIn(server, job.id);
    while (found !== undefined && found.outcome === undefined) {
      await delay(20);
      found = await jobIn(server, job.id);
    }
    expect(found?.outcome).toMatchObject({ state: "done", newPartitionIds: ["1", "2"] });
  },
  120_000,
);

async function jobIn({ endpoint }: Server, id: string): Promise<JobShown | undefined> {
  const answer = await fetch(new URL(`${ADMIN}jobs`, endpoint));
  const { jobs } = (await answer.json()) as { jobs: readonly JobShown[] };
  return jobs.find((job) => job.id === id);
}

async function fill(to: Server): Promise<void> {
  const client = new Client(to);
  const link = "dbs/crash/colls/items";
  for (let n = 0; n < ITEM_COUNT; n++) {
    const { status } = await client.call({
      method: "POST",
      resourceType: "docs",
      link,
      path: `/${link}/docs`,
      headers: { "x-ms-documentdb-partitionkey": JSON.stringify([`k${n}`]) },
      body: JSON.stringify({ id: "i", pk: `k${n}`, text: "x".repeat(2000) }),
    });
    expect(status).toBe(201);
  }
  client.close();
}
