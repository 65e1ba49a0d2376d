/**
 * Versions that stay after they were superseded, in every kind of store: which are kept, how they
 * are read, and when they are gone. That this goes together with everything else a part holds is
 * said by `contract.test.ts`.
 */
import { afterAll, describe, expect, test } from "vitest";
import { lsn } from "../base/units.ts";
import { seededRandom } from "../base/world.ts";
import { realTimer } from "../server/surroundings/realWorld.ts";
import { toAdoptVersions } from "./commit/draft.ts";
import { Overlay } from "./commit/overlay.ts";
import type { StoreRecord } from "./journal/record.ts";
import { frameOf } from "./journal/record.ts";
import { KEY_MAX } from "./memory/layer.ts";
import { MemoryTable } from "./memory/memoryTable.ts";
import { EMPTY_HEAD } from "./partHead.ts";
import type {
  ItemDelete,
  ItemPut,
  ItemWrite,
  KeptVersion,
  Lease,
  LogKind,
  PartHead,
  PartitionStore,
} from "./partitionStore.ts";
import { Fenced } from "./partitionStore.ts";
import { ModelStore } from "./promises/modelStore.ts";
import { randomKeptVersions } from "./promises/randomVersions.ts";
import { versionsIn } from "./promises/sample.ts";
import { StoreSubjects } from "./subjects.fake.ts";
import { NO_ITEMS, TallyDraft } from "./tallies.ts";

const KEEPS = { keepsVersions: true };
const EVERYTHING = { countMax: 1000, bytesMax: 1e9 };

const subjects = new StoreSubjects(realTimer);

afterAll(() => subjects.remove());

