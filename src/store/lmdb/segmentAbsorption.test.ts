/**
 * A segment is put down in several transactions. Wherever that is interrupted, the tables count as
 * they were before, and once more over what is there comes to the same as at one go.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lsn } from "../../base/units.ts";
import type { StoreRecord } from "../journal/record.ts";
import { frameOf } from "../journal/record.ts";
import { numberFrame, segmentHeader } from "../journal/segment.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import type { ItemWrite, PartHead } from "../partitionStore.ts";
import { absorb } from "./absorber.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import type { SegmentChanges } from "./segmentChanges.ts";
import { changesOf } from "./segmentChanges.ts";

const PART = 1;
const STEP_COUNT = 2;

const directories: string[] = [];
const opened: LmdbEnvironment[] = [];
let whole: LmdbEnvironment;

beforeEach(() => {
  whole = newTables();
});

afterEach(async () => {
  for (const tables of opened.splice(0)) await tables.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** Items 1 to 3, then every kind of change to them, and items 4 and 5. */
const STORY: readonly (readonly ItemWrite[])[] = [
  [put(1, 0, ["a", "b"]), put(2, 0, ["a", "c"]), put(3, 0, ["b", "c"])],
  [
    put(1, 1, ["d"], ["a"]),
    put(4, 0, ["a", "d"]),
    put(1, 4, ["a", "e"], ["d"]),
    {
      kind: "delete",
      key: "key 2",
      number: 2,
      tag: 0,
      before: before(2),
      termsRemoved: ["a", "c"],
    },
    put(5, 0, ["c", "f"]),
    {
      kind: "delete",
      key: "key 5",
      number: 5,
      tag: 0,
      before: before(8),
      termsRemoved: ["c", "f"],
    },
    put(3, 3, ["b"], ["b"]),
  ],
];

test("an interrupted segment is made good by the next try, wherever it was interrupted", () => {
  const [first, second] = segmentsOf(STORY);
  absorb(whole, 1, first!);
  absorb(whole, 2, second!);
  const transactions = countOf(second!);
  expect(transactions).toBeGreaterThan(3);
  for (let failing = 1; failing <= transactions; failing++) {
    const tables = newTables();
    absorb(tables, 1, first!, STEP_COUNT);
    const heads = headBytesOf(tables);
    failAt(tables, failing);
    expect(() => absorb(tables, 2, second!, STEP_COUNT)).toThrow("the power is gone");
    expect(headBytesOf(tables)).toEqual(heads);
    absorb(tables, 2, second!, STEP_COUNT);
    expect(entriesOf(tables)).toEqual(entriesOf(whole));
  }
});

test("a segment that somebody else absorbs meanwhile is left to them", () => {
  const [first, second] = segmentsOf(STORY);
  const tables = newTables();
  absorb(tables, 1, first!);
  const { transactionSync } = tables;
  let count = 0;
  tables.transactionSync = (run) => {
    if (++count === 3) {
      tables.transactionSync = transactionSync;
      absorb(tables, 2, second!);
    }
    return transactionSync.call(tables, run) as ReturnType<typeof run>;
  };
  absorb(tables, 2, second!, 1);
  absorb(whole, 1, first!);
  absorb(whole, 2, second!);
  expect(entriesOf(tables)).toEqual(entriesOf(whole));
});

test("an item that is written many times is put down once, and leaves no log behind", () => {
  const many = Array.from({ length: 50 }, (_, at) =>
    put(1, at, [`t${at}`], at > 0 ? [`t${at - 1}`] : []),
  );
  const [segment] = segmentsOf([many]);
  const puts = vi.spyOn(whole, "putSync").mock.calls;
  const removals = vi.spyOn(whole, "removeSync").mock.calls;
  absorb(whole, 1, segment!);
  // Nothing is there that could be removed.
  expect(removals).toEqual([]);
  // The item, its key, its log entry, its term, its tally, the head, and the segment's number.
  expect(puts).toHaveLength(7);
});

function put(
  number: number,
  lsnBefore: number,
  added: string[],
  removed: string[] = [],
): ItemWrite {
  return {
    kind: "put",
    key: `key ${number}`,
    number,
    tag: 0,
    body: Buffer.from(`body of ${number} after ${lsnBefore}`),
    before: lsnBefore === 0 ? undefined : before(lsnBefore),
    termsAdded: added,
    termsRemoved: removed,
  };
}

function before(lsnBefore: number) {
  return { lsn: lsn(lsnBefore), bodyBytes: 0 };
}

/** A segment for each row, a group for each write. */
function segmentsOf(rows: readonly (readonly ItemWrite[])[]): readonly SegmentChanges[] {
  let head: PartHead = { ...EMPTY_HEAD, epoch: 1 };
  return rows.map((writes, index) => {
    const numberMax = Math.max(head.numberMax, ...writes.map(({ number }) => number));
    head = { ...head, lsn: lsn(head.lsn + writes.length), numberMax };
    const tallies = new Map([["family", { itemCount: index + 1, itemBytes: 1 }]]);
    const groups = writes.map((write) => [write]);
    const record = { kind: "commit", part: PART, head, groups, tallies } as StoreRecord;
    const frame = frameOf([record]);
    numberFrame(frame, index + 1);
    const segment = index + 1;
    const bytes = Buffer.concat([segmentHeader(segment, index + 1), frame.bytes]);
    return changesOf({ segment, frameEnd: index + 2 }, bytes);
  });
}

function newTables(): LmdbEnvironment {
  const directory = mkdtempSync(join(tmpdir(), "orrery-absorption-"));
  directories.push(directory);
  const tables = openEnvironment(directory);
  opened.push(tables);
  return tables;
}

function countOf(second: SegmentChanges): number {
  const tables = newTables();
  absorb(tables, 1, segmentsOf(STORY)[0]!);
  const { transactionSync } = tables;
  let count = 0;
  tables.transactionSync = (run) => {
    count++;
    return transactionSync.call(tables, run) as ReturnType<typeof run>;
  };
  absorb(tables, 2, second, STEP_COUNT);
  return count;
}

/** The transaction is undone as a whole, as it is when the power goes. */
function failAt(tables: LmdbEnvironment, which: number): void {
  const { transactionSync } = tables;
  let count = 0;
  tables.transactionSync = (run) => {
    if (++count !== which) return transactionSync.call(tables, run) as ReturnType<typeof run>;
    tables.transactionSync = transactionSync;
    throw new Error("the power is gone");
  };
}

function entriesOf(tables: LmdbEnvironment): unknown[] {
  return [...tables.getRange({ start: "\x00" })].map(({ key, value }) => [
    Buffer.from(key, "latin1").toString("hex"),
    value.toString("hex"),
  ]);
}

/** The head of the part, and which segment was absorbed last. */
function headBytesOf(tables: LmdbEnvironment): unknown[] {
  return [
    ...tables.getRange({ start: "\x00\x00\x00\x01\x00", end: "\x00\x00\x00\x01\x01" }),
    ...tables.getRange({ start: "\xff\xff\xff\xffsegment" }),
  ].map(({ value }) => value.toString("hex"));
}
