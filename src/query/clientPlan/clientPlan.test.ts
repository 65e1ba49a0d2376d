/** What clients are told to do, one shape of query after the other; then what is never planned. */
import { describe, expect, test } from "vitest";

import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { parseQuery } from "../language/parser.ts";
import type { QueryProblem } from "../problem.ts";
import { type ClientPlan, clientPlanOf, isLeftToClients, type PlanSetting } from "./clientPlan.ts";
import { NOTHING_TO_DO, type QueryInfo } from "./queryInfo.ts";

const FILTER = "({documentdb-formattableorderbyquery-filter})";

const ALL_FEATURES: ReadonlySet<string> = new Set([
  "Aggregate",
  "CountIf",
  "DCount",
  "Distinct",
  "GroupBy",
  "ListAndSetAggregate",
  "MultipleAggregates",
  "MultipleOrderBy",
  "NonStreamingOrderBy",
  "NonValueAggregate",
  "OffsetAndLimit",
  "OrderBy",
  "Top",
]);

const PARAMETERS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["@two", 2],
  ["@text", "2"],
]);

type Row = readonly [query: string, info: Partial<QueryInfo>];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)("%s", (query, info) => {
      const plan = planOf(query);
      const seen = plan["queryInfo"] as QueryInfo;
      expect(oneLine(seen)).toEqual({ ...NOTHING_TO_DO, ...info });
      // Whatever is sent back to us has to be a query.
      expect(parseQuery(seen.rewrittenQuery.replace(FILTER, "true") || query).ok).toBe(true);
    });
  });
}

table("rows that are only put behind each other", [
  ["SELECT * FROM c", {}],
  ["SELECT c.a FROM c JOIN t IN c.tags WHERE t = 1", {}],
  ["SELECT VALUE c.a FROM c", { hasSelectValue: true }],
  ["SELECT 5", {}],
  ["SELECT TOP 1 5", {}],
  ["SELECT VALUE COUNT(1)", { hasSelectValue: true }],
  ["SELECT (SELECT VALUE MAX(x) + 1 FROM x IN c.list) AS m FROM c", {}],
]);

table("the first rows", [
  ["SELECT TOP 5 * FROM c", { top: 5 }],
  ["SELECT TOP @two * FROM c WHERE c.pk = 1", { top: 2 }],
  [
    "SELECT * FROM c OFFSET @two LIMIT 3",
    { offset: 2, limit: 3, rewrittenQuery: "SELECT * FROM c OFFSET 0 LIMIT 5" },
  ],
  ["SELECT * FROM c WHERE c.pk = 1 OFFSET 2 LIMIT 3", {}],
  [
    "SELECT * FROM c WHERE c.pk IN (1, 2) OFFSET 2 LIMIT 3",
    {
      offset: 2,
      limit: 3,
      rewrittenQuery: "SELECT * FROM c WHERE (c.pk IN (1, 2)) OFFSET 0 LIMIT 5",
    },
  ],
  [
    "SELECT * FROM c OFFSET 4294967295 LIMIT 4294967295",
    {
      offset: 4294967295,
      limit: 4294967295,
      rewrittenQuery: "SELECT * FROM c OFFSET 0 LIMIT 4294967295",
    },
  ],
]);

table("order", [
  [
    "SELECT * FROM c ORDER BY c.a DESC, c.b",
    {
      orderBy: ["Descending", "Ascending"],
      orderByExpressions: ["c.a", "c.b"],
      rewrittenQuery:
        'SELECT c._rid, [{"item": c.a}, {"item": c.b}] AS orderByItems, c AS payload ' +
        `FROM c WHERE ${FILTER} ORDER BY c.a DESC, c.b`,
    },
  ],
  [
    "SELECT TOP @two f.x, f.y + 1, f.z[0] FROM Families f WHERE f.x > 1 ORDER BY f.a",
    {
      top: 2,
      orderBy: ["Ascending"],
      orderByExpressions: ["f.a"],
      rewrittenQuery:
        'SELECT TOP 2 f._rid, [{"item": f.a}] AS orderByItems, ' +
        '{"x": f.x, "$1": (f.y + 1), "$2": f.z[0]} AS payload ' +
        `FROM Families AS f WHERE ((f.x > 1) AND ${FILTER}) ORDER BY f.a`,
    },
  ],
  [
    "SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY c.a OFFSET 1 LIMIT 2",
    {
      offset: 1,
      limit: 2,
      hasSelectValue: true,
      orderBy: ["Ascending"],
      orderByExpressions: ["c.a"],
      rewrittenQuery:
        'SELECT c._rid, [{"item": c.a}] AS orderByItems, t AS payload FROM c JOIN t IN c.tags ' +
        `WHERE (${FILTER} AND IS_DEFINED(t)) ORDER BY c.a OFFSET 0 LIMIT 3`,
    },
  ],
]);

