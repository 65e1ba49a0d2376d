/** Prices that were measured: they are used, and the report tells where the model differs. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice } from "../advise/advice.ts";
import { runLab } from "../lab.ts";
import { readWorkload } from "../workload/workloadText.ts";

function adviceOn(count: string): Advice {
  const read = readWorkload(
    `
item: {bytes: 500, example: {id: a, tenant: t, note: n}}
properties: {/tenant: {distinct: 50}, /note: {distinct: 1000}}
growth: {itemsPerDay: 10, initialItems: 20000}
operations:
  - {id: see, kind: pointRead, rate: 5, ru: 1}
  - ${count}
candidates: [/tenant]
horizonMonths: 1
`,
    "yaml",
    "test",
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return runLab({
    workload: read.value,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
}

function ruOf({ candidates }: Advice, id: string): number {
  return candidates[0]!.simulation.operations.find((each) => each.id === id)!.ruEach;
}

const QUERY =
  '{id: count, kind: query, rate: 1, resultItems: 1, sql: "SELECT * FROM c WHERE c.note = @n"';

describe("a price that was measured", () => {
  test("is used whatever the model says, and both are told", () => {
    const modelled = adviceOn(`${QUERY}}`);
    expect(ruOf(modelled, "count")).toBeLessThan(10);
    expect(modelled.remarks.join()).not.toContain("as measured");
    const measured = adviceOn(`${QUERY}, ru: 501}`);
    expect(ruOf(measured, "count")).toBeGreaterThan(490);
    expect(measured.remarks).toContainEqual(
      expect.stringMatching(/^'count' costs 501 RU a visit as measured and [\d.]+ RU as modelled/),
    );
  });

  test("of several partitions has a visit of each in it, which other keys do not pay", () => {
    const one = ruOf(adviceOn(`${QUERY}, ru: 21}`), "count");
    const four = ruOf(adviceOn(`${QUERY}, ru: 21, ruPartitions: 4}`), "count");
    expect(one).toBeCloseTo(21, 0);
    expect(four).toBeLessThan(one - 5);
  });

  test("is said to agree where it does", () => {
    expect(adviceOn(`${QUERY}}`).remarks).toContain(
      "Measured and modelled prices of one operation agree within 10 %.",
    );
  });
});
