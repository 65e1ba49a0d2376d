/** How rates are divided, and what becomes of debts when those who share them change. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { RateSetting, Throughput } from "../../model/throughput.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import type { Purse } from "../partition/spending.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  simulatedAccount,
  spend,
} from "../simulatedAccount.fake.ts";
import { offersOf, replaceOffer } from "./offers.ts";

const SERVERLESS = { ...LIMITED, isServerless: true };
const WITH_BURST = { ...LIMITED, hasBurst: true };

describe("of a rate", () => {
  test.each<[string, Throughput | undefined, RateSetting | undefined, readonly number[]]>([
    ["each of three gets a third", manual(30_000), LIMITED, [10_000, 10_000, 10_000]],
    ["one gets all", manual(400), LIMITED, [400]],
    ["the ceiling counts under autoscale", autoscale(20_000), LIMITED, [10_000, 10_000]],
    ["there is a share even if nothing is limited", manual(500), undefined, [500]],
    ["the default is 400", undefined, LIMITED, [400]],
    ["there is none in a serverless account", undefined, SERVERLESS, [5000]],
  ])("%s", async (_rule, throughput, rates, expected) => {
    const { account } = await simulatedAccount({ rates });
    const container = await containerIn(account, await databaseIn(account), throughput);
    expect(ratesOf(container)).toEqual(expected);
  });

  test("each gets the same, however unequal splits and merges have made them", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    const container = await containerIn(account, await databaseIn(account), manual(6000));
    await split(account, container, "0");
    await split(account, container, "1");
    expect(ratesOf(container)).toEqual([2000, 2000, 2000]);
    await merge(account, container, ["3", "4"]);
    expect(ratesOf(container)).toEqual([3000, 3000]);
  });

  test("statistics tell when it changed, and splits are no change", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    const alone = await containerIn(account, await databaseIn(account), manual(6000));
    const database = await databaseIn(account, manual(700), "shared");
    const sharing = await containerIn(account, database, undefined, { id: "sharing" });
    await split(account, alone, "0");
    await change(account, alone, manual(8000));
    await change(account, alone, manual(8000));
    await change(account, database, manual(900));
    const changesOf = ({ meter }: Container): unknown =>
      meter!.rateChanges.map(({ from, to }) => [from, to]);
    expect(changesOf(alone)).toEqual([[6000, 8000]]);
    expect(changesOf(sharing)).toEqual([[700, 900]]);
    const report = await account.reporting.report(alone);
    expect(report!.rateChanges).toMatchObject([{ from: 6000, to: 8000 }]);
  });

  test("nothing is left in an account that has become serverless", async () => {
    const { account, reopen } = await simulatedAccount({ rates: LIMITED });
    const shared = await databaseIn(account, manual(700), "shared");
    await containerIn(account, shared);
    await containerIn(account, await databaseIn(account), autoscale(1000));
    const again = await reopen({ rates: SERVERLESS });
    const containers = again.catalog.containers();
    expect(containers.map(ratesOf)).toEqual([[5000], [5000]]);
    expect(containers.map((container) => pursesOf([container])[0]!.autoscale)).toEqual([
      undefined,
      undefined,
    ]);
    for (const container of containers) spend(container, "0", 4000);
    expect(balancesOf(containers)).toEqual([1000, 1000]);
  });

  test("a change is there at once, and debts stay", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    const container = await containerIn(account, await databaseIn(account), manual(400));
    spend(container, "0", 1000);
    await change(account, container, manual(4000));
    expect(ratesOf(container)).toEqual([4000]);
    expect(balancesOf([container])).toEqual([-600]);
    await change(account, container, autoscale(5000));
    expect(pursesOf([container])[0]!.autoscale!.level()).toBe(500);
    expect(balancesOf([container])).toEqual([-600]);
  });
});

describe("containers that share a rate", () => {
  test("pay from the same purses", async () => {
    const { account, containers } = await sharing(2, manual(20_000));
    expect(containers.map(ratesOf)).toEqual([
      [10_000, 10_000],
      [10_000, 10_000],
    ]);
    expect(pursesOf(containers).length).toBe(2);
    spend(containers[0]!, "0", 10_500);
    expect(balancesOf([containers[1]!])).toEqual([-500, 10_000]);
    expect(account.catalog.databases()[0]!.sharing.length).toBe(2);
  });

  test("are not asked by one that has its own", async () => {
    const { account, containers, database } = await sharing(1, manual(1000));
    const own = await containerIn(account, database, manual(400), { id: "own" });
    spend(own, "0", 5000);
    expect(balancesOf(containers)).toEqual([1000]);
    expect(ratesOf(own)).toEqual([400]);
  });

  test("have the new rate when it changes", async () => {
    const { account, containers, database } = await sharing(3, manual(1000));
    spend(containers[1]!, "0", 1200);
    await change(account, database, manual(2000));
    expect(containers.map(ratesOf)).toEqual([[2000], [2000], [2000]]);
    expect(balancesOf(containers)).toEqual([-200]);
  });

  test("divide it by the one that has fewest partitions, and anew when that goes", async () => {
    const { account, containers, database } = await sharing(2, manual(1000));
    const [first, second] = containers;
    await split(account, first!, "0");
    expect(containers.map(ratesOf)).toEqual([[1000, 1000], [1000]]);
    expect(pursesOf(containers).length).toBe(1);
    spend(second!, "0", 1400);
    await account.catalog.deleteContainer(database, second!);
    expect(ratesOf(first!)).toEqual([500, 500]);
    expect(balancesOf([first!])).toEqual([-200, -200]);
  });

  test("use all of it, also where partitions share the first level of their keys", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    const database = await databaseIn(account, manual(3000));
    const partitionKey = { paths: ["/a", "/b"], kind: "MultiHash", version: 2 };
    const container = await containerIn(account, database, undefined, { partitionKey });
    const level = "1".padEnd(32, "0");
    for (const [partitionId, second] of [
      ["0", "1"],
      ["2", "2"],
    ] as const) {
      const epk = (level + second.padEnd(32, "0")) as Epk;
      const request = { kind: "split", partitionId, at: { epk } } as const;
      expect((await account.reshaping.request(container, request)).ok).toBe(true);
    }
    expect(pursesOf([container]).length).toBe(3);
    expect(ratesOf(container)).toEqual([1000, 1000, 1000]);
  });

  test("gain nothing by a split, a merge, or by being made anew", async () => {
    const { account, containers, database } = await sharing(1, manual(1000));
    const [only] = containers;
    spend(only!, "0", 1600);
    await split(account, only!, "0");
    expect(balancesOf(containers)).toEqual([-300, -300]);
    spend(only!, "2", 100);
    await merge(account, only!, ["1", "2"]);
    expect(balancesOf(containers)).toEqual([-700]);
    await account.catalog.deleteContainer(database, only!);
    expect(balancesOf([await containerIn(account, database)])).toEqual([-700]);
  });

  test("have the hours of autoscale together, also after a split", async () => {
    const { account, containers } = await sharing(1, autoscale(1000));
    spend(containers[0]!, "0", 1000);
    expect(account.catalog.allotting.rateNow(containers)).toBe(200);
    await split(account, containers[0]!, "0");
    const hours = pursesOf(containers).map(({ autoscale: meter }) => meter!.hours()[0]!.level);
    expect(hours).toEqual([100, 100]);
  });
});

test("whatever is split, merged, deleted or made, nobody has more to spend than before", async () => {
  const anyStep = fc.record({
    verb: fc.constantFrom("split", "merge", "spend", "delete", "create", "wait"),
    at: fc.nat(9),
    charge: fc.nat(3000),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("own", "shared"),
      fc.boolean(),
      fc.array(anyStep, { maxLength: 14 }),
      async (kind, hasBurst, steps) => {
        const stage = await simulatedAccount({ rates: hasBurst ? WITH_BURST : LIMITED });
        const { account, time } = stage;
        const rate = manual(2000);
        const database = await databaseIn(account, kind === "shared" ? rate : undefined);
        const own = kind === "own" ? rate : undefined;
        await containerIn(account, database, own);
        for (const [index, { verb, at, charge }] of steps.entries()) {
          const containers = [...database.containers.values()];
          const container = containers[at % Math.max(1, containers.length)];
          const before = sumOf(containers);
          if (verb === "wait") time.skip(charge);
          else if (verb === "create" && kind === "shared") {
            await containerIn(account, database, undefined, { id: `c${index}` });
            expect(sumOf([...database.containers.values()])).toBeLessThanOrEqual(2000 * 301);
          } else if (container !== undefined) {
            const { entries } = container.map;
            const { id } = entries[at % entries.length]!;
            if (verb === "spend") spend(container, id, charge);
            if (verb === "delete" && kind === "shared" && containers.length > 1) {
              await account.catalog.deleteContainer(database, container);
            }
            if (verb === "split" && entries.length < 6) await split(account, container, id);
            if (verb === "merge" && entries.length > 1) {
              await merge(account, container, [entries[0]!.id, entries[1]!.id]);
            }
            const left = [...database.containers.values()];
            expect(sumOf(left)).toBeLessThanOrEqual(before + 1e-6);
          }
          for (const held of database.containers.values()) {
            const rates = ratesOf(held);
            expect(new Set(rates).size).toBe(1);
            const { size } = new Set([...held.partitions.values()].map((one) => one.spending));
            expect(size).toBe(held.map.entries.length);
          }
          const total = pursesOf([...database.containers.values()]).reduce(
            (sum, { ratePerSecond }) => sum + ratePerSecond,
            0,
          );
          expect(total).toBeLessThanOrEqual(2000 + 1e-6);
        }
      },
    ),
    { numRuns: 60 },
  );
});

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

function autoscale(rateMax: number): Throughput {
  return { kind: "autoscale", rateMax };
}

async function sharing(count: number, throughput: Throughput) {
  const { account } = await simulatedAccount({ rates: LIMITED });
  const database = await databaseIn(account, throughput);
  const containers: Container[] = [];
  for (let n = 0; n < count; n++) {
    containers.push(await containerIn(account, database, undefined, { id: `c${n}` }));
  }
  return { account, database, containers };
}

async function change(
  { catalog }: Account,
  owner: Parameters<typeof catalog.replaceThroughput>[0],
  throughput: Throughput,
): Promise<void> {
  const rules = { limits: SERVICE_LIMITS };
  const offer = offersOf(catalog, rules).find((one) => one.owner === owner)!;
  const wanted = { kind: "set", throughput } as const;
  const changed = await replaceOffer(catalog, rules, offer.rid, () => ({
    ok: true,
    value: wanted,
  }));
  expect(changed.ok).toBe(true);
}

async function split({ reshaping }: Account, container: Container, id: string): Promise<void> {
  const request = { kind: "split", partitionId: id, at: "middle" } as const;
  expect((await reshaping.request(container, request)).ok).toBe(true);
}

async function merge(
  { reshaping }: Account,
  container: Container,
  partitionIds: readonly [string, string],
): Promise<void> {
  const merged = await reshaping.request(container, { kind: "merge", partitionIds });
  expect(merged.ok).toBe(true);
}

function ratesOf({ partitions }: Container): readonly number[] {
  return [...partitions.values()].map(({ spending }) => spending.purse.ratePerSecond);
}

/** Each once, in key order. */
function pursesOf(containers: readonly Container[]): readonly Purse[] {
  const all = containers.flatMap(({ partitions }) => [...partitions.values()]);
  return [...new Set(all.map(({ spending }) => spending.purse))];
}

function balancesOf(containers: readonly Container[]): readonly number[] {
  return pursesOf(containers).map(({ budget }) => budget.holding()!.balance);
}

function sumOf(containers: readonly Container[]): number {
  return pursesOf(containers).reduce((sum, { budget }) => {
    const { balance, savings } = budget.holding()!;
    return sum + balance + savings;
  }, 0);
}
