/** A merge must not take away what a rate, or the data, has come to need while it was at work. */
import { expect, test } from "vitest";
import { ok } from "../../base/result.ts";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { offersOf, replaceOffer } from "../catalog/offers.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";

const RATES = {
  isLimited: true,
  isServerless: false,
  hasBurst: false,
  manualRatePerPartition: SERVICE_LIMITS.partitionRateMax,
};
const THREE_PARTITIONS = { throughput: { kind: "manual", ratePerSecond: 30_000 } } as const;
const ITEM_COUNT = 300;

test("a rate that rises while a merge is at work keeps its physical partitions", async () => {
  const { container, setRate, merge } = await stage(SERVICE_LIMITS);
  await setRate(20_000);
  const merging = merge();
  await merging.copying();
  await setRate(30_000);
  expect(await merging.problem()).toMatch(/rate of the container needs 3/);
  expect(container.map.entries.length).toBe(3);
});

test("data that comes while a merge is at work counts", async () => {
  const physicalPartitionBytesMax = 60_000;
  const limits = { ...SERVICE_LIMITS, physicalPartitionBytesMax, logicalPartitionBytesMax: 50_000 };
  const { container, setRate, merge, put } = await stage(limits);
  await setRate(10_000);
  const merging = merge();
  await merging.copying();
  await put(ITEM_COUNT, "x".repeat(100));
  expect(await merging.problem()).toMatch(/Together they hold/);
  expect(container.map.entries.length).toBeGreaterThanOrEqual(3);
});

interface Merging {
  copying(): Promise<void>;
  problem(): Promise<string | undefined>;
}

async function stage(limits: Limits): Promise<{
  readonly container: Container;
  setRate(ratePerSecond: number): Promise<void>;
  put(from: number, text: string): Promise<void>;
  merge(): Merging;
}> {
  const store = EmbeddedStore.inMemory(realTimer);
  const { catalog, reshaping, ...account } = await opened(store, limits);
  const database = await catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, limits);
  if (!database.ok || !definition.ok) throw new Error("the stage could not be set");
  const made = await catalog.createContainer(database.value, definition.value, THREE_PARTITIONS);
  if (!made.ok) throw new Error("the stage could not be set");
  const container = made.value;
  const put = async (from: number, text: string): Promise<void> => {
    const written = Array.from({ length: ITEM_COUNT }, (_, n) =>
      account.put(container, from + n, text),
    );
    await Promise.all(written);
  };
  await put(0, "");
  return {
    container,
    put,
    setRate: async (ratePerSecond) => {
      const rules = { limits, rates: RATES };
      const { rid } = offersOf(catalog, rules)[0]!;
      const throughput = { kind: "manual", ratePerSecond } as const;
      const replaced = await replaceOffer(catalog, rules, rid, () =>
        ok({ kind: "set", throughput }),
      );
      if (!replaced.ok) throw new Error(JSON.stringify(replaced.error));
    },
    merge: () => {
      const [first, second] = container.map.entries;
      const request = { kind: "merge", partitionIds: [first!.id, second!.id] } as const;
      const result = reshaping.request(container, request);
      return {
        copying: async () => {
          while (reshaping.jobsOf(container)[0]?.state !== "copying") await realTimer.soon();
        },
        problem: async () => {
          const ended = await result;
          return !ended.ok && "message" in ended.error ? ended.error.message : undefined;
        },
      };
    },
  };
}

async function opened(
  store: EmbeddedStore,
  limits: Limits,
): Promise<{
  readonly catalog: Account["catalog"];
  readonly reshaping: Account["reshaping"];
  put(container: Container, n: number, text: string): Promise<void>;
}> {
  const clock = { now: () => millis(0), wallNow: () => 0 };
  const random = seededRandom(1);
  const rates = { ...RATES, isLimited: false };
  const account = await Account.open({ store, timer: realTimer, random, limits, rates, clock });
  return {
    catalog: account.catalog,
    reshaping: account.reshaping,
    put: async (container, n, text) => {
      const pk = `k${n}`;
      const request = { kind: "create", key: [pk], body: { id: pk, pk, text } } as const;
      const written = account.writeItem(container, request);
      const outcome = written.ok ? await written.value : undefined;
      if (outcome?.kind !== "created") throw new Error(`${outcome?.kind}`);
    },
  };
}
