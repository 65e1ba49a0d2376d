/**
 * What becomes of kept versions in the tables: a sweep takes them off the disk, in small steps, and
 * whatever interrupts it is made up for.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lsn } from "../../base/units.ts";
import { afterPrefix, decodeNumber } from "../bytes.ts";
import { lsnKey } from "../memory/layer.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import type { KeptVersion, PartHead } from "../partitionStore.ts";
import { absorb } from "./absorber.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import {
  decodeChange,
  decodeVersion,
  encodeChange,
  encodeVersion,
  PREFIX_BYTES,
  tablePrefix,
} from "./keys.ts";
import { sealed, unsealed } from "./seal.ts";
import type { SegmentChanges } from "./segmentChanges.ts";

/** No transaction may take away more. */
const SWEPT_COUNT_MAX = 4096;

let directory: string;
let tables: LmdbEnvironment;
let segment = 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-absorber-"));
  tables = openEnvironment(directory);
});

afterEach(async () => {
  await tables.close();
  rmSync(directory, { recursive: true, force: true });
});

test("a version comes back as it was put down", () => {
  const version: KeptVersion = {
    lsn: lsn(2 ** 40),
    number: 2 ** 50,
    kind: "expired",
    key: "\x00k\xff",
    tag: -(2 ** 31),
    previousLsn: lsn(2 ** 39),
    body: Buffer.from("body"),
  };
  for (const kind of ["created", "replaced", "deleted", "expired"] as const) {
    take({ kept: [{ ...version, kind }] });
    const place = tablePrefix(1, "versions");
    const [entry] = tables.getRange({ start: place, end: afterPrefix(place) });
    const { key, value } = entry!;
    const content = unsealed(key, value);
    expect(decodeVersion(key.slice(PREFIX_BYTES), content)).toEqual({ ...version, kind });
    expect(encodeVersion({ ...version, kind })).toEqual(content);
  }
});

test("a sweep takes away what it forgets, of its own part only", () => {
  take({ kept: versions(1, 10), lsn: 10 });
  take({ part: 2, kept: versions(1, 10), lsn: 10 });
  take({ lsn: 10, sweptLsn: 7 });
  expect(lsnsOnDisk(1)).toEqual([8, 9, 10]);
  expect(lsnsOnDisk(2)).toHaveLength(10);
});

test("a segment that forgets its own versions does not put them down", () => {
  take({ kept: versions(1, 10), lsn: 10, sweptLsn: 4 });
  expect(lsnsOnDisk(1)).toEqual([5, 6, 7, 8, 9, 10]);
  take({ kept: versions(11, 12), lsn: 12, sweptLsn: 12 });
  expect(lsnsOnDisk(1)).toEqual([]);
});

test("a sweep takes ends of both kinds out of the log, and nothing else", () => {
  const prefix = tablePrefix(1, "log");
  const kinds = ["created", "deleted", "expired", "replaced", "expired"] as const;
  const entries = new Map(
    kinds.map((kind, index) => {
      const key = prefix + lsnKey(index + 1, 1);
      return [key, sealed(key, encodeChange(kind, "k"))];
    }),
  );
  absorb(tables, ++segment, { ...changesOf({ lsn: 5 }), entries });
  take({ lsn: 5, sweptLsn: 4 });
  const left = [...tables.getRange({ start: prefix, end: afterPrefix(prefix) })];
  expect(left.map(({ value }) => decodeChange(value).kind)).toEqual([
    "created",
    "replaced",
    "expired",
  ]);
});

test("a segment that somebody has absorbed already is passed over, and so are earlier ones", () => {
  take({ kept: versions(1, 1), lsn: 1 });
  take({ kept: versions(2, 2), lsn: 2 });
  const late = changesOf({ kept: versions(9, 9), lsn: 9 });
  absorb(tables, segment, late);
  absorb(tables, segment - 1, late);
  expect(lsnsOnDisk(1)).toEqual([1, 2]);
  take({ kept: versions(3, 3), lsn: 3 });
  expect(lsnsOnDisk(1)).toEqual([1, 2, 3]);
});

test("a drop takes all versions away", () => {
  take({ kept: versions(1, 10), lsn: 10 });
  const changes = changesOf({ kept: versions(11, 12), lsn: 12 });
  absorb(tables, ++segment, { ...changes, dropped: new Set([1]) });
  expect(lsnsOnDisk(1)).toEqual([]);
});