describe.each(subjects.all)("$name", (subject) => {
  test("every version of a commit that keeps them stays, and every end", async () => {
    const { store, again } = await opened();
    await store.commit(1, 1, [[putOf("a", 1, "one")]], KEEPS);
    await store.commit(1, 1, [[putOf("a", 1, "two", 1)], [putOf("b", 2, "b")]], KEEPS);
    await store.commit(1, 1, [[endOf("a", 1, 2, { last: Buffer.from("two") })]], KEEPS);
    await store.commit(1, 1, [[endOf("b", 2, 3, { isExpiry: true })]], KEEPS);
    const expected = [
      [1, 1, "created", "a", 7, 0, "one"],
      [2, 1, "replaced", "a", 7, 1, "two"],
      [3, 2, "created", "b", 7, 0, "b"],
      [4, 1, "deleted", "a", -9, 2, "two"],
      [5, 2, "expired", "b", -9, 3, ""],
    ];
    expect((await versionsIn(store, 1)).map(row)).toEqual(expected);
    const log = (one: PartitionStore) => one.readLog(1, lsn(0), 100);
    expect((await log(store)).entries).toEqual([
      { lsn: 4, number: 1, kind: "deleted", key: "a" },
      { lsn: 5, number: 2, kind: "expired", key: "b" },
    ]);
    const later = await again();
    expect((await versionsIn(later, 1)).map(row)).toEqual(expected);
    expect((await log(later)).entries).toHaveLength(2);
    await later.close();
  });

  test("other commits keep nothing, nor do new terms, nor adoptions of items", async () => {
    const { store, again } = await opened();
    const last = Buffer.from("two");
    await store.commit(1, 1, [[putOf("a", 1, "one")]]);
    await store.commit(1, 1, [[putOf("a", 1, "two", 1)]], { keepsVersions: false });
    await store.commit(1, 1, [[endOf("a", 1, 2, { last })]]);
    await store.commit(1, 1, [[putOf("b", 2, "b")]], KEEPS);
    const terms = { termsAdded: ["t"], termsRemoved: [] };
    await store.commit(1, 1, [[{ kind: "reterm", key: "b", number: 2, ...terms }]], KEEPS);
    await store.commit(1, 1, [], KEEPS);
    const write = putOf("b", 2, "bb", 4);
    await store.adopt(1, 1, [{ lsn: lsn(6), logKind: "replaced", write }], lsn(6));
    const expected = [[4, 2, "created", "b", 7, 0, "b"]];
    expect((await versionsIn(store, 1)).map(row)).toEqual(expected);
    const later = await again();
    expect((await versionsIn(later, 1)).map(row)).toEqual(expected);
    await later.close();
  });

  test("a page ends when it is full, but never within an LSN", async () => {
    const { store } = await opened();
    const group = (first: number, count: number, body: string): ItemWrite[] =>
      Array.from({ length: count }, (_, i) => putOf(`k${first + i}`, first + i, body));
    await store.commit(1, 1, [group(1, 3, "123"), group(4, 1, "12"), group(5, 2, "1")], KEEPS);
    const pages = async (after: number, countMax: number, bytesMax: number) => {
      const page = await store.readVersions(1, lsn(after), { countMax, bytesMax });
      return [page.versions.map(({ number }) => number), page.isLast];
    };
    expect(await pages(0, 1, 1e9)).toEqual([[1, 2, 3], false]);
    expect(await pages(0, 3, 1e9)).toEqual([[1, 2, 3], false]);
    expect(await pages(0, 4, 1e9)).toEqual([[1, 2, 3, 4], false]);
    expect(await pages(0, 5, 1e9)).toEqual([[1, 2, 3, 4, 5, 6], true]);
    expect(await pages(0, 100, 1)).toEqual([[1, 2, 3], false]);
    expect(await pages(0, 100, 9)).toEqual([[1, 2, 3], false]);
    expect(await pages(0, 100, 10)).toEqual([[1, 2, 3, 4], false]);
    expect(await pages(1, 1, 1e9)).toEqual([[4], false]);
    expect(await pages(2, 2, 1e9)).toEqual([[5, 6], true]);
    expect(await pages(3, 1, 1e9)).toEqual([[], true]);
    await store.close();
  });

  test("what is swept is gone, what comes later stays, and sweeping again changes nothing", async () => {
    const { store, again } = await opened();
    for (let at = 1; at <= 40; at++) {
      await store.commit(1, 1, [[putOf("a", 1, "x".repeat(200), at - 1)]], KEEPS);
    }
    const lsns = async (one: PartitionStore) => (await versionsIn(one, 1)).map((v) => v.lsn);
    const through = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index);
    await store.sweepLog(1, 1, lsn(25));
    expect(await lsns(store)).toEqual(through(26, 40));
    await store.sweepLog(1, 1, lsn(10));
    expect(await lsns(store)).toEqual(through(26, 40));
    const later = await again();
    expect(await lsns(later)).toEqual(through(26, 40));
    expect((await later.readVersions(1, lsn(0), EVERYTHING)).isLast).toBe(true);
    await later.sweepLog(1, 1, lsn(40));
    expect(await lsns(later)).toEqual([]);
    await later.commit(1, 1, [[putOf("a", 1, "y", 40)]], KEEPS);
    expect(await lsns(later)).toEqual([41]);
    expect(await later.get(1, "a")).toMatchObject({ lsn: 41, tag: 7 });
    await later.close();
  });

  test("ends of both kinds leave the log with a sweep", async () => {
    const { store } = await opened();
    await store.commit(1, 1, [[putOf("a", 1, "a"), putOf("b", 2, "b"), putOf("c", 3, "c")]]);
    await store.commit(1, 1, [[endOf("a", 1, 1, { isExpiry: true })], [endOf("b", 2, 1)]]);
    const kinds = async () => (await store.readLog(1, lsn(0), 9)).entries.map((e) => e.kind);
    expect(await kinds()).toEqual(["created", "expired", "deleted"]);
    await store.sweepLog(1, 1, lsn(2));
    expect(await kinds()).toEqual(["created", "deleted"]);
    await store.sweepLog(1, 1, lsn(3));
    expect(await kinds()).toEqual(["created"]);
    await store.close();
  });

  test("versions of a dropped part are gone, also after opening again", async () => {
    const { store, again } = await opened();
    for (let at = 1; at <= 40; at++) {
      await store.commit(1, 1, [[putOf("a", 1, "x".repeat(200), at - 1)]], KEEPS);
    }
    await store.drop(1);
    expect(await versionsIn(store, 1)).toEqual([]);
    expect(await versionsIn(store, 9)).toEqual([]);
    const later = await again();
    expect(await versionsIn(later, 1)).toEqual([]);
    await later.close();
  });

  test("what is adopted is there as it was, once, and nothing else of the part has moved", async () => {
    const { store, again } = await opened();
    await store.commit(1, 1, [[putOf("a", 1, "one")], [putOf("b", 2, "b")]], KEEPS);
    const head = await store.adopt(1, 1, [], lsn(9));
    const log = await store.readLog(1, lsn(0), 9);
    const versions = [
      keptOf(7, 5, "created", "new"),
      keptOf(4, 3, "expired", ""),
      keptOf(2, 3, "replaced", "x"),
    ];
    await store.adoptVersions(1, 1, versions);
    await store.adoptVersions(1, 1, [versions[1]!, keptOf(8, 5, "deleted", "new")]);
    await store.adoptVersions(1, 1, []);
    const expected = [
      [1, 1, "created", "a", 7, 0, "one"],
      [2, 2, "created", "b", 7, 0, "b"],
      [2, 3, "replaced", "k3", -3, 1, "x"],
      [4, 3, "expired", "k3", -3, 3, ""],
      [7, 5, "created", "k5", -3, 6, "new"],
      [8, 5, "deleted", "k5", -3, 7, "new"],
    ];
    let current = store;
    for (let time = 0; time < 2; time++) {
      expect((await versionsIn(current, 1)).map(row)).toEqual(expected);
      expect(await current.head(1)).toEqual(head);
      expect(await current.readLog(1, lsn(0), 9)).toEqual(log);
      expect(await current.get(1, "k5")).toBeUndefined();
      expect(await current.itemsByNumber(1, [1, 2, 3, 5])).toHaveLength(2);
      if (time === 0) current = await again();
    }
    await current.close();
  });

  test("what is adopted after it was swept does not come back", async () => {
    const { store, again } = await opened();
    await store.adopt(1, 1, [], lsn(9));
    await store.sweepLog(1, 1, lsn(5));
    const versions = [5, 6, 3].map((at) => keptOf(at, at, "created", "x"));
    await store.adoptVersions(1, 1, versions);
    await store.adoptVersions(1, 1, [keptOf(1, 1, "created", "x")]);
    const later = await again();
    expect((await versionsIn(later, 1)).map((version) => version.lsn)).toEqual([6]);
    await later.close();
  });

  test("an adoption is fenced, whole, and not newer than its part", async () => {
    const { store } = await opened();
    await store.adopt(1, 1, [], lsn(3));
    await store.claim(1, 2);
    const version = keptOf(3, 1, "created", "x");
    await expect(store.adoptVersions(1, 1, [version])).rejects.toThrow(Fenced);
    await expect(store.adoptVersions(9, 1, [version])).rejects.toThrow(Fenced);
    const newer = keptOf(4, 2, "created", "x");
    await expect(store.adoptVersions(1, 2, [version, newer])).rejects.toThrow("newer");
    expect(await versionsIn(store, 1)).toEqual([]);
    await store.adoptVersions(1, 2, [version]);
    expect(await versionsIn(store, 1)).toHaveLength(1);
    await store.close();
  });

  test("the body that is kept is the one that was committed, whatever the caller does to it", async () => {
    const { store } = await opened();
    const body = Buffer.from("before");
    await store.commit(1, 1, [[{ ...putOf("a", 1, ""), body }]], KEEPS);
    body.fill("x");
    expect((await versionsIn(store, 1)).map((version) => String(version.body))).toEqual(["before"]);
    await store.close();
  });

  test.each([1, 2, 3])("keeps what a model keeps, seed %i", async (seed) => {
    await expectModelled(seed);
  });

  /** A store with a part, and how to close it and open it again, if it can be. */
  async function opened() {
    const { store, reopen } = await subject.open();
    await store.claim(1, 1);
    const again = async (): Promise<PartitionStore> => {
      if (reopen === undefined) return store;
      await store.close();
      return reopen();
    };
    return { store, again };
  }

  /** Few items and many versions of each, in two parts that are swept and dropped. */
  async function expectModelled(seed: number): Promise<void> {
    const random = seededRandom(seed);
    const pick = (bound: number): number => Math.floor(random.next() * bound);
    let { store, reopen } = await subject.open();
    const model = new ModelStore();
    const live = [1, 2];
    const usedNumbers = new Set(KEYS.keys());
    for (const part of live) {
      await store.claim(part, 1);
      model.claim(part);
    }
    for (let step = 0; step < subject.stepCount; step++) {
      const place = pick(live.length);
      const part = live[place]!;
      const { lsn: reached, sweptLsn } = model.head(part);
      const chance = random.next();
      if (chance < 0.7) {
        const groups = Array.from({ length: 1 + pick(3) }, (_, index) =>
          KEYS.filter((_key, place) => place % 3 === index && pick(2) === 0).map((key) =>
            randomWrite(model, part, key, pick),
          ),
        );
        const terms = { keepsVersions: pick(4) > 0 };
        const committed = await store.commit(part, 1, groups, terms);
        expect(committed).toEqual(model.commit(part, groups, terms));
      } else if (chance < 0.8) {
        const through = lsn(sweptLsn + pick(reached - sweptLsn + 1));
        await store.sweepLog(part, 1, through);
        model.sweep(part, through);
      } else if (chance < 0.9) {
        const kept = randomKeptVersions(random, { model, part, keys: KEYS, usedNumbers });
        for (const { number } of kept) usedNumbers.add(number);
        await store.adoptVersions(part, 1, kept);
        model.adoptVersions(part, kept);
      } else if (chance < 0.92) {
        await store.drop(part);
        expect(await versionsIn(store, part)).toEqual([]);
        live[place] = part + 2;
        await store.claim(part + 2, 1);
        model.claim(part + 2);
      } else if (reopen !== undefined) {
        await store.close();
        store = await reopen();
      }
      for (const one of live) {
        const limits = { countMax: 1 + pick(5), bytesMax: 1 + pick(500) };
        const found = (await versionsIn(store, one, limits)).map(row);
        expect(found).toEqual(model.versions(one).map(row));
      }
    }
    await store.close();
  }
});

