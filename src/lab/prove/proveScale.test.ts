/** Making a workload small: proportions are kept, and what cannot be kept is said. */
import { describe, expect, it } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { valueRows } from "../data/valueRows.ts";
import { candidateOf } from "../lab.ts";
import { operationModels } from "../simulate/operationModel.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { fewerValues } from "./fewerValues.ts";
import { planOf } from "./plan.ts";
import { limitsAtRest, limitsHolding, type ProofScale, scaleOf, steadyLimits } from "./scale.ts";

const TEXT = `
item: {bytes: 1 KB}
properties:
  /user: {distinct: 1 million, items: zipf 0.5}
  /kind: {distinct: 5}
  /at: {time: second}
growth: {itemsPerDay: 1 million, retentionDays: 100, peakFactor: 3}
operations:
  - {id: add, kind: create, rate: 1 million/day}
  - {id: see, kind: pointRead, rate: 30, ru: 2, ageDays: 1}
  - {id: mine, kind: query, rate: 10, resultItems: 7, sql: "SELECT * FROM c WHERE c.user = @u"}
horizonMonths: 6
`;

function workloadOf(text: string): Workload {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function scaled(wish: Partial<Parameters<typeof scaleOf>[2]> = {}): ProofScale {
  const workload = workloadOf(TEXT);
  return scaleOf(workload, operationModels(workload, declaredFacts(workload)), {
    items: 10_000,
    rate: 100,
    provisioned: 20_000,
    partitionCount: 4,
    limits: SERVICE_LIMITS,
    ...wish,
  });
}

describe("room for what a run writes", () => {
  it("is made for the share of it that goes to one partition, whatever the key is made of", () => {
    const plan = planOf({
      workload: workloadOf(TEXT),
      simulations: [],
      limits: SERVICE_LIMITS,
      serverLimits: undefined,
      factor: undefined,
      items: 2000,
      rate: 100,
      seconds: 6,
      operationCount: 400,
      seed: 1,
    });
    const limitOf = (key: string): number => {
      const candidate = candidateOf({ id: key, levels: [key], facts: undefined, place: "test" });
      if (!candidate.ok) throw new Error(candidate.error);
      return plan.caseOf(candidate.value).limits.physicalPartitionBytesMax;
    };
    const { physicalPartitionBytesMax } = plan.scale.limits;
    // All that is written now has one month, and any user.
    expect(limitOf("concat(/user, '-', month(/at))")).toBe(physicalPartitionBytesMax);
    expect(limitOf("month(/at)")).toBeGreaterThan(physicalPartitionBytesMax);
  });
});

describe("the scale of a proof", () => {
  it("keeps the proportion of items and sizes", () => {
    const scale = scaled();
    expect(scale.realItems).toBe(100_000_000);
    expect(scale.itemFactor).toBeCloseTo(1e-4, 10);
    const { logicalPartitionBytesMax, physicalPartitionBytesMax } = scale.limits;
    expect(logicalPartitionBytesMax).toBe(Math.floor(20 * 1024 ** 3 * 1e-4));
    expect(physicalPartitionBytesMax).toBe(Math.floor(50 * 1024 ** 3 * 1e-4));
  });

  it("keeps the proportion of operations and what is provisioned, in steps of 100", () => {
    const scale = scaled();
    const peak = 3 * (1_000_000 / 86_400 + 30 + 10);
    expect(scale.realRate).toBeCloseTo(peak, 6);
    expect(scale.provisioned % 100).toBe(0);
    expect(scale.rate / scale.realRate).toBeCloseTo(scale.provisioned / 20_000, 9);
    const rate = scale.workload.operations.reduce((sum, each) => sum + each.ratePerSecond, 0);
    expect(rate).toBeCloseTo(scale.rate, 6);
  });

  it("has as many physical partitions by rate as the real thing", () => {
    const { provisioned, limits } = scaled();
    expect(Math.ceil(provisioned / limits.partitionRateMax)).toBe(2);
  });

  it("folds more than eight physical partitions, and says so", () => {
    const scale = scaled({ partitionCount: 40 });
    expect(scale.partitionFold).toBe(5);
    expect(scale.limits.physicalPartitionBytesMax).toBe(Math.floor(5 * 50 * 1024 ** 3 * 1e-4));
    expect(scale.remarks.join()).toContain("stands for 5.0");
  });

  it("says when no rate is as low as the scale asks for", () => {
    const scale = scaled({ provisioned: 400, rate: 10 });
    expect(scale.provisioned).toBe(400);
    expect(scale.rate).toBeCloseTo(10, 6);
    expect(scale.remarks.join()).toContain("least that can be provisioned");
  });

  it("takes one factor for both", () => {
    const scale = scaled({ factor: 1 / 20_000 });
    expect(scale.items).toBe(5000);
  });

  it("is one instant: nothing grows, nothing is declared that belongs to the real thing", () => {
    const { workload, remarks } = scaled();
    expect(workload.horizonMonths).toBe(0);
    expect(workload.growth).toMatchObject({
      initialItems: 10_000,
      retentionDays: 100,
      perMonth: 0,
    });
    expect(
      workload.operations.every(({ ru, resultItems }) => (ru ?? resultItems) === undefined),
    ).toBe(true);
    expect(remarks.join()).toContain("'see', 'mine'");
  });

  it("has a quarter of the items to be asked for where only a few are young", () => {
    const { workload, remarks } = scaled();
    expect(workload.operations[1]!.ageDays).toBe(25);
    expect(remarks.join()).toContain("25.0 days");
  });
});

describe("values of a small workload", () => {
  const shapes = workloadOf(TEXT).properties;

  it("are fewer where there were very many, and the same where there were few", () => {
    const { properties, remarks } = fewerValues(shapes, { items: 10_000, itemFactor: 1e-4 });
    expect(properties.get("/user")!.distinct).toBe(400);
    expect(properties.get("/kind")!.distinct).toBe(5);
    expect(remarks).toHaveLength(1);
  });

  it("are several for each that they belong to", () => {
    const member = { ...shapes.get("/user")!, path: "/member", within: "/user" };
    const both = new Map([...shapes, ["/member", member]]);
    const { properties } = fewerValues(both, { items: 10_000, itemFactor: 1e-4 });
    expect(properties.get("/user")!.distinct).toBe(100);
    expect(properties.get("/member")!.distinct).toBe(400);
  });

  it("leave as many items a value as in the real thing where that leaves enough values", () => {
    const { properties } = fewerValues(shapes, { items: 10_000, itemFactor: 1e-3 });
    expect(properties.get("/user")!.distinct).toBe(1000);
  });
});

describe("kinds of values in a small workload", () => {
  it("keep their shares, with one value at least", () => {
    const classes = [
      { values: 0.000002, weight: 24_000 },
      { values: 0.999998, weight: 0.352 },
    ];
    const shape = {
      ...workloadOf(TEXT).properties.get("/user")!,
      distinct: 5_000_000,
      items: { kind: "classes", classes } as const,
    };
    const small = fewerValues(new Map([["/user", shape]]), { items: 8000, itemFactor: 1e-5 });
    const { items, distinct } = small.properties.get("/user")!;
    const [heavy, light] = valueRows("/user", distinct!, items).reduce(
      ([first, rest], { rank, share }) => (rank === 1 ? [share, rest] : [first, rest + share]),
      [0, 0],
    );
    expect(distinct).toBe(400);
    expect(heavy).toBeCloseTo((0.000002 * 24_000) / (0.000002 * 24_000 + 0.999998 * 0.352), 2);
    expect(heavy + light).toBeCloseTo(1, 9);
  });
});

describe("limits of a run", () => {
  it("hold a key that is too large for its limit", () => {
    const limits = {
      ...SERVICE_LIMITS,
      logicalPartitionBytesMax: 100,
      physicalPartitionBytesMax: 200,
    };
    expect(limitsHolding(limits, 50)).toBe(limits);
    const held = limitsHolding(limits, 1000);
    expect(held.logicalPartitionBytesMax).toBe(1250);
    expect(held.physicalPartitionBytesMax).toBe(1250);
  });

  it("leave room for what a run adds", () => {
    const limits = { ...SERVICE_LIMITS, physicalPartitionBytesMax: 1000 };
    expect(limitsAtRest(limits, 700, 0)).toBe(limits);
    expect(limitsAtRest(limits, 900, 0).physicalPartitionBytesMax).toBe(1125);
    expect(limitsAtRest(limits, 700, 600).physicalPartitionBytesMax).toBe(1300);
  });
});

describe("limits at which a run has as many partitions as it should", () => {
  const limitsOf = (bytes: number) => ({
    ...SERVICE_LIMITS,
    logicalPartitionBytesMax: 100,
    physicalPartitionBytesMax: bytes,
  });
  /** Of 16,600 bytes that are cut in halves. */
  const countAt = ({ physicalPartitionBytesMax: most }: { physicalPartitionBytesMax: number }) =>
    2 ** Math.max(0, Math.ceil(Math.log2(16_600 / most)));
  const always = (): boolean => true;

  it("stay as they are where no half is near them", () => {
    const far = limitsOf(6000);
    expect(steadyLimits(far, countAt, always)).toBe(far);
  });

  it("are lowered where halves are split by a hair, so that they are in any run", () => {
    const near = steadyLimits(limitsOf(8231), countAt, always);
    expect(near.physicalPartitionBytesMax).toBeLessThan(8300 / 1.03);
    expect(countAt(near)).toBe(4);
  });

  it("are raised where there would be no room below", () => {
    const roomy = ({ physicalPartitionBytesMax }: ReturnType<typeof limitsOf>): boolean =>
      physicalPartitionBytesMax > 8300;
    const raised = steadyLimits(limitsOf(8231), countAt, roomy);
    expect(raised.physicalPartitionBytesMax).toBeGreaterThan(8300 * 1.03);
    expect(countAt(raised)).toBe(2);
  });

  it("stay as they are where nothing near is better", () => {
    const none = limitsOf(8231);
    expect(steadyLimits(none, countAt, () => false)).toBe(none);
  });
});
