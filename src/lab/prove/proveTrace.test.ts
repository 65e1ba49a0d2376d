/** Operations of a proof: how often, about which items, with which keys. */
import { describe, expect, it } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { candidateOf } from "../lab.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { type ProofPlan, planOf } from "./plan.ts";
import type { ProofCase } from "./proofCase.ts";
import { type ProofRequest, requestOf } from "./requests.ts";
import { evenlyTaken, keyOrder } from "./subjects.ts";
import type { TraceEvent } from "./trace.ts";

const TEXT = `
item: {example: {id: a, user: u, kind: k, at: "2026-01-01T00:00:00Z", note: text}}
properties:
  /user: {distinct: 40, items: uniform, requests: {kind: zipf, s: 1}}
  /kind: {distinct: 4}
  /team:
    distinct: 2
    items: {kind: shares, shares: {red: 80 %, blue: 20 %}}
    requests: {kind: shares, shares: {red: 30 %, blue: 70 %}}
  /member: {distinct: 20, within: /team}
  /at: {time: second}
growth: {itemsPerDay: 10, retentionDays: 120}
operations:
  - {id: add, kind: create, rate: 10}
  - {id: see, kind: pointRead, rate: 20}
  - {id: lose, kind: pointRead, rate: 1, knows: [/kind]}
  - {id: mark, kind: patch, rate: 5, changes: [/kind]}
  - id: mine
    kind: query
    rate: 10
    sql: SELECT * FROM c WHERE c.user = @u AND c.at >= @from
    params: {"@from": now - 20 days}
  - id: last
    kind: query
    rate: 2
    sql: SELECT TOP 3 * FROM c WHERE c.user = @u ORDER BY c.at DESC
  - {id: two, kind: query, rate: 2, sql: "SELECT * FROM c WHERE c.user IN (@a, @b)"}
horizonMonths: 4
`;

function planned(text = TEXT): ProofPlan {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return planOf({
    workload: read.value,
    simulations: [],
    limits: SERVICE_LIMITS,
    serverLimits: undefined,
    factor: undefined,
    items: 1200,
    rate: 50,
    seconds: 4,
    operationCount: 2000,
    seed: 1,
  });
}

function caseOf(plan: ProofPlan, key: string): ProofCase {
  const candidate = candidateOf({ id: key, levels: [key], facts: undefined, place: "test" });
  if (!candidate.ok) throw new Error(candidate.error);
  return plan.caseOf(candidate.value);
}

const plan = planned();
const byUser = caseOf(plan, "/user");
const { demand, load } = plan.tracesOf(byUser);

function eventsOf(id: string, events = demand.events): readonly TraceEvent[] {
  const at = plan.models.findIndex(({ operation }) => operation.id === id);
  return events.filter(({ operation }) => operation === at);
}

function requestsOf(id: string, proofCase = byUser, partitionCount = 8): readonly ProofRequest[] {
  return eventsOf(id).map((event) =>
    requestOf(event, {
      shape: proofCase.shape,
      models: plan.models,
      nowMillis: plan.nowMillis,
      partitionCount,
      stored: (index) => proofCase.items[index]!,
    }),
  );
}

describe("operations of a proof", () => {
  it("come at their rates, in the order of time", () => {
    expect(load.events.length).toBeCloseTo(200, -1);
    expect(eventsOf("add").length / eventsOf("see").length).toBeCloseTo(0.5, 2);
    const times = load.events.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)!).toBeLessThan(4);
  });

  it("come often enough to be seen, however rare, where only what they ask for counts", () => {
    // One in fifty by its rate, and so in the load.
    expect(eventsOf("lose")).toHaveLength(100);
    expect(eventsOf("lose", load.events)).toHaveLength(4);
    expect(eventsOf("see")).toHaveLength(800);
  });

  it("come once in every step of their rate, and two of the same rate keep no distance", () => {
    const steps = eventsOf("see", load.events).map(({ at }, index) => at * 20 - index);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(-1);
    expect(Math.max(...steps)).toBeLessThan(2);
    const [adds, mines] = [eventsOf("add", load.events), eventsOf("mine", load.events)];
    const distances = adds.map(({ at }, index) => Math.round(100 * (at - mines[index]!.at)));
    expect(new Set(distances).size).toBeGreaterThan(distances.length / 4);
  });

  it("ask for users as often as is declared", () => {
    const counts = new Map<unknown, number>();
    const asked = eventsOf("see").map(({ subject }) => byUser.items[subject]!.item["user"]);
    for (const user of asked) counts.set(user, (counts.get(user) ?? 0) + 1);
    const harmonic = Array.from({ length: 40 }, (_, at) => 1 / (at + 1)).reduce((a, b) => a + b);
    for (const [rank, tolerance] of [
      [1, 0.06],
      [2, 0.08],
      [5, 0.15],
    ] as const) {
      const share = (counts.get(`user-00000${rank}`) ?? 0) / asked.length;
      expect(Math.abs(share * harmonic * rank - 1)).toBeLessThan(tolerance);
    }
  });

  it("ask for what belongs to others as often as for those, and no more", () => {
    const asked = eventsOf("see").map(({ subject }) => byUser.items[subject]!.item["team"]);
    const blue = asked.filter((team) => team === "blue").length / asked.length;
    expect(Math.abs(blue - 0.7)).toBeLessThan(0.05);
  });

  it("create items that nobody has, with the declared shares", () => {
    const created = eventsOf("add").map((event) => event.created!);
    const ids = new Set([...byUser.items.map(({ id }) => id), ...created.map(({ id }) => id)]);
    expect(ids.size).toBe(byUser.items.length + created.length);
    const kinds = created.filter(({ item }) => item["kind"] === "kind-000001").length;
    expect(kinds / created.length).toBeCloseTo(0.25, 1);
  });

  it("choose what is created in even steps along the keys", () => {
    const byId = caseOf(plan, "/id");
    const created = plan.tracesOf(byId).demand.events.flatMap((event) => event.created ?? []);
    const order = keyOrder([...byId.items, ...created], byId.definition);
    const half = order.slice(0, order.length / 2).filter((at) => at >= byId.items.length).length;
    expect(half / created.length).toBeCloseTo(0.5, 1);
  });
});

