/** What clients are told to do for ORDER BY RANK, text by text, and who is told nothing. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { parseQuery } from "../language/parser.ts";
import { clientPlanOf, type PlanSetting, planText } from "./clientPlan.ts";
import { NOTHING_TO_DO } from "./queryInfo.ts";

const HYBRID = "HybridSearch WeightedRankFusion";
const SKIPPING = `${HYBRID} HybridSearchSkipOrderByRewrite`;
const FILTER = "({documentdb-formattableorderbyquery-filter})";
const NAME = "documentdb-formattablehybridsearchquery";

function planOf(
  text: string,
  features = HYBRID,
  setting: Partial<PlanSetting> = {},
): { readonly info: JsonObject } | { readonly problem: string } {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(text);
  const plan = clientPlanOf(query.value, {
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
    parameters: new Map<string, JsonValue>([
      ["@terms", ["red", "blue"]],
      ["@weights", [2, -1]],
      ["@one", [1]],
    ]),
    supportedFeatures: new Set(features.split(" ")),
    ...setting,
  });
  if (!plan.ok) return { problem: plan.error.kind === "refused" ? plan.error.message : "" };
  expect(plan.value["queryInfo"]).toBeUndefined();
  return { info: oneLine(plan.value["hybridSearchQueryInfo"]!) as JsonObject };
}

/** Line ends do not matter. */
function oneLine(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value).replaceAll("\\n", " ")) as JsonValue;
}

function infoOf(...args: Parameters<typeof planOf>): JsonObject {
  const plan = planOf(...args);
  if ("problem" in plan) throw new Error(plan.problem);
  return plan.info;
}

function score(path: string, terms: string, index = 0): string {
  return (
    `_FullTextScore(${path}, [${terms}], {${NAME}-totaldocumentcount}, ` +
    `{${NAME}-totalwordcount-${index}}, {${NAME}-hitcountsarray-${index}})`
  );
}

describe("one score", () => {
  const swim = score("c.text", '"swim"');
  test("TOP", () => {
    expect(
      infoOf("SELECT TOP 10 c.name FROM c ORDER BY RANK FullTextScore(c.text, 'swim')"),
    ).toEqual({
      globalStatisticsQuery:
        'SELECT COUNT(1) AS documentCount, [{"totalWordCount": SUM(_FullTextWordCount(c.text)), ' +
        '"hitCounts": [COUNTIF(FullTextContains(c.text, "swim"))]}] AS fullTextStatistics FROM c',
      componentQueryInfos: [
        {
          ...NOTHING_TO_DO,
          top: 120,
          orderBy: ["Descending"],
          orderByExpressions: [swim],
          rewrittenQuery:
            `SELECT TOP 120 c._rid, [{"item": ${swim}}] AS orderByItems, ` +
            `{"payload": {"name": c.name}, "componentScores": [(${swim} ?? -1)]} AS payload ` +
            `FROM c WHERE ${FILTER} ORDER BY ${swim} DESC`,
          hasNonStreamingOrderBy: true,
        },
      ],
      componentWithoutPayloadQueryInfos: [],
      projectionQueryInfo: null,
      componentWeights: [],
      skip: null,
      take: 10,
      requiresGlobalStatistics: true,
    });
  });

  test("OFFSET LIMIT reaches as far as rows may come from", () => {
    const info = infoOf(
      "SELECT * FROM c WHERE c.n > 1 ORDER BY RANK FullTextScore(c.text, 'swim') OFFSET 50 LIMIT 40",
    );
    const [component] = info["componentQueryInfos"] as JsonObject[];
    expect([info["skip"], info["take"]]).toEqual([50, 40]);
    expect(component).toMatchObject({ top: null, offset: 0, limit: 180 });
    expect(component!["rewrittenQuery"]).toContain(`{"payload": c, "componentScores":`);
    expect(component!["rewrittenQuery"]).toContain(`WHERE ((c.n > 1) AND ${FILTER})`);
    expect(component!["rewrittenQuery"]).toMatch(/ OFFSET 0 LIMIT 180$/);
  });

  test("it keeps its order whatever the client can do without", () => {
    const query = "SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.text, 'swim')";
    expect(infoOf(query, SKIPPING)).toEqual(infoOf(query));
  });

  test("a count that is too large is cut", () => {
    const info = infoOf("SELECT TOP 4294967295 * FROM c ORDER BY RANK FullTextScore(c.t, 'a')");
    expect(info["componentQueryInfos"]).toMatchObject([{ top: 4294967295 }]);
  });

  test("a list of terms in a parameter is taken apart", () => {
    const info = infoOf("SELECT * FROM c ORDER BY RANK FullTextScore(c.text, @terms)");
    expect(info["globalStatisticsQuery"]).toContain(
      '"hitCounts": [COUNTIF(FullTextContains(c.text, @terms[0])), COUNTIF(FullTextContains(c.text, @terms[1]))]',
    );
    expect(info["take"]).toBe(null);
  });
});

