/** The records of the catalogue in part 0 of the store. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { Fault } from "../simulatedAccount.fake.ts";
import { SimulatedTime, troubledStore } from "../simulatedAccount.fake.ts";
import { CatalogFile } from "./catalogFile.ts";
import type { CatalogRecord, Counters } from "./catalogRecords.ts";
import { CATALOG_PART, catalogKey } from "./catalogRecords.ts";

test("a new one has nothing, and gives out numbers from 1", async () => {
  const { file } = await stage();
  expect(await file.read()).toEqual([]);
  expect(file.counters).toEqual({ part: 1, database: 1, container: 1, resource: 1 });
});

test("what was put is read again, the latest of each", async () => {
  const { file, reopened } = await stage();
  await file.commit([database(1, "a"), database(2, "b"), counters(5)]);
  await file.commit([database(1, "c")]);
  const again = reopened();
  expect(await again.read()).toEqual([database(1, "c"), database(2, "b"), counters(5)]);
  expect(again.counters.part).toBe(5);
});

test("more records than a page has are read, too", async () => {
  const { file, reopened } = await stage();
  const all = Array.from({ length: 2500 }, (_, n) => database(n + 1, `d${n}`));
  await file.commit(all);
  expect((await reopened().read()).length).toBe(2500);
});

test("counters of a version without resources give resources numbers from 1", async () => {
  const { file, reopened } = await stage();
  const former = { part: 5, database: 2, container: 3 } as Counters;
  await file.commit([{ kind: "counters", counters: former }]);
  const again = reopened();
  await again.read();
  expect(again.counters).toEqual({ ...former, resource: 1 });
});

test("puts and removals come true together, or not at all", async () => {
  const { file, reopened, trouble } = await stage();
  await file.commit([database(1, "a"), database(2, "b")]);
  trouble.fault = (operation) => (operation === "commit" ? FULL : undefined);
  await expect(file.commit([database(3, "c")], [database(1, "a")])).rejects.toBe(FULL);
  trouble.fault = undefined;
  expect(await reopened().read()).toEqual([database(1, "a"), database(2, "b")]);
  await file.commit([database(3, "c")], [database(1, "a")]);
  expect(await reopened().read()).toEqual([database(2, "b"), database(3, "c")]);
});

test("numbers of parts that were found are not given again, also where there is no room", async () => {
  const { file, reopened, trouble } = await stage();
  trouble.fault = (operation) => (operation === "commit" ? FULL : undefined);
  expect(await file.spendFound(7)).toBe(false);
  expect(file.counters.part).toBe(8);
  trouble.fault = undefined;
  await file.spendParts(8);
  const again = reopened();
  await again.read();
  expect(again.counters.part).toBe(9);
  expect(await again.spendFound(8)).toBe(true);
});

test("who was replaced cannot write any more", async () => {
  const { file, store } = await stage();
  await file.read();
  await store.claim(CATALOG_PART, 2);
  await expect(file.commit([database(1, "a")])).rejects.toBeInstanceOf(Fenced);
});

test("any row of commits, failures and restarts leaves what a map would hold", async () => {
  const anyStep = fc.record({
    puts: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
    removals: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
    end: fc.constantFrom("fine", "fails", "restarts"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      const { file: first, reopened, trouble } = await stage();
      let file = first;
      const model = new Map<number, CatalogRecord>();
      for (const [index, { puts, removals, end }] of steps.entries()) {
        const removed = removals.filter((n) => model.has(n) && !puts.includes(n));
        const written = puts.map((n) => database(n, `${n} ${index}`));
        if (end === "fails") trouble.fault = () => FULL;
        const committed = file.commit(
          written,
          removed.map((n) => model.get(n)!),
        );
        await committed.catch((error: unknown) => expect(error).toBe(FULL));
        trouble.fault = undefined;
        if (end !== "fails") {
          for (const n of removed) model.delete(n);
          for (const [at, n] of puts.entries()) model.set(n, written[at]!);
        }
        if (end === "restarts") {
          file = reopened();
          await file.read();
        }
      }
      const read = await reopened().read();
      expect(read.map(catalogKey).sort()).toEqual([...model.values()].map(catalogKey).sort());
      expect(new Set(read)).toEqual(new Set(model.values()));
    }),
  );
});

const FULL = new StoreFault("the disk is full");

function database(databaseNumber: number, id: string): CatalogRecord {
  return {
    kind: "database",
    format: 1,
    database: { databaseNumber, id, etag: "e", ts: 0 },
  } as unknown as CatalogRecord;
}

function counters(part: number): CatalogRecord {
  return {
    kind: "counters",
    counters: { part, database: 1, container: 1, resource: 1 },
  };
}

async function stage() {
  const { timer } = new SimulatedTime();
  const store = EmbeddedStore.inMemory(timer);
  const trouble: { fault?: Fault | undefined } = {};
  await store.claim(CATALOG_PART, 1);
  const reopened = (): CatalogFile => new CatalogFile(troubledStore(store, trouble), 1);
  return { store, trouble, file: reopened(), reopened };
}
