/** Records come back as they were written, and counters follow from the writes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { CountedWrite } from "../partHead.ts";
import { EMPTY_HEAD, headAdopting, headAfter } from "../partHead.ts";
import type {
  Adopted,
  AdoptedVersion,
  ItemDelete,
  ItemPut,
  ItemWrite,
  KeptVersion,
  LogKind,
  PartHead,
} from "../partitionStore.ts";
import { isVersion } from "../partitionStore.ts";
import type { Tallies } from "../tallies.ts";
import { talliesBytes } from "../tallies.ts";
import type { StoreRecord } from "./record.ts";
import { encodeRecord, recordBytes } from "./record.ts";
import type { RecordVisitor } from "./recordVisitor.ts";
import { visitRecords } from "./recordVisitor.ts";

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
  fc.record(
    {
      kind: fc.constant("delete" as const),
      key: anyText,
      number: anyNumber,
      tag: fc.integer(),
      before: anySuperseded,
      termsRemoved: anyTerms,
      isExpiry: fc.boolean(),
      last: fc.uint8Array({ maxLength: 60 }),
    },
    { requiredKeys: ["kind", "key", "number", "tag", "before", "termsRemoved"] },
  ),
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
const anyVersion: fc.Arbitrary<Adopted> = fc
  .tuple(anyNumber.map(lsn), anyWrite, fc.boolean(), fc.boolean())
  .map(([at, write, isFirst, isHere]) => {
    if (write.kind === "reterm") return { write };
    if (write.kind === "put") {
      return { lsn: at, logKind: isFirst ? "created" : "replaced", write };
    }
    const { before, ...rest } = write as ItemDelete;
    const logKind = isFirst ? "deleted" : "expired";
    return { lsn: at, logKind, write: { ...rest, before: isHere ? before : undefined } };
  });
const anyKeptVersion: fc.Arbitrary<KeptVersion> = fc.record({
  lsn: anyNumber.map(lsn),
  number: anyNumber,
  kind: fc.constantFrom<LogKind>("created", "replaced", "deleted", "expired"),
  key: anyText,
  tag: fc.integer(),
  previousLsn: anyNumber.map(lsn),
  body: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
});
const anyRecord: fc.Arbitrary<StoreRecord> = fc.oneof(
  fc.record({
    kind: fc.constant("commit" as const),
    part: anyPart,
    head: anyHead,
    groups: fc.array(fc.array(anyWrite, { maxLength: 3 }), { maxLength: 3 }),
    tallies: anyTallies,
    keepsVersions: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("adopt" as const),
    part: anyPart,
    head: anyHead,
    versions: fc.array(anyVersion, { maxLength: 4 }),
    tallies: anyTallies,
  }),
  fc.record({
    kind: fc.constant("adoptVersions" as const),
    part: anyPart,
    versions: fc.array(anyKeptVersion, { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant("head" as const), part: anyPart, head: anyHead }),
  fc.record({ kind: fc.constant("drop" as const), part: anyPart }),
  fc.record({
    kind: fc.constant("lease" as const),
    name: anyText,
    lease: fc.record({ owner: anyText, fencingToken: anyNumber, until: anyNumber }),
  }),
);

const EVERYTHING: readonly (keyof RecordVisitor)[] = [
  "head",
  "tally",
  "put",
  "remove",
  "term",
  "logged",
  "unlogged",
  "kept",
  "drop",
  "lease",
];

describe("a row of records", () => {
  test("is visited in order, change by change", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 4 }), (records) => {
        expect(visitedIn(records)).toEqual(records.flatMap(changesOf));
      }),
      { numRuns: 300 },
    );
  });

  test("says the same of each thing to a visitor that asks for nothing else", () => {
    const anyAsked = fc.subarray([...EVERYTHING], { minLength: 1 });
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 4 }), anyAsked, (records, asked) => {
        const wanted = records.flatMap(changesOf).filter(([what]) => asked.includes(what));
        expect(visitedIn(records, asked)).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  test("carries no body twice: a commit that keeps versions adds what its deletes ended", () => {
    const commits = anyRecord.filter((record) => record.kind === "commit");
    fc.assert(
      fc.property(commits, (record) => {
        const lasts = record.groups.flat().map((w) => (w.kind === "delete" ? w.last : undefined));
        const added = lasts.reduce((sum, last) => sum + (last?.length ?? 0), 0);
        const plain = recordBytes({ ...record, keepsVersions: false });
        expect(recordBytes({ ...record, keepsVersions: true })).toBe(plain + added);
      }),
    );
  });

  test("says nothing of tallies when a version without them wrote it", () => {
    const commits = anyRecord.filter((record) => record.kind === "commit");
    fc.assert(
      fc.property(commits, (one) => {
        const record = { ...one, keepsVersions: false };
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
  const shared = { key: `k${number}`, number, tag: 0, termsRemoved: [] };
  if (bodyBytes === undefined) return { kind: "delete", ...shared, before: before! };
  const body = Buffer.alloc(bodyBytes);
  return { kind: "put", ...shared, body, before, termsAdded: [] };
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
    tag: 0,
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
    const expired = { ...version(3, gone), logKind: "expired" } as const;
    expect(headAdopting(EMPTY_HEAD, [expired], lsn(3)).numberMax).toBe(9);
  });
});

/** A change: what, part or name, and the rest. */
type Change = readonly [keyof RecordVisitor, ...unknown[]];

