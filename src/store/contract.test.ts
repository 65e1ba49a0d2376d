/**
 * One contract over every store. A random history of commits runs against the store and against a
 * model that is obviously right (plain maps and sorted arrays); after each step everything a reader
 * can ask is compared. The durable ones are closed and opened again on the way. What there is to
 * say of kept versions alone is in `keptVersions.test.ts`.
 */
import { afterAll, describe, expect, test } from "vitest";
import { lsn } from "../base/units.ts";
import type { Random } from "../base/world.ts";
import { seededRandom } from "../base/world.ts";
import { realTimer } from "../server/surroundings/realWorld.ts";
import { ModelStore } from "./modelStore.fake.ts";
import type {
  AdoptedVersion,
  FamilyTally,
  ItemPut,
  ItemWrite,
  PartitionStore,
  WriteGroup,
} from "./partitionStore.ts";
import { Fenced } from "./partitionStore.ts";
import { randomAdoption, randomKeptVersions } from "./randomVersions.fake.ts";
import { StoreSubjects, versionsIn } from "./subjects.fake.ts";

/** Some keys share a family, some have none of their own: no zero byte in them. */
const KEYS: readonly string[] = Array.from({ length: 40 }, (_, index) =>
  index < 30 ? `\xfef${index % 7}\x00k${index}\x00` : `\xfek${index}`,
);
const TERMS: readonly string[] = ["p0", "p1", "p2", "q\x001", "q\x002", "q\xff3"];

const subjects = new StoreSubjects(realTimer);

afterAll(() => subjects.remove());

