/** The guides' selector: which of its rules holds, and what the lab thinks of its key. */
import { describe, expect, test } from "vitest";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { factsOf, runLab } from "../lab.ts";
import { selectJson, selectText } from "../report/select.ts";
import { scenarioWorkload } from "../scenario/scenario.ts";
import { scenarios } from "../scenario/scenarios.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { selectorRules } from "./select.ts";

interface Parts {
  readonly perDay?: number;
  readonly tenants?: number;
  readonly sql?: string;
  readonly skew?: string;
}

function workloadOf({ perDay = 2000, tenants, sql, skew = "uniform" }: Parts): Workload {
  const text = `
name: made-up
horizonMonths: 6
item: {bytes: 1 KB}
properties:
  /kind: {distinct: 5000, items: ${skew}}
  /at: {time: second}
${tenants === undefined ? "" : `  /tenantId: {distinct: ${tenants}}`}
growth: {itemsPerDay: ${perDay}}
operations:
  - {id: write, kind: create, rate: ${perDay}/day}
  - {id: read, kind: query, rate: 5, sql: "${sql ?? "SELECT * FROM c WHERE c.kind = @k"}"}
`;
  const read = readWorkload(text, "yaml", "made-up");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function rulesOf(workload: Workload): ReturnType<typeof selectorRules> {
  return selectorRules(workload, factsOf({ workload, profile: undefined }));
}

const NEWEST = "SELECT TOP 20 * FROM c ORDER BY c.at DESC";

describe("the first rule that holds", () => {
  test.each<[string, Parts, number, string]>([
    ["many items, read by time", { perDay: 20_000, sql: NEWEST }, 1, "month(/at)"],
    ["a million and no more, read by time", { perDay: 1000, sql: NEWEST }, 4, "/id"],
    ["many items, read otherwise", { perDay: 20_000 }, 4, "/id"],
    ["999 tenants", { tenants: 999 }, 2, "/tenantId"],
    ["1,000 tenants", { tenants: 1000 }, 4, "/id"],
    ["many writes, read alike", { perDay: 10_000_000 }, 3, "concat('bucket_', hash(/id) % 100)"],
    ["many writes, read unevenly", { perDay: 10_000_000, skew: "zipf 1.2" }, 4, "/id"],
    ["nothing of that", {}, 4, "/id"],
  ])("%s", (_, parts, number, key) => {
    const chosen = rulesOf(workloadOf(parts)).find(({ holds }) => holds)!;
    expect(chosen.number).toBe(number);
    expect(printKeyLevels(chosen.levels!)).toBe(key);
  });
});

test("every rule has an opinion of the lab beside it, with the verdict of its key", () => {
  const workload = scenarioWorkload(scenarios.find(({ name }) => name === "feed")!);
  const rules = rulesOf(workload);
  const advice = runLab({
    workload,
    profile: undefined,
    candidates: rules.flatMap(({ levels, number }) =>
      levels === undefined || number === 4 || number === 1
        ? []
        : [
            {
              id: `rule ${number}`,
              levels: [printKeyLevels(levels)],
              facts: undefined,
              place: `rule ${number}`,
            },
          ],
    ),
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
  const json = selectJson(rules, advice) as {
    selected: string;
    rules: { rule: number; verdict: string | null; opinion: string }[];
  };
  expect(json.selected).toBe("month(/publishedDate)");
  expect(json.rules.map(({ verdict }) => verdict)).toEqual(["best", null, "conditional", "bad"]);
  for (const { opinion } of json.rules) expect(opinion).toMatch(/\.$/);
  const text = selectText(rules, advice, undefined);
  expect(text).toContain("→ yes");
  expect(text).toContain("The selector takes month(/publishedDate), and so does the lab.");
});
