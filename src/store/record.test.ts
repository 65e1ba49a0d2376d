/** Records come back as they were written, and counters follow from the writes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../base/units.ts";
import type { CountedWrite } from "./partHead.ts";
import { EMPTY_HEAD, headAdopting, headAfter } from "./partHead.ts";
import type {
  AdoptedVersion,
  ItemDelete,
  ItemPut,
  ItemWrite,
  LogKind,
  PartHead,
} from "./partitionStore.ts";
import type { RecordVisitor, StoreRecord } from "./record.ts";
import { encodeRecord, recordBytes, visitRecords } from "./record.ts";
import type { Tallies } from "./tallies.ts";
import { talliesBytes } from "./tallies.ts";

const anyNumber = fc.oneof(fc.nat(1000), fc.maxSafeNat());
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const anyTerms = fc.array(anyText, { maxLength: 4 });
const anySuperseded = fc.record({
  lsn: fc.integer({ min: 1, max: 2 ** 50 }).map(lsn),
  bodyBytes: fc.nat(1000),
});
const anyWrite: fc.Arbitrary<ItemWrite> = fc.oneof(
  fc.record({
    kind: fc.constant("put" as const),
    key: anyText,
    number: anyNumber,
    tag: fc.integer(),
    body: fc.uint8Array({ maxLength: 60 }),
    before: fc.option(anySuperseded, { nil: undefined }),
    termsAdded: anyTerms,
    termsRemoved: anyTerms,
  }),
  fc.record({
    kind: fc.constant("delete" as const),
    key: anyText,
    number: anyNumber,
    before: anySuperseded,
    termsRemoved: anyTerms,
  }),
  fc.record({
    kind: fc.constant("reterm" as const),
    key: anyText,
    number: anyNumber,
    termsAdded: anyTerms,
    termsRemoved: anyTerms,
  }),
);
const anyHead: fc.Arbitrary<PartHead> = fc.record({
  epoch: anyNumber,
  lsn: fc.integer({ min: 1000, max: 2 ** 50 }).map(lsn),
  itemCount: anyNumber,
  itemBytes: anyNumber,
  numberMax: anyNumber,
  sweptLsn: anyNumber.map(lsn),
});
const anyPart = fc.nat(2 ** 32 - 2);
const anyTallies: fc.Arbitrary<Tallies> = fc
  .array(fc.tuple(anyText, fc.record({ itemCount: anyNumber, itemBytes: anyNumber })), {
    maxLength: 3,
  })
  .map((entries) => new Map(entries));
const anyVersion: fc.Arbitrary<AdoptedVersion> = fc
  .tuple(anyNumber.map(lsn), anyWrite, fc.boolean(), fc.boolean())
  .filter(([, write]) => write.kind !== "reterm")
  .map(([at, write, isFirst, isHere]) => {
    if (write.kind === "put") {
      return { lsn: at, logKind: isFirst ? "created" : "replaced", write };
    }
    const { before, ...rest } = write as ItemDelete;
    return { lsn: at, logKind: "deleted", write: { ...rest, before: isHere ? before : undefined } };
  });
const anyRecord: fc.Arbitrary<StoreRecord> = fc.oneof(
  fc.record({
    kind: fc.constant("commit" as const),
    part: anyPart,
    head: anyHead,
    groups: fc.array(fc.array(anyWrite, { maxLength: 3 }), { maxLength: 3 }),
    tallies: anyTallies,
  }),
  fc.record({
    kind: fc.constant("adopt" as const),
    part: anyPart,
    head: anyHead,
    versions: fc.array(anyVersion, { maxLength: 4 }),
    tallies: anyTallies,
  }),
  fc.record({ kind: fc.constant("head" as const), part: anyPart, head: anyHead }),
  fc.record({ kind: fc.constant("drop" as const), part: anyPart }),
  fc.record({
    kind: fc.constant("lease" as const),
    name: anyText,
    lease: fc.record({ owner: anyText, fencingToken: anyNumber, until: anyNumber }),
  }),
);

describe("a row of records", () => {
  test("is visited in order, change by change", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 4 }), (records) => {
        expect(visitedIn(records, true)).toEqual(records.flatMap(changesOf));
      }),
      { numRuns: 300 },
    );
  });

  test("says the same about everything else to a visitor that skips the terms", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 4 }), (records) => {
        const withoutTerms = records.flatMap(changesOf).filter(([what]) => what !== "term");
        expect(visitedIn(records, false)).toEqual(withoutTerms);
      }),
    );
  });

  test("says nothing of tallies when a version without them wrote it", () => {
    const commits = anyRecord.filter((record) => record.kind === "commit");
    fc.assert(
      fc.property(commits, (record) => {
        const changes = changesOf(record).filter(([what]) => what !== "tally");
        expect(visited(untallied(record))).toEqual(changes);
      }),
    );
  });

  test("that runs past its end is a defect, not a wrong answer", () => {
    const record: StoreRecord = { kind: "head", part: 1, head: EMPTY_HEAD };
    const bytes = Buffer.alloc(recordBytes(record) + 8);
    encodeRecord(record, bytes, 0);
    expect(() => visitRecords(bytes, 0, recordBytes(record) - 1, {})).toThrow();
  });
});

describe("the head after a commit", () => {
  test("counts what is there, however it came there", () => {
    const history = fc.array(fc.tuple(fc.nat(5), fc.nat(100), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(history, (steps) => {
        let head = EMPTY_HEAD;
        const lengths = new Map<number, number>();
        for (const [index, [number, bytes, isDelete]] of steps.entries()) {
          const held = lengths.get(number);
          const before = held === undefined ? undefined : { lsn: lsn(index), bodyBytes: held };
          if (isDelete && before === undefined) continue;
          const write = writeOf(number, isDelete ? undefined : bytes, before);
          head = headAfter(head, [[write]]);
          if (isDelete) lengths.delete(number);
          else lengths.set(number, bytes);
        }
        expect(head.itemCount).toBe(lengths.size);
        expect(head.itemBytes).toBe([...lengths.values()].reduce((sum, next) => sum + next, 0));
      }),
    );
  });

  test("gives every group an LSN of its own, and remembers the largest number", () => {
    const groups = [
      [writeOf(7, 1, undefined), writeOf(3, 1, undefined)],
      [writeOf(5, 1, undefined)],
      [{ kind: "reterm", key: "k9", number: 9, termsAdded: ["t"], termsRemoved: [] } as const],
    ];
    const before = { ...EMPTY_HEAD, epoch: 4, lsn: lsn(10), sweptLsn: lsn(2) };
    expect(headAfter(before, groups)).toEqual({
      epoch: 4,
      lsn: 13,
      itemCount: 3,
      itemBytes: 3,
      numberMax: 7,
      sweptLsn: 2,
    });
  });
});

function writeOf(
  number: number,
  bodyBytes: number | undefined,
  before: ItemPut["before"],
): ItemWrite {
  const shared = { key: `k${number}`, number, termsRemoved: [] };
  if (bodyBytes === undefined) return { kind: "delete", ...shared, before: before! };
  const body = Buffer.alloc(bodyBytes);
  return { kind: "put", ...shared, tag: 0, body, before, termsAdded: [] };
}

describe("the head after an adoption", () => {
  const version = (at: number, write: AdoptedVersion["write"]): AdoptedVersion => ({
    lsn: lsn(at),
    logKind: write.kind === "delete" ? "deleted" : "created",
    write,
  });
  const gone = {
    kind: "delete",
    key: "k",
    number: 9,
    before: undefined,
    termsRemoved: [],
  } as const;

  test("is at the LSN it is told, unless it is further already", () => {
    const before = { ...EMPTY_HEAD, epoch: 4, lsn: lsn(10), itemCount: 1, itemBytes: 5 };
    const versions = [version(3, writeOf(7, 2, undefined) as ItemPut)];
    const after = { ...before, itemCount: 2, itemBytes: 7, numberMax: 7 };
    expect(headAdopting(before, versions, lsn(20))).toEqual({ ...after, lsn: 20 });
    expect(headAdopting(before, versions, lsn(5))).toEqual(after);
  });

  test("counts nothing for a deletion of what was not here, but its number is used", () => {
    const head = headAdopting(EMPTY_HEAD, [version(3, gone)], lsn(3));
    expect(head).toEqual({ ...EMPTY_HEAD, lsn: 3, numberMax: 9 });
  });

  test("cannot be behind what was adopted, nor tell it otherwise than the log", () => {
    expect(() => headAdopting(EMPTY_HEAD, [version(4, gone)], lsn(3))).toThrow("newer");
    const wrong = { ...version(3, gone), logKind: "replaced" } as const;
    expect(() => headAdopting(EMPTY_HEAD, [wrong], lsn(3))).toThrow("log");
  });
});

/** A change: what, part or name, and the rest. */
type Change = readonly unknown[];

