/** What the worked cases brought to light, as rules: each was wrong once. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { candidateOf, simulateOne } from "../lab.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { accessOf } from "../workload/access.ts";
import { printWorkload } from "../workload/printWorkload.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";

function workloadOf(text: string): Workload {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function simulationOf(workload: Workload, key: string): Simulation {
  const candidate = candidateOf({ id: key, levels: [key], facts: undefined, place: key });
  if (!candidate.ok) throw new Error(candidate.error);
  const setting = {
    workload,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  };
  return simulateOne(setting, candidate.value);
}

const BASE = `
item: {bytes: 1 KB, example: {id: x, tenant: t, user: u, at: "2026-01-01T00:00:00Z"}}
properties:
  /tenant: {distinct: 2, shares: {big: 0.9, small: 0.1}}
  /user: {distinct: 1010, within: /tenant, distinctWithin: {big: 10, small: 1000}}
  /at: {time: second}
growth: {itemsPerDay: 864000, retentionDays: 365}
operations:
`;

describe("upserts", () => {
  const monthOf = (rate: number): Simulation =>
    simulationOf(workloadOf(`${BASE}  - {id: put, kind: upsert, rate: ${rate}}\n`), "month(/at)");

  test("that make all items that come are writes of now", () => {
    expect(monthOf(10).load.hottestKey.writeShare).toBeCloseTo(1, 6);
  });

  test("beyond those change items of any age", () => {
    const share = monthOf(1000).load.hottestKey.writeShare;
    expect(share).toBeLessThan(0.1);
    expect(share).toBeGreaterThan(0.01);
  });
});

describe("values that belong to others", () => {
  test("have shares of what they belong to, also where that is no part of the key", () => {
    const facts = declaredFacts(workloadOf(`${BASE}  - {kind: create, rate: 10}\n`));
    const { rows } = facts.populationOf(["/user"]);
    const heaviest = Math.max(...rows.map(({ itemShare, keyCount }) => itemShare / keyCount));
    expect(heaviest).toBeCloseTo(0.09, 6);
    expect(rows.reduce((sum, { keyCount }) => sum + keyCount, 0)).toBeCloseTo(1010, 6);
  });
});

describe("a unique property as the key", () => {
  test("has as many keys as there are items", () => {
    const { keys } = simulationOf(workloadOf(`${BASE}  - {kind: create, rate: 10}\n`), "/id");
    expect(keys.itemsPerKey).toBeCloseTo(1, 6);
  });
});

describe("ORDER BY for a composite index", () => {
  test("a path that the filter binds orders nothing", () => {
    const sql = "SELECT TOP 9 * FROM c WHERE c.user = @u ORDER BY c.user, c.at DESC";
    const order = accessOf({ sql, parameters: new Map() }).order;
    expect(order).toEqual({ path: "/at", isDescending: true });
  });

  test("a path that it binds to several does", () => {
    const sql = "SELECT * FROM c WHERE c.user IN ('a', 'b') ORDER BY c.user, c.at DESC";
    const order = accessOf({ sql, parameters: new Map() }).order;
    expect(order).toEqual({ path: "/user", isDescending: false });
  });
});

describe("the indexing policy of a workload", () => {
  const QUERY = `${BASE}  - {id: put, kind: create, rate: 10}
  - id: newest
    kind: query
    rate: 10
    sql: SELECT TOP 20 * FROM c WHERE c.user = @u ORDER BY c.user, c.at DESC
    resultItems: 20
`;
  const INDEXED = `${QUERY}indexing:
  compositeIndexes: [[{path: /user}, {path: /at, order: descending}]]
`;
  const ruOf = (simulation: Simulation, id: string): number =>
    simulation.operations.find((one) => one.id === id)!.ruEach;

  test("decides what queries in an order and writes cost", () => {
    const unindexed = QUERY.replace("ORDER BY c.user, c.at", "ORDER BY c.at");
    const [plain, indexed] = [unindexed, INDEXED].map((text) =>
      simulationOf(workloadOf(text), "/user"),
    );
    expect(ruOf(indexed!, "newest")).toBeLessThan(ruOf(plain!, "newest"));
    expect(ruOf(indexed!, "put")).toBeGreaterThan(ruOf(plain!, "put"));
  });

  test("includes all paths unless it says which, and is printed as it is read", () => {
    const workload = workloadOf(INDEXED);
    expect(workload.indexing?.includedPaths).toEqual([{ path: "/*" }]);
    expect(workloadOf(printWorkload(workload)).indexing).toEqual(workload.indexing);
  });

  test("is told where it is wrong", () => {
    const text = `${QUERY}indexing: {compositeIndexes: [[{path: /user}]]}\n`;
    const read = readWorkload(text, "yaml", "test");
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.error[0]?.place).toMatch(/indexing/);
  });
});
