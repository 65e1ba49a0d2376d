/** What `orrery lab check` warns of, each from both sides of its line. */
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { exactly } from "../counting/estimate.ts";
import { factsOf, simulateOne } from "../lab.ts";
import { checkText } from "../report/check.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { type CheckFinding, checkKey, populationEvenness } from "./check.ts";

interface Changes {
  readonly accounts?: string;
  readonly itemsPerDay?: number;
  readonly growth?: string;
  readonly aligned?: number;
  readonly status?: string;
}

function checkOf(key: string, changes: Changes = {}): ReturnType<typeof checkKey> {
  const { accounts = "distinct: 5000", itemsPerDay = 100_000, aligned = 10 } = changes;
  const text = `
name: accounts
horizonMonths: 12
item: {bytes: 1 KB}
properties:
  /accountId: {${accounts}}
  /status: {distinct: 400${changes.status ?? ""}}
  /at: {time: second}
growth: {itemsPerDay: ${itemsPerDay}${changes.growth ?? ""}}
operations:
  - {id: write, kind: create, rate: ${itemsPerDay}/day}
  - {id: mine, kind: query, rate: ${aligned}, sql: "SELECT * FROM c WHERE c.accountId = @a"}
  - {id: all, kind: query, rate: ${10 - aligned}, sql: "SELECT * FROM c WHERE c.note = 'x'"}
`;
  const read = readWorkload(text, "yaml", "accounts");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const workload = read.value;
  const levels = parseKeyLevels(key);
  if (!levels.ok) throw new Error(levels.error.message);
  const candidate: Candidate = {
    id: key,
    levels: levels.value,
    origin: "named",
    stated: undefined,
  };
  const input = {
    workload,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  };
  const simulation = simulateOne(input, candidate);
  return checkKey({ ...input, facts: factsOf(input), simulation, candidate });
}

function finding(
  key: string,
  check: CheckFinding["check"],
  changes: Changes = {},
): Pick<CheckFinding, "outcome" | "sentence"> {
  return checkOf(key, changes).findings.find((each) => each.check === check)!;
}

test("a key that is fine passes everything that is known of it", () => {
  const { findings, isPassed } = checkOf("/accountId");
  expect(isPassed).toBe(true);
  expect(findings.filter(({ outcome }) => outcome !== "passed").map(({ check }) => check)).toEqual([
    "immutability",
  ]);
});

describe("the guides' lines", () => {
  test.each([
    [99, "warning"],
    [100, "passed"],
  ])("%i values: %s", (count, outcome) => {
    const accounts = `distinct: ${count}`;
    expect(finding("/accountId", "cardinality", { accounts }).outcome).toBe(outcome);
  });

  test.each([
    [8, "passed"],
    [7.9, "warning"],
  ])("%d reads of ten that name it: %s", (aligned, outcome) => {
    expect(finding("/accountId", "alignment", { aligned }).outcome).toBe(outcome);
  });

  test("0.7 of evenness passes, a little less does not, and the measure is named", () => {
    // One value with a share, the others alike: evenness falls as the share grows.
    const shareFor = (isBelow: boolean): number => {
      let [low, high] = [0.01, 0.99];
      for (let round = 0; round < 60; round++) {
        const middle = (low + high) / 2;
        if (evennessOf(middle) >= 0.7) low = middle;
        else high = middle;
      }
      return isBelow ? high + 0.001 : low - 0.001;
    };
    const outcome = (share: number): string => {
      const accounts = `distinct: 200, items: {kind: shares, shares: {big: ${share}}}`;
      const found = finding("/accountId", "distribution", { accounts });
      expect(found.sentence).toContain("entropy");
      return found.outcome;
    };
    expect(outcome(shareFor(false))).toBe("passed");
    expect(outcome(shareFor(true))).toBe("warning");
  });
});

function evennessOf(share: number): number {
  const row = (value: string, part: number) => ({
    values: [value],
    counts: [1],
    keyCount: 1,
    itemShare: part,
    byteShare: part,
    requestShare: part,
  });
  const others = Array.from({ length: 199 }, (_, at) => row(`v${at}`, (1 - share) / 199));
  return populationEvenness({
    paths: ["/a"],
    rows: [row("big", share), ...others],
    distinct: exactly(200),
  });
}

describe("items without a value", () => {
  const lacking = (share: number): Changes => ({
    accounts: `distinct: 5000, missingShare: ${share}`,
  });

  test.each([
    ["/accountId", 0.06, "warning"],
    ["/accountId", 0.04, "passed"],
    ["concat(/accountId, '-', month(/at))", 0.3, "warning"],
    ["[/accountId, /id]", 0.3, "passed"],
    ["coalesce(/accountId, concat('none-', /id))", 0.3, "passed"],
    ["/accountId", 0, "passed"],
  ])("%s with %d of them lacking: %s", (key, share, outcome) => {
    expect(finding(key, "no-value", lacking(share)).outcome).toBe(outcome);
  });

  test("what looks filled in is warned of by name", () => {
    const accounts = "distinct: 5000, items: {kind: shares, shares: {unknown: 0.2}}";
    const { outcome, sentence } = finding("/accountId", "no-value", { accounts });
    expect(outcome).toBe("warning");
    expect(sentence).toContain('20 % of the data has "unknown" for /accountId');
  });

  test("a large value that is one is not", () => {
    const accounts = "distinct: 5000, items: {kind: shares, shares: {acme: 0.2}}";
    expect(finding("/accountId", "no-value", { accounts }).outcome).toBe("passed");
  });
});

test("a property that is declared to change is warned of, without any update", () => {
  const { outcome, sentence } = finding("/status", "immutability", { status: ", changes: true" });
  expect(outcome).toBe("warning");
  expect(sentence).toContain("/status is declared to change");
});

describe("a time in the key", () => {
  test.each([
    ["month(/at)", "warning"],
    ["/at", "warning"],
    ["concat(/accountId, '-', month(/at))", "passed"],
    ["suffix(month(/at), hash(/id), 20)", "passed"],
  ])("%s: %s", (key, outcome) => {
    expect(finding(key, "current-writes").outcome).toBe(outcome);
  });
});

describe("the largest and the hottest key", () => {
  test("passes its limit on a date", () => {
    const { outcome, sentence } = finding("month(/at)", "growth", { itemsPerDay: 2_000_000 });
    expect(outcome).toBe("warning");
    expect(sentence).toMatch(
      /it passes 15 GB on 2026-01-\d\d \(day \d+\) and 20 GB on 2026-01-\d\d/,
    );
  });

  test("is warned of beyond half of what a partition serves", () => {
    const hot = finding("month(/at)", "hottest-key", { itemsPerDay: 200_000_000 });
    expect(hot.outcome).toBe("warning");
    expect(hot.sentence).toContain("10,000 RU/s at most");
    expect(finding("/accountId", "hottest-key").outcome).toBe("passed");
  });
});

test("the table says which way each line goes", () => {
  const text = checkText(checkOf("/accountId"), undefined);
  expect(text).toContain("at least 0.8");
  expect(text).toContain("at most 0.05");
});
