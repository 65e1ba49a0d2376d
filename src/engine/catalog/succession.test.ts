/** The moment in which physical partitions give way to others. */
import { describe, expect, test } from "vitest";
import { HIGH_CALLER } from "../../model/caller.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import {
  containerIn,
  databaseIn,
  put,
  settled,
  simulatedAccount,
} from "../simulatedAccount.fake.ts";
import { CATALOG_PART } from "./catalogRecords.ts";

const SPLIT = { kind: "split", partitionId: "0", at: "middle" } as const;
const TERMS = { caller: HIGH_CALLER, consistency: "session" } as const;

describe("after it", () => {
  test("whoever held on to the old one reads and writes with the new ones", async () => {
    const { account, container, items } = await stage();
    const old = container.partitions.get("0")!;
    await account.reshaping.request(container, SPLIT);
    expect(old.isRetired).toBe(true);
    for (const pk of items) {
      const routed = account.route(container, [pk]);
      if (!routed.ok) throw new Error("a full key has an owner");
      const { epk } = routed.value;
      const outcome = await old.read(epk, "i", TERMS);
      expect(outcome).toMatchObject({ kind: "found", rangeId: container.ownerOf(epk).entry.id });
      expect(await old.idByName(epk, "i", 1)).toBe("i");
    }
  });

  test("its parts are gone, and the counters go on", async () => {
    const { account, container, store } = await stage();
    const [before] = container.map.entries;
    await account.reshaping.request(container, SPLIT);
    const parts = container.map.entries.map(({ part }) => part);
    expect(store.parts()).toEqual([CATALOG_PART, ...parts]);
    expect(parts).not.toContain(before!.part);
    await account.reshaping.request(container, { ...SPLIT, partitionId: "1" });
    expect(Math.max(...container.map.entries.map(({ part }) => part))).toBeGreaterThan(parts[1]!);
  });

  test("statistics of the old one are in the totals, and the new ones begin with nothing", async () => {
    const { account, container, time } = await stage();
    await time.advance(1000);
    const before = container.meter!.load(time.clock.now()).requestCount;
    await account.reshaping.request(container, SPLIT);
    expect(container.meter!.load(time.clock.now()).requestCount).toBe(before);
    expect([...container.meter!.meters.keys()]).toEqual(["1", "2"]);
  });
});

test("who writes meanwhile is answered once, by the old one or the new one", async () => {
  const { account, container, store, trouble } = await stage();
  trouble.isDistant = true;
  const split = account.reshaping.request(container, SPLIT);
  const outcomes: { readonly kind: string; readonly rangeId: string }[] = [];
  for (let n = 0; n < 200; n++) {
    outcomes.push(await put(account, container, { pk: `w${n % 37}`, id: `i${n}` }));
    for (let turn = 0; turn < n % 7; turn++) await Promise.resolve();
  }
  expect((await split).ok).toBe(true);
  expect(outcomes.every(({ kind }) => kind === "created")).toBe(true);
  expect(new Set(outcomes.map(({ rangeId }) => rangeId)).size).toBe(3);
  const counts = container.map.entries.map(({ part }) => store.head(part)!.itemCount);
  expect(counts[0]! + counts[1]!).toBe(200 + 6);
});

describe("when the store fails", () => {
  const operations = ["claim", "adopt", "commit", "head", "readLog", "getMany", "drop"] as const;
  test.each(operations)("at any `%s` of it, all is as before or all is done", async (operation) => {
    for (let nth = 1; nth <= 3; nth++) {
      const { account, container, store, trouble, items } = await stage();
      let count = 0;
      trouble.fault = (asked) =>
        asked === operation && ++count === nth ? new StoreFault("the disk is full") : undefined;
      const result = await account.reshaping.request(container, SPLIT);
      trouble.fault = undefined;
      const ids = container.map.entries.map(({ id }) => id);
      expect(ids).toEqual(result.ok ? ["1", "2"] : ["0"]);
      expect([...container.partitions.keys()]).toEqual(ids);
      for (const pk of items) {
        expect((await put(account, container, { pk, id: "i" })).kind).toBe("replaced");
      }
      // A second attempt finds the way free, and what was left behind is dropped.
      if (!result.ok) {
        expect((await account.reshaping.request(container, SPLIT)).ok).toBe(true);
      }
      await account.reshaping.request(container, {
        kind: "merge",
        partitionIds: [container.map.entries[0]!.id, container.map.entries[1]!.id],
      });
      await settled();
      if (operation !== "claim") {
        const parts = container.map.entries.map(({ part }) => part);
        expect(store.parts()).toEqual([CATALOG_PART, ...parts]);
      }
    }
  });

  test("because of a defect while the old part is dropped, the new ones keep everything", async () => {
    const { account, container, store, trouble, items } = await stage();
    const [old] = container.map.entries;
    trouble.fault = (operation, part) =>
      operation === "drop" && part === old!.part ? new TypeError("a defect") : undefined;
    await expect(account.reshaping.request(container, SPLIT)).rejects.toThrow("a defect");
    trouble.fault = undefined;
    const parts = container.map.entries.map(({ part }) => part);
    expect(store.parts()).toEqual([CATALOG_PART, old!.part, ...parts]);
    for (const pk of items) {
      expect((await put(account, container, { pk, id: "i" })).kind).toBe("replaced");
    }
    expect(account.reshaping.jobs).toMatchObject([{ outcome: { state: "done" } }]);
  });

  test("for good, or somebody else has taken over, it says so", async () => {
    const { account, container, trouble } = await stage();
    trouble.fault = (operation) => (operation === "adopt" ? new Fenced("deposed") : undefined);
    const result = await account.reshaping.request(container, SPLIT, "storage");
    expect(result).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    expect(account.reshaping.jobs[0]!.outcome).toMatchObject({ state: "failed" });
  });
});

describe("it does not happen", () => {
  test("to a container that is deleted before it", async () => {
    const { account, container, store, database, trouble, time } = await stage();
    trouble.isDistant = true;
    const split = account.reshaping.request(container, SPLIT);
    for (let turn = 0; turn < 60; turn++) await Promise.resolve();
    await account.catalog.deleteContainer(database, container);
    await time.advance(200);
    expect(await split).toMatchObject({ ok: false, error: { kind: "notFound" } });
    expect(store.parts()).toEqual([CATALOG_PART]);
  });

  test("to one of the same name that was made since", async () => {
    const { account, container, database, time } = await stage();
    const split = account.reshaping.request(container, SPLIT);
    await account.catalog.deleteContainer(database, container);
    const made = await containerIn(account, database);
    await time.advance(200);
    await split;
    expect(made.map.entries.map(({ id }) => id)).toEqual(["0"]);
    expect((await put(account, made, { pk: "a", id: "i" })).kind).toBe("created");
  });

  test("twice: the second job for a physical partition is told that it is no more", async () => {
    const { account, container } = await stage();
    const { reshaping } = account;
    const [first, second] = await Promise.all([
      reshaping.request(container, SPLIT),
      reshaping.request(container, SPLIT),
    ]);
    expect(first.ok).toBe(true);
    expect(JSON.stringify(second)).toMatch(/no physical partition '0'; there are 1, 2/);
  });
});

/** One physical partition with six items. */
async function stage() {
  const simulated = await simulatedAccount();
  const { account } = simulated;
  const database = await databaseIn(account);
  const container = await containerIn(account, database);
  const items = Array.from({ length: 6 }, (_, n) => `k${n}`);
  for (const pk of items) await put(account, container, { pk, id: "i" });
  return { ...simulated, database, container, items };
}