describe.each(subjects.all)("$name", (subject) => {
  test.each([1, 2, 3, 4, 5])("reads what a model reads, seed %i", async (seed) => {
    const random = seededRandom(seed);
    let { store, reopen } = await subject.open();
    const model = new ModelStore();
    const PARTS = [7, 8];
    const usedNumbers = new Set<number>();
    for (const part of PARTS) {
      await store.claim(part, 1);
      model.claim(part);
    }
    for (let step = 0; step < subject.stepCount; step++) {
      const part = PARTS[step % 2]!;
      const groups = randomGroups(random, model, part, step);
      if (groups.length > 0) {
        const terms = { keepsVersions: random.next() < 0.5 };
        const committed = await store.commit(part, 1, groups, terms);
        expect(committed).toEqual(model.commit(part, groups, terms));
        expect(committed.head).toEqual(await store.head(part));
      }
      for (const { number } of groups.flat()) usedNumbers.add(number);
      if (random.next() < 0.4) {
        const setting = { model, part, keys: KEYS, terms: TERMS, usedNumbers };
        const { versions, throughLsn } = randomAdoption(random, setting);
        const head = await store.adopt(part, 1, versions, throughLsn);
        expect(head).toEqual(model.adopt(part, versions, throughLsn));
        for (const { write } of versions) usedNumbers.add(write.number);
      }
      if (random.next() < 0.2) {
        const kept = randomKeptVersions(random, { model, part, keys: KEYS, usedNumbers });
        await store.adoptVersions(part, 1, kept);
        model.adoptVersions(part, kept);
        for (const { number } of kept) usedNumbers.add(number);
      }
      if (random.next() < 0.1) {
        const through = lsn(Math.floor(random.next() * model.head(part).lsn));
        expect(await store.sweepLog(part, 1, through)).toEqual(await store.head(part));
        model.sweep(part, through);
      }
      if (random.next() < 0.1 && reopen) {
        await store.close();
        store = await reopen();
      }
      await expectSame(store, model, part, random);
    }
    await store.close();
  });

  test("commits to several parts at once are all there", async () => {
    const { store } = await subject.open();
    const parts = [1, 2, 3, 4, 5];
    await Promise.all(parts.map((part) => store.claim(part, 1)));
    await Promise.all(parts.map((part) => store.commit(part, 1, [[putOf("k", part, "x", [])]])));
    for (const part of parts) expect((await store.get(part, "k"))?.number).toBe(part);
    expect(await store.parts()).toEqual(parts);
    await store.close();
  });

  test("a deposed writer is fenced", async () => {
    const { store } = await subject.open();
    await store.claim(1, 1);
    await store.claim(1, 2);
    await expect(store.commit(1, 1, [[putOf("k", 1, "x", [])]])).rejects.toThrow(Fenced);
    await expect(store.claim(1, 1)).rejects.toThrow(Fenced);
    await expect(store.commit(9, 1, [])).rejects.toThrow(Fenced);
    expect((await store.commit(1, 2, [[putOf("k", 1, "x", [])]])).lsns).toEqual([1]);
    await store.close();
  });

  test("a dropped part is gone, also after opening again", async () => {
    let { store, reopen } = await subject.open();
    await store.claim(1, 1);
    await store.claim(2, 1);
    for (let number = 1; number <= 60; number++) {
      await store.commit(1, 1, [[putOf(`k${number}`, number, "x".repeat(200), ["t"])]]);
    }
    expect(await talliesIn(store, 1, ALL, 100)).toHaveLength(60);
    await store.drop(1);
    expect(await store.parts()).toEqual([2]);
    expect(await talliesIn(store, 1)).toEqual([]);
    expect(await store.tally(1, "k7")).toEqual(NONE);
    if (reopen) {
      await store.close();
      store = await reopen();
      expect(await store.parts()).toEqual([2]);
    }
    expect(await store.head(1)).toBeUndefined();
    expect(await talliesIn(store, 1)).toEqual([]);
    expect(await store.tally(1, "k7")).toEqual(NONE);
    await store.close();
  });

  test("the last part there can be is remembered like any other", async () => {
    const last = 2 ** 32 - 1;
    let { store, reopen } = await subject.open();
    await store.claim(last, 1);
    for (let number = 1; number <= 60; number++) {
      await store.commit(last, 1, [[putOf(`k${number}`, number, "x".repeat(200), [])]]);
    }
    if (reopen) {
      await store.close();
      store = await reopen();
    }
    expect(await store.parts()).toEqual([last]);
    expect(await store.head(last)).toMatchObject({ itemCount: 60, numberMax: 60, lsn: 60 });
    await store.close();
  });

  test("commits that share a frame see one another's tallies", async () => {
    let { store, reopen } = await subject.open();
    await Promise.all([store.claim(1, 1), store.claim(2, 1)]);
    const before = { lsn: lsn(1), bodyBytes: 3 };
    await Promise.all([
      store.commit(1, 1, [[putOf("f\x00a", 1, "123", [])], [putOf("g\x00a", 2, "1", [])]]),
      store.commit(2, 1, [[putOf("f\x00a", 1, "1234567", [])]]),
      store.commit(1, 1, [[putOf("f\x00b", 3, "12", [])]]),
      store.commit(1, 1, [[{ ...putOf("f\x00a", 1, "1", []), before }]]),
    ]);
    for (let time = 0; time < 2; time++) {
      expect(await store.tally(1, "f")).toEqual({ itemCount: 2, itemBytes: 3 });
      expect(await store.tally(1, "g")).toEqual({ itemCount: 1, itemBytes: 1 });
      expect(await store.tally(2, "f")).toEqual({ itemCount: 1, itemBytes: 7 });
      if (!reopen) break;
      await store.close();
      store = await reopen();
    }
    await store.close();
  });

  test("a family that has come to nothing is gone, and may come again", async () => {
    const { store } = await subject.open();
    await store.claim(1, 1);
    const before = { lsn: lsn(1), bodyBytes: 1 };
    const termsRemoved: string[] = [];
    await store.commit(1, 1, [[putOf("f\x00a", 1, "1", [])]]);
    await store.commit(1, 1, [
      [{ kind: "delete", key: "f\x00a", number: 1, tag: 0, before, termsRemoved }],
    ]);
    expect(await store.tally(1, "f")).toEqual(NONE);
    expect(await talliesIn(store, 1)).toEqual([]);
    await store.commit(1, 1, [[putOf("f\x00a", 2, "22", [])]]);
    expect(await talliesIn(store, 1)).toEqual([{ family: "f", itemCount: 1, itemBytes: 2 }]);
    await store.close();
  });

  test("what is adopted keeps its LSN, its number and its kind", async () => {
    let { store, reopen } = await subject.open();
    await store.claim(1, 1);
    const versions: AdoptedVersion[] = [
      { lsn: lsn(8), logKind: "replaced", write: putOf("f\x00b", 6, "123", ["t"]) },
      { lsn: lsn(3), logKind: "created", write: putOf("f\x00a", 9, "12", ["t"]) },
      { lsn: lsn(8), logKind: "created", write: putOf("g\x00a", 4, "1", ["t"]) },
      { lsn: lsn(5), logKind: "deleted", write: goneOf("f\x00b", 2) },
    ];
    const head = await store.adopt(1, 1, versions, lsn(20));
    expect(head).toMatchObject({ lsn: 20, itemCount: 3, itemBytes: 6, numberMax: 9 });
    for (let time = 0; time < 2; time++) {
      expect(await store.head(1)).toEqual(head);
      expect(await store.get(1, "f\x00b")).toMatchObject({ number: 6, lsn: 8, tag: 3 });
      expect((await store.readLog(1, lsn(0), 10)).entries).toEqual([
        { lsn: 3, number: 9, kind: "created", key: "f\x00a" },
        { lsn: 5, number: 2, kind: "deleted", key: "f\x00b" },
        { lsn: 8, number: 4, kind: "created", key: "g\x00a" },
        { lsn: 8, number: 6, kind: "replaced", key: "f\x00b" },
      ]);
      expect(await talliesIn(store, 1)).toEqual([
        { family: "f", itemCount: 2, itemBytes: 5 },
        { family: "g", itemCount: 1, itemBytes: 1 },
      ]);
      const scan = { range: ALL, withItems: false, countMax: 9, bytesMax: 9 };
      const { entries } = await store.scanTerms(1, scan);
      expect(entries.map(({ number }) => number)).toEqual([4, 6, 9]);
      if (!reopen) break;
      await store.close();
      store = await reopen();
    }
    expect((await store.commit(1, 1, [[putOf("h", 10, "x", [])]])).lsns).toEqual([21]);
    await store.close();
  });

  test("a version that is adopted twice is there once", async () => {
    const { store } = await subject.open();
    await store.claim(1, 1);
    const first = putOf("f\x00a", 5, "123", ["t"]);
    const adopt = (write: AdoptedVersion["write"]) =>
      store.adopt(1, 1, [{ lsn: lsn(4), logKind: "created", write }], lsn(7));
    const head = await adopt(first);
    const before = { lsn: lsn(4), bodyBytes: 3 };
    expect(await adopt({ ...first, before, termsAdded: [] })).toEqual(head);
    expect(await adopt({ ...first, before, termsRemoved: ["t"] })).toEqual(head);
    expect((await store.readLog(1, lsn(0), 10)).entries).toHaveLength(1);
    expect(await talliesIn(store, 1)).toEqual([{ family: "f", itemCount: 1, itemBytes: 3 }]);
    const scan = { range: ALL, withItems: true, countMax: 9, bytesMax: 9 };
    expect((await store.scanTerms(1, scan)).entries).toHaveLength(1);
    await store.close();
  });

  test("an adopted deletion takes away what is said to be there, and nothing else", async () => {
    const { store } = await subject.open();
    await store.claim(1, 1);
    await store.commit(1, 1, [[putOf("f\x00a", 5, "123", ["t"])]]);
    const gone = (write: AdoptedVersion["write"], at: number) =>
      store.adopt(1, 1, [{ lsn: lsn(at), logKind: "deleted", write }], lsn(at));
    // The end of an earlier item with the same key.
    expect(await gone(goneOf("f\x00a", 2), 3)).toMatchObject({ lsn: 3, itemCount: 1 });
    expect(await store.get(1, "f\x00a")).toMatchObject({ number: 5, lsn: 1 });
    const before = { lsn: lsn(1), bodyBytes: 3 };
    const write = { ...goneOf("f\x00a", 5), before, termsRemoved: ["t"] };
    expect(await gone(write, 4)).toMatchObject({ lsn: 4, itemCount: 0, itemBytes: 0 });
    expect(await store.get(1, "f\x00a")).toBeUndefined();
    expect(await talliesIn(store, 1)).toEqual([]);
    expect((await store.readLog(1, lsn(0), 10)).entries).toEqual([
      { lsn: 3, number: 2, kind: "deleted", key: "f\x00a" },
      { lsn: 4, number: 5, kind: "deleted", key: "f\x00a" },
    ]);
    await store.close();
  });

  test("one adoption can end an item and begin another under its key", async () => {
    let { store, reopen } = await subject.open();
    await store.claim(1, 1);
    await store.commit(1, 1, [[putOf("f\x00a", 2, "123", ["t"])]]);
    const before = { lsn: lsn(1), bodyBytes: 3 };
    const end = { ...goneOf("f\x00a", 2), before, termsRemoved: ["t"] };
    const versions: AdoptedVersion[] = [
      { lsn: lsn(4), logKind: "deleted", write: end },
      { lsn: lsn(5), logKind: "created", write: putOf("f\x00a", 3, "12", ["t"]) },
    ];
    const head = await store.adopt(1, 1, versions, lsn(5));
    expect(head).toMatchObject({ itemCount: 1, itemBytes: 2, numberMax: 3 });
    for (let time = 0; time < 2; time++) {
      expect(await store.get(1, "f\x00a")).toMatchObject({ number: 3, lsn: 5 });
      expect(await store.itemsByNumber(1, [2, 3])).toHaveLength(1);
      expect(await talliesIn(store, 1)).toEqual([{ family: "f", itemCount: 1, itemBytes: 2 }]);
      const log = (await store.readLog(1, lsn(0), 10)).entries;
      expect(log.map(({ lsn: at, kind }) => [at, kind])).toEqual([
        [4, "deleted"],
        [5, "created"],
      ]);
      if (!reopen) break;
      await store.close();
      store = await reopen();
    }
    await store.close();
  });

  test("an adoption is fenced, whole, and not newer than its part", async () => {
    const { store } = await subject.open();
    await store.claim(1, 2);
    const version = (at: number): AdoptedVersion => ({
      lsn: lsn(at),
      logKind: "created",
      write: putOf(`k${at}`, at, "x", []),
    });
    await expect(store.adopt(1, 1, [version(1)], lsn(1))).rejects.toThrow(Fenced);
    await expect(store.adopt(9, 1, [version(1)], lsn(1))).rejects.toThrow(Fenced);
    await expect(store.adopt(1, 2, [version(1), version(3)], lsn(2))).rejects.toThrow("newer");
    expect(await store.head(1)).toMatchObject({ lsn: 0, itemCount: 0 });
    expect(await talliesIn(store, 1)).toEqual([]);
    expect(await store.adopt(1, 2, [], lsn(2))).toMatchObject({ lsn: 2, itemCount: 0 });
    await store.close();
  });

  test("a lease has one holder, is renewed by it and taken over after it ends", async () => {
    let { store, reopen } = await subject.open();
    expect(await store.acquireLease("sweeper", "a", 1000, 500)).toMatchObject({ fencingToken: 1 });
    expect(await store.acquireLease("sweeper", "b", 1200, 500)).toBeUndefined();
    expect(await store.acquireLease("sweeper", "a", 1400, 500)).toMatchObject({ until: 1900 });
    if (reopen) {
      await store.close();
      store = await reopen();
    }
    expect(await store.acquireLease("sweeper", "b", 1899, 500)).toBeUndefined();
    expect(await store.acquireLease("sweeper", "b", 1900, 500)).toMatchObject({ fencingToken: 2 });
    await store.close();
  });

  test("a closed store refuses writes", async () => {
    const { store } = await subject.open();
    await store.close();
    await expect(store.claim(1, 1)).rejects.toThrow("closed");
    await store.close();
  });
});

