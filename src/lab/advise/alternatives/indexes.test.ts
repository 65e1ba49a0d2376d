/** Composite indexes that the lab advises: only where they save more than writes pay for them. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../../model/limits.ts";
import { runLab } from "../../lab.ts";
import { readWorkload } from "../../workload/workloadText.ts";

const LATEST = "SELECT TOP 10 * FROM c WHERE c.tenant = @t AND c.kind = @k ORDER BY c.at DESC";

function indexSentences(sql: string, readRate: number, writeRate: number): readonly string[] {
  const read = readWorkload(
    `
item: {bytes: 500, example: {id: a, tenant: t, kind: k, at: "2026-01-01T00:00:00Z"}}
properties:
  /tenant: {distinct: 40}
  /kind: {distinct: 200}
  /at: {time: second}
growth: {itemsPerDay: 10000, retentionDays: 100}
operations:
  - {id: add, kind: create, rate: ${writeRate}}
  - {id: latest, kind: query, rate: ${readRate}, sql: "${sql}"}
candidates: [/tenant]
horizonMonths: 4
`,
    "yaml",
    "test",
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { alternatives } = runLab({
    workload: read.value,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  });
  return alternatives.filter(({ kind }) => kind === "index").map(({ sentence }) => sentence);
}

describe("a composite index", () => {
  test("is advised where rows are found by values and wanted in the order of another", () => {
    const [sentence, ...others] = indexSentences(LATEST, 50, 1);
    expect(others).toEqual([]);
    expect(sentence).toContain("(/tenant ASC, /kind ASC, /at DESC)");
    expect(sentence).toContain("ORDER BY c.tenant, c.kind, c.at DESC");
    const [, is, was] = /cost ([\d.,]+) RU instead of ([\d.,]+) under \/tenant/.exec(sentence!)!;
    expect(Number(is)).toBeLessThan(Number(was!.replace(",", "")) / 2);
  });

  test("is not advised where writes would pay more for it than reads save", () => {
    expect(indexSentences(LATEST, 0.001, 200)).toEqual([]);
  });

  test("is not advised where nothing is passed over", () => {
    expect(indexSentences("SELECT * FROM c ORDER BY c.at DESC", 1, 1)).toEqual([]);
    expect(indexSentences("SELECT * FROM c WHERE c.tenant = @t", 10, 1)).toEqual([]);
  });
});