table("distinct rows", [
  ["SELECT DISTINCT c.a FROM c", { distinctType: "Unordered" }],
  [
    "SELECT DISTINCT TOP 5 c.a FROM c",
    { distinctType: "Unordered", top: 5, rewrittenQuery: "SELECT DISTINCT c.a FROM c" },
  ],
  [
    "SELECT DISTINCT VALUE c.a FROM c ORDER BY c.a DESC OFFSET 0 LIMIT 1",
    {
      distinctType: "Ordered",
      hasSelectValue: true,
      offset: 0,
      limit: 1,
      orderBy: ["Descending"],
      orderByExpressions: ["c.a"],
      rewrittenQuery:
        'SELECT c._rid, [{"item": c.a}] AS orderByItems, c.a AS payload FROM c ' +
        `WHERE (${FILTER} AND IS_DEFINED(c.a)) ORDER BY c.a DESC`,
    },
  ],
  [
    "SELECT DISTINCT VALUE c.b FROM c ORDER BY c.a",
    {
      distinctType: "Unordered",
      hasSelectValue: true,
      orderBy: ["Ascending"],
      orderByExpressions: ["c.a"],
      rewrittenQuery:
        'SELECT c._rid, [{"item": c.a}] AS orderByItems, c.b AS payload FROM c ' +
        `WHERE (${FILTER} AND IS_DEFINED(c.b)) ORDER BY c.a`,
    },
  ],
  [
    "SELECT COUNT(1) AS n FROM (SELECT DISTINCT VALUE c.a FROM c)",
    {
      distinctType: "Unordered",
      dCountInfo: { dCountAlias: "n" },
      rewrittenQuery: "SELECT DISTINCT VALUE c.a FROM c",
    },
  ],
  [
    "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT c.a, c.b FROM c) AS d",
    {
      distinctType: "Unordered",
      hasSelectValue: true,
      dCountInfo: { dCountAlias: "" },
      rewrittenQuery: "SELECT DISTINCT c.a, c.b FROM c",
    },
  ],
]);

const MIN_PARTS = '{"item": MIN(c.a), "item2": {"min": MIN(c.a), "count": COUNT(c.a)}}';
const AVERAGE_PARTS = '{"item": {"sum": SUM(c.a), "count": COUNT(c.a)}}';

table("aggregates", [
  [
    "SELECT VALUE Count(1) FROM c",
    {
      hasSelectValue: true,
      aggregates: ["Count"],
      rewrittenQuery: 'SELECT VALUE [{"item": Count(1)}] FROM c',
    },
  ],
  [
    "SELECT TOP 1 VALUE MIN(c.a) FROM c WHERE c.pk = 1 ORDER BY c.b",
    {
      top: 1,
      hasSelectValue: true,
      aggregates: ["Min"],
      rewrittenQuery: `SELECT VALUE [${MIN_PARTS}] FROM c WHERE (c.pk = 1) ORDER BY c.b`,
    },
  ],
  [
    "SELECT AVG(c.a), 'x' AS tag FROM c",
    {
      groupByAliases: ["$1", "tag"],
      groupByAliasToAggregateType: { $1: "Average", tag: null },
      rewrittenQuery: `SELECT {"$1": ${AVERAGE_PARTS}, "tag": "x"} AS payload FROM c`,
    },
  ],
  [
    "SELECT c.k, MIN(c.a) AS low FROM c GROUP BY c.k OFFSET 1 LIMIT 2",
    {
      offset: 1,
      limit: 2,
      groupByExpressions: ["c.k"],
      groupByAliases: ["k", "low"],
      groupByAliasToAggregateType: { k: null, low: "Min" },
      rewrittenQuery:
        `SELECT [{"item": c.k}] AS groupByItems, {"k": c.k, "low": ${MIN_PARTS}} AS payload ` +
        "FROM c GROUP BY c.k",
    },
  ],
  [
    "SELECT DISTINCT VALUE AVG(c.a) FROM c GROUP BY c.k, LOWER(c.l)",
    {
      distinctType: "Unordered",
      hasSelectValue: true,
      aggregates: ["Average"],
      groupByExpressions: ["c.k", "LOWER(c.l)"],
      rewrittenQuery:
        'SELECT [{"item": c.k}, {"item": LOWER(c.l)}] AS groupByItems, ' +
        `[${AVERAGE_PARTS}] AS payload FROM c GROUP BY c.k, LOWER(c.l)`,
    },
  ],
]);

