/**
 * A server on a disk that fills up, and has room again: what is refused, what still works, what is
 * told, and that it comes back by itself. On a real, small file system.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import type { LogLine } from "./itemClient.ts";
import { ItemClient, storageLines } from "./itemClient.ts";
import { canMount, mebibytes, SmallVolume } from "./smallVolume.ts";

const IS_CAMPAIGN = process.env["ORRERY_DISK_STATES"] === "full";
const IS_MOUNTING = canMount();
if (!IS_MOUNTING) {
  process.stderr.write(
    "test/disk: file systems cannot be mounted here; only simulated disks run\n",
  );
}

/** Of what writes a whole segment, on a machine with much else to do. */
const PATIENCE_MS = 240_000;

test.skipIf(!IS_MOUNTING)(
  "a disk too full for the tables is one that has no room, not a broken one",
  async () => {
    using volume = new SmallVolume(64);
    const server = await startServer(volume.data);
    try {
      const client = new ItemClient(server);
      await client.createContainer();
      // More than a segment, and with its tables more than fits.
      let status = 201;
      for (let id = 0; status < 300; id++) {
        ({ status } = await client.upsert(String(id), id, 1_000_000));
      }
      expect(status).toBe(503);
      await client.expectAcknowledged();
      volume.resize(256);
      await expect.poll(async () => (await client.upsert("x", 1, 1_000_000)).status).toBe(201);
      expect(storageLines(server).map(({ event, kind }) => [event, kind])).toEqual([
        ["storageFault", "full"],
        ["storageFaultEnded", "full"],
      ]);
      await client.expectAcknowledged();
    } finally {
      await server.kill();
    }
  },
  PATIENCE_MS,
);

describe.skipIf(!IS_MOUNTING)("a disk that fills up under a server", () => {
  let volume: SmallVolume;
  let server: Server;
  let client: ItemClient;
  const acknowledged = new Map<string, number | undefined>();

  beforeAll(async () => {
    volume = new SmallVolume(32);
    await start();
    await client.createContainer();
    for (let id = 0; id < 40; id++) await client.upsert(String(id), id, 20_000);
  });

  afterAll(async () => {
    await server?.kill();
    volume?.[Symbol.dispose]();
  });

  async function start(): Promise<void> {
    server = await startServer(volume.data);
    client = new ItemClient(server, acknowledged);
  }

  async function fillUp(): Promise<void> {
    volume.fill(mebibytes(0.5));
    let status = 201;
    for (let count = 0; status < 300; count++) {
      ({ status } = await client.upsert(`more${count}`, count, 50_000));
      if (count > 100) volume.fill();
    }
    expect(status).toBe(503);
  }

  const isFull = async (): Promise<boolean> => (await client.upsert("probe", 1)).status === 503;

  test("refuses what grows, and says so without a path", async () => {
    await fillUp();
    const refused = await client.upsert("0", 99);
    expect(refused.status).toBe(503);
    expect(refused.body).toContain("disk of the server is full");
    expect(refused.body).not.toContain(volume.directory);
    expect((await client.createContainerNamed("other")).status).toBe(503);
    await client.expectAcknowledged();
  });

  test("has told it in one line, with the directory, and raised an alert", async () => {
    const [line, ...more] = storageLines(server);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ event: "storageFault", kind: "full", directory: volume.data });
    await expect.poll(() => client.firing()).toContain("storageFault");
  });

  test("takes deletions from its reserve", async () => {
    volume.fill();
    for (let id = 0; id < 10; id++) expect((await client.remove(String(id))).status).toBe(204);
    expect(await isFull()).toBe(true);
    await client.expectAcknowledged();
  });

  test("takes writes again by itself when there is room", async () => {
    volume.empty();
    await expect.poll(isFull).toBe(false);
    expect((await client.upsert("0", 100)).status).toBe(201);
    expect(storageLines(server).map(({ event }) => event)).toEqual([
      "storageFault",
      "storageFaultEnded",
    ]);
    await expect.poll(() => client.firing()).not.toContain("storageFault");
  });

  test("comes up when there is no room at all, and reads", async () => {
    await fillUp();
    volume.fill();
    await server.kill();
    volume.fill();
    await start();
    await client.expectAcknowledged();
    expect(await isFull()).toBe(true);
    expect(storageLines(server)).toMatchObject([
      ...droppedTails(server),
      { event: "storageFault", kind: "full", directory: volume.data },
    ]);
  });

  test("comes up again and again, while others take every byte", async () => {
    for (let count = 0; count < (IS_CAMPAIGN ? 3 : 1); count++) {
      await server.kill();
      volume.fill();
      await start();
      await client.expectAcknowledged();
    }
    expect(await isFull()).toBe(true);
  });

  test("after that has everything, and takes writes", async () => {
    volume.empty();
    await expect.poll(isFull).toBe(false);
    await client.expectAcknowledged();
    expect(await server.end()).toBe(0);
    await start();
    await client.expectAcknowledged();
    expect((await client.createContainerNamed("other")).status).toBe(201);
  });
});

/** A frame that did not fit may have left its beginning. */
function droppedTails(server: Server): readonly LogLine[] {
  return storageLines(server).filter(({ event }) => event === "journalTailDropped");
}
