/**
 * A data directory of the version before there were tallies. It opens, the tallies are those of its
 * items to the last byte, and the next version goes on from there. Whatever of it was in the tables
 * and whatever in the journal, and whenever the power goes while it is being opened.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { Disk } from "../../src/store/disk.ts";
import { openDirectory } from "../../src/store/disk.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import {
  findJournal,
  NOTHING_ABSORBED,
  soundJournal,
} from "../../src/store/journal/foundJournal.ts";
import { Journal } from "../../src/store/journal/journal.ts";
import type { StoreRecord } from "../../src/store/journal/record.ts";
import { encodeRecord, recordBytes } from "../../src/store/journal/record.ts";
import type { SealedSegment } from "../../src/store/journal/segment.ts";
import { newFrame, segmentName } from "../../src/store/journal/segment.ts";
import { absorb } from "../../src/store/lmdb/absorber.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { FORMAT_KEY } from "../../src/store/lmdb/keys.ts";
import { LmdbBottom } from "../../src/store/lmdb/lmdbBottom.ts";
import { sealed } from "../../src/store/lmdb/seal.ts";
import { changesOf } from "../../src/store/lmdb/segmentChanges.ts";
import { SimulatedBottom } from "../../src/store/simulatedBottom.fake.ts";
import { SimulatedDisk } from "../../src/store/simulatedDisk.fake.ts";
import type { Activity } from "./machine.ts";
import { Machine, microTimer, ticks } from "./machine.ts";
import type { PartStep } from "./partHistory.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { unsealTables } from "./unsealTables.ts";
import { KEYS, nextStep, pick } from "./workload.ts";

const OPTIONS = { segmentBytesMax: 2000, sealedCountMax: 2 };
const SEGMENT_COUNT = 4;
const FRAMES_PER_SEGMENT = 12;
/** The kind of a commit that says nothing of tallies. */
const FORMER_COMMIT = 1;

const directories: string[] = [];

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

describe("a directory of the former format", () => {
  const absorbedCounts = Array.from({ length: SEGMENT_COUNT + 1 }, (_, count) => count);

  test.each(absorbedCounts)("opens when its tables have %i segments", async (count) => {
    const former = await formerDirectory(count);
    const bottom = await LmdbBottom.open(former.paths);
    expect(bottom.lacksTallies).toBe(true);
    const { disk, histories } = former;
    let store = await EmbeddedStore.open(microTimer, OPTIONS, { disk, bottom });
    expect(bottom.lacksTallies).toBe(false);
    expectAcknowledged(store, histories);

    await goOn(store, histories, seededRandom(9));
    expectAcknowledged(store, histories);
    await store.close();
    const again = await LmdbBottom.open(former.paths);
    expect(again.lacksTallies).toBe(false);
    store = await EmbeddedStore.open(microTimer, OPTIONS, { disk, bottom: again });
    expectAcknowledged(store, histories);
    await store.close();
  });

  test("is still one when the process ends before its items have been counted", async () => {
    const { paths, disk, histories, sealed } = await formerDirectory(1);
    for (const { segment, frameEnd } of sealed.slice(1)) {
      const bottom = await LmdbBottom.open(paths);
      await bottom.absorb(segment, frameEnd);
      expect(bottom.lacksTallies).toBe(true);
      await bottom.close();
    }
    const bottom = await LmdbBottom.open(paths);
    const store = await EmbeddedStore.open(microTimer, OPTIONS, { disk, bottom });
    expectAcknowledged(store, histories);
    await store.close();
  });

  test("opens through any number of power cuts", async () => {
    const interrupted = new Set<Activity>();
    for (let seed = 1; seed <= 60; seed++) {
      for (const activity of await openThroughCuts(seed)) interrupted.add(activity);
    }
    expect([...interrupted].sort()).toEqual(["absorb", "count", "open", "remove"]);
  });
});

test("a directory that no process has come to write to has its format at once", async () => {
  const { paths } = await emptyDirectory();
  for (let time = 0; time < 2; time++) {
    const bottom = await LmdbBottom.open(paths);
    expect(bottom.lacksTallies).toBe(false);
    await bottom.close();
  }
});

test("a format of the future is refused by its name", async () => {
  const { paths } = await emptyDirectory();
  const tables = openEnvironment(paths.tablesDirectory);
  tables.putSync(FORMAT_KEY, sealed(FORMAT_KEY, Buffer.from("4")));
  await tables.close();
  await expect(LmdbBottom.open(paths)).rejects.toThrow("has format 4; this version reads 3");
});