function putOf(key: string, number: number, body: string, termsAdded: string[]): ItemPut {
  const bytes = Buffer.from(body);
  return {
    kind: "put",
    key,
    number,
    tag: 3,
    body: bytes,
    before: undefined,
    termsAdded,
    termsRemoved: [],
  };
}

/** The end of an item that this part never had. */
function goneOf(key: string, number: number): AdoptedVersion["write"] & { kind: "delete" } {
  return { kind: "delete", key, number, tag: 0, before: undefined, termsRemoved: [] };
}

/** A few creates, replaces and deletes of distinct items, in groups of one or more. */
function randomGroups(
  random: Random,
  model: ModelStore,
  part: number,
  step: number,
): readonly WriteGroup[] {
  const touched = new Set<string>();
  const pick = (n: number): number => Math.floor(random.next() * n);
  const groups: ItemWrite[][] = [];
  let created = 0;
  for (let count = pick(6); count > 0; count--) {
    const key = KEYS[pick(KEYS.length)]!;
    if (touched.has(key)) continue;
    touched.add(key);
    const stored = model.get(part, key);
    const termsOf = (): string[] => [
      ...new Set([`p${pick(3)}`, `q\x00${pick(5)}`, `q\xff${pick(5)}`]),
    ];
    let write: ItemWrite;
    if (stored === undefined) {
      const number = model.head(part).numberMax + 1 + created++;
      write = putOf(key, number, `body ${step} ${"y".repeat(pick(300))}`, termsOf());
    } else {
      const before = { lsn: stored.lsn, bodyBytes: stored.body.length };
      const held = model.termsOf(part, stored.number);
      const { number } = stored;
      const choice = random.next();
      if (choice < 0.4) {
        const isExpiry = pick(3) === 0;
        write = { kind: "delete", key, number, tag: step, before, termsRemoved: held, isExpiry };
        if (pick(2) === 0) write = { ...write, last: stored.body };
      } else if (choice < 0.6) {
        // Also terms it may have and has not, and terms it has and keeps.
        const termsAdded = termsOf();
        const termsRemoved = [...new Set([...held, ...termsAdded, "p1"])];
        write = { kind: "reterm", key, number, termsAdded, termsRemoved };
      } else {
        const next = termsOf();
        write = {
          kind: "put",
          key,
          number,
          tag: step,
          body: Buffer.from(`again ${step}`),
          before,
          termsAdded: next.filter((term) => !held.includes(term)),
          termsRemoved: held.filter((term) => !next.includes(term)),
        };
      }
    }
    if (groups.length > 0 && random.next() < 0.3) groups.at(-1)!.push(write);
    else groups.push([write]);
  }
  return groups;
}