test("much is swept in many transactions, each of them bounded", () => {
  const count = 2 * SWEPT_COUNT_MAX + 100;
  take({ kept: versions(1, count), lsn: count });
  take({ part: 2, kept: versions(1, 50), lsn: 50 });
  const counts = removalsPerTransaction();
  absorb(tables, ++segment, {
    ...changesOf({}),
    heads: new Map([
      [1, headOf({ lsn: count, sweptLsn: count - 10 })],
      [2, headOf({ lsn: 50, sweptLsn: 50 })],
    ]),
  });
  expect(lsnsOnDisk(1)).toHaveLength(10);
  expect(lsnsOnDisk(2)).toEqual([]);
  // The last one is the segment's own.
  expect(counts).toEqual([SWEPT_COUNT_MAX, SWEPT_COUNT_MAX, 90 + 50, 0]);
});

test("a sweep that failed on the way is made good by the next try", () => {
  const count = SWEPT_COUNT_MAX + 100;
  take({ kept: versions(1, count), lsn: count });
  const changes = changesOf({
    kept: versions(count + 1, count + 1),
    lsn: count + 1,
    sweptLsn: count,
  });
  failAtTransaction(2);
  segment++;
  expect(() => absorb(tables, segment, changes)).toThrow("no room");
  expect(lsnsOnDisk(1)).toHaveLength(100);
  absorb(tables, segment, changes);
  expect(lsnsOnDisk(1)).toEqual([count + 1]);
});

test("what an interrupted sweep has left goes with the next head of the part", () => {
  take({ kept: versions(1, 10), lsn: 10, sweptLsn: 0 });
  take({ lsn: 10, sweptLsn: 8 });
  for (const { lsn: at } of versions(3, 5)) take({ kept: versions(at, at) });
  expect(lsnsOnDisk(1)).toEqual([3, 4, 5, 9, 10]);
  take({ lsn: 10, sweptLsn: 8 });
  expect(lsnsOnDisk(1)).toEqual([9, 10]);
});

test("versions that come and go do not make the tables grow", () => {
  const sizes: number[] = [];
  for (let round = 1; round <= 24; round++) {
    const first = round * 500;
    const kept = versions(first, first + 499, Buffer.alloc(1000));
    take({ kept, lsn: first + 499, sweptLsn: Math.max(0, first - 500) });
    sizes.push(statSync(join(directory, "data.mdb")).size);
  }
  expect(sizes.at(-1)!).toBeLessThanOrEqual(1.5 * sizes[5]!);
});

interface Taken {
  readonly part?: number;
  readonly kept?: readonly KeptVersion[];
  /** With one the segment has a head of the part. */
  readonly lsn?: number;
  readonly sweptLsn?: number;
}

function take(taken: Taken): void {
  absorb(tables, ++segment, changesOf(taken));
}

function changesOf({ part = 1, kept = [], ...head }: Taken): SegmentChanges {
  return {
    entries: new Map(),
    items: new Map(),
    terms: new Map(),
    versions: new Map([[part, kept]]),
    heads: head.lsn === undefined ? new Map() : new Map([[part, headOf(head)]]),
    dropped: new Set(),
    lastFrame: segment,
  };
}

function headOf({ lsn: at = 0, sweptLsn = 0 }: Taken): PartHead {
  return { ...EMPTY_HEAD, epoch: 1, lsn: lsn(at), sweptLsn: lsn(sweptLsn) };
}

function versions(first: number, last: number, body = Buffer.from("x")): readonly KeptVersion[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    lsn: lsn(first + index),
    number: 1,
    kind: "replaced",
    key: "k",
    tag: 0,
    previousLsn: lsn(first + index - 1),
    body,
  }));
}

function lsnsOnDisk(part: number): readonly number[] {
  const start = tablePrefix(part, "versions");
  const keys = [...tables.getKeys({ start, end: afterPrefix(start) })];
  return keys.map((key) => decodeNumber(key, PREFIX_BYTES));
}

/** One number for each transaction from now on. */
function removalsPerTransaction(): number[] {
  const counts: number[] = [];
  const removals = vi.spyOn(tables, "removeSync").mock.calls;
  const { transactionSync } = tables;
  tables.transactionSync = (run) => {
    const before = removals.length;
    const answer = transactionSync.call(tables, run) as ReturnType<typeof run>;
    counts.push(removals.length - before);
    return answer;
  };
  return counts;
}

/** Only once. */
function failAtTransaction(which: number): void {
  const { transactionSync } = tables;
  let count = 0;
  tables.transactionSync = (run) => {
    if (++count === which) throw new Error("no room");
    return transactionSync.call(tables, run) as ReturnType<typeof run>;
  };
}
