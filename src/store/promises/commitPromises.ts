/** What every store promises of commits, parts, tallies and leases. */
import { lsn } from "../../base/units.ts";
import { Fenced } from "../partitionStore.ts";
import { found, refused } from "./found.ts";
import { ALL, NONE, putOf, talliesIn } from "./sample.ts";
import type { StorePromise } from "./storePromise.ts";

export const COMMIT_PROMISES: readonly StorePromise[] = [
  {
    says: "commits to several parts at once are all there",
    meaning: "writes to several physical partitions at the same time are all kept",
    async keep(subject) {
      const { store } = await subject.open();
      const parts = [1, 2, 3, 4, 5];
      await Promise.all(parts.map((part) => store.claim(part, 1)));
      await Promise.all(parts.map((part) => store.commit(part, 1, [[putOf("k", part, "x", [])]])));
      for (const part of parts) found((await store.get(part, "k"))?.number).is(part);
      found(await store.parts()).is(parts);
      await store.close();
    },
  },
  {
    says: "a deposed writer is fenced",
    meaning: "a server that was replaced cannot write any more",
    async keep(subject) {
      const { store } = await subject.open();
      await store.claim(1, 1);
      await store.claim(1, 2);
      await refused(store.commit(1, 1, [[putOf("k", 1, "x", [])]]), Fenced);
      await refused(store.claim(1, 1), Fenced);
      await refused(store.commit(9, 1, []), Fenced);
      found((await store.commit(1, 2, [[putOf("k", 1, "x", [])]])).lsns).is([1]);
      await store.close();
    },
  },
  {
    says: "a dropped part is gone, also after opening again",
    meaning: "what was deleted does not come back",
    async keep(subject) {
      let { store, reopen } = await subject.open();
      await store.claim(1, 1);
      await store.claim(2, 1);
      for (let number = 1; number <= 60; number++) {
        await store.commit(1, 1, [[putOf(`k${number}`, number, "x".repeat(200), ["t"])]]);
      }
      found(await talliesIn(store, 1, ALL, 100)).hasLength(60);
      await store.drop(1);
      found(await store.parts()).is([2]);
      found(await talliesIn(store, 1)).is([]);
      found(await store.tally(1, "k7")).is(NONE);
      if (reopen) {
        await store.close();
        store = await reopen();
        found(await store.parts()).is([2]);
      }
      found(await store.head(1)).is(undefined);
      found(await talliesIn(store, 1)).is([]);
      found(await store.tally(1, "k7")).is(NONE);
      await store.close();
    },
  },
  {
    says: "the last part there can be is remembered like any other",
    meaning: "numbers up to the largest are kept exactly",
    async keep(subject) {
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
      found(await store.parts()).is([last]);
      found(await store.head(last)).has({ itemCount: 60, numberMax: 60, lsn: 60 });
      await store.close();
    },
  },
  {
    says: "commits that share a frame see one another's tallies",
    meaning: "sizes of logical partitions add up under concurrent writes",
    async keep(subject) {
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
        found(await store.tally(1, "f")).is({ itemCount: 2, itemBytes: 3 });
        found(await store.tally(1, "g")).is({ itemCount: 1, itemBytes: 1 });
        found(await store.tally(2, "f")).is({ itemCount: 1, itemBytes: 7 });
        if (!reopen) break;
        await store.close();
        store = await reopen();
      }
      await store.close();
    },
  },
  {
    says: "a family that has come to nothing is gone, and may come again",
    meaning: "sizes of logical partitions follow deletions",
    async keep(subject) {
      const { store } = await subject.open();
      await store.claim(1, 1);
      const before = { lsn: lsn(1), bodyBytes: 1 };
      const termsRemoved: string[] = [];
      await store.commit(1, 1, [[putOf("f\x00a", 1, "1", [])]]);
      await store.commit(1, 1, [
        [{ kind: "delete", key: "f\x00a", number: 1, tag: 0, before, termsRemoved }],
      ]);
      found(await store.tally(1, "f")).is(NONE);
      found(await talliesIn(store, 1)).is([]);
      await store.commit(1, 1, [[putOf("f\x00a", 2, "22", [])]]);
      found(await talliesIn(store, 1)).is([{ family: "f", itemCount: 1, itemBytes: 2 }]);
      await store.close();
    },
  },
  {
    says: "a lease has one holder, is renewed by it and taken over after it ends",
    meaning: "work that one server does at a time has one server",
    async keep(subject) {
      let { store, reopen } = await subject.open();
      found(await store.acquireLease("sweeper", "a", 1000, 500)).has({ fencingToken: 1 });
      found(await store.acquireLease("sweeper", "b", 1200, 500)).is(undefined);
      found(await store.acquireLease("sweeper", "a", 1400, 500)).has({ until: 1900 });
      if (reopen) {
        await store.close();
        store = await reopen();
      }
      found(await store.acquireLease("sweeper", "b", 1899, 500)).is(undefined);
      found(await store.acquireLease("sweeper", "b", 1900, 500)).has({ fencingToken: 2 });
      await store.close();
    },
  },
  {
    says: "a closed store refuses writes",
    meaning: "nothing is written after the end",
    async keep(subject) {
      const { store } = await subject.open();
      await store.close();
      await refused(store.claim(1, 1), "closed");
      await store.close();
    },
  },
];