describe("a record of adopted versions", () => {
  const head = { ...EMPTY_HEAD, epoch: 1, lsn: lsn(9), sweptLsn: lsn(5) };
  const recordOf = (...lsns: number[]) => {
    const draft = {
      heads: new Overlay(new Map([[1, head]])),
      leases: new Overlay<string, Lease>(new Map()),
      tallies: new TallyDraft(() => NO_ITEMS),
    };
    const kept = lsns.map((at) => keptOf(at, at, "created", "x"));
    return toAdoptVersions(1, 1, kept)(draft).record;
  };

  // Readers would not see them, but nobody would ever take them away either.
  test("has none that were swept, and is not written for nothing", () => {
    const versions = [keptOf(6, 6, "created", "x")];
    expect(recordOf(5, 6, 3)).toEqual({ kind: "adoptVersions", part: 1, versions });
    expect(recordOf(5, 1)).toBeUndefined();
    expect(recordOf()).toBeUndefined();
  });
});

describe("a memory table", () => {
  const head = (at: number, sweptLsn: number): PartHead => ({
    ...EMPTY_HEAD,
    lsn: lsn(at),
    sweptLsn: lsn(sweptLsn),
  });
  const commitAt = (at: number): StoreRecord => ({
    kind: "commit",
    part: 1,
    head: head(at, 0),
    groups: [[putOf("a", 1, "body", at - 1)]],
    tallies: new Map(),
    keepsVersions: true,
  });
  const filled = (isBottom: boolean) => {
    const table = new MemoryTable({ isBottom });
    const frame = frameOf([1, 2, 3, 4].map(commitAt));
    table.absorb(frame.bytes, frame.start, frame.end);
    const versions = () =>
      [...table.entries(1, "versions", "", KEY_MAX, false)].flatMap((e) => e.version ?? []);
    const sweep = (sweptLsn: number): void => {
      const { bytes, start, end } = frameOf([{ kind: "head", part: 1, head: head(4, sweptLsn) }]);
      table.absorb(bytes, start, end);
    };
    return { frame, versions, sweep };
  };

  test("that has all there is holds no frame for a version, and forgets what is swept", () => {
    const { frame, versions, sweep } = filled(true);
    expect(versions().map(({ lsn: at }) => at)).toEqual([1, 2, 3, 4]);
    expect(versions().some(({ body }) => body.buffer === frame.bytes.buffer)).toBe(false);
    sweep(2);
    expect(versions().map(({ lsn: at }) => at)).toEqual([3, 4]);
    sweep(4);
    expect(versions()).toEqual([]);
  });

  test("that has all there is forgets ends of both kinds when they are swept", () => {
    const table = new MemoryTable({ isBottom: true });
    const groups = [[endOf("a", 1, 1)], [endOf("b", 2, 1, { isExpiry: true })]];
    const tallies = new Map();
    const { bytes, start, end } = frameOf([
      { kind: "commit", part: 1, head: head(3, 0), groups, tallies },
      { kind: "head", part: 1, head: head(3, 3) },
    ]);
    table.absorb(bytes, start, end);
    const log = [...table.entries(1, "log", "", KEY_MAX, false)];
    expect(log.filter(({ isPresent }) => isPresent)).toEqual([]);
  });

  test("over a bottom copies nothing, and leaves it to readers what they ask for", () => {
    const { frame, versions, sweep } = filled(false);
    expect(versions().every(({ body }) => body.buffer === frame.bytes.buffer)).toBe(true);
    sweep(2);
    expect(versions()).toHaveLength(4);
  });
});