describe("items of a proof", () => {
  it("can be stored so that any beginning of them lies evenly along the keys", () => {
    const byId = caseOf(plan, "/id");
    const order = keyOrder(byId.items, byId.definition);
    const rankOf = new Map(order.map((index, rank) => [index, rank]));
    const taken = evenlyTaken(order);
    expect([...taken].sort((a, b) => a - b)).toEqual(byId.items.map((_, at) => at));
    for (const count of [10, 77, 300, 1000]) {
      const ranks = taken.slice(0, count).map((index) => rankOf.get(index)!);
      for (const place of [0.25, 0.5, 0.75]) {
        const before = ranks.filter((rank) => rank < place * order.length).length;
        expect(Math.abs(before - place * count)).toBeLessThan(4);
      }
    }
  });

  it("are predicted with the keys that they have", () => {
    const counts = new Map<string, number>();
    for (const { key } of byUser.items) {
      counts.set(String(key), (counts.get(String(key)) ?? 0) + 1);
    }
    const { keys, partitions } = byUser.prediction;
    const total = partitions.reduce((sum, { bytes }) => sum + bytes, 0);
    const most = Math.max(...counts.values()) / byUser.items.length;
    expect(keys.count.value).toBeCloseTo(counts.size, 6);
    expect(Math.abs(keys.largest.bytesAtEnd.value / total / most - 1)).toBeLessThan(0.01);
  });
});

describe("requests of an application", () => {
  it("name the key where the filter does", () => {
    for (const request of requestsOf("mine")) {
      expect(request).toMatchObject({ kind: "query", keys: [[[expect.stringMatching(/^user-/)]]] });
    }
  });

  it("ask everybody where nobody knows the key", () => {
    const byKind = caseOf(plan, "/kind");
    expect(requestsOf("mine", byKind)[0]).toMatchObject({ kind: "query", keys: undefined });
  });

  it("ask every key of a list", () => {
    expect(requestsOf("two")[0]).toMatchObject({ kind: "query" });
    for (const request of requestsOf("two")) {
      if (request.kind === "query") expect(request.keys![0]!.length).toBeLessThanOrEqual(2);
    }
    const areTwo = requestsOf("two").map(
      (each) => each.kind === "query" && each.keys?.[0]?.length === 2,
    );
    expect(areTwo).toContain(true);
  });

  it("ask every period of a range, and the newest first where that may be enough", () => {
    const byMonth = caseOf(plan, "concat(/user, '-', month(/at))");
    for (const request of requestsOf("mine", byMonth)) {
      if (request.kind !== "query") throw new Error("no query");
      const months = request.keys!.map((turn) => turn.map(([key]) => String(key).slice(-7)));
      expect(months).toEqual([["2026-07", "2026-08"]]);
    }
    const [last] = requestsOf("last", byMonth);
    if (last?.kind !== "query") throw new Error("no query");
    expect(last.enough).toBe(3);
    expect(last.keys!.map((turn) => turn.map(([key]) => String(key).slice(-7)))).toEqual([
      ["2026-08"],
      ["2026-07"],
    ]);
  });

  it("work out a month that items have as a property from the range of another time", () => {
    const dated = planned(TEXT.replace("  /at: {time", "  /month: {time: month}\n  /at: {time"));
    const byMonth = caseOf(dated, "/month");
    const at = dated.models.findIndex(({ operation }) => operation.id === "mine");
    const mine = dated.tracesOf(byMonth).demand.events.find(({ operation }) => operation === at)!;
    const request = requestOf(mine, {
      shape: byMonth.shape,
      models: dated.models,
      nowMillis: dated.nowMillis,
      partitionCount: 8,
      stored: (index) => byMonth.items[index]!,
    });
    expect(request).toMatchObject({ kind: "query", keys: [[["2026-07"], ["2026-08"]]] });
  });

  it("ask everybody rather than more keys than there are partitions", () => {
    const byMonth = caseOf(plan, "concat(/user, '-', month(/at))");
    expect(requestsOf("mine", byMonth, 1)[0]).toMatchObject({ keys: undefined });
    expect(requestsOf("last", byMonth, 1)[0]).toMatchObject({ keys: undefined });
  });

  it("look for an item by its id where a caller knows too little, and then act on it", () => {
    expect(requestsOf("lose")[0]).toMatchObject({ kind: "query", keys: undefined });
    expect(requestsOf("see")[0]).toMatchObject({ kind: "pointRead", key: [expect.any(String)] });
  });

  it("change another property where the key would change", () => {
    const byKind = caseOf(plan, "/kind");
    const changes = requestsOf("mark", byKind).map((each) =>
      each.kind === "patch" ? each.changes : [],
    );
    expect(changes.every((each) => each.length === 1 && each[0]![0] !== "/kind")).toBe(true);
    const others = requestsOf("mark").map((each) => (each.kind === "patch" ? each.changes : []));
    expect(others.every((each) => each[0]![0] === "/kind")).toBe(true);
  });
});
