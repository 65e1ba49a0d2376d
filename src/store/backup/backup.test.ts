/**
 * Copies of a store that goes on writing: whatever was acknowledged before is in them, every commit
 * whole or not at all, and what was held for them is given back.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { openDirectory } from "../disk.ts";
import { EmbeddedStore } from "../embedded/embeddedStore.ts";
import { soundJournal, usableSegments } from "../journal/foundJournal.ts";
import type { JournalHold } from "../journal/segmentFiles.ts";
import { LmdbBottom } from "../lmdb/lmdbBottom.ts";
import { openReadOnlyTables } from "../lmdb/readOnlyTables.ts";
import type { ItemPut, StoredItem } from "../partitionStore.ts";
import type { OpenData, Snapshot } from "./backup.ts";
import { closedSnapshot, removeLeftCopy, takeSnapshot } from "./backup.ts";
import { findJournalIn, storeView } from "./backupView.ts";

const PART = 3;
/** Written together in every commit, beside an item of its own. */
const TOGETHER = ["a", "b", "c"];

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-backup-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe("a copy of a store that is open", () => {
  test("has everything that was acknowledged before, and commits whole", async () => {
    const { store, data, close } = await opened(join(root, "live"));
    let [acknowledged, isOver] = [0, false];
    const writer = (async () => {
      while (!isOver) {
        await commit(store, acknowledged + 1);
        acknowledged++;
      }
    })();
    for (let round = 0; round < 6; round++) {
      // Often enough for segments to be sealed and absorbed in between.
      const next = acknowledged + 40;
      while (acknowledged < next) await realTimer.soon();
      const before = acknowledged;
      const snapshot = await takeSnapshot(data);
      const copy = join(root, `copy-${round}`);
      await materialize(snapshot, copy);
      await snapshot.release();
      const last = await commitsIn(copy);
      expect(last).toBeGreaterThanOrEqual(before);
      expect(last).toBeLessThanOrEqual(acknowledged + 1);
    }
    isOver = true;
    await writer;
    await close();
    expect(readdirSync(join(root, "live")).sort()).toEqual(["journal", "tables"]);
  });

  test("opens as a store, and goes on from there", async () => {
    const { store, data, close } = await opened(join(root, "live"));
    for (let count = 1; count <= 60; count++) await commit(store, count);
    const snapshot = await takeSnapshot(data);
    await materialize(snapshot, join(root, "copy"));
    await snapshot.release();
    await close();
    const again = await opened(join(root, "copy"));
    expect(again.store.head(PART)?.lsn).toBe(60);
    await commit(again.store, 61);
    await again.close();
    expect(await commitsIn(join(root, "copy"))).toBe(61);
  });

  test("segments that were absorbed meanwhile go when it is released", async () => {
    const { store, data, close } = await opened(join(root, "live"));
    const snapshot = await takeSnapshot(data);
    const held = snapshot.files.length - 1;
    for (let count = 1; count <= 200; count++) await commit(store, count);
    const segments = (): number => readdirSync(join(root, "live", "journal")).length;
    expect(segments()).toBeGreaterThanOrEqual(held);
    await snapshot.release();
    await close();
    expect(segments()).toBeLessThanOrEqual(4);
    expect(existsSync(join(root, "live", "backup.tmp"))).toBe(false);
  });

  test("what a crash left of one is in nobody's way", async () => {
    const { store, data, close } = await opened(join(root, "live"));
    await commit(store, 1);
    const left = join(root, "live", "backup.tmp");
    mkdirSync(left);
    writeFileSync(join(left, "data.mdb"), "half of it");
    const snapshot = await takeSnapshot(data);
    await materialize(snapshot, join(root, "copy"));
    await snapshot.release();
    await close();
    expect(await commitsIn(join(root, "copy"))).toBe(1);
    mkdirSync(left);
    await removeLeftCopy(join(root, "live"));
    expect(existsSync(left)).toBe(false);
  });

  test("when the tables cannot be copied, nothing stays held", async () => {
    const { store, data, close } = await opened(join(root, "live"));
    await commit(store, 1);
    const failing = { ...data, copyTables: () => Promise.reject(new Error("no such luck")) };
    await expect(takeSnapshot(failing)).rejects.toThrow("no such luck");
    await (await takeSnapshot(data)).release();
    await close();
  });
});

test("a directory that nobody has open is copied as it is", async () => {
  const { store, close } = await opened(join(root, "live"));
  for (let count = 1; count <= 50; count++) await commit(store, count);
  await close();
  await materialize(await closedSnapshot(join(root, "live")), join(root, "copy"));
  expect(await commitsIn(join(root, "copy"))).toBe(50);
});

interface Opened {
  readonly store: EmbeddedStore;
  readonly data: OpenData;
  close(): Promise<void>;
}

/** With segments so short that many of them come and go. */
async function opened(directory: string): Promise<Opened> {
  const journalDirectory = join(directory, "journal");
  const disk = await openDirectory(journalDirectory);
  const bottom = await LmdbBottom.open({
    journalDirectory,
    tablesDirectory: join(directory, "tables"),
  });
  const options = { segmentBytesMax: 16 * 1024, sealedCountMax: 3 };
  const store = await EmbeddedStore.open(realTimer, options, { disk, bottom });
  await store.claim(PART, (store.head(PART)?.epoch ?? 0) + 1);
  const holdJournal = (): JournalHold => store.holdJournal();
  const copyTables = (folder: string): Promise<void> => bottom.copyTo(folder);
  const data = { directory, holdJournal, copyTables };
  return { store, data, close: () => store.close() };
}

/** Commit `count`: the same number into three items that are there, and a new one of that name. */
async function commit(store: EmbeddedStore, count: number): Promise<void> {
  const epoch = store.head(PART)!.epoch;
  const body = Buffer.from(`${count}`.padEnd(200));
  const put = (key: string, number: number, before: StoredItem | undefined): ItemPut => ({
    kind: "put",
    key,
    number,
    tag: 0,
    body,
    before: before && { lsn: before.lsn, bodyBytes: before.body.length },
    termsAdded: before === undefined ? [`term of ${key}`] : [],
    termsRemoved: [],
  });
  const writes = TOGETHER.map((key, index) => put(key, index + 1, store.get(PART, key)));
  await store.commit(PART, epoch, [[...writes, put(`n${count}`, count + 10, undefined)]]);
}

async function materialize(snapshot: Snapshot, directory: string): Promise<void> {
  mkdirSync(join(directory, "journal"), { recursive: true });
  for (const file of snapshot.files) {
    const pieces: Buffer[] = [];
    for await (const piece of snapshot.read(file)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect(bytes.length).toBe(file.bytes);
    mkdirSync(dirname(join(directory, file.name)), { recursive: true });
    writeFileSync(join(directory, file.name), bytes);
  }
}

/** How many commits a copy has; fails if one of them is there in part, or one is missing. */
async function commitsIn(directory: string): Promise<number> {
  const tables = openReadOnlyTables(join(directory, "tables"))!;
  try {
    const found = soundJournal(await findJournalIn(directory, tables.bottom));
    const view = storeView(tables.bottom, usableSegments(found));
    const kept = await view.getMany(PART, TOGETHER);
    const together = kept.map((item) => Number(item?.body.toString()));
    const [last] = together as [number];
    expect(together).toEqual([last, last, last]);
    const names = Array.from({ length: last }, (_, index) => `n${index + 1}`);
    expect(await view.getMany(PART, names)).not.toContain(undefined);
    expect(view.head(PART)).toMatchObject({ lsn: last, itemCount: last + 3 });
    return last;
  } finally {
    await tables.close();
  }
}
