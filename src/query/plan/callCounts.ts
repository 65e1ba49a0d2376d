/**
 * How many functions are evaluated for a row, by what they cost. Calls are counted in the text, not
 * while they run: a call behind an AND, or inside a subquery, counts once for each row, however
 * often it is made. A condition that the index answers is not evaluated, and not counted.
 */
import type { Bound, BoundQuery } from "../bind/bound.ts";
import { isGrouped } from "../bind/bound.ts";
import { conjunctsOf, expressionsOf, isConstant, partsOf, selectedIn } from "../bind/boundTrees.ts";
import { CONVERSIONS } from "../functions/conversion.ts";
import { REGEX_FUNCTIONS } from "../functions/regex.ts";
import { STRING_FUNCTIONS } from "../functions/strings.ts";
import { lookupsOf } from "./filterLookup.ts";
import type { LookupSetting } from "./termLookup.ts";

export interface CallCounts {
  /** Number of functions that read a text through. */
  readonly text: number;
  readonly others: number;
}

export interface RowCalls {
  /** Calls for each row that the filter is evaluated for. */
  readonly tried: CallCounts;
  /** Calls for each row that passes the filter. */
  readonly passed: CallCounts;
  /** Calls for each row that is given out. */
  readonly given: CallCounts;
}

export function rowCallsOf(query: BoundQuery, setting: LookupSetting): RowCalls {
  const { where, isDistinct } = query;
  const unanswered = conjunctsOf(where).filter((bound) => !lookupsOf(bound, setting).isWhole);
  const joined = query.sources.slice(1).flatMap((source) => expressionsIn(source));
  const selected = selectedIn(query);
  const collapsed = [
    ...(query.groupBy ?? []).map(({ expression }) => expression),
    ...query.aggregates.map(({ argument }) => argument),
  ];
  // The values of DISTINCT are made for every row that passes, because rows are compared by them.
  const isOfPassed = isDistinct && !isGrouped(query);
  return {
    tried: countIn([...joined, ...unanswered]),
    passed: countIn(isOfPassed ? [...collapsed, ...selected] : collapsed),
    given: countIn(isOfPassed ? [] : selected),
  };
}

function expressionsIn(source: BoundQuery["sources"][number]): readonly Bound[] {
  if (source.kind === "items") return [];
  return source.kind === "rows" ? everythingIn(source.query) : [source.value];
}

function everythingIn(query: BoundQuery): readonly Bound[] {
  return [...expressionsOf(query), ...query.sources.flatMap(expressionsIn)];
}

function countIn(expressions: readonly Bound[]): CallCounts {
  let text = 0;
  let others = 0;
  const waiting = [...expressions];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isConstant(next)) continue;
    if (next.kind === "like") text++;
    if (next.kind === "userCall") others++;
    if (next.kind === "call") {
      if (TEXT_FUNCTIONS.has(next.builtIn.name)) text++;
      else others++;
    }
    const parts = next.kind === "subquery" ? everythingIn(next.query) : partsOf(next);
    for (const part of parts) waiting.push(part);
  }
  return { text, others };
}

const TEXT_FUNCTIONS: ReadonlySet<string> = new Set(
  [...STRING_FUNCTIONS, ...REGEX_FUNCTIONS, ...CONVERSIONS].map(({ name }) => name),
);