const KEYS: readonly string[] = Array.from(
  { length: 6 },
  (_, index) => `f${index % 2}\x00${index}`,
);

function randomWrite(
  model: ModelStore,
  part: number,
  key: string,
  pick: (bound: number) => number,
): ItemWrite {
  const number = KEYS.indexOf(key) + 1;
  const stored = model.get(part, key);
  const before = stored && { lsn: stored.lsn, bodyBytes: stored.body.length };
  const shared = { key, number, tag: pick(100) - 50, termsRemoved: [] };
  if (stored === undefined || before === undefined || pick(4) > 0) {
    const body = Buffer.alloc(pick(300), pick(256));
    return { kind: "put", ...shared, body, before, termsAdded: [] };
  }
  const end = { kind: "delete", ...shared, before, isExpiry: pick(2) === 0 } as const;
  return pick(2) === 0 ? end : { ...end, last: stored.body };
}

/** `previous` is the LSN of the version it replaces; the bodies of these tests have no other use. */
function putOf(key: string, number: number, body: string, previous = 0): ItemPut {
  const before = previous === 0 ? undefined : { lsn: lsn(previous), bodyBytes: 0 };
  const bytes = Buffer.from(body);
  const terms = { termsAdded: [], termsRemoved: [] };
  return { kind: "put", key, number, tag: 7, body: bytes, before, ...terms };
}

function endOf(
  key: string,
  number: number,
  previous: number,
  more: Pick<ItemDelete, "isExpiry" | "last"> = {},
): ItemDelete {
  const before = { lsn: lsn(previous), bodyBytes: 0 };
  return { kind: "delete", key, number, tag: -9, before, termsRemoved: [], ...more };
}

function keptOf(at: number, number: number, kind: LogKind, body: string): KeptVersion {
  const bytes = Buffer.from(body);
  const previousLsn = lsn(at - 1);
  return { lsn: lsn(at), number, kind, key: `k${number}`, tag: -3, previousLsn, body: bytes };
}

function row({ lsn: at, number, kind, key, tag, previousLsn, body }: KeptVersion): unknown[] {
  return [at, number, kind, key, tag, previousLsn, body.toString("latin1")];
}