async function expectSame(
  store: PartitionStore,
  model: ModelStore,
  part: number,
  random: Random,
): Promise<void> {
  expect(await store.head(part)).toMatchObject(model.head(part));
  const wanted = KEYS.map((key) => model.get(part, key));
  expect((await store.getMany(part, KEYS)).map(plain)).toEqual(wanted.map(plain));

  const countMax = 1 + Math.floor(random.next() * 10);
  const items = [];
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await store.scanItems(part, after, { countMax, bytesMax: 400 });
    items.push(...page.items);
    isLast = page.isLast;
    after = page.items.at(-1)?.number ?? after;
  }
  expect(items.map(plain)).toEqual(model.items(part).map(plain));

  for (const isReverse of [false, true]) {
    const range = random.next() < 0.5 ? { min: "", max: "\xff\xff" } : { min: "p1", max: "q\x01" };
    const entries: { term: string; number: number }[] = [];
    for (let isLast = false; !isLast; ) {
      const scan = {
        range,
        isReverse,
        withItems: true,
        after: entries.at(-1),
        countMax,
        bytesMax: 999,
      };
      const page = await store.scanTerms(part, scan);
      for (const { term, number, item } of page.entries) {
        expect(item?.number).toBe(number);
        entries.push({ term, number });
      }
      isLast = page.isLast;
    }
    const expected = model.terms(part, range);
    expect(entries).toEqual(isReverse ? expected.reverse() : expected);
  }

  const entries = [];
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readLog(part, after, countMax);
    entries.push(...page.entries);
    isLast = page.isLast;
    after = page.entries.at(-1)?.lsn ?? after;
  }
  expect(entries).toEqual(model.log(part));
  const kept = await versionsIn(store, part, { countMax, bytesMax: 300 });
  expect(kept.map(plain)).toEqual(model.versions(part).map(plain));
  await expectSameTallies(store, model, part, countMax);
}