/** The machine loses power a few times before it comes to be open. */
async function openThroughCuts(seed: number): Promise<readonly Activity[]> {
  const random = seededRandom(seed);
  const disk = new SimulatedDisk(random);
  const bottom = new SimulatedBottom(disk, { lacksTallies: true });
  const { histories } = await writeFormer(disk, random);
  const machine = new Machine(random, OPTIONS, {}, { disk, bottom });
  const interrupted: Activity[] = [];
  for (let cut = 0; cut < 4; cut++) {
    void machine.boot();
    await ticks(pick(random, 250));
    interrupted.push(...machine.cutPower());
  }
  const store = await machine.boot();
  expectAcknowledged(store, histories);
  await goOn(store, histories, random);
  machine.cutPower();
  expectAcknowledged(await machine.boot(), histories);
  return interrupted;
}

interface Former {
  readonly histories: readonly PartHistory[];
  readonly sealed: readonly SealedSegment[];
}

/** `absorbedCount` of the segments are in the tables, as the former version put them there. */
async function formerDirectory(absorbedCount: number) {
  const { paths, disk } = await emptyDirectory();
  const former = await writeFormer(disk, seededRandom(absorbedCount + 1));
  const tables = openEnvironment(paths.tablesDirectory);
  for (const sealed of former.sealed.slice(0, absorbedCount)) {
    const bytes = await disk.read(segmentName(sealed.segment));
    absorb(tables, sealed.segment, changesOf(sealed, bytes));
  }
  unsealTables(tables, "1");
  await tables.close();
  return { paths, disk, ...former };
}

async function emptyDirectory() {
  const root = await mkdtemp(join(tmpdir(), "orrery-former-"));
  directories.push(root);
  const paths = { journalDirectory: join(root, "journal"), tablesDirectory: join(root, "tables") };
  return { paths, disk: await openDirectory(paths.journalDirectory) };
}

/** A journal of the former version, and what it acknowledged. */
async function writeFormer(disk: Disk, random: Random): Promise<Former> {
  const found = soundJournal(await findJournal(disk, NOTHING_ABSORBED));
  const journal = await Journal.goingOn(disk, found);
  const histories = [1, 2, 3].map((part) => new PartHistory(part, KEYS));
  const sealed: SealedSegment[] = [];
  for (let segment = 0; segment < SEGMENT_COUNT; segment++) {
    for (let count = 0; count < FRAMES_PER_SEGMENT; count++) {
      const history = histories[pick(random, histories.length)]!;
      if (history.isDropped) continue;
      const step = formerStep(random, history);
      history.acknowledge(step);
      const record = formerRecord(history, step);
      const frame = newFrame(record.length);
      frame.bytes.set(record, frame.start);
      await journal.append(frame);
    }
    const { sealed: last, closed } = journal.seal();
    await closed;
    sealed.push(last);
  }
  await journal.close();
  return { histories, sealed };
}

/** Nothing was adopted in those days, nor kept. */
function formerStep(random: Random, history: PartHistory): PartStep {
  for (;;) {
    const step = nextStep(random, history);
    if (step.kind === "commit") return { ...step, keepsVersions: false };
    if (step.kind !== "adopt" && step.kind !== "adoptVersions") return step;
  }
}

function formerRecord({ part, model }: PartHistory, step: PartStep): Buffer {
  if (step.kind === "drop") return encoded({ kind: "drop", part });
  const head = model.head(part);
  if (step.kind !== "commit") return encoded({ kind: "head", part, head });
  const { groups } = step;
  const bytes = encoded({ kind: "commit", part, head, groups, tallies: new Map() });
  // Tallies are the end of a commit, and none of them is four bytes.
  bytes[0] = FORMER_COMMIT;
  return bytes.subarray(0, -4);
}

function encoded(record: StoreRecord): Buffer {
  const bytes = Buffer.alloc(recordBytes(record));
  encodeRecord(record, bytes, 0);
  return bytes;
}

async function goOn(
  store: EmbeddedStore,
  histories: readonly PartHistory[],
  random: Random,
): Promise<void> {
  for (let count = 0; count < 30; count++) {
    const history = histories[pick(random, histories.length)]!;
    if (history.isDropped) continue;
    const step = nextStep(random, history);
    await perform(store, history.part, step);
    history.acknowledge(step);
  }
}

function expectAcknowledged(store: EmbeddedStore, histories: readonly PartHistory[]): void {
  for (const history of histories) {
    const verdict = history.verdict(store);
    expect(verdict.kind, JSON.stringify(verdict)).toBe("asAcknowledged");
  }
}