function changesOf(record: StoreRecord): Change[] {
  switch (record.kind) {
    case "lease":
      return [["lease", record.name, record.lease]];
    case "drop":
      return [["drop", record.part]];
    case "head":
      return [["head", record.part, record.head]];
    case "commit": {
      const { part, head, groups } = record;
      const writes = groups.flatMap((group, index) =>
        group.flatMap((write) => writeChanges(part, head.lsn - groups.length + 1 + index, write)),
      );
      return [...writes, ...tallyChanges(part, record.tallies), ["head", part, head]];
    }
    case "adopt": {
      const { part, head, versions } = record;
      const writes = versions.flatMap(({ lsn: at, logKind, write }) =>
        writeChanges(part, at, write, logKind),
      );
      return [...writes, ...tallyChanges(part, record.tallies), ["head", part, head]];
    }
  }
}

function tallyChanges(part: number, tallies: Tallies): Change[] {
  return [...tallies].map(([family, tally]) => ["tally", part, family, tally]);
}

function writeChanges(part: number, at: number, write: CountedWrite, kind?: LogKind): Change[] {
  const changes = write.kind === "reterm" ? [] : versionChanges(part, at, write, kind);
  const { number } = write;
  // Removals first: a term that is both removed and added stays.
  for (const term of write.termsRemoved) changes.push(["term", part, term, number, false]);
  if (write.kind !== "delete") {
    for (const term of write.termsAdded) changes.push(["term", part, term, number, true]);
  }
  return changes;
}

