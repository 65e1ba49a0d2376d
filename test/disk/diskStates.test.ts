/**
 * The campaign of disk states: full, emptied, read-only, failing, slow, under writers and kills.
 * `npm run campaign disk-states` runs it at its full length; lostFiles.test.ts and fullDisk.test.ts
 * have the states one by one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { DiskStorm } from "./diskStorm.ts";
import { canTurnReadOnly, FragileVolume, hasStrace, injectInto } from "./failingDevice.ts";
import { ItemClient, storageLines } from "./itemClient.ts";
import { canMount } from "./smallVolume.ts";

const IS_CAMPAIGN = process.env["ORRERY_DISK_STATES"] === "full";
const FIRST_SEED = Number(process.env["ORRERY_DISK_SEED"] ?? 1);
const SEEDS = Array.from({ length: IS_CAMPAIGN ? 25 : 1 }, (_, index) => FIRST_SEED + index);
const ROUND_COUNT = IS_CAMPAIGN ? 20 : 4;
const HAS_STRACE = IS_CAMPAIGN && hasStrace();
if (IS_CAMPAIGN && !HAS_STRACE) {
  process.stderr.write("test/disk: strace is missing; failing and slow disks are simulated only\n");
}

test.skipIf(!canMount()).each(SEEDS)(
  "a disk that fills and empties under writers and kills loses nothing, seed %i",
  async (seed) => {
    const report = await new DiskStorm(seed).run(ROUND_COUNT);
    if (IS_CAMPAIGN) process.stderr.write(`seed ${seed}: ${JSON.stringify(report)}\n`);
    expect(report.violations).toEqual([]);
    expect(report.acknowledgedCount).toBeGreaterThan(0);
  },
);

test.skipIf(!canTurnReadOnly())(
  "a file system that turns read-only refuses writes and keeps what it has",
  async () => {
    using volume = new FragileVolume();
    await withServer(volume.data, async (server, client) => {
      volume.turnReadOnly();
      const refused = await client.upsert("0", 99);
      expect(refused.status).toBe(503);
      expect(refused.body).toContain("read-only");
      expect((await client.remove("1")).status).toBe(503);
      expect(storageLines(server)).toMatchObject([{ event: "storageFault", kind: "readOnly" }]);
      await expect.poll(() => client.firing()).toContain("storageFault");
      await client.expectAcknowledged();
    });
    volume.mountAnew();
    await expectKept(volume.data);
  },
);

test.skipIf(!HAS_STRACE)("a device that fails stops writes, and loses nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "orrery-failing-"));
  try {
    const data = join(root, "data");
    await withServer(data, async (server, client) => {
      const callOff = await injectInto(server.pid, "error=EIO");
      expect((await client.upsert("0", 99)).status).toBe(503);
      await callOff();
      const refused = await client.upsert("0", 100);
      expect([refused.status, refused.body]).toEqual([503, expect.stringContaining("its disk")]);
      expect(storageLines(server)).toMatchObject([{ event: "storageFault", kind: "failed" }]);
      await expect.poll(() => client.firing()).toContain("storageFault");
      await client.expectAcknowledged();
    });
    await expectKept(data);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.skipIf(!HAS_STRACE)("a device that is slow is told, and refuses nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "orrery-slow-"));
  try {
    await withServer(join(root, "data"), async (server, client) => {
      const callOff = await injectInto(server.pid, "delay_enter=8000000");
      const slow = client.upsert("0", 99);
      await expect.poll(() => storageLines(server)).toMatchObject([{ kind: "stalled" }]);
      expect((await new ItemClient(server).read("1")).status).toBe(200);
      expect((await slow).status).toBe(200);
      await callOff();
      await client.expectAcknowledged();
    });
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** What `withServer` has acknowledged, for those who look afterwards. */
const kept = new Map<string, Map<string, number | undefined>>();

async function withServer(
  data: string,
  act: (server: Server, client: ItemClient) => Promise<void>,
): Promise<void> {
  const server = await startServer(data);
  const client = new ItemClient(server);
  try {
    await client.createContainer();
    for (let id = 0; id < 10; id++) await client.upsert(String(id), id);
    kept.set(data, client.acknowledged);
    await act(server, client);
  } finally {
    client.close();
    await server.kill();
  }
}

async function expectKept(data: string): Promise<void> {
  const server = await startServer(data);
  try {
    const client = new ItemClient(server, kept.get(data));
    await client.expectAcknowledged();
    expect((await client.upsert("0", 101)).status).toBe(200);
    client.close();
  } finally {
    await server.kill();
  }
}
