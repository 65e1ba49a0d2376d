/**
 * A whole store copied to every kind of store: all that can be read is the same, also when the copy
 * is ended on the way; and what is not the same is found.
 */
import { afterAll, describe, expect, test } from "vitest";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../embedded/embeddedStore.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { followModel } from "../promises/randomHistory.ts";
import { putOf } from "../promises/sample.ts";
import { StoreSubjects } from "../subjects.fake.ts";
import { copyStore, unfinishedCopy } from "./copyStore.ts";
import { differenceOf } from "./difference.ts";

const subjects = new StoreSubjects(realTimer);
const PARTS = [7, 8];

afterAll(() => subjects.remove());

/** A store in memory with what a random history has left, which stays open. */
async function filled(seed: number): Promise<PartitionStore> {
  const store = EmbeddedStore.inMemory(realTimer);
  const kept = new Proxy<PartitionStore>(store, {
    get: (_target, name) => {
      if (name === "close") return () => Promise.resolve();
      const member: unknown = Reflect.get(store, name, store);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
  await followModel({ open: async () => ({ store: kept }) }, seededRandom(seed), 40);
  // The largest number was that of an item whose end is swept.
  const { head } = await store.commit(7, 1, [[putOf("last", 5000, "x", ["t"])]]);
  const before = { lsn: head.lsn, bodyBytes: 1 };
  const gone = { kind: "delete", key: "last", number: 5000, tag: 0, before, termsRemoved: ["t"] };
  const end = await store.commit(7, 1, [[gone as never]]);
  await store.sweepLog(7, 1, end.head.lsn);
  return store;
}

function copied(source: PartitionStore, target: PartitionStore, isStopped = () => false) {
  return copyStore({ source, target, onProgress: () => undefined, isStopped });
}

describe.each(subjects.all)("$name", (subject) => {
  test.each([1, 2])("has all that was copied, seed %i", async (seed) => {
    const source = await filled(seed);
    const { store: target } = await subject.open();
    expect(await copied(source, target)).toMatchObject({ partCount: 2, isFirst: true });
    for (const part of PARTS) {
      expect(await target.head(part)).toEqual(source.head(part));
      expect(await differenceOf(source, target, part, () => undefined)).toBeUndefined();
    }
    expect(await unfinishedCopy(target)).toBeUndefined();
    const { lsns } = await target.commit(7, 1, [[putOf("next", 5001, "x", [])]]);
    expect(lsns).toEqual([(await source.head(7))!.lsn + 1]);
    await expect(copied(source, target)).rejects.toThrow("not empty");
    await target.close();
  });

  test("goes on after it was ended, as often as that is", async () => {
    const source = await filled(3);
    const { store: target } = await subject.open();
    let isWhole = false;
    let attempts = 0;
    for (; !isWhole; attempts++) {
      let left = attempts;
      isWhole = (await copied(source, target, () => left-- <= 0)) !== undefined;
      expect((await unfinishedCopy(target)) === undefined).toBe(isWhole);
    }
    expect(attempts).toBeGreaterThan(5);
    for (const part of PARTS) {
      expect(await differenceOf(source, target, part, () => undefined)).toBeUndefined();
    }
    await target.close();
  });
});

test("a copy that was begun goes on with its own source only", async () => {
  const [source, target] = [await filled(4), EmbeddedStore.inMemory(realTimer)];
  await copied(source, target, () => true);
  await expect(copied(await filled(5), target)).rejects.toThrow("another copy");
  await source.commit(7, 1, [[putOf("later", 6000, "x", [])]]);
  await expect(copied(source, target)).rejects.toThrow("changed since");
});

test.each<[string, (store: PartitionStore) => Promise<unknown>]>([
  ["an item", (store) => store.commit(8, 1, [[putOf("more", 7000, "x", [])]])],
  ["a term", (store) => store.adopt(8, 1, [retermOf("extra")], lsn(1))],
  [
    "an end",
    async (store) => {
      const { lsn: at } = (await store.head(8))!;
      await store.adopt(8, 1, [endOf(at)], at);
    },
  ],
])("finds %s that is only on one side", async (_what, change) => {
  const [source, target] = [await filled(6), EmbeddedStore.inMemory(realTimer)];
  await copied(source, target);
  await change(target);
  expect(await differenceOf(source, target, 8, () => undefined)).toMatch(/\w/);
  expect(await differenceOf(target, source, 8, () => undefined)).toMatch(/\w/);
});

function retermOf(term: string) {
  const terms = { termsAdded: [term], termsRemoved: [term] };
  return { write: { kind: "reterm", key: "k", number: 1, ...terms } } as const;
}

function endOf(at: Lsn) {
  const none = { before: undefined, termsRemoved: [] };
  const write = { kind: "delete", key: "gone", number: 1, tag: 0, ...none } as const;
  return { lsn: at, logKind: "expired", write } as const;
}
