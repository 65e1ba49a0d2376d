/**
 * Plans of the service itself, for whoever has a collection of them at hand. A query goes the whole
 * way: parsed, bound, planned. The rules in small are in the tests beside each file.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import type { KeyComponent, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import { bindProgram } from "../bind/bind.ts";
import type { Embedding } from "../bind/vectorDistance.ts";
import { parseQuery } from "../language/parser.ts";
import type { QueryProblem } from "../problem.ts";
import { clientPlanOf } from "./clientPlan.ts";
import { NOTHING_TO_DO } from "./queryInfo.ts";

const REFERENCE = process.env["ORRERY_PLAN_VECTORS"] ?? "";

interface Vector {
  readonly suite: string;
  readonly query: string;
  /** None: any will do. */
  readonly partitionKeyPaths: readonly string[];
  readonly partitionKeyKind: "Hash" | "Range";
  readonly parameters?: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly queryInfo?: JsonObject;
  /** Ranges of keys, or the point of one, each as text. */
  readonly queryRangesAsPartitionKeys?: readonly string[];
  readonly hybridSearchQueryInfoXml?: string;
  readonly expectedErrorOrRaw?: JsonObject;
}

interface Difference {
  readonly reason: string;
  readonly concerns: (vector: Vector) => boolean;
}

/** Where we differ on purpose. */
const DIFFERENCES: readonly Difference[] = [
  {
    reason: "containers ordered by range can no longer be created",
    concerns: ({ partitionKeyKind, query }) =>
      partitionKeyKind === "Range" && /BETWEEN|[<>]/.test(query),
  },
  {
    reason: "counts of ranked rows that are too large are cut, where the service wraps round",
    concerns: ({ query }) => /BY RANK.*(OFFSET|LIMIT) 214|TOP 2147483648 .*RANK/.test(query),
  },
  {
    reason: "numbers are written as short as they can be",
    concerns: ({ suite, query }) => suite === "VectorSearch" && query.includes(", [0"),
  },
  {
    reason: "geometry is not computed to see that a filter selects nothing",
    concerns: ({ suite, queryRangesAsPartitionKeys: ranges }) =>
      suite === "Spatial" && ranges?.[0] === "[[],[]]",
  },
  {
    reason: "a tree does not remember how a property was written",
    concerns: ({ query }) => query.includes('r["a"]'),
  },
  {
    reason: "that an order is no path is said when the query runs",
    concerns: ({ query }) => query.includes("ORDER BY LOWER("),
  },
  {
    reason: "the text was shortened after the places in it were noted",
    concerns: ({ query }) => /func3\(r\.l\), FROM|s\.repeat, Count/.test(query),
  },
];

const FEATURES: ReadonlySet<string> = new Set(
  (
    "Aggregate NonValueAggregate MultipleAggregates CountIf ListAndSetAggregate GroupBy DCount " +
    "Distinct OrderBy MultipleOrderBy Top OffsetAndLimit NonStreamingOrderBy HybridSearch"
  ).split(" "),
);

const TITLE = "the service's plans, where ORRERY_PLAN_VECTORS names a file of them";

describe.skipIf(!existsSync(REFERENCE))(TITLE, () => {
  const vectors = vectorsAtHand();
  const differing = DIFFERENCES.flatMap(({ concerns }) => vectors.filter(concerns));

  test("every vector but those listed", () => {
    for (const vector of vectors) {
      if (!differing.includes(vector)) expect(answerTo(vector)).toEqual(expectedOf(vector));
    }
    expect(vectors.length).toBeGreaterThan(300);
  });

  test.each(DIFFERENCES)("$reason", ({ concerns }) => {
    const listed = vectors.filter(concerns);
    expect(listed).not.toEqual([]);
    for (const vector of listed) expect(answerTo(vector)).not.toEqual(expectedOf(vector));
  });
});

function vectorsAtHand(): readonly Vector[] {
  if (!existsSync(REFERENCE)) return [];
  return JSON.parse(readFileSync(REFERENCE, "utf8")).vectors;
}

type Answer =
  | { readonly queryInfo: JsonObject; readonly queryRanges: readonly string[] }
  /** The texts to be sent, in the order of a plan. */
  | { readonly rank: readonly string[] }
  | { readonly error: JsonObject };

