/** What a split or a merge would do, or why it would not. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { medianCut } from "../../partition/splitPlan.ts";
import type { FamilyTally, PartitionStore } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  simulatedAccount,
} from "../simulatedAccount.fake.ts";
import type { ReshapePlanSetting, ReshapeRequest } from "./reshapePlan.ts";
import { mergeSuggestions, planReshape } from "./reshapePlan.ts";

/** Where the second of two physical partitions begins. */
const MIDDLE = "1".padEnd(32, "F") as Epk;

describe("a split", () => {
  test.each<[string, Omit<ReshapeRequest & { kind: "split" }, "kind">, readonly string[]]>([
    ["halves the hashes in the middle", { partitionId: "0", at: "middle" }, ["", "0F", "1F"]],
    ["of the upper half does so there", { partitionId: "1", at: "middle" }, ["1F", "2F", "FF"]],
    ["is at the key it is told", { partitionId: "0", at: { epk: epk("0A") } }, ["", "0A", "1F"]],
  ])("%s", async (_rule, request, bounds) => {
    const { setting, container } = await stage();
    const plan = await planReshape(setting, container, { kind: "split", ...request });
    if (!plan.ok) throw new Error(textOf(plan.error));
    expect(plan.value.removedIds).toEqual([request.partitionId]);
    const { ranges } = plan.value;
    const shown = [ranges[0]!.min, ranges[1]!.min, ranges[1]!.max];
    expect(shown.map((bound) => bound.slice(0, 2))).toEqual(bounds);
    expect(ranges[0]!.max).toBe(ranges[1]!.min);
  });

  test.each<[string, ReshapeRequest & { kind: "split" }, RegExp]>([
    ["nobody", split("7", "middle"), /no physical partition '7'; there are 0, 1\./],
    ["nothing", split("0", "median"), /is empty/],
    ["a key before it", split("1", { epk: epk("1F") }), /does not lie inside/],
    ["its first key", split("1", { epk: MIDDLE }), /does not lie inside/],
    ["its end", split("0", { epk: MIDDLE }), /does not lie inside/],
  ])("of %s is refused", async (_rule, request, message) => {
    const { setting, container } = await stage();
    expect(await problemOf(setting, container, request)).toMatch(message);
  });

  test("of a single logical partition is refused", async () => {
    const { setting, container, account } = await stage();
    for (let n = 0; n < 3; n++) await put(account, container, { pk: "a", id: `i${n}` });
    const { id } = [...container.partitions.values()].find(({ head }) => head.itemCount > 0)!.entry;
    expect(await problemOf(setting, container, split(id, "median"))).toMatch(/never cut/);
  });

  test("by bytes is the best there is, however many pages of sizes there are", async () => {
    const { setting, container } = await stage();
    const anySizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anySizes, fc.integer({ min: 1, max: 5 }), async (amounts, pageLength) => {
        const tallies = amounts.map((itemBytes, index) => ({
          family: epk(index.toString(16).toUpperCase().padStart(4, "0")),
          itemBytes,
          itemCount: 1,
        }));
        const sizes = tallies.map(({ family, itemBytes }) => ({ epk: family, bytes: itemBytes }));
        const total = amounts.reduce((sum, bytes) => sum + bytes, 0);
        const store = pagesOf(tallies, pageLength);
        const plan = await planReshape(
          { ...setting, store },
          holding(container, total),
          split("0", "median"),
        );
        expect(plan.ok && plan.value.ranges[1]!.min).toBe(medianCut(sizes, total));
      }),
      { numRuns: 200 },
    );
  });

  test("by bytes is found though most of them are deleted while it looks", async () => {
    const { setting, container } = await stage();
    const tallies = Array.from({ length: 9 }, (_, index) => ({
      family: epk(`0${index}`),
      itemBytes: 1,
      itemCount: 1,
    }));
    const plan = await planReshape(
      { ...setting, store: pagesOf(tallies, 2) },
      holding(container, 1_000_000),
      split("0", "median"),
    );
    expect(plan.ok).toBe(true);
  });
});

describe("a move", () => {
  const endpoints = [
    { name: "a", isReachable: true },
    { name: "b", isReachable: true },
    { name: "c", isReachable: false },
  ];
  const placement = { endpoints, endpointOf: () => "a", assign: () => undefined };
  const move = (partitionId: string, to: string): ReshapeRequest => {
    return { kind: "move", partitionId, to };
  };

  test("takes the range as it is to another endpoint", async () => {
    const { setting, container } = await stage();
    const store = new Proxy(setting.store, {
      get: (target, name) => (name === "placement" ? placement : Reflect.get(target, name)),
    });
    const plan = await planReshape({ ...setting, store }, container, move("1", "b"));
    const { range } = container.partitions.get("1")!.entry;
    expect(plan).toEqual({ ok: true, value: { removedIds: ["1"], ranges: [range], to: "b" } });
    for (const [request, words] of [
      [move("1", "a"), /at a already/],
      [move("1", "d"), /no endpoint 'd'; there are a, b, c/],
      [move("1", "c"), /c cannot be reached/],
      [move("7", "b"), /no physical partition '7'/],
    ] as const) {
      expect(await problemOf({ ...setting, store }, container, request)).toMatch(words);
    }
  });

  test("is refused where there is one place only", async () => {
    const { setting, container } = await stage();
    expect(await problemOf(setting, container, move("1", "b"))).toMatch(/in one place/);
  });
});