describe("several scores", () => {
  const fused =
    "SELECT TOP 100 VALUE c.name FROM c ORDER BY RANK RRF(FullTextScore(c.t, 'a'), " +
    "VectorDistance(c.v, [1]), FullTextScore(c.u, 'b', 'c')";
  const first = score("c.t", '"a"');
  const third = score("c.u", '"b", "c"', 1);
  const distance = "VectorDistance(c.v, [1])";

  test("a component for each, and every row with all of them", () => {
    const info = infoOf(`${fused})`);
    const components = info["componentQueryInfos"] as JsonObject[];
    expect(components.map((component) => component["orderByExpressions"])).toEqual([
      [first],
      [distance],
      [third],
    ]);
    expect(components[1]!["rewrittenQuery"]).toBe(
      `SELECT TOP 200 c._rid, [{"item": ${distance}}] AS orderByItems, {"payload": c.name, ` +
        `"componentScores": [(${first} ?? -1), (${distance} ?? -1.79769e+308), (${third} ?? -1)]} ` +
        `AS payload FROM c WHERE (${FILTER} AND IS_DEFINED(c.name)) ORDER BY _${distance} DESC`,
    );
  });

  test("where the smaller is the better, and for negative weights, the order is turned", () => {
    const scoresDown = [true, false, true];
    const info = infoOf(`${fused}, [1, 2, -0.5])`, HYBRID, { scoresDown });
    const components = info["componentQueryInfos"] as JsonObject[];
    expect(info["componentWeights"]).toEqual([1, 2, 0.5]);
    expect(components.map((component) => component["orderBy"])).toEqual([
      ["Descending"],
      ["Ascending"],
      ["Ascending"],
    ]);
    expect(components[2]!["rewrittenQuery"]).toContain(
      `[(${first} ?? -1), (${distance} ?? 1.79769e+308), (${third} ?? 1.79769e+308)]`,
    );
  });

  test("clients that can do without an order get scores that all rise", () => {
    const info = infoOf(`${fused}, [1, 2, -0.5])`, SKIPPING, { scoresDown: [true, false, true] });
    const components = info["componentQueryInfos"] as JsonObject[];
    expect(components[1]).toEqual({
      ...NOTHING_TO_DO,
      rewrittenQuery:
        "SELECT TOP 200 c._rid, c.name AS payload, " +
        `[(${first} ?? -1), (-${distance} ?? -1.79769e+308), (-${third} ?? -1.79769e+308)] ` +
        `AS componentScores FROM c WHERE IS_DEFINED(c.name) ORDER BY _${distance} ASC`,
    });
  });

  test("without a text there are no statistics to collect", () => {
    const info = infoOf(
      "SELECT * FROM c ORDER BY RANK RRF(VectorDistance(c.v, [1]), VectorDistance(c.w, [1]))",
    );
    expect(info["requiresGlobalStatistics"]).toBe(false);
  });

  test("weights may be a parameter", () => {
    const query =
      "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.t, 'a'), FullTextScore(c.u, 'b'), @weights)";
    expect(infoOf(query)["componentWeights"]).toEqual([2, 1]);
  });
});

test("weights are written as doubles, and nothing else is", () => {
  const query = "SELECT '\"componentWeights\":[1]'";
  const plan = { query, hybridSearchQueryInfo: { componentWeights: [1, -2, 0.5], take: 10 } };
  const text = planText(plan);
  expect(text).toContain('"componentWeights":[1.0,-2.0,0.5],"take":10');
  expect(JSON.parse(text)).toEqual(plan);
});

describe("refused", () => {
  const rank = "SELECT * FROM c ORDER BY RANK";
  const rows: readonly (readonly [rule: string, query: string, features: string, told: string])[] =
    [
      [
        "clients that cannot rank",
        `${rank} FullTextScore(c.t, 'a')`,
        "OrderBy",
        "Query contained HybridSearch,",
      ],
      [
        "clients that know no weights",
        `${rank} RRF(FullTextScore(c.t, 'a'), FullTextScore(c.t, 'b'), [1, 2])`,
        "HybridSearch",
        "Query contained WeightedRankFusion,",
      ],
      [
        "weights that are too few",
        `${rank} RRF(FullTextScore(c.t, 'a'), FullTextScore(c.t, 'b'), @one)`,
        HYBRID,
        "2 numbers",
      ],
      [
        "weights that no JSON can say",
        `${rank} RRF(FullTextScore(c.t, 'a'), FullTextScore(c.t, 'b'), [1e400, 1])`,
        HYBRID,
        "2 numbers",
      ],
      ["a number as a term", `${rank} FullTextScore(c.t, 5)`, HYBRID, "must be a string"],
      ["a path as a term", `${rank} FullTextScore(c.t, ['a', c.u])`, HYBRID, "must be a string"],
      ["a parameter as one", `${rank} FullTextScore(c.t, @one)`, HYBRID, "must be a string"],
      [
        "what is short as it is written, and long as it is divided",
        `${rank} RRF(FullTextScore(c.t, '${"a".repeat(90_000)}'), FullTextScore(c.t, 'b'))`,
        HYBRID,
        "would be too long",
      ],
    ];
  test.each(rows)("%s", (_, query, features, told) => {
    expect(planOf(query, features)).toEqual({ problem: expect.stringContaining(told) });
  });
});