function expectedOf(vector: Vector): Answer {
  const raw = vector.expectedErrorOrRaw;
  if (isObject(raw?.["hybridSearchQueryInfo"])) return rankOf(raw);
  if (vector.hybridSearchQueryInfoXml !== undefined) {
    return { rank: textsIn(vector.hybridSearchQueryInfoXml) };
  }
  if (raw !== undefined && !isObject(raw["queryInfo"])) return { error: raw };
  const ranges = vector.queryRangesAsPartitionKeys ?? [EVERYTHING];
  return {
    queryInfo: comparable(vector.queryInfo ?? raw?.["queryInfo"]),
    queryRanges: ranges.map((range) => rangeOf(range, vector)).sort(),
  };
}

function answerTo(vector: Vector): Answer {
  const parsed = parseQuery(vector.query);
  if (!parsed.ok) return { error: errorOf(parsed.error) };
  const bound = bindProgram(parsed.value, {
    computed: new Map(),
    embeddingAt: () => embeddingOf(vector),
  });
  if (!bound.ok && vector.expectedErrorOrRaw !== undefined) {
    return { error: errorOf(bound.error) };
  }
  const plan = clientPlanOf(parsed.value, {
    partitionKey: definitionOf(vector),
    parameters: new Map(vector.parameters?.map(({ name, value }) => [name, value])),
    supportedFeatures: FEATURES,
    ...(bound.ok && {
      ordersDown: bound.value.query.orderBy.map(({ isDescending }) => isDescending),
    }),
  });
  if (!plan.ok) return { error: errorOf(plan.error) };
  if (isObject(plan.value["hybridSearchQueryInfo"])) return rankOf(plan.value);
  const ranges = plan.value["queryRanges"] as readonly JsonObject[];
  return {
    queryInfo: comparable(plan.value["queryInfo"]),
    queryRanges: ranges.map(({ min, max }) => `${min}..${max}`),
  };
}

/** The policies of their containers are not part of the collection. */
function embeddingOf({ queryInfo }: Vector): Embedding {
  const isUp = JSON.stringify(queryInfo?.["orderBy"]) === '["Ascending"]';
  return { metric: isUp ? "euclidean" : "cosine", elementType: "float32", dimensions: 8 };
}

/** Line ends do not matter, nor whether a flag is a number; plans may leave out what is null. */
function comparable(written: JsonValue | undefined): JsonObject {
  const info = isObject(written) ? written : {};
  return {
    ...NOTHING_TO_DO,
    ...info,
    rewrittenQuery: String(info["rewrittenQuery"]).replace(/\s+/g, " "),
    hasSelectValue: Boolean(info["hasSelectValue"]),
    hasNonStreamingOrderBy: Boolean(info["hasNonStreamingOrderBy"]),
  };
}

function rankOf({ hybridSearchQueryInfo }: JsonObject): Answer {
  const info = hybridSearchQueryInfo as JsonObject;
  const components = info["componentQueryInfos"] as readonly JsonObject[];
  const texts = [
    info["globalStatisticsQuery"],
    ...components.map((component) => component["rewrittenQuery"]),
  ];
  return { rank: texts.map((text) => String(text).replace(/\s+/g, " ")) };
}

function textsIn(xml: string): readonly string[] {
  const found = xml.matchAll(/<(GlobalStatisticsQuery|RewrittenQuery)>(.*?)<\/\1>/g);
  return [...found].map(([, , text]) => text!.replace(/\s+/g, " "));
}

function errorOf(problem: QueryProblem): JsonObject {
  if (problem.kind === "refused") return { Errors: [problem.message] };
  const errors = problem.diagnostics.map(({ code, message, location }) => ({
    severity: "Error",
    ...(location && { location: { start: location.start, end: location.end } }),
    code,
    message,
  }));
  return { errors };
}

function definitionOf({ partitionKeyPaths }: Vector): PartitionKeyDefinition {
  const paths = partitionKeyPaths.length > 0 ? partitionKeyPaths : ["/none"];
  return { paths, kind: "Hash", version: 2 };
}

const EVERYTHING = '[[],"Infinity")';

/** `[[1],[1]]` is a point, and `[[],[]]` nothing. */
function rangeOf(text: string, vector: Vector): string {
  if (text === EVERYTHING) return "..FF";
  // The bounds of ranges among keys, which we have none of, are no JSON.
  if (!text.startsWith("[") || !text.endsWith("]")) return text;
  const [key] = JSON.parse(text) as [readonly JsonValue[], readonly JsonValue[]];
  const components = key.map((value): KeyComponent => {
    return typeof value === "object" && value !== null ? undefined : value;
  });
  const epk = epkOf(definitionOf(vector), components);
  return `${epk}..${epk}`;
}
