/**
 * The worked cases of the guides, run through the lab: what the guides say must follow from the
 * calculation, for the keys that they weigh and, for the best of them, with others beside them.
 */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice } from "../advise/advice.ts";
import { runLab } from "../lab.ts";
import { compareWithGuide } from "../report/guide.ts";
import { printWorkload } from "../workload/printWorkload.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import type { Scenario, ScenarioVariant } from "./scenario.ts";
import { scenarioWorkload } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

const MINUTE = 60_000;

const known = new Map<string, Advice>();

function adviceOn(scenario: Scenario, variant?: ScenarioVariant): Advice {
  const name = `${scenario.name} ${variant?.name ?? ""}`;
  const advice = known.get(name) ?? adviceAmong(scenario, variant, true);
  known.set(name, advice);
  return advice;
}

function adviceAmong(
  scenario: Scenario,
  variant: ScenarioVariant | undefined,
  onlyNamed: boolean,
): Advice {
  return runLab({
    workload: scenarioWorkload(scenario, variant),
    profile: undefined,
    candidates: [],
    onlyNamed,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
}

const CASES = scenarios.flatMap((scenario) => [
  { name: scenario.name, scenario, variant: undefined, expected: scenario.expected },
  ...scenario.variants.map((variant) => ({
    name: `${scenario.name}, ${variant.name}`,
    scenario,
    variant,
    expected: variant.expected,
  })),
]);

function withoutPlaces(workload: Workload): Workload {
  return { ...workload, candidates: workload.candidates.map((one) => ({ ...one, place: "" })) };
}

function scenarioOf(name: string): Scenario {
  return scenarios.find((scenario) => scenario.name === name)!;
}

function candidateIn(advice: Advice, id: string): Advice["candidates"][number] {
  return advice.candidates.find(({ simulation }) => simulation.candidate.id === id)!;
}

describe("what the guides say follows from the calculation", () => {
  test.each(CASES)(
    "$name",
    ({ scenario, variant, expected }) => {
      const advice = adviceOn(scenario, variant);
      const comparison = compareWithGuide(advice, expected, []);
      expect(comparison.rows.filter(({ agrees }) => !agrees)).toEqual([]);
      expect(expected.best).toContain(advice.best?.simulation.candidate.id);
      // A reason for a verdict is more than a remark beside it.
      for (const [id, { reasons }] of expected.verdicts) {
        const given = candidateIn(advice, id).reasons.filter(({ weight }) => weight !== "remark");
        expect(given.map(({ code }) => code)).toEqual(expect.arrayContaining([...reasons]));
      }
    },
    MINUTE,
  );
});

/** All of them with `npm run campaign scenarios`; these few are quick. */
const SEARCHED = process.env["ORRERY_SCENARIOS"] === "full" ? undefined : ["feed", "food"];

describe("among all keys that the lab finds, the best is still one that the guides accept", () => {
  test.each(
    CASES.filter(
      ({ variant, name }) => variant === undefined && (SEARCHED?.includes(name) ?? true),
    ),
  )(
    "$name",
    ({ scenario, expected }) => {
      const advice = adviceAmong(scenario, undefined, false);
      expect(advice.candidates.length).toBeGreaterThanOrEqual(expected.verdicts.size);
      expect(expected.best).toContain(advice.best?.simulation.candidate.id);
    },
    2 * MINUTE,
  );
});

describe("the guides' own figures", () => {
  test("a car that is driven 90 or 360 minutes a day makes 1.88 or 7.52 GB a year", () => {
    const scenario = scenarioOf("car");
    const advice = adviceOn(scenario, scenario.variants[0]);
    const { keys } = candidateIn(advice, "car").simulation;
    const stored = keys.largest.bytesAtEnd.value / 2 ** 30;
    // System properties and the index come on top of the 1 KB that is written.
    expect(stored).toBeGreaterThan(7.52);
    expect(stored).toBeLessThan(7.52 * 1.3);
  }, 60_000);

  test("18,000 RU/s over three physical partitions are 6,000 for each", () => {
    const { partitions } = candidateIn(adviceOn(scenarioOf("food")), "group").simulation;
    expect(partitions).toHaveLength(3);
    expect(partitions.map(({ allotment }) => allotment)).toEqual([6000, 6000, 6000]);
  });

  test("month is best for the feed, and bad for cars and for a feed twenty times as large", () => {
    const feed = scenarioOf("feed");
    const verdictOf = (scenario: Scenario, variant?: ScenarioVariant): string =>
      candidateIn(adviceOn(scenario, variant), "month").verdict;
    expect(verdictOf(feed)).toBe("best");
    expect(verdictOf(feed, feed.variants[0])).toBe("bad");
    expect(verdictOf(scenarioOf("car"))).toBe("bad");
  }, 60_000);
});

test("a container for each year is called not recommended, with what it would cost", () => {
  const scenario = scenarioOf("providers");
  const variant = scenario.variants.find(({ name }) => name === "five-years");
  const said = adviceOn(scenario, variant).alternatives.map(({ sentence }) => sentence);
  const [sentence] = said.filter((each) => each.startsWith("A container for each year"));
  expect(sentence).toContain("is not recommended: there would be 6 at a time, of which 5 get no");
  // Five times 400 RU/s, at 0.008 dollars an hour for a hundred.
  expect(sentence).toContain("($117 a month more)");
  expect(adviceOn(scenario).alternatives.map(({ kind }) => kind)).not.toContain(
    "container-per-year",
  );
});

describe("the cases themselves", () => {
  test("have names of their own, and at least one variant each", () => {
    expect(scenarios.map(({ name }) => name)).toEqual([
      ...["orders", "car", "tenants", "social", "sensors", "documents", "catalogue"],
      ...["smart-city", "feed", "food", "shop", "providers"],
    ]);
    for (const { variants } of scenarios) {
      const names = variants.map(({ name }) => name);
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test.each(CASES)("$name: every verdict is of a key that is weighed", (each) => {
    const { candidates } = scenarioWorkload(each.scenario, each.variant);
    const ids = candidates.map(({ id }) => id);
    for (const [id, { accepted, says }] of each.expected.verdicts) {
      expect(ids).toContain(id);
      expect(accepted.length).toBeGreaterThan(0);
      expect(says).toMatch(/\.$/);
    }
    expect(each.expected.verdicts.size).toBeGreaterThan(2);
  });

  test.each(scenarios)(
    "$name: read without a remark, and printed and read again the same",
    (one) => {
      const read = readWorkload(one.workloadText, "yaml", one.name);
      if (!read.ok) throw new Error(JSON.stringify(read.error));
      expect(read.value.remarks).toEqual([]);
      const again = readWorkload(printWorkload(read.value), "yaml", one.name);
      if (!again.ok) throw new Error(JSON.stringify(again.error));
      expect(withoutPlaces(again.value)).toEqual(withoutPlaces(read.value));
    },
  );
});