function versionChanges(
  part: number,
  at: number,
  write: Exclude<CountedWrite, { kind: "reterm" }>,
  adoptedKind: LogKind | undefined,
): Change[] {
  const { key, number, before } = write;
  const ownKind =
    write.kind === "delete" ? "deleted" : before === undefined ? "created" : "replaced";
  const kind = adoptedKind ?? ownKind;
  const changes: Change[] = [];
  if (write.kind === "delete") {
    // The end of something that was never here takes nothing away.
    if (before !== undefined) changes.push(["remove", part, key, number]);
  } else {
    const body = Buffer.from(write.body).toString("hex");
    changes.push(["put", part, { key, number, lsn: at, tag: write.tag, body }]);
  }
  if (before !== undefined) changes.push(["unlogged", part, before.lsn, number]);
  changes.push(["logged", part, at, number, kind, key]);
  return changes;
}

function visitedIn(records: readonly StoreRecord[], withTerms: boolean): Change[] {
  const total = records.reduce((sum, record) => sum + recordBytes(record), 0);
  const bytes = Buffer.alloc(total);
  let at = 0;
  for (const record of records) at = encodeRecord(record, bytes, at);
  expect(at).toBe(total);
  return visited(bytes, withTerms);
}

/** A commit as it was written before there were tallies: they came to be at its end. */
function untallied(record: StoreRecord): Buffer {
  const bytes = Buffer.alloc(recordBytes(record));
  encodeRecord(record, bytes, 0);
  bytes[0] = 1;
  return bytes.subarray(0, bytes.length - talliesBytes((record as { tallies: Tallies }).tallies));
}

/** What a visitor is told of records that lie somewhere inside a larger buffer. */
function visited(records: Buffer, withTerms = true): Change[] {
  const padding = Buffer.alloc(10, 0xee);
  const bytes = Buffer.concat([padding, records, padding]);
  const changes: Change[] = [];
  const note =
    (what: string) =>
    (...rest: readonly unknown[]): void => {
      changes.push([what, ...rest]);
    };
  const visitor: RecordVisitor = {
    head: note("head"),
    put: (part, item) => note("put")(part, { ...item, body: item.body.toString("hex") }),
    remove: note("remove"),
    logged: note("logged"),
    unlogged: note("unlogged"),
    drop: note("drop"),
    lease: note("lease"),
    tally: note("tally"),
    ...(withTerms && { term: note("term") }),
  };
  visitRecords(bytes, 10, 10 + records.length, visitor);
  return changes;
}