describe("ranges", () => {
  const TREE: PartitionKeyDefinition = { paths: ["/t", "/u"], kind: "MultiHash", version: 2 };
  const A = "3A5381E1114EB8D3FCC90795045B49B7";
  const NULL = "378867E4430E67857ACE5C908374FE16";
  const rows: readonly (readonly [filter: string, ranges: readonly string[]])[] = [
    ["true", ["[,FF)"]],
    ["false", ["[,]"]],
    ["c.t = 'a'", [`[${A},${A}FF)`]],
    ["c.t = 'a' AND c.u = null", [`[${A}${NULL},${A}${NULL}]`]],
    ["c.t IN ('a', null)", [`[${NULL},${NULL}FF)`, `[${A},${A}FF)`]],
  ];
  test.each(rows)("%s", (filter, ranges) => {
    const plan = planOf(`SELECT * FROM c WHERE ${filter}`, { partitionKey: TREE });
    const seen = (plan["queryRanges"] as readonly JsonObject[]).map((range) => {
      const [opening, closing] = [range["isMinInclusive"], range["isMaxInclusive"]];
      return `${opening ? "[" : "("}${range["min"]},${range["max"]}${closing ? "]" : ")"}`;
    });
    expect(seen).toEqual(ranges);
    expect(plan["partitionedQueryExecutionInfoVersion"]).toBe(2);
  });
});

describe("what is not planned", () => {
  const composition = "Compositions of aggregates and other expressions are not allowed.";
  const rows: readonly (readonly [query: string, message: string])[] = [
    ["SELECT VALUE MAX(c.a) - MIN(c.a) FROM c", composition],
    ["SELECT c.k, {n: COUNT(1)} FROM c GROUP BY c.k", composition],
    ["SELECT COUNT(1), 1 + COUNT(1) FROM c", composition],
    [
      "SELECT * FROM (SELECT c.a FROM c) ORDER BY c.a",
      "Order-by over correlated collections is not supported.",
    ],
    ["SELECT TOP @text * FROM c", "The count value provided for a TOP clause must be an integer."],
  ];
  test.each(rows)("%s", (query, message) => {
    expect(messageOf(problemOf(query))).toBe(message);
  });

  test("what single ranges cannot know of a subquery", () => {
    const query = "SELECT VALUE SUM(d) FROM (SELECT DISTINCT VALUE c.a FROM c WHERE c.pk = 1) AS d";
    expect(planOf(query)["queryInfo"]).toMatchObject({ aggregates: ["Sum"] });
    const items = "SELECT p.name FROM (SELECT DISTINCT * FROM c) AS p";
    expect(planOf(items)["queryInfo"]).toEqual(NOTHING_TO_DO);
    const refused = [
      items.replace("FROM c)", "FROM c.list)"),
      query.replace(" WHERE c.pk = 1", ""),
      "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.a FROM c) OFFSET 1 LIMIT 1",
      "SELECT * FROM (SELECT TOP 3 * FROM c) AS d",
      "SELECT VALUE d.n FROM (SELECT COUNT(1) AS n FROM c) AS d",
    ];
    for (const spread of refused) {
      expect(messageOf(problemOf(spread))).toContain("is not supported across partitions");
    }
  });
});

describe("an order by distance", () => {
  const distance = "VectorDistance(c.v, [1, 2], true)";

  test.each([
    [true, "Descending"],
    [false, "Ascending"],
  ])("goes down: %s, as it was bound", (isDown, direction) => {
    const info = planOf(`SELECT TOP 3 c.a FROM c ORDER BY ${distance}`, { ordersDown: [isDown] });
    expect(oneLine(info["queryInfo"] as QueryInfo)).toEqual({
      ...NOTHING_TO_DO,
      top: 3,
      orderBy: [direction],
      orderByExpressions: [distance],
      hasNonStreamingOrderBy: true,
      rewrittenQuery:
        `SELECT TOP 3 c._rid, [{"item": ${distance}}] AS orderByItems, {"a": c.a} AS payload ` +
        `FROM c WHERE ${FILTER} ORDER BY ${distance}`,
    });
  });
});

