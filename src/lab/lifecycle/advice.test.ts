/** The advice as a whole: verdicts, figures against the simulator and the price list, the text. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { candidateOf, settingOf } from "../lab.ts";
import { autoscaleCost, manualCost, soldRate, storageCost } from "../simulate/money.ts";
import { simulate } from "../simulate/simulate.ts";
import {
  type LifecycleAdvice,
  type LifecycleInput,
  lifecycleAdvice,
  type Wishes,
} from "./advice.ts";
import { adviceJson } from "./adviceJson.ts";
import { adviceText } from "./adviceText.ts";
import { agreementOf } from "./agreement.ts";
import { DEFAULT_SETTINGS } from "./containers.ts";
import { FEED_DEFAULTS, FEED_KEY, feedWorkload, itemsPerDayFor } from "./feedWorkload.ts";
import { standingsOf } from "./standings.ts";

const GB = 1024 ** 3;
const NOTHING_SAID: Wishes = {
  highLoad: undefined,
  needsAnalytics: undefined,
  needsRealTime: undefined,
  isSimple: undefined,
  hasIndependentPeriods: undefined,
};

function candidate(): LifecycleInput["candidate"] {
  const read = candidateOf({ id: FEED_KEY, levels: [FEED_KEY], facts: undefined, place: "key" });
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

function adviceFor(
  gb: number,
  queriesPerSecond: number,
  {
    wishes = {},
    analytics = 0,
  }: { readonly wishes?: Partial<Wishes>; readonly analytics?: number } = {},
): LifecycleAdvice {
  const itemsPerDay = itemsPerDayFor(gb * GB, FEED_DEFAULTS);
  return lifecycleAdvice({
    workload: feedWorkload({
      ...FEED_DEFAULTS,
      itemsPerDay,
      queriesPerSecond,
      analyticsPerSecond: analytics,
    }),
    agePath: "/publishedDate",
    candidate: candidate(),
    settings: DEFAULT_SETTINGS,
    wishes: { ...NOTHING_SAID, ...wishes },
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  });
}

/** Simulated once: it takes a while. */
const SMALL = adviceFor(20, 2);
const LARGE = adviceFor(600, 40, { analytics: 1 / 60 });

describe("what is said of", () => {
  test("little data: a single container, and no high load", () => {
    expect(SMALL.decision.branch).toBe("single");
    expect(SMALL.recommended).toBe("single");
    expect(SMALL.figures.highLoad).toBe(400);
    expect(SMALL.figures.queryLoad).toBeLessThan(400);
  });

  test("much data under load: hot and warm, and the load is high by what the data asks for", () => {
    expect(LARGE.decision.branch).toBe("hotWarm");
    expect(LARGE.figures.highLoad).toBe(600);
    expect(LARGE.figures.queryLoad).toBeGreaterThan(600);
    expect(LARGE.figures.needsAnalytics).toBe(true);
  });

  test("the same data with a threshold of one's own", () => {
    const advice = adviceFor(20, 2, { wishes: { highLoad: 1, isSimple: true } });
    expect(advice.figures.highLoad).toBe(1);
    expect(advice.isHighLoadComputed).toBe(false);
    expect(adviceText(advice, undefined)).toContain("from 1 RU/s on, as --high-load says.");
  });

  test("periods that are managed one by one, and what is said outright", () => {
    const wishes = { hasIndependentPeriods: true, isSimple: false, needsRealTime: false };
    const advice = adviceFor(20, 2, { wishes });
    expect(advice.recommended).toBe("perYear");
    expect(advice.figures.needsRealTime).toBe(false);
  });

  test("a case that the framework leaves open: the cheapest of what it names", () => {
    const advice = adviceFor(20, 2, { wishes: { isSimple: false } });
    expect(advice.decision.branch).toBe("reconsider");
    const left = advice.outcomes.filter(({ approach }) => approach.id !== "perYear");
    const least = Math.min(...left.map(({ cost }) => cost!));
    expect(left.find(({ cost }) => cost === least)?.approach.id).toBe(advice.recommended);
  });
});

