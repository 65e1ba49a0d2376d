/** Keys that somebody named and that are none: they are left out, and it is said. */
import { expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { runLab } from "../lab.ts";
import type { NamedCandidate } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";

const TEXT = `
name: small
item: {bytes: 600}
properties: {/user: {distinct: 300}}
growth: {itemsPerDay: 1000}
operations: [{id: add, kind: create, rate: 1}]
candidates: [/user]
horizonMonths: 1
`;

function remarksWith(candidates: readonly NamedCandidate[]): readonly string[] {
  const read = readWorkload(TEXT, "yaml", "small");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const advice = runLab({
    workload: read.value,
    profile: undefined,
    candidates,
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
  expect(advice.candidates.map(({ simulation }) => simulation.candidate.id)).toEqual(["/user"]);
  return advice.remarks;
}

test("an expression that cannot be read is named with its place", () => {
  const odd = { id: "odd", levels: ["monthly(/at)"], facts: undefined, place: "candidates[3]" };
  const remarks = remarksWith([odd]);
  expect(remarks.filter((remark) => remark.includes("candidates[3]"))).toHaveLength(1);
});

test("nothing is said when all can be read", () => {
  expect(remarksWith([]).filter((remark) => remark.includes("left out"))).toEqual([]);
});
