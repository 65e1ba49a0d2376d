/**
 * Which features a plan needs of a client, and which ones the client says it has. A client would
 * answer wrongly with a plan beyond its means, so it gets none, and is told what it lacks.
 */
import type { AggregateKind } from "../keyRanges/aggregates.ts";
import type { QueryInfo } from "./queryInfo.ts";

/**
 * Reads the header in which a client lists its features: separated by commas, with or without
 * blanks.
 */
export function parseFeatures(header: string): ReadonlySet<string> {
  const names = header.split(",").map((name) => name.trim());
  return new Set(names.filter((name) => name !== ""));
}

/** The features of a client; a client that sends no list is taken to have all of them. */
export type SupportedFeatures = ReadonlySet<string> | undefined;

export function missingFeatures(info: QueryInfo, supported: SupportedFeatures): readonly string[] {
  if (supported === undefined) return [];
  return neededFeatures(info).filter((feature) => !supported.has(feature));
}

/**
 * Returns the message in the words of the service; clients look for its first sentences, people
 * read the rest.
 */
export function missingFeaturesMessage(missing: readonly string[]): string {
  const lines = missing.map(
    (feature) => `Query contained ${feature}, which the calling client does not support.`,
  );
  const opening =
    "Query contains 1 or more unsupported features. " +
    "Upgrade your SDK to a version that does support the requested features:";
  return [opening, ...lines].join("\n");
}

/** Returns the features that a client lacks for a plan of ranked rows. */
export function missingForRank(
  hasWeights: boolean,
  supported: SupportedFeatures,
): readonly string[] {
  if (supported === undefined) return [];
  const needed = ["HybridSearch", ...(hasWeights ? ["WeightedRankFusion"] : [])];
  return needed.filter((feature) => !supported.has(feature));
}

const LISTS_AND_SETS: ReadonlySet<AggregateKind> = new Set(["MakeList", "MakeSet"]);

/**
 * Returns the features that a plan needs; none if the rows of all ranges, one after the other, are
 * the answer.
 */
export function neededFeatures(info: QueryInfo): readonly string[] {
  const named = Object.values(info.groupByAliasToAggregateType).filter((kind) => kind !== null);
  const kinds = [...info.aggregates, ...named];
  const needs: readonly (readonly [feature: string, isNeeded: boolean])[] = [
    ["Aggregate", info.aggregates.length > 0],
    ["NonValueAggregate", named.length > 0],
    ["MultipleAggregates", named.length > 1],
    ["CountIf", kinds.includes("CountIf")],
    ["ListAndSetAggregate", kinds.some((kind) => LISTS_AND_SETS.has(kind))],
    ["GroupBy", info.groupByExpressions.length > 0],
    ["DCount", info.dCountInfo !== null],
    ["Distinct", info.distinctType !== "None"],
    ["OrderBy", info.orderBy.length > 0],
    ["MultipleOrderBy", info.orderBy.length > 1],
    ["Top", info.top !== null],
    ["OffsetAndLimit", info.offset !== null],
    ["NonStreamingOrderBy", info.hasNonStreamingOrderBy],
  ];
  return needs.filter(([, isNeeded]) => isNeeded).map(([feature]) => feature);
}
