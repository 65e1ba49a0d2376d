/**
 * A server whose files are taken away while it runs: removed, renamed, replaced, or gone with their
 * file system. It stops acknowledging, says what is gone, and goes on reading what it has open.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { ItemClient, storageLines } from "./itemClient.ts";
import { canMount, SmallVolume } from "./smallVolume.ts";

const opened: { server?: Server; root?: string } = {};

afterEach(async () => {
  await opened.server?.kill();
  if (opened.root !== undefined) rmSync(opened.root, { recursive: true, force: true });
});

type TakeAway = (data: string) => void;

type Loss = readonly [what: string, takeAway: TakeAway, says: RegExp];

const LOSSES: readonly Loss[] = [
  ["the data directory is removed", (data) => rmSync(data, { recursive: true }), /gone/],
  ["the data directory is renamed", (data) => renameSync(data, `${data}.old`), /journal is gone/],
  ["the tables are removed", (data) => rmSync(join(data, "tables"), { recursive: true }), /tables/],
];

/** Each takes a server of its own, so these wait for the campaign. */
const MORE_LOSSES: readonly Loss[] = [
  [
    "a copy is put in its place",
    (data) => {
      cpSync(data, `${data}.copy`, { recursive: true });
      renameSync(data, `${data}.old`);
      renameSync(`${data}.copy`, data);
    },
    /journal file \d+\.journal is gone/,
  ],
  [
    "an empty directory is put in its place",
    (data) => {
      renameSync(data, `${data}.old`);
      mkdirSync(data);
    },
    /journal is gone/,
  ],
  ["a journal file is removed", removeSegment, /journal file \d+\.journal is gone/],
];

const IS_CAMPAIGN = process.env["ORRERY_DISK_STATES"] === "full";

describe("writes stop, and reads go on, when", () => {
  test.each(IS_CAMPAIGN ? [...LOSSES, ...MORE_LOSSES] : LOSSES)(
    "%s",
    async (_what, takeAway, says) => {
      opened.root = mkdtempSync(join(tmpdir(), "orrery-lost-"));
      await lose(join(opened.root, "data"), takeAway, says);
    },
  );

  test.skipIf(!IS_CAMPAIGN || !canMount())("the file system is taken away", async () => {
    using volume = new SmallVolume(32);
    await lose(volume.data, () => volume.detach(), /journal is gone/);
    await opened.server?.kill();
  });
});

async function lose(data: string, takeAway: TakeAway, says: RegExp): Promise<void> {
  const server = await startServer(data);
  opened.server = server;
  const client = new ItemClient(server);
  await client.createContainer();
  for (let id = 0; id < 10; id++) await client.upsert(String(id), id);
  takeAway(data);
  await expect.poll(async () => (await client.upsert("after", 1)).status).toBe(503);
  const refused = await client.upsert("after", 2);
  expect(refused.status).toBe(503);
  expect(refused.body).toMatch(says);
  expect(refused.body).not.toContain(data);
  expect((await client.remove("1")).status).toBe(503);
  for (let id = 0; id < 10; id++) expect((await client.read(String(id))).status).toBe(200);
  const lines = storageLines(server);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ event: "storageFault", kind: "lost", directory: data });
  await expect.poll(() => client.firing()).toContain("storageFault");
  expect(await server.end()).toBe(0);
}

test("not one write is acknowledged into a journal file that was removed", async () => {
  opened.root = mkdtempSync(join(tmpdir(), "orrery-lost-"));
  const data = join(opened.root, "data");
  opened.server = await startServer(data);
  const client = new ItemClient(opened.server);
  await client.createContainer();
  expect((await client.upsert("before", 1)).status).toBe(201);
  removeSegment(data);
  expect((await client.upsert("after", 1)).status).toBe(503);
});

function removeSegment(data: string): void {
  const names = readdirSync(join(data, "journal")).filter((name) => name.endsWith(".journal"));
  rmSync(join(data, "journal", names.sort().at(-1)!));
}
