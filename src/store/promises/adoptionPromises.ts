/** What every store promises of versions that come from another part. */
import { lsn } from "../../base/units.ts";
import type { AdoptedVersion } from "../partitionStore.ts";
import { Fenced } from "../partitionStore.ts";
import { found, refused } from "./found.ts";
import { ALL, goneOf, putOf, talliesIn } from "./sample.ts";
import type { StorePromise } from "./storePromise.ts";

export const ADOPTION_PROMISES: readonly StorePromise[] = [
  {
    says: "what is adopted keeps its LSN, its number and its kind",
    meaning: "splits and moves keep sessions, feeds and cursors going",
    async keep(subject) {
      let { store, reopen } = await subject.open();
      await store.claim(1, 1);
      const versions: AdoptedVersion[] = [
        { lsn: lsn(8), logKind: "replaced", write: putOf("f\x00b", 6, "123", ["t"]) },
        { lsn: lsn(3), logKind: "created", write: putOf("f\x00a", 9, "12", ["t"]) },
        { lsn: lsn(8), logKind: "created", write: putOf("g\x00a", 4, "1", ["t"]) },
        { lsn: lsn(5), logKind: "deleted", write: goneOf("f\x00b", 2) },
      ];
      const head = await store.adopt(1, 1, versions, lsn(20));
      found(head).has({ lsn: 20, itemCount: 3, itemBytes: 6, numberMax: 9 });
      for (let time = 0; time < 2; time++) {
        found(await store.head(1)).is(head);
        found(await store.get(1, "f\x00b")).has({ number: 6, lsn: 8, tag: 3 });
        found((await store.readLog(1, lsn(0), 10)).entries).is([
          { lsn: 3, number: 9, kind: "created", key: "f\x00a" },
          { lsn: 5, number: 2, kind: "deleted", key: "f\x00b" },
          { lsn: 8, number: 4, kind: "created", key: "g\x00a" },
          { lsn: 8, number: 6, kind: "replaced", key: "f\x00b" },
        ]);
        found(await talliesIn(store, 1)).is([
          { family: "f", itemCount: 2, itemBytes: 5 },
          { family: "g", itemCount: 1, itemBytes: 1 },
        ]);
        const scan = { range: ALL, withItems: false, countMax: 9, bytesMax: 9 };
        const { entries } = await store.scanTerms(1, scan);
        found(entries.map(({ number }) => number)).is([4, 6, 9]);
        if (!reopen) break;
        await store.close();
        store = await reopen();
      }
      found((await store.commit(1, 1, [[putOf("h", 10, "x", [])]])).lsns).is([21]);
      await store.close();
    },
  },
  {
    says: "a version that is adopted twice is there once",
    meaning: "a split that was interrupted can be repeated",
    async keep(subject) {
      const { store } = await subject.open();
      await store.claim(1, 1);
      const first = putOf("f\x00a", 5, "123", ["t"]);
      const adopt = (write: AdoptedVersion["write"]) =>
        store.adopt(1, 1, [{ lsn: lsn(4), logKind: "created", write }], lsn(7));
      const head = await adopt(first);
      const before = { lsn: lsn(4), bodyBytes: 3 };
      found(await adopt({ ...first, before, termsAdded: [] })).is(head);
      found(await adopt({ ...first, before, termsRemoved: ["t"] })).is(head);
      found((await store.readLog(1, lsn(0), 10)).entries).hasLength(1);
      found(await talliesIn(store, 1)).is([{ family: "f", itemCount: 1, itemBytes: 3 }]);
      const scan = { range: ALL, withItems: true, countMax: 9, bytesMax: 9 };
      found((await store.scanTerms(1, scan)).entries).hasLength(1);
      await store.close();
    },
  },
  {
    says: "an adopted deletion takes away what is said to be there, and nothing else",
    meaning: "a split that catches up with deletions loses nothing else",
    async keep(subject) {
      const { store } = await subject.open();
      await store.claim(1, 1);
      await store.commit(1, 1, [[putOf("f\x00a", 5, "123", ["t"])]]);
      const gone = (write: AdoptedVersion["write"], at: number) =>
        store.adopt(1, 1, [{ lsn: lsn(at), logKind: "deleted", write }], lsn(at));
      // The end of an earlier item with the same key.
      found(await gone(goneOf("f\x00a", 2), 3)).has({ lsn: 3, itemCount: 1 });
      found(await store.get(1, "f\x00a")).has({ number: 5, lsn: 1 });
      const before = { lsn: lsn(1), bodyBytes: 3 };
      const write = { ...goneOf("f\x00a", 5), before, termsRemoved: ["t"] };
      found(await gone(write, 4)).has({ lsn: 4, itemCount: 0, itemBytes: 0 });
      found(await store.get(1, "f\x00a")).is(undefined);
      found(await talliesIn(store, 1)).is([]);
      found((await store.readLog(1, lsn(0), 10)).entries).is([
        { lsn: 3, number: 2, kind: "deleted", key: "f\x00a" },
        { lsn: 4, number: 5, kind: "deleted", key: "f\x00a" },
      ]);
      await store.close();
    },
  },
  {
    says: "one adoption can end an item and begin another under its key",
    meaning: "an item that was deleted and made again survives a split",
    async keep(subject) {
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
      found(head).has({ itemCount: 1, itemBytes: 2, numberMax: 3 });
      for (let time = 0; time < 2; time++) {
        found(await store.get(1, "f\x00a")).has({ number: 3, lsn: 5 });
        found(await store.itemsByNumber(1, [2, 3])).hasLength(1);
        found(await talliesIn(store, 1)).is([{ family: "f", itemCount: 1, itemBytes: 2 }]);
        const log = (await store.readLog(1, lsn(0), 10)).entries;
        found(log.map(({ lsn: at, kind }) => [at, kind])).is([
          [4, "deleted"],
          [5, "created"],
        ]);
        if (!reopen) break;
        await store.close();
        store = await reopen();
      }
      await store.close();
    },
  },
  {
    says: "an adoption is fenced, whole, and not newer than its part",
    meaning: "a split that fails leaves nothing behind",
    async keep(subject) {
      const { store } = await subject.open();
      await store.claim(1, 2);
      const version = (at: number): AdoptedVersion => ({
        lsn: lsn(at),
        logKind: "created",
        write: putOf(`k${at}`, at, "x", []),
      });
      await refused(store.adopt(1, 1, [version(1)], lsn(1)), Fenced);
      await refused(store.adopt(9, 1, [version(1)], lsn(1)), Fenced);
      await refused(store.adopt(1, 2, [version(1), version(3)], lsn(2)), "newer");
      found(await store.head(1)).has({ lsn: 0, itemCount: 0 });
      found(await talliesIn(store, 1)).is([]);
      found(await store.adopt(1, 2, [], lsn(2))).has({ lsn: 2, itemCount: 0 });
      await store.close();
    },
  },
];