async function expectSameTallies(
  store: PartitionStore,
  model: ModelStore,
  part: number,
  countMax: number,
): Promise<void> {
  const expected = model.tallies(part);
  expect(await talliesIn(store, part, ALL, countMax)).toEqual(expected);
  const range = { min: "\xfef2", max: "\xfef5" };
  const inside = expected.filter(({ family }) => family >= range.min && family < range.max);
  expect(await talliesIn(store, part, range, countMax)).toEqual(inside);
  for (const key of KEYS) {
    const family = key.split("\x00")[0]!;
    const { itemCount, itemBytes } = expected.find((one) => one.family === family) ?? NONE;
    expect(await store.tally(part, family)).toEqual({ itemCount, itemBytes });
  }
}

const ALL = { min: "", max: "\xff\xff" };
const NONE = { itemCount: 0, itemBytes: 0 };

async function talliesIn(
  store: PartitionStore,
  part: number,
  range = ALL,
  countMax = 2,
): Promise<FamilyTally[]> {
  const tallies: FamilyTally[] = [];
  for (let isLast = false; !isLast; ) {
    const after = tallies.at(-1)?.family;
    const page = await store.scanTallies(part, { range, after, countMax });
    expect(page.tallies.length).toBeLessThanOrEqual(countMax);
    tallies.push(...page.tallies);
    isLast = page.isLast;
  }
  return tallies;
}

function plain(stored: { readonly body: Buffer } | undefined): unknown {
  return stored && { ...stored, body: stored.body.toString("latin1") };
}
