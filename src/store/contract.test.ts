/**
 * One contract over every store. A random history of commits runs against the store and against a
 * model that is obviously right (plain maps and sorted arrays); after each step everything a reader
 * can ask is compared. The durable ones are closed and opened again on the way, with segments so
 * small that absorption happens all the time.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { lsn } from "../base/units.ts";
import type { Random } from "../base/world.ts";
import { seededRandom } from "../base/world.ts";
import { realTimer } from "../server/realWorld.ts";
import { openDirectory } from "./disk.ts";
import { EmbeddedStore } from "./embeddedStore.ts";
import { LmdbBottom } from "./lmdb/lmdbBottom.ts";
import { ModelStore } from "./modelStore.ts";
import type { ItemWrite, PartitionStore, WriteGroup } from "./partitionStore.ts";
import { Fenced } from "./partitionStore.ts";
import { SimulatedBottom } from "./simulatedBottom.ts";
import { SimulatedDisk } from "./simulatedDisk.ts";

const OPTIONS = { segmentBytesMax: 3000, sealedCountMax: 2 };
const directories: string[] = [];

interface Subject {
  readonly name: string;
  open(): Promise<{ store: PartitionStore; reopen?: () => Promise<PartitionStore> }>;
}

const SUBJECTS: readonly Subject[] = [
  { name: "memory", open: async () => ({ store: EmbeddedStore.inMemory(realTimer) }) },
  {
    name: "simulated disk",
    async open() {
      const disk = new SimulatedDisk(seededRandom(1));
      const bottom = new SimulatedBottom(disk);
      const reopen = () => EmbeddedStore.open(realTimer, OPTIONS, { disk, bottom });
      return { store: await reopen(), reopen };
    },
  },
  {
    name: "lmdb",
    async open() {
      const root = await mkdtemp(join(tmpdir(), "orrery-contract-"));
      directories.push(root);
      const paths = { journalDirectory: join(root, "journal"), tablesDirectory: join(root, "t") };
      const reopen = async () => {
        const disk = await openDirectory(paths.journalDirectory);
        return EmbeddedStore.open(realTimer, OPTIONS, { disk, bottom: new LmdbBottom(paths) });
      };
      return { store: await reopen(), reopen };
    },
  },
];

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

describe.each(SUBJECTS)("$name", (subject) => {
  test.each([1, 2, 3])("reads what a model reads, seed %i", async (seed) => {
    const random = seededRandom(seed);
    let { store, reopen } = await subject.open();
    const model = new ModelStore();
    const PARTS = [7, 8];
    for (const part of PARTS) {
      await store.claim(part, 1);
      model.claim(part);
    }
    for (let step = 0; step < 60; step++) {
      const part = PARTS[step % 2]!;
      const groups = randomGroups(random, model, part, step);
      if (groups.length > 0) {
        expect(await store.commit(part, 1, groups)).toBe(model.commit(part, groups));
      }
      if (random.next() < 0.1) {
        const through = lsn(Math.floor(random.next() * model.head(part).lsn));
        await store.sweepLog(part, 1, through);
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
    expect(await store.commit(1, 2, [[putOf("k", 1, "x", [])]])).toBe(1);
    await store.close();
  });

  test("a dropped part is gone, also after opening again", async () => {
    let { store, reopen } = await subject.open();
    await store.claim(1, 1);
    await store.claim(2, 1);
    for (let number = 1; number <= 60; number++) {
      await store.commit(1, 1, [[putOf(`k${number}`, number, "x".repeat(200), ["t"])]]);
    }
    await store.drop(1);
    expect(await store.parts()).toEqual([2]);
    if (reopen) {
      await store.close();
      store = await reopen();
      expect(await store.parts()).toEqual([2]);
    }
    expect(await store.head(1)).toBeUndefined();
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

function putOf(key: string, number: number, body: string, termsAdded: string[]): ItemWrite {
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
    const key = `\xfek${pick(40)}`;
    if (touched.has(key)) continue;
    touched.add(key);
    const stored = model.get(part, key);
    const termsOf = (): string[] => [
      ...new Set([`p${pick(3)}`, `q\x00${pick(5)}`, `q\xff${pick(5)}`]),
    ];
    let write: ItemWrite;
    if (stored === undefined) {
      const number = model.head(part).numberMax + 1 + created++;
      write = {
        ...putOf(key, number, `body ${step} ${"y".repeat(pick(300))}`, termsOf()),
      } as ItemWrite;
    } else {
      const before = { lsn: stored.lsn, bodyBytes: stored.body.length };
      const held = model.termsOf(part, stored.number);
      const { number } = stored;
      const choice = random.next();
      if (choice < 0.4) write = { kind: "delete", key, number, before, termsRemoved: held };
      else if (choice < 0.6) {
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
  const keys = Array.from({ length: 40 }, (_, index) => `\xfek${index}`);
  const wanted = keys.map((key) => model.get(part, key));
  expect((await store.getMany(part, keys)).map(plain)).toEqual(wanted.map(plain));

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
}

function plain(
  item: { number: number; lsn: number; tag: number; key: string; body: Buffer } | undefined,
): unknown {
  return item && { ...item, body: item.body.toString() };
}