describe("figures", () => {
  test("of every container are the simulator's, and its prices those of the price list", () => {
    for (const { containers } of LARGE.outcomes) {
      for (const container of containers) {
        const { workload } = container.planned;
        const input = { limits: SERVICE_LIMITS, startMillis: Date.UTC(2026, 0, 1), seed: 1 };
        const again = simulate(settingOf(input, workload, declaredFacts(workload)), candidate());
        expect(container.neededRate).toBe(again.load.neededRate);
        const gib = container.bytes / GB;
        expect(container.manual!.ratePerSecond).toBe(
          soldRate(again.load.neededRate!, gib, SERVICE_LIMITS.manualRate),
        );
        expect(container.manual!.cost).toBeCloseTo(
          manualCost(again.load.neededRate!, gib, SERVICE_LIMITS),
          0,
        );
        expect(container.storageCost).toBeCloseTo(storageCost(container.bytes), 0);
        expect(container.manual!.ratePerSecond).toBeGreaterThanOrEqual(Math.max(400, gib));
        // Autoscale is never below what a tenth of its ceiling costs at every hour.
        const floor = autoscaleCost([container.autoscale!.ratePerSecond / 10], gib, SERVICE_LIMITS);
        expect(container.autoscale!.cost).toBeGreaterThanOrEqual(floor * 0.99);
      }
    }
  });

  test("of an approach are the sums of its containers", () => {
    for (const { containers, cost, patterns } of LARGE.outcomes) {
      const sum = containers.reduce((total, each) => total + each.cost, 0);
      expect(cost).toBeCloseTo(sum, 6);
      for (const { id, ruEach, containersVisited } of patterns) {
        const parts = containers.map(({ planned, simulation }) => {
          const found = simulation.operations.find((each) => each.id === id);
          return [planned.chances.get(id) ?? 0, found?.ruEach ?? 0] as const;
        });
        expect(ruEach).toBeCloseTo(
          parts.reduce((total, [chance, ru]) => total + chance * ru, 0),
          6,
        );
        expect(containersVisited).toBeCloseTo(
          parts.reduce((total, [chance]) => total + chance, 0),
          6,
        );
      }
    }
  });

  test("only what is moved costs moving, and a recent read is cheaper where less lies", () => {
    const [runs, steps, single, years] = LARGE.outcomes;
    expect(runs!.movingRuPerDay).toBeGreaterThan(0);
    // More looks for the same items.
    expect(steps!.movingRuPerDay).toBeGreaterThanOrEqual(runs!.movingRuPerDay);
    expect([single!.movingRuPerDay, years!.movingRuPerDay]).toEqual([0, 0]);
    const recent = LARGE.outcomes.map(
      ({ patterns }) => patterns.find(({ id }) => id === "recent")!.ruEach,
    );
    expect(recent[0]).toBeLessThan(recent[2]!);
  });
});

describe("the text", () => {
  const text = adviceText(LARGE, undefined);

  test("has every cost, rate and RU that the JSON has, rounded", () => {
    const json = adviceJson(LARGE) as unknown as {
      approaches: { title: string; cost: number; manualRate: number }[];
    };
    for (const { title, cost, manualRate } of json.approaches) {
      const line = text
        .split("\n")
        .find((each) => each.startsWith(`${title}  `) && each.includes("$"));
      expect(line).toContain(` $${Math.round(cost).toLocaleString("en-US")} `);
      expect(line).toContain(` ${manualRate.toLocaleString("en-US")} `);
    }
  });

  test("says the branch, what would change it, and where the guides differ", () => {
    expect(text).toContain("→ Hot and warm, with a time to live. That is tier 1, for production;");
    expect(text).toContain("With 500 GB or less (0.833 times what it is)");
    const { agreedCount, alikeCount, pairCount, disagreements } = agreementOf(
      standingsOf(LARGE.outcomes, LARGE.grown),
    );
    const words = text.replaceAll(/\s+/g, " ");
    expect(words).toContain(`Of ${pairCount} orders of two approaches in the guides' table`);
    expect(words).toContain(`${agreedCount} come out here`);
    expect(agreedCount + alikeCount + disagreements.length).toBe(pairCount);
  });
});

describe("agreement", () => {
  const mark = (amount: number) => ({ amount, text: `${amount}`, because: "So it is." });

  test("orders that did not come out, and one that is too close to tell", () => {
    const standings = [
      { id: "hotWarm" as const, marks: { cost: mark(10) } },
      { id: "single" as const, marks: { cost: mark(9) } },
      { id: "perYear" as const, marks: { cost: mark(9.01) } },
    ];
    const { pairCount, agreedCount, alikeCount, disagreements } = agreementOf(standings);
    expect([pairCount, agreedCount, alikeCount]).toEqual([3, 0, 1]);
    expect(disagreements.map(({ praised, blamed }) => [praised, blamed])).toEqual([
      ["hotWarm", "single"],
      ["hotWarm", "perYear"],
    ]);
    expect(disagreements[0]!.sentence).toBe(
      "cost: the guides call hot and warm, moved in runs optimal and a single container good; " +
        "here they come to 10 and 9. So it is. So it is.",
    );
  });

  test("an order that came out", () => {
    const standings = [
      { id: "single" as const, marks: { maintenance: mark(1) } },
      { id: "perYear" as const, marks: { maintenance: mark(6) } },
    ];
    expect(agreementOf(standings)).toMatchObject({ pairCount: 1, agreedCount: 1 });
  });

  test("an aspect without numbers is not compared", () => {
    expect(
      agreementOf([
        { id: "hotWarm", marks: {} },
        { id: "perYear", marks: {} },
      ]).pairCount,
    ).toBe(0);
  });
});