describe("a merge", () => {
  test.each<[string, readonly [string, string]]>([
    ["of neighbours gives one with the keys of both", ["0", "1"]],
    ["does not mind the order", ["1", "0"]],
  ])("%s", async (_rule, partitionIds) => {
    const { setting, container } = await stage();
    const plan = await planReshape(setting, container, { kind: "merge", partitionIds });
    const ranges = [{ min: "", max: "FF" }];
    expect(plan).toEqual({ ok: true, value: { removedIds: ["0", "1"], ranges } });
  });

  test("of those that are no neighbours is refused", async () => {
    const { setting, container, account } = await stage();
    await account.reshaping.request(container, split("1", "middle"));
    const request = { kind: "merge", partitionIds: ["0", "3"] } as const;
    expect(await problemOf(setting, container, request)).toMatch(/0 and 3 are not neighbours/);
  });

  test("of one with itself is refused", async () => {
    const { setting, container } = await stage();
    const request = { kind: "merge", partitionIds: ["0", "0"] } as const;
    expect(await problemOf(setting, container, request)).toMatch(/not neighbours/);
  });

  test("is refused when the rate needs them all", async () => {
    const { setting, container } = await stage();
    const request = { kind: "merge", partitionIds: ["0", "1"] } as const;
    const problem = await problemOf(
      { ...setting, catalog: { neededCount: () => 2 } },
      container,
      request,
    );
    expect(problem).toMatch(/needs 2 physical partitions/);
  });

  test("is refused when together they hold too much", async () => {
    const { setting, container, account } = await stage();
    for (let n = 0; n < 10; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    const bytes = [...container.partitions.values()].reduce((sum, p) => sum + p.head.itemBytes, 0);
    const request = { kind: "merge", partitionIds: ["0", "1"] } as const;
    const within = (physicalPartitionBytesMax: number): ReshapePlanSetting => ({
      ...setting,
      limits: { ...SERVICE_LIMITS, physicalPartitionBytesMax },
    });
    expect(await problemOf(within(bytes), container, request)).toBeUndefined();
    expect(await problemOf(within(bytes - 1), container, request)).toMatch(/Together they hold/);
  });
});

describe("a merge is suggested", () => {
  test.each<[string, number, Partial<Limits>, number, number]>([
    ["where the rate needs fewer", 1000, {}, 1, 1],
    ["not where it needs them all", 1000, {}, 2, 0],
    ["not where each has much to spend", 6000, {}, 1, 0],
    ["by the rate that a partition can have", 400, { partitionRateMax: 500 }, 1, 0],
    ["not where there is much in them", 1000, { physicalPartitionBytesMax: 1000 }, 1, 0],
  ])("%s", async (_rule, rate, limits, needed, count) => {
    const { setting, container, account } = await stage(rate);
    for (let n = 0; n < 20; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    const suggestions = mergeSuggestions(
      {
        ...setting,
        limits: { ...SERVICE_LIMITS, ...limits },
        catalog: { neededCount: () => needed },
      },
      container,
    );
    expect(suggestions.length).toBe(count);
    for (const { partitionIds, allottedRate } of suggestions) {
      expect(partitionIds).toEqual(["0", "1"]);
      expect(allottedRate).toBe(rate);
    }
  });

  test("for no physical partition twice, and for no more than can be spared", async () => {
    const { setting, container, account } = await stage(1000);
    await account.reshaping.request(container, split("0", "middle"));
    await account.reshaping.request(container, split("1", "middle"));
    const idsFor = (needed: number) =>
      mergeSuggestions({ ...setting, catalog: { neededCount: () => needed } }, container).map(
        ({ partitionIds }) => partitionIds,
      );
    expect(idsFor(1)).toEqual([
      ["2", "3"],
      ["4", "5"],
    ]);
    expect(idsFor(3)).toEqual([["2", "3"]]);
    expect(idsFor(4)).toEqual([]);
  });
});

/** Two physical partitions, empty. */
async function stage(rate = 1000) {
  const { account, store, time } = await simulatedAccount({ rates: LIMITED });
  const throughput = { kind: "manual", ratePerSecond: 20_000 } as const;
  const container = await containerIn(account, await databaseIn(account), throughput);
  await account.catalog.replaceThroughput(container, (stamp) => ({
    ok: true,
    value: { kind: "manual", ratePerSecond: rate, rateMaxEver: 20_000, ...stamp },
  }));
  const setting: ReshapePlanSetting = {
    store,
    timer: time.timer,
    limits: SERVICE_LIMITS,
    catalog: { neededCount: () => 1 },
  };
  return { account, setting, container };
}

function split(
  partitionId: string,
  at: (ReshapeRequest & { kind: "split" })["at"],
): ReshapeRequest & { kind: "split" } {
  return { kind: "split", partitionId, at };
}

function epk(digits: string): Epk {
  return digits.padEnd(32, "0") as Epk;
}

async function problemOf(
  setting: ReshapePlanSetting,
  container: Container,
  request: ReshapeRequest,
): Promise<string | undefined> {
  const plan = await planReshape(setting, container, request);
  return plan.ok ? undefined : textOf(plan.error);
}

function textOf(refusal: Refusal): string {
  return "message" in refusal ? refusal.message : refusal.kind;
}

/** A store that has nothing but tallies, in pages of a length. */
function pagesOf(tallies: readonly FamilyTally[], pageLength: number): PartitionStore {
  const scanTallies: PartitionStore["scanTallies"] = (_part, { after }) => {
    const rest = tallies.filter(({ family }) => after === undefined || family > after);
    return { tallies: rest.slice(0, pageLength), isLast: rest.length <= pageLength };
  };
  return { scanTallies } as unknown as PartitionStore;
}

/** What a plan looks at, with so many bytes in each physical partition. */
function holding({ map, definition, partitions }: Container, itemBytes: number): Container {
  const heads = [...partitions.keys()].map((id) => [id, { head: { itemBytes } }] as const);
  return { map, definition, partitions: new Map(heads) } as unknown as Container;
}
