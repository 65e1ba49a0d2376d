/** Who pays for what a physical partition does, and who counts it. */
import { describe, expect, test } from "vitest";
import { millis, ru } from "../../base/units.ts";
import { callerOf, HIGH_CALLER, LOW_CALLER, OWNER_CALLER } from "../../model/caller.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import { ContainerMeter } from "../../statistics/containerMeter.ts";
import { AutoscaleMeter } from "../../throughput/autoscale.ts";
import type { BudgetOptions } from "../../throughput/budget.ts";
import { Budget } from "../../throughput/budget.ts";
import { SimulatedTime } from "../simulatedAccount.fake.ts";
import type { Purse } from "./spending.ts";
import { Spending } from "./spending.ts";

const BY_PK: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const EPK = epkOf(BY_PK, ["a"]);
const BUCKETS = [{ id: 1, percent: 10 }] as const;

describe("work may begin", () => {
  test.each([
    ["with a full purse", 0, undefined],
    ["with the last of it", 99.99, undefined],
    ["not with an empty one", 100, { kind: "throttled", retryAfterMs: 1 }],
    ["not in debt, which takes time to earn", 150, { kind: "throttled", retryAfterMs: 501 }],
  ])("%s", (_rule, spent, expected) => {
    const { spending } = stage({ ratePerSecond: 100 });
    spending.settle("write", EPK, ru(spent), HIGH_CALLER);
    expect(spending.admit("read", EPK, HIGH_CALLER)).toEqual(expected);
  });

  test("with any purse where nothing is limited", () => {
    const { spending } = stage({ ratePerSecond: "unlimited" });
    spending.settle("write", EPK, ru(1e9), HIGH_CALLER);
    expect(spending.admit("write", EPK, HIGH_CALLER)).toBeUndefined();
  });

  test("for whoever runs the server, who pays nothing and is not counted", () => {
    const { spending } = stage({ ratePerSecond: 100 });
    spending.settle("write", EPK, ru(1e9), OWNER_CALLER);
    expect(spending.admit("write", EPK, HIGH_CALLER)).toBeUndefined();
    spending.settle("write", EPK, ru(1e9), HIGH_CALLER);
    expect(spending.admit("write", EPK, OWNER_CALLER)).toBeUndefined();
    expect(spending.totals).toMatchObject({ ru: 1e9, throttledCount: 0 });
  });

  test("for the high before the low", () => {
    const { spending } = stage({ ratePerSecond: 100 });
    spending.settle("write", EPK, ru(60), HIGH_CALLER);
    expect(spending.admit("write", EPK, HIGH_CALLER)).toBeUndefined();
    expect(spending.admit("write", EPK, LOW_CALLER)).toMatchObject({ kind: "throttled" });
  });
});

describe("a bucket", () => {
  test("is exhausted before the rate is, and says so", () => {
    const { spending } = stage({ ratePerSecond: 100, buckets: BUCKETS });
    spending.settle("write", EPK, ru(10), callerOf("high", 1));
    const refusal = spending.admit("write", EPK, callerOf("high", 1));
    expect(refusal).toMatchObject({ kind: "bucketThrottled" });
    expect(spending.admit("write", EPK, HIGH_CALLER)).toBeUndefined();
  });

  test.each([
    ["pays for those who name none if it is the default", 1, undefined, true],
    ["does not pay for those who name another", 1, 2, false],
    ["pays only for those who name it if there is no default", undefined, undefined, false],
  ])("%s", (_rule, defaultBucket, named, isPaying) => {
    const options = { ratePerSecond: 100, buckets: [...BUCKETS, { id: 2, percent: 90 }] };
    const { spending } = stage(options, { defaultBucket });
    const caller = callerOf("low", named);
    spending.settle("write", EPK, ru(10), caller);
    const refusal = spending.admit("write", EPK, caller);
    expect(refusal?.kind).toBe(isPaying ? "bucketThrottled" : undefined);
  });
});

describe("what is counted", () => {
  test("are requests of each kind, those that were throttled among them, and what was spent", () => {
    const { spending } = stage({ ratePerSecond: 100 });
    spending.settle("read", EPK, ru(1), HIGH_CALLER);
    spending.settle("write", EPK, ru(5.5), HIGH_CALLER);
    spending.settle("query", undefined, ru(120), HIGH_CALLER);
    for (let n = 0; n < 3; n++) spending.admit("feed", undefined, HIGH_CALLER);
    expect(spending.totals).toEqual({
      ru: 126.5,
      throttledCount: 3,
      requestCounts: { read: 1, write: 1, query: 1, feed: 3 },
    });
  });

  test("goes to the meter, too", () => {
    const { spending, time } = stage({ ratePerSecond: 100 });
    spending.settle("read", EPK, ru(101), HIGH_CALLER);
    spending.admit("write", EPK, HIGH_CALLER);
    time.skip(1000);
    const load = spending.meter!.load(60, time.clock.now());
    expect(load).toMatchObject({ ru: 101, requestCount: 2, throttledCount: 1 });
    expect(spending.meter!.keyLoad(EPK, time.clock.now())).toMatchObject({ ru: 101 });
  });

  test("goes to where autoscale is", () => {
    const { spending, purse } = stage({ ratePerSecond: 1000 }, { isAutoscale: true });
    spending.settle("read", EPK, ru(1000), HIGH_CALLER);
    expect(purse.autoscale!.level()).toBe(200);
  });
});

test("another purse is paid from at once, and what was counted stays", () => {
  const { spending, time, purse } = stage({ ratePerSecond: 100 });
  spending.settle("write", EPK, ru(200), HIGH_CALLER);
  expect(spending.admit("write", EPK, HIGH_CALLER)).toMatchObject({ kind: "throttled" });
  const other: Purse = {
    ...purse,
    budget: new Budget(time.clock, { ratePerSecond: 400 }),
    ratePerSecond: 400,
  };
  spending.payFrom(other);
  expect(spending.admit("write", EPK, HIGH_CALLER)).toBeUndefined();
  expect(spending.totals.ru).toBe(200);
  spending.settle("write", EPK, ru(7), HIGH_CALLER);
  expect([purse, other].map(({ budget }) => budget.holding()!.balance)).toEqual([-100, 393]);
});

function stage(
  options: BudgetOptions,
  {
    defaultBucket,
    isAutoscale,
  }: { defaultBucket?: number | undefined; isAutoscale?: boolean } = {},
) {
  const time = new SimulatedTime();
  const { clock } = time;
  const ratePerSecond = options.ratePerSecond === "unlimited" ? 100 : options.ratePerSecond;
  const purse: Purse = {
    budget: new Budget(clock, options),
    ratePerSecond,
    autoscale: isAutoscale ? new AutoscaleMeter(clock, ratePerSecond) : undefined,
    defaultBucket,
  };
  const meter = new ContainerMeter(BY_PK, clock).open(
    { id: "0", range: WHOLE_RANGE, allottedRate: ratePerSecond },
    millis(0),
  );
  return { spending: new Spending(clock, purse, meter), time, purse };
}
