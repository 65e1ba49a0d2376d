/** One whole advice as a text; what would change it, what to measure and to do; and speed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";
import type { Advice } from "./advice.ts";
import { type AdviseInput, advise } from "./advise.ts";
import { CAR, ORDERS, SOCIAL, TENANTS } from "./sampleScenarios.fake.ts";
import {
  GUIDES_WORLD,
  REAL_WORLD,
  type SampleSpec,
  sampleInput,
  sampleProperty,
} from "./sampleSimulation.fake.ts";
import { FEED, FEED_TIMES_20 } from "./sampleTimeScenarios.fake.ts";

test("the whole advice on the connected car, as a text", () => {
  expect(textOf(advise(sampleInput(CAR)))).toBe(
    [
      "device-month (concat(/vin, '-', month(/ts))) is the best key, for $179,126 a month.",
      ">99.9 % of the reads name one key.",
      "The largest logical partition ends at 643 MB of 20 GB.",
      "Next is device (/vin): $179,126 a month, the same, but one key passes 20 GB on day 971.",
      "Ruled out: month (one key passes 20 GB on day 2; one key gets 74,058 RU/s, and 10,000 RU/s " +
        "is the most), model (one key passes 20 GB on day 1; one key gets 14,083 RU/s, and 10,000 " +
        "RU/s is the most).",
      "1 device-month best: remark fan-out",
      "2 device conditional: condition outlier-over-20GB, remark fan-out",
      "3 month bad: against storage-hot, against current-period-hot, remark fan-out",
      "4 model bad: against storage-hot, against throughput-hot, against low-cardinality, against " +
        "fan-out",
      "If items were kept for 274 days instead of 1,095, device would be best: it would no longer " +
        "be true that one key passes 20 GB on day 971.",
      "If everything were a tenth, device would be best: it would no longer be true that one key " +
        "passes 20 GB on day 971.",
      'How items are distributed over the keys is declared, not measured ("device-month 1" has ' +
        "<0.1 % of the bytes): run `orrery lab profile` over a sample of real items.",
      "full-key-pattern: With device only 1,000 keys of 100,000 (3.9 % of the data) outgrow 20 GB. " +
        "An application that goes on under the next suffix when a write is refused (a linked list " +
        "of keys), or overwrites the oldest items (a circular buffer), can keep it; `orrery/keys` " +
        "has both.",
      "container-per-year: A container for each year is not recommended: there would be 4 at a " +
        "time, of which 3 get no writes and have 145,300 RU/s each at the least ($3,002 a month " +
        "more), and reads at the turn of a year would have to ask two. Items that expire do the " +
        "same in one.",
    ].join("\n"),
  );
});

describe("what would change it", () => {
  test("orders kept for a year have another best key, and it is said on which day and why", () => {
    const { sensitivities } = advise(sampleInput(ORDERS));
    expect(sensitivities[0]).toEqual({
      change: "items were kept for 365 days instead of 30",
      best: "item-id-day",
      sentence:
        "If items were kept for 365 days instead of 30, with item-id one key passes 20 GB on day " +
        "132, and item-id-day would be best.",
    });
  });

  test("where a smaller step is enough, it is the one that is told", () => {
    const { sensitivities } = advise(sampleInput({ ...ORDERS, retentionDays: 90 }));
    expect(sensitivities[0]?.change).toBe("items were kept for 180 days instead of 90");
  });

  test("few candidates are simulated again, a few times", () => {
    const input = sampleInput(SOCIAL);
    const counts: number[] = [];
    const simulate: AdviseInput["simulate"] = (workload, candidates) => {
      counts.push(candidates.length);
      return input.simulate(workload, candidates);
    };
    advise({ ...input, simulate });
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(counts.length).toBeLessThanOrEqual(10);
  });

  test("each change is one of the workload that is asked about, and skew is among them", () => {
    const input = sampleInput(ORDERS);
    const asked: Workload[] = [];
    const shape = {
      path: "/Item/id",
      distinct: 1_000_000,
      isUnique: false,
      items: { kind: "zipf", s: 0.6 },
      requests: undefined,
      within: undefined,
      distinctWithin: undefined,
      time: undefined,
      changes: false,
      missingShare: 0,
    } as const;
    const workload = { ...input.workload, properties: new Map([["/Item/id", shape]]) };
    const simulate: AdviseInput["simulate"] = (changed, candidates) => {
      asked.push(changed);
      return input.simulate(changed, candidates);
    };
    advise({ ...input, workload, simulate });
    expect(asked.map(({ growth }) => growth.retentionDays)).toContain(365);
    expect(asked.map(({ growth }) => growth.itemsPerDay)).toContain(1e9);
    expect(asked.map(({ operations }) => operations[1]?.ratePerSecond)).toContain(1157.4 * 0.1);
    expect(asked.map(({ properties }) => properties.get("/Item/id")?.items)).toEqual(
      expect.arrayContaining([{ kind: "uniform" }, { kind: "zipf", s: 1 }]),
    );
  });
});

describe("what to measure", () => {
  const measured = (change: (input: AdviseInput) => AdviseInput): string | undefined =>
    advise(change(sampleInput(ORDERS))).measureNext;
  const sampled = (input: AdviseInput): AdviseInput => ({
    ...input,
    facts: { ...input.facts, sampleCount: 1000 },
    workload: { ...input.workload, growth: { ...input.workload.growth, hours: [] } },
  });
  const withFirst = (
    input: AdviseInput,
    change: (simulation: Simulation) => Simulation,
  ): AdviseInput => ({
    ...input,
    simulations: input.simulations.map((each) =>
      each.candidate.id === "item-id" ? change(each) : each,
    ),
  });

  test("nothing, where all is measured and nothing is near", () => {
    expect(measured(sampled)).toBeUndefined();
  });

  test("the size of a key that may pass its limit", () => {
    const next = measured((input) =>
      withFirst(sampled(input), (simulation) => {
        const { keys } = simulation;
        const bytesAtEnd = { ...keys.largest.bytesAtEnd, high: 30 * 1024 ** 3 };
        return { ...simulation, keys: { ...keys, largest: { ...keys.largest, bytesAtEnd } } };
      }),
    );
    expect(next).toContain("ends between 4.58 GB and 30 GB");
    expect(next).toContain("orrery lab profile");
  });

  test("the load of a key that may pass its share", () => {
    const next = measured((input) =>
      withFirst(sampled(input), (simulation) => {
        const { load } = simulation;
        const rate = { ...load.hottestKey.rate, high: 5000 };
        return { ...simulation, load: { ...load, hottestKey: { ...load.hottestKey, rate } } };
      }),
    );
    expect(next).toContain("gets between 50.2 RU/s and 5,000 RU/s");
    expect(next).toContain("orrery record");
  });

  test("whether updates change the key, when nobody said", () => {
    const { measureNext } = advise(sampleInput(TENANTS));
    expect(measureNext).toContain("whether save-doc changes /tenantId, /userId");
    const properties = [sampleProperty("/tenantId"), sampleProperty("/userId")];
    const known = advise(sampleInput({ ...TENANTS, properties })).measureNext;
    expect(known).toContain("The peak of 1 times the mean is declared");
  });

  test("which values are asked for, when that is not known", () => {
    const operations = ORDERS.operations.map((one) =>
      one.kind === "query" ? { ...one, sql: "SELECT * FROM c WHERE c.Item.id = @i" } : one,
    );
    const { measureNext } = advise(sampleInput({ ...ORDERS, operations }));
    expect(measureNext).toContain("For 95.9 % of the reads (inventory-check)");
  });
});

describe("what else to do", () => {
  const kinds = ({ alternatives }: Advice): readonly string[] =>
    alternatives.map(({ kind }) => kind);
  const sentenceOf = (advice: Advice, kind: string): string =>
    advice.alternatives.find((each) => each.kind === kind)?.sentence ?? "";

  test("nothing, where the key in use is the best", () => {
    const advice = advise({ ...sampleInput(ORDERS), current: "item-id" });
    expect(sentenceOf(advice, "no-change")).toBe(
      "item-id is in use already, and nothing is better.",
    );
  });

  test("nothing, where another is hardly cheaper; moving has its price", () => {
    const advice = advise({ ...sampleInput(ORDERS), current: "item-id-day" });
    const sentence = sentenceOf(advice, "no-change");
    expect(sentence).toContain("item-id-day, which is in use, costs no more than item-id. ");
    expect(sentence).toMatch(/Moving means copying 2\.\d+ billion items for [\d.]+ billion RU/);
  });

  test("a bad key in use has to go", () => {
    expect(kinds(advise({ ...sampleInput(ORDERS), current: "item-category" }))).toEqual([]);
  });

  test("a second container for reads that want another key, if it pays", () => {
    const both: SampleSpec = {
      ...SOCIAL,
      operations: [
        ...SOCIAL.operations.filter(({ id }) => id !== "hashtag-search"),
        { id: "by-region", kind: "query", rate: 3000, ru: 8, resultItems: 20 },
      ],
      keys: [
        SOCIAL.keys[0]!,
        { ...SOCIAL.keys[1]!, id: "region", key: ["/region"], storage: 0.001, pins: ["by-region"] },
      ],
    };
    expect(sentenceOf(advise(sampleInput(both)), "second-container")).toContain(
      "would answer by-region",
    );
    const rare = both.operations.map((one) =>
      one.id === "by-region" ? { ...one, rate: 10 } : one,
    );
    expect(kinds(advise(sampleInput({ ...both, operations: rare })))).not.toContain(
      "second-container",
    );
  });

  test("hot and warm above 500 GB, when reads are for what is new", () => {
    const time = sampleProperty("/publishedDate", { time: "second" });
    const sql = "SELECT TOP 50 * FROM c ORDER BY c.publishedDate DESC";
    const newest = (spec: SampleSpec): SampleSpec => ({
      ...spec,
      properties: [time],
      operations: spec.operations.map((one) => (one.kind === "query" ? { ...one, sql } : one)),
    });
    const advice = advise(sampleInput(newest(FEED_TIMES_20)));
    expect(sentenceOf(advice, "hot-warm")).toContain(
      "100 % of the reads are for items of the last 45 days, which are 308 GB of 4.88 TB",
    );
    expect(kinds(advise(sampleInput(newest(FEED))))).not.toContain("hot-warm");
    expect(kinds(advise(sampleInput(FEED_TIMES_20)))).not.toContain("hot-warm");
  });

  test("so many suffixes, where one value spoils every key", () => {
    const only = FEED_TIMES_20.keys.filter(({ id }) => id === "month");
    const advice = advise(sampleInput({ ...FEED_TIMES_20, keys: only }));
    expect(advice.best).toBeUndefined();
    expect(advice.summary[0]).toContain("None of the 1 key");
    // 12,280 RU/s over half of the 800 that a partition is allotted.
    expect(sentenceOf(advice, "full-key-pattern")).toContain("A suffix from 1 to 31 behind it");
  });
});

test("a layout that is dear for now is told beside the cost that keys are compared by", () => {
  const input = sampleInput(TENANTS);
  const simulations = input.simulations.map((simulation) => ({
    ...simulation,
    cost: { ...simulation.cost, laidOut: simulation.cost.cheapest.value / 2 },
  }));
  expect(advise({ ...input, simulations }).summary[0]).toBe(
    "tenant-user-hierarchical ([/tenantId, /userId]) is the best key, for $891 a month ($1,782 " +
      "until its physical partitions are cut where the load is).",
  );
});

test("a small container is told that its key matters little for reads", () => {
  const small = { ...ORDERS, itemsPerDay: 100_000, peakFactor: 1, provisioned: 15_000 };
  const { summary, candidates } = advise(sampleInput(small, REAL_WORLD));
  expect(summary.at(-1)).toContain("stays small (3 physical partitions at most)");
  const id = candidates.find(({ simulation }) => simulation.candidate.id === "id")!;
  expect(id.verdict).not.toBe("bad");
});

test("whatever simulations say, there is advice", () => {
  const number = fc.constantFrom(0, 1e-9, 1, 20, 1e4, 1e12, Number.POSITIVE_INFINITY, Number.NaN);
  const share = fc.constantFrom(0, 0.01, 0.5, 1);
  const drawn = fc.record({ rate: number, bytes: number, share, keys: number, cost: number });
  const base = sampleInput(TENANTS).simulations;
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 6 }), (figures) => {
      const simulations = figures.map((figure, at) => distorted(base[at]!, figure));
      const input = { ...sampleInput(TENANTS, GUIDES_WORLD), simulations, simulate: () => [] };
      const advice = advise({ ...input, limits: SERVICE_LIMITS, current: "tenant" });
      expect(advice.candidates.map(({ rank }) => rank)).toEqual(figures.map((_, at) => at + 1));
      expect(advice.best).toBe(advice.candidates.find(({ verdict }) => verdict === "best"));
      for (const { verdict, reasons } of advice.candidates) {
        const isBad = reasons.some(({ weight }) => weight === "against");
        expect(verdict === "bad").toBe(isBad);
      }
      expect(textOf(advice)).not.toMatch(/undefined|\[object/);
    }),
  );
});

interface Figures {
  readonly rate: number;
  readonly bytes: number;
  readonly share: number;
  readonly keys: number;
  readonly cost: number;
}

function distorted(
  simulation: Simulation,
  { rate, bytes, share, keys, cost }: Figures,
): Simulation {
  const estimate = (value: number) => ({ value, low: value / 2, high: value * 2 });
  const { load } = simulation;
  return {
    ...simulation,
    months: [],
    partitions: [],
    missingShare: share,
    changingShare: share,
    operations: simulation.operations.map((one) => ({ ...one, ruEach: rate })),
    keys: {
      ...simulation.keys,
      count: estimate(keys),
      itemsPerKey: bytes,
      largest: { ...simulation.keys.largest, bytesAtEnd: estimate(bytes), share },
    },
    load: {
      ...load,
      peakRate: rate,
      provisioned: rate,
      hottestKey: { ...load.hottestKey, rate: estimate(rate), writeShare: share },
      hottestPartition: { ...load.hottestPartition, share, rate: estimate(rate), overMean: rate },
    },
    throttling: { ...simulation.throttling, share },
    cost: { ...simulation.cost, cheapest: estimate(cost), laidOut: cost },
  };
}

function textOf(advice: Advice): string {
  return [
    ...advice.summary,
    ...advice.candidates.map(
      ({ rank, simulation, verdict, reasons }) =>
        `${rank} ${simulation.candidate.id} ${verdict}: ` +
        reasons.map(({ weight, code }) => `${weight} ${code}`).join(", "),
    ),
    ...advice.sensitivities.map(({ sentence }) => sentence),
    ...(advice.measureNext === undefined ? [] : [advice.measureNext]),
    ...advice.alternatives.map(({ kind, sentence }) => `${kind}: ${sentence}`),
  ].join("\n");
}
