/**
 * How many keys the simulator says are asked, beside those that the requests of a proof ask when
 * they are answered from its items, one by one.
 */
import { describe, expect, it } from "vitest";
import { timeOf } from "../../keys/time.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { positionOf } from "../../partition/keySpace.ts";
import { candidateOf } from "../lab.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { type ProofPlan, planOf } from "./plan.ts";
import type { ProofCase } from "./proofCase.ts";
import { type QueryRequest, requestOf } from "./requests.ts";
import type { TraceEvent } from "./trace.ts";

const TEXT = `
item: {example: {id: a, source: s, at: "2026-01-01T00:00:00Z"}}
properties:
  /source: {distinct: 60, shares: {north: 30 %, south: 20 %}}
  /site: {distinct: 5}
  /at: {time: second}
growth: {itemsPerDay: 40, retentionDays: 200}
operations:
  - id: range
    kind: query
    rate: 10
    sql: SELECT * FROM c WHERE c.source = @s AND c.at >= @from
    params: {"@from": now - 20 days}
  - id: newest
    kind: query
    rate: 10
    sql: SELECT TOP 10 * FROM c WHERE c.source = @s ORDER BY c.at DESC
  - id: newest-of-range
    kind: query
    rate: 10
    sql: SELECT TOP 10 * FROM c WHERE c.source = @s AND c.at >= @from ORDER BY c.at DESC
    params: {"@from": now - 20 days}
  - id: last
    kind: query
    rate: 10
    sql: SELECT TOP 1 * FROM c WHERE c.source = @s ORDER BY c.at DESC
  - {id: all, kind: query, rate: 10, sql: "SELECT * FROM c WHERE c.source = @s"}
horizonMonths: 7
`;

const plan = planned();

function planned(): ProofPlan {
  const read = readWorkload(TEXT, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return planOf({
    workload: read.value,
    simulations: [],
    limits: { ...SERVICE_LIMITS, partitionRateMax: 100 },
    serverLimits: undefined,
    factor: undefined,
    items: 4000,
    rate: 100,
    seconds: 4,
    operationCount: 1600,
    seed: 1,
  });
}

interface Traced {
  readonly proofCase: ProofCase;
  readonly events: readonly TraceEvent[];
}

const byName = new Map<string, Traced>();

function tracedOf(key: string): Traced {
  const known = byName.get(key);
  if (known !== undefined) return known;
  const proofCase = caseOf(key);
  const traced = { proofCase, events: plan.tracesOf(proofCase).demand.events };
  byName.set(key, traced);
  return traced;
}

function caseOf(key: string): ProofCase {
  const candidate = candidateOf({ id: key, levels: [key], facts: undefined, place: "test" });
  if (!candidate.ok) throw new Error(candidate.error);
  return plan.caseOf(candidate.value);
}

/** By the name of a key: the items of it. */
type ByKey = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

function byKeyIn({ items }: ProofCase): ByKey {
  const byKey = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const { item, key } of items) {
    const name = JSON.stringify(key);
    byKey.set(name, [...(byKey.get(name) ?? []), item]);
  }
  return byKey;
}

/** Keys that are asked until there are enough rows, and the partitions they lie in. */
function asked(
  request: QueryRequest,
  byKey: ByKey,
  { definition, prediction }: ProofCase,
): { readonly keys: number; readonly partitions: number } {
  const given = (name: string): unknown =>
    request.parameters.find((parameter) => parameter.name === name)?.value;
  const from = timeOf(given("@from") as string) ?? Number.NEGATIVE_INFINITY;
  const isMatch = (item: Readonly<Record<string, unknown>>): boolean =>
    item["source"] === given("@s") && timeOf(item["at"] as string)! >= from;
  let [keys, rows] = [0, 0];
  const partitions = new Set<number>();
  for (const turn of request.keys!) {
    for (const key of turn) {
      const place = positionOf(definition, epkOf(definition, key));
      partitions.add(prediction.partitions.findIndex(({ to }) => place < to));
      rows += (byKey.get(JSON.stringify(key)) ?? []).filter(isMatch).length;
      keys++;
    }
    if (request.enough !== undefined && rows >= request.enough) break;
  }
  return { keys, partitions: partitions.size };
}

function requestsOf(id: string, { proofCase, events }: Traced): readonly QueryRequest[] {
  const at = plan.models.findIndex(({ operation }) => operation.id === id);
  return events
    .filter(({ operation }) => operation === at)
    .map((event) => {
      const request = requestOf(event, {
        shape: proofCase.shape,
        models: plan.models,
        nowMillis: plan.nowMillis,
        partitionCount: proofCase.prediction.partitions.length,
        stored: (index) => proofCase.items[index]!,
      });
      if (request.kind !== "query") throw new Error("no query");
      return request;
    });
}

const CHOOSE = "choose(/source, ['north', 'south'], ";

/** Keys, operations, and what differs between them, for whoever reads the names. */
const CASES: readonly (readonly [key: string, operation: string])[] = [
  ["concat(/source, '-', month(/at))", "range"],
  ["concat(/source, '-', month(/at))", "newest"],
  ["concat(/source, '-', month(/at))", "newest-of-range"],
  ["concat(/source, '-', quarter(/at))", "newest-of-range"],
  ["concat(/source, '-', week(/at))", "range"],
  ["concat(/source, '-', week(/at))", "newest-of-range"],
  ["concat(/source, '-', day(/at))", "last"],
  ["concat(/source, '-', year(/at), '-', month(/at))", "range"],
  [`${CHOOSE}concat(/source, month(/at)), concat(/source, quarter(/at)))`, "range"],
  [`${CHOOSE}concat(/source, month(/at)), concat(/source, quarter(/at)))`, "newest"],
  [`${CHOOSE}concat(/source, month(/at)), concat(/source, quarter(/at)))`, "newest-of-range"],
  [`${CHOOSE}suffix(/source, hash(/id), 4), /source)`, "all"],
  [`${CHOOSE}/source, suffix(/source, hash(/id), 4))`, "newest"],
  [`${CHOOSE}concat(/source, month(/at)), /source)`, "range"],
  ["suffix(concat(/source, '-', month(/at)), hash(/id), 2)", "range"],
  ["suffix(concat(/source, '-', month(/at)), hash(/id), 3)", "newest"],
  ["suffix(/source, random(), 3)", "all"],
  ["coalesce(/source, concat('none-', /id))", "all"],
];

describe("keys that are asked", () => {
  it.each(CASES)("under %s by '%s' are as many as the simulator says", (key, id) => {
    const traced = tracedOf(key);
    const { proofCase } = traced;
    expect(proofCase.prediction.partitions.length).toBeGreaterThan(3);
    const byKey = byKeyIn(proofCase);
    const requests = requestsOf(id, traced);
    const counts = requests.map((request) => asked(request, byKey, proofCase));
    const mean = (of: (count: (typeof counts)[number]) => number): number =>
      counts.reduce((sum, count) => sum + of(count), 0) / counts.length;
    const { routing, partitionsVisited } = proofCase.prediction.operations.find(
      (each) => each.id === id,
    )!;
    const said = routing.kind === "keys" ? routing.count : routing.kind === "key" ? 1 : Number.NaN;
    expect(Math.abs(said / mean(({ keys }) => keys) - 1)).toBeLessThan(0.05);
    expect(Math.abs(partitionsVisited / mean(({ partitions }) => partitions) - 1)).toBeLessThan(
      0.08,
    );
  });
});