describe("what a client cannot do is named", () => {
  const rows: readonly (readonly [query: string, missing: readonly string[]])[] = [
    ["SELECT * FROM c WHERE c.a > 1", []],
    ["SELECT TOP 1 * FROM c", ["Top"]],
    ["SELECT * FROM c OFFSET 0 LIMIT 1", ["OffsetAndLimit"]],
    ["SELECT * FROM c WHERE c.pk = 1 OFFSET 0 LIMIT 1", []],
    ["SELECT * FROM c ORDER BY c.a", ["OrderBy"]],
    ["SELECT * FROM c ORDER BY c.a, c.b", ["OrderBy", "MultipleOrderBy"]],
    [
      "SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, [1])",
      ["OrderBy", "Top", "NonStreamingOrderBy"],
    ],
    ["SELECT DISTINCT c.a FROM c", ["Distinct"]],
    ["SELECT VALUE COUNT(1) FROM c", ["Aggregate"]],
    ["SELECT VALUE COUNTIF(c.a) FROM c", ["Aggregate", "CountIf"]],
    ["SELECT MAKELIST(c.a) FROM c", ["NonValueAggregate", "ListAndSetAggregate"]],
    ["SELECT SUM(c.a), SUM(c.b) FROM c", ["NonValueAggregate", "MultipleAggregates"]],
    ["SELECT c.k FROM c GROUP BY c.k", ["GroupBy"]],
    ["SELECT COUNT(1) FROM (SELECT DISTINCT c.a FROM c)", ["DCount", "Distinct"]],
  ];
  test.each(rows)("%s", (query, missing) => {
    const lines = missing.map(
      (feature) => `Query contained ${feature}, which the calling client does not support.`,
    );
    const opening =
      "Query contains 1 or more unsupported features. " +
      "Upgrade your SDK to a version that does support the requested features:";
    const nothing = { supportedFeatures: new Set<string>() };
    const seen =
      missing.length === 0 ? planOf(query, nothing) : messageOf(problemOf(query, nothing));
    if (missing.length > 0) expect(seen).toBe([opening, ...lines].join("\n"));
    expect(planOf(query, { supportedFeatures: new Set(missing) })).toBeDefined();
  });
});

describe("the service leaves to clients", () => {
  const rows: [query: string, isLeft: boolean, isLeftInParallel: boolean][] = [
    ["SELECT * FROM c", false, true],
    ["SELECT VALUE c.a FROM c JOIN t IN c.t WHERE t.b > 1", false, true],
    ["SELECT * FROM c WHERE c.pk IN (1, 2)", false, true],
    ["SELECT * FROM c WHERE c.pk = 1", false, false],
    ["SELECT * FROM c WHERE false", false, false],
    ["SELECT 1 AS one", false, false],
    ["SELECT TOP 1 * FROM c", true, true],
    ["SELECT * FROM c OFFSET 0 LIMIT 1", true, true],
    ["SELECT * FROM c ORDER BY c.a", true, true],
    ["SELECT * FROM c WHERE c.pk IN (1, 2) ORDER BY c.a", true, true],
    ["SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, [1])", true, true],
    ["SELECT DISTINCT c.a FROM c", true, true],
    ["SELECT VALUE COUNT(1) FROM c", true, true],
    ["SELECT COUNT(1) AS n FROM c", true, true],
    ["SELECT c.k FROM c GROUP BY c.k", true, true],
    ["SELECT COUNT(1) FROM (SELECT DISTINCT c.a FROM c)", true, true],
    ["SELECT TOP 1 * FROM c WHERE c.pk = 1", false, false],
    ["SELECT * FROM c WHERE c.pk = 1 ORDER BY c.a", false, false],
    ["SELECT VALUE COUNT(1) FROM c WHERE c.pk = 1", false, false],
    ["SELECT COUNT(1) AS n FROM c WHERE c.pk = 1", true, true],
    ["SELECT c.k, COUNT(1) AS n FROM c WHERE c.pk = 1 GROUP BY c.k", false, false],
    ["SELECT DISTINCT c.a FROM c WHERE c.pk = 1", true, true],
  ];
  test.each(rows)("%s: %s, in parallel %s", (query, isLeft, isLeftInParallel) => {
    const plan = planOf(query, { supportedFeatures: undefined });
    expect(isLeftToClients(plan, false)).toBe(isLeft);
    expect(isLeftToClients(plan, true)).toBe(isLeftInParallel);
  });
});

function answerTo(text: string, setting: Partial<PlanSetting>): ReturnType<typeof clientPlanOf> {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(`${text}: ${messageOf(parsed.error)}`);
  return clientPlanOf(parsed.value, {
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
    parameters: PARAMETERS,
    supportedFeatures: ALL_FEATURES,
    ...setting,
  });
}

function planOf(text: string, setting: Partial<PlanSetting> = {}): ClientPlan {
  const plan = answerTo(text, setting);
  if (!plan.ok) throw new Error(messageOf(plan.error));
  return plan.value;
}

function problemOf(text: string, setting: Partial<PlanSetting> = {}): QueryProblem {
  const plan = answerTo(text, setting);
  if (plan.ok) throw new Error(`a plan for ${text}`);
  return plan.error;
}

function messageOf(problem: QueryProblem): string {
  return problem.kind === "refused" ? problem.message : problem.diagnostics[0]!.message;
}

function oneLine(info: QueryInfo): QueryInfo {
  return { ...info, rewrittenQuery: info.rewrittenQuery.replaceAll("\n", " ") };
}
