/** What a sweep of one physical partition finds and removes, step by step. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { batch, redefine, write } from "../simulatedRequests.fake.ts";
import { ExpirySweep } from "./expirySweep.ts";

describe("ten seconds later, a sweep leaves", () => {
  const items: readonly [id: string, members: JsonObject][] = [
    ["short", { ttl: 5 }],
    ["just", { ttl: 10 }],
    ["long", { ttl: 11 }],
    ["forever", { ttl: -1 }],
    ["plain", {}],
  ];
  test.each([
    ["nothing that says no more, by a default that is over", 10, "forever long"],
    ["all that is not over", 11, "forever long plain"],
    ["what says nothing, if the default is for ever", -1, "forever long plain"],
    ["everything, if there is no default", undefined, "forever just long plain short"],
  ])("%s", async (_rule, defaultTtl, left) => {
    const stage = await opened(defaultTtl);
    for (const [id, members] of items) await stage.put(id, members);
    stage.time.skip(10_000);
    await stage.sweep();
    expect(stage.ids()).toBe(left);
  });
});

describe("a sweep", () => {
  test("goes by the last write", async () => {
    const stage = await opened(10);
    for (const id of ["a", "b"]) await stage.put(id);
    stage.time.skip(6000);
    await stage.put("a");
    stage.time.skip(6000);
    await stage.sweep();
    expect(stage.ids()).toBe("a");
  });

  test("finds what was written together with something that lives longer", async () => {
    const stage = await opened(10);
    await batch(stage.account, stage.container, [
      ["create", "a", { ttl: 100 }],
      ["create", "b"],
      ["create", "c", { ttl: -1 }],
    ]);
    await stage.sweep();
    stage.time.skip(10_000);
    await stage.sweep();
    expect(stage.ids()).toBe("a c");
  });

  test("removes many, some at a time, each with an LSN of its own", async () => {
    const stage = await opened(10);
    for (let n = 0; n < 150; n++) await stage.put(`${n}`, n % 3 === 0 ? { ttl: 5 } : {});
    stage.time.skip(10_000);
    const steps = await stage.sweep();
    expect(stage.ids()).toBe("");
    expect(steps).toBeGreaterThan(2);
    expect(steps).toBeLessThan(8);
    expect(stage.lsn()).toBe(300);
  });

  test("comes to an end where nothing has expired, and does not begin anew", async () => {
    const stage = await opened(100);
    for (let n = 0; n < 200; n++) await stage.put(`${n}`, { ttl: 1000 });
    await stage.put("last");
    expect(await stage.sweep()).toBeGreaterThan(1);
    expect(await stage.sweep()).toBe(1);
  });

  test("lets live what was written while it looked", async () => {
    for (let turns = 0; turns < 40; turns += 2) {
      const stage = await opened(10);
      await stage.put("a", { ttl: 5 });
      await stage.put("b");
      stage.time.skip(10_000);
      stage.trouble.isDistant = true;
      const swept = stage.sweep();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await Promise.all([stage.put("a"), stage.put("b"), swept]);
      expect(stage.ids()).toBe("a b");
    }
  });

  test.each([{}, { ttl: 5 }])("that failed is made up for, with %j", async (members) => {
    const stage = await opened(10);
    for (const id of ["a", "b"]) await stage.put(id, members);
    stage.time.skip(10_000);
    stage.trouble.fault = (operation) =>
      operation === "commit" ? new StoreFault("the disk is full") : undefined;
    await expect(stage.sweep()).rejects.toThrow("full");
    stage.trouble.fault = undefined;
    await stage.sweep();
    expect(stage.ids()).toBe("");
  });

  test("begins anew when the default changes", async () => {
    const stage = await opened(100);
    await stage.put("a", { ttl: 50 });
    await stage.put("b");
    stage.time.skip(20_000);
    await stage.sweep();
    await redefine(stage.account, stage.container, { defaultTtl: 20 });
    await stage.sweep();
    expect(stage.ids()).toBe("a");
  });

  test("spends what is left over and no more: callers find half of a budget", async () => {
    const stage = await opened(10, 400);
    for (let n = 0; n < 100; n++) {
      await stage.put(`${n}`, n % 2 === 0 ? { ttl: 5 } : {});
      stage.time.skip(100);
    }
    stage.time.skip(20_000);
    const [partition] = stage.container.partitions.values();
    const { budget } = partition!.spending.purse;
    for (let round = 0; round < 20; round++) {
      await stage.sweep();
      expect(budget.holding()!.balance).toBeGreaterThan(190);
      stage.time.skip(1000);
    }
    expect(stage.ids()).toBe("");
  });
});

interface Stage extends Simulated {
  readonly container: Container;
  readonly put: (id: string, members?: JsonObject) => Promise<unknown>;
  /** Until it has come to an end, or there is nothing left over. Says in how many steps. */
  readonly sweep: () => Promise<number>;
  readonly ids: () => string;
  readonly lsn: () => number;
}

async function opened(defaultTtl: number | undefined, rate?: number): Promise<Stage> {
  const simulated = await simulatedAccount(rate === undefined ? {} : { rates: LIMITED });
  const { account, time, store, trouble } = simulated;
  const throughput = { kind: "manual", ratePerSecond: rate ?? 400 } as const;
  const body = defaultTtl === undefined ? {} : { defaultTtl };
  const container = await containerIn(account, await databaseIn(account), throughput, body);
  const [partition] = container.partitions.values();
  const sweep = new ExpirySweep(troubledStore(store, trouble), partition!);
  const { part } = partition!.entry;
  return {
    ...simulated,
    container,
    put: (id, members) => write(account, container, "upsert", id, members),
    sweep: async () => {
      for (let steps = 1; ; steps++) {
        const isMore = await sweep.step(time.clock.wallNow());
        if (!isMore || !partition!.spending.hasLeftOver()) return steps;
        if (steps > 100) throw new Error("it does not come to an end");
      }
    },
    ids: () =>
      store
        .scanItems(part, 0, { countMax: 1e6, bytesMax: 1e9 })
        .items.map(({ key }) => idOfKey(key))
        .sort()
        .join(" "),
    lsn: () => store.head(part)!.lsn,
  };
}
