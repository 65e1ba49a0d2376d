/** Items without a value for a key: where they lie, what is said of it, and the way out. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { runLab } from "../lab.ts";
import { Profiler } from "../profile/profiler.ts";
import { readWorkload } from "../workload/workloadText.ts";
import type { Advice, CandidateAdvice } from "./advice.ts";

const GB = 1024 ** 3;

function adviceFor(
  missingShare: number,
  { items, keys }: { readonly items?: readonly object[]; readonly keys?: readonly string[] } = {},
): Advice {
  const named = (keys ?? []).map((key, at) => `  - {id: k${at}, key: "${key}"}`);
  const text = `
name: accounts
horizonMonths: 12
item: {bytes: 1 KB}
properties:
  /accountId: {distinct: 20000, missingShare: ${missingShare}}
  /at: {time: second}
growth: {itemsPerDay: 2 million, peakFactor: 2}
operations:
  - {id: write, kind: create, rate: 2 million/day}
  - {id: mine, kind: query, rate: 50, sql: "SELECT * FROM c WHERE c.accountId = @a", resultItems: 10}
${named.length === 0 ? "" : `candidates:\n${named.join("\n")}`}
`;
  const read = readWorkload(text, "yaml", "accounts");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const profiler = new Profiler({ source: "items" });
  for (const item of items ?? []) profiler.add(item as never, JSON.stringify(item).length);
  return runLab({
    workload: read.value,
    profile: items === undefined ? undefined : profiler.result("all"),
    candidates: [],
    onlyNamed: keys !== undefined,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
}

function keyOf(advice: Advice, expression: string): CandidateAdvice {
  return advice.candidates.find((each) => each.expression === expression)!;
}

function nullReason({ reasons }: CandidateAdvice): CandidateAdvice["reasons"][number] | undefined {
  return reasons.find(({ code }) => code === "null-concentration");
}

const FILLED = "coalesce(/accountId, concat('none-', /id))";
const DATED = "concat(/accountId, '-', month(/at))";
const KEYS = ["/accountId", "[/accountId, /id]", DATED, "[/accountId, month(/at)]", FILLED];

describe("three items in ten have no account", () => {
  const advice = adviceFor(0.3, { keys: KEYS });
  const bytes = (expression: string): number =>
    keyOf(advice, expression).simulation.keys.largest.bytesAtEnd.value;

  test("under the account they are one logical partition, which is too large", () => {
    expect(nullReason(keyOf(advice, "/accountId"))).toMatchObject({ weight: "against" });
    expect(keyOf(advice, "/accountId").simulation.keys.largest.label).toBe("(none)");
    expect(bytes("/accountId")).toBeGreaterThan(200 * GB);
  });

  test("a second level tells them apart, and nothing is held against it", () => {
    const key = keyOf(advice, "[/accountId, /id]");
    expect(nullReason(key)?.weight).toBe("remark");
    expect(nullReason(key)?.sentence).toContain("the rest of it tells them apart");
    expect(bytes("[/accountId, /id]")).toBeLessThan(1e5);
    expect(key.verdict).not.toBe("bad");
  });

  test("of a concatenation nothing is left where a part is missing: no month divides them", () => {
    expect(bytes(DATED)).toBeCloseTo(bytes("/accountId"), -6);
    expect(nullReason(keyOf(advice, DATED))).toMatchObject({ weight: "against" });
  });

  test("levels go on by month", () => {
    const month = bytes("[/accountId, month(/at)]");
    expect(month).toBeLessThan(bytes("/accountId") / 8);
    expect(month).toBeGreaterThan(GB);
  });

  test("a key that says what to take instead has no such partition", () => {
    const key = keyOf(advice, FILLED);
    expect(nullReason(key)).toBeUndefined();
    expect(key.simulation.missingShare).toBe(0);
    expect(bytes(FILLED)).toBeLessThan(GB);
    const items = 0.3 * 2e6 * 365.25;
    expect(key.simulation.keys.count.value / items).toBeCloseTo(1, 1);
    expect(key.simulation.operations.find(({ id }) => id === "mine")?.routing.kind).toBe("key");
  });
});

describe("what is proposed", () => {
  test("a key with something in its place, among those that the lab finds", () => {
    const advice = adviceFor(0.3);
    expect(keyOf(advice, FILLED).verdict).not.toBe("bad");
    const said = advice.alternatives.filter(({ kind }) => kind === "own-keys");
    expect(said).toHaveLength(1);
    expect(said[0]?.sentence).toContain(FILLED);
  });

  test("nothing, when nothing is missing", () => {
    const advice = adviceFor(0);
    expect(advice.candidates.some(({ expression }) => expression.includes("coalesce"))).toBe(false);
    expect(advice.alternatives.filter(({ kind }) => kind === "own-keys")).toEqual([]);
  });
});

test("null and a default are none, too, and each is counted as itself", () => {
  const items = Array.from({ length: 3000 }, (_, at) => ({
    id: `i${at}`,
    accountId: at % 5 === 0 ? null : at % 5 === 1 ? "unknown" : `a${at % 400}`,
    at: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
  }));
  const advice = adviceFor(0, { items });
  const plain = keyOf(advice, "/accountId");
  expect(plain.simulation.missingShare).toBeCloseTo(0.2, 2);
  expect(nullReason(plain)?.counterExample).toBe("(null)");
  const filled = advice.candidates.find(({ expression }) => expression.startsWith("coalesce("))!;
  expect(filled.expression).toBe(
    "coalesce(choose(/accountId, ['unknown'], concat(/accountId, '-', /id), /accountId), " +
      "concat('none-', /id))",
  );
  expect(filled.simulation.missingShare).toBe(0);
  expect(filled.simulation.keys.largest.share).toBeLessThan(0.01);
});
