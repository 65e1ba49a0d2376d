/** What is done once a minute whether or not anybody asks. */
import { describe, expect, test } from "vitest";
import type { Throughput } from "../../model/throughput.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { STATISTICS_PART } from "../catalog/parts.ts";
import type { Container } from "../partition/container.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  settled,
  simulatedAccount,
  spend,
} from "../simulatedAccount.fake.ts";

const MINUTE = 60_000;

describe("once a minute", () => {
  test("sizes are noted, also where nothing is asked", async () => {
    const { account, container, time } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    await time.advance(3 * MINUTE);
    const { itemBytes } = container.partitions.get("0")!.head;
    expect(sizesOf(container, time.clock.wallNow())).toEqual([itemBytes, itemBytes, itemBytes]);
  });

  test.each([
    ["rises if it is to", 100, {}, 2000],
    ["stays if it is not", undefined, {}, 1000],
    ["rises without statistics, too", 50, { hasStatistics: false }, 2000],
  ])("a ceiling that was reached %s", async (_rule, incrementPercent, more, expected) => {
    const throughput = { kind: "autoscale", rateMax: 1000, incrementPercent } as const;
    const { container, time } = await stage(throughput, more);
    await time.advance(MINUTE / 2);
    for (let second = 0; second < 5; second++) {
      spend(container, "0", 1000);
      await time.advance(1000);
    }
    await time.advance(MINUTE / 2);
    expect(container.record.throughput).toMatchObject({ rateMax: expected });
    // Nothing is used any more, so it rises once.
    await time.advance(10 * MINUTE);
    expect(container.record.throughput).toMatchObject({ rateMax: expected });
  });

  test("a ceiling that was nearly reached stays", async () => {
    const throughput = { kind: "autoscale", rateMax: 1000, incrementPercent: 100 } as const;
    const { container, time } = await stage(throughput);
    for (let second = 0; second < 4; second++) {
      spend(container, "0", 1000);
      await time.advance(1000);
    }
    await time.advance(MINUTE);
    expect(container.record.throughput).toMatchObject({ rateMax: 1000 });
  });

  test("statistics are put away if they are kept", async () => {
    const { time, store } = await stage(undefined, { isKept: true });
    expect(store.head(STATISTICS_PART)!.itemCount).toBe(0);
    await time.advance(MINUTE);
    expect(store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
  });

  test("a round that takes longer puts the next one off", async () => {
    const { time, trouble, account, container } = await stage(undefined, { isKept: true });
    const held: (() => void)[] = [];
    const { replaceThroughput } = account.catalog;
    account.catalog.replaceThroughput = async (...change) => {
      await new Promise<void>((resolve) => held.push(resolve));
      return replaceThroughput.apply(account.catalog, change);
    };
    await put(account, container, { pk: "a", id: "i" });
    await time.advance(5 * MINUTE);
    expect(held.length).toBe(1);
    held[0]!();
    await time.advance(MINUTE);
    expect(trouble.fault).toBeUndefined();
    expect(container.record.throughput!.storedBytesMaxEver).toBeGreaterThan(0);
  });
});

describe("what goes wrong", () => {
  test("on a full disk is done in the next round, and statistics are put away at least", async () => {
    const { account, container, time, trouble, store } = await stage(undefined, { isKept: true });
    await put(account, container, { pk: "a", id: "i" });
    trouble.fault = (operation, part) =>
      operation === "commit" && part === 0 ? new StoreFault("the disk is full") : undefined;
    await time.advance(MINUTE);
    expect(store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
    expect(container.record.throughput!.storedBytesMaxEver).toBeUndefined();
    trouble.fault = undefined;
    await time.advance(MINUTE);
    expect(container.record.throughput!.storedBytesMaxEver).toBeGreaterThan(0);
  });

  test("as a defect ends the rounds, and whoever closes is told", async () => {
    const { account, container, time } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    account.catalog.replaceThroughput = () => Promise.reject(new TypeError("a defect"));
    await time.advance(2 * MINUTE);
    await expect(account.close()).rejects.toThrow("a defect");
    expect(time.waitingCount).toBe(0);
  });
});

describe("closing", () => {
  test("puts everything away, and leaves nobody waiting", async () => {
    const { account, container, time, store } = await stage(undefined, { isKept: true });
    await put(account, container, { pk: "a", id: "i" });
    await account.close();
    expect(store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
    expect(time.waitingCount).toBe(0);
  });

  test("waits for a round that is under way", async () => {
    const { account, container, time, trouble, store } = await stage(undefined, { isKept: true });
    await put(account, container, { pk: "a", id: "i" });
    trouble.isDistant = true;
    const round = time.advance(MINUTE);
    await settled();
    await account.close();
    await round;
    expect(time.waitingCount).toBe(0);
    expect(store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
  });
});

async function stage(
  throughput?: Throughput,
  more: { readonly isKept?: boolean; readonly hasStatistics?: boolean } = {},
) {
  const simulated = await simulatedAccount({ rates: LIMITED, ...more });
  const { account } = simulated;
  const container = await containerIn(account, await databaseIn(account), throughput);
  return { ...simulated, container };
}

/** In the last three minutes. */
function sizesOf({ meter }: Container, wallNow: number): readonly (number | undefined)[] {
  const span = { from: wallNow - 3 * MINUTE, to: wallNow };
  return meter!
    .timeline(span, 20, 0 as never)
    .map(({ counted }) => counted?.itemBytes)
    .filter((bytes) => bytes !== undefined);
}