function changesOf(record: StoreRecord): Change[] {
  switch (record.kind) {
    case "lease":
      return [["lease", record.name, record.lease]];
    case "drop":
      return [["drop", record.part]];
    case "head":
      return [["head", record.part, record.head]];
    case "commit": {
      const { part, head, groups, keepsVersions } = record;
      const writes = groups.flatMap((group, index) => {
        const at = head.lsn - groups.length + 1 + index;
        return group.flatMap((write) => [
          ...writeChanges(part, at, write),
          ...(keepsVersions === true ? keptChanges(part, at, write) : []),
        ]);
      });
      return [...writes, ...tallyChanges(part, record.tallies), ["head", part, head]];
    }
    case "adoptVersions":
      return record.versions.map((version) => [
        "kept",
        record.part,
        { ...version, body: version.body.toString("hex") },
      ]);
    case "adopt": {
      const { part, head, versions } = record;
      const writes = versions.flatMap((one) =>
        isVersion(one)
          ? writeChanges(part, one.lsn, one.write, one.logKind)
          : writeChanges(part, 0, one.write),
      );
      return [...writes, ...tallyChanges(part, record.tallies), ["head", part, head]];
    }
  }
}

function keptChanges(part: number, at: number, write: ItemWrite): Change[] {
  if (write.kind === "reterm") return [];
  const { key, number, tag, before } = write;
  const body = Buffer.from(write.kind === "put" ? write.body : (write.last ?? []));
  const previousLsn = before?.lsn ?? 0;
  const kind = ownKindOf(write);
  const version = { lsn: at, number, kind, key, tag, previousLsn, body: body.toString("hex") };
  return [["kept", part, version]];
}

function ownKindOf(write: Exclude<CountedWrite, { kind: "reterm" }>): LogKind {
  if (write.kind === "delete") return write.isExpiry === true ? "expired" : "deleted";
  return write.before === undefined ? "created" : "replaced";
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
  const kind = adoptedKind ?? ownKindOf(write);
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

function visitedIn(records: readonly StoreRecord[], asked = EVERYTHING): Change[] {
  const total = records.reduce((sum, record) => sum + recordBytes(record), 0);
  const bytes = Buffer.alloc(total);
  let at = 0;
  for (const record of records) at = encodeRecord(record, bytes, at);
  expect(at).toBe(total);
  return visited(bytes, asked);
}

/** A commit as it was written before there were tallies: they came to be at its end. */
function untallied(record: StoreRecord): Buffer {
  const bytes = Buffer.alloc(recordBytes(record));
  encodeRecord(record, bytes, 0);
  bytes[0] = 1;
  return bytes.subarray(0, bytes.length - talliesBytes((record as { tallies: Tallies }).tallies));
}

/** What a visitor is told of records that lie somewhere inside a larger buffer. */
function visited(records: Buffer, asked = EVERYTHING): Change[] {
  const padding = Buffer.alloc(10, 0xee);
  const bytes = Buffer.concat([padding, records, padding]);
  const changes: Change[] = [];
  const note =
    (what: keyof RecordVisitor) =>
    (...rest: readonly unknown[]): void => {
      changes.push([what, ...rest]);
    };
  const all: Required<RecordVisitor> = {
    head: note("head"),
    put: (part, item) => note("put")(part, { ...item, body: item.body.toString("hex") }),
    remove: note("remove"),
    logged: note("logged"),
    unlogged: note("unlogged"),
    drop: note("drop"),
    lease: note("lease"),
    tally: note("tally"),
    term: note("term"),
    terms: note("terms"),
    kept: (part, version) => note("kept")(part, { ...version, body: version.body.toString("hex") }),
  };
  const visitor = Object.fromEntries(asked.map((what) => [what, all[what]])) as RecordVisitor;
  visitRecords(bytes, 10, 10 + records.length, visitor);
  return changes;
}
