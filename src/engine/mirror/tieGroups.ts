/**
 * Comparing rows of a query with an order, where the plain rows came in another order. The query is
 * asked once more on both sides, for rows with their order values: rows with equal values are a
 * group, whose rows may come in any order. If the query was cut off, the last group may hold any of
 * its rows, so only their number counts there.
 */
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Counts } from "../../query/clientPlan/planRewrite.ts";
import {
  RESUME_FILTER,
  rewriteOrderBy,
  withFirstRows,
} from "../../query/clientPlan/planRewrite.ts";
import { firstAliasOf } from "../../query/keyRanges/itemPaths.ts";
import type { Query, WordLiteral } from "../../query/language/ast.ts";
import { mapQuery } from "../../query/language/visitor.ts";
import type { ComparisonTerms } from "./rowComparison.ts";
import { comparableText } from "./rowComparison.ts";

/**
 * Returns the query for rows with their order values; undefined where rows are no longer those of
 * single items, and so have no order values.
 */
export function withOrderValues(query: Query, counts: Counts): Query | undefined {
  const alias = firstAliasOf(query.from);
  const isPlain = !query.select.isDistinct && query.groupBy === undefined;
  if (alias === undefined || !isPlain || query.orderBy?.kind !== "items") return undefined;
  const rewritten = rewriteOrderBy(withFirstRows(query, counts), alias);
  return mapQuery(rewritten, (part) => (part === RESUME_FILTER ? TRUE : undefined));
}

const TRUE: WordLiteral = { kind: "word", span: { start: 0, end: 0 }, value: true };

/** `cutAt` is the number of rows of a query that was cut off. */
export function areSameButForTies(
  source: readonly JsonValue[],
  target: readonly JsonValue[],
  cutAt: ComparisonTerms["cutAt"],
): boolean {
  const [ours, theirs] = [groupsOf(source), groupsOf(target)];
  if (ours.length !== theirs.length) return false;
  const isCut = cutAt !== undefined && source.length >= cutAt;
  return ours.every((group, at) => {
    const pair = theirs[at]!;
    if (group.order !== pair.order || group.rows.length !== pair.rows.length) return false;
    if (isCut && at === ours.length - 1) return true;
    const sorted = [...pair.rows].sort();
    return [...group.rows].sort().every((row, place) => row === sorted[place]);
  });
}

interface TieGroup {
  readonly order: string;
  readonly rows: string[];
}

function groupsOf(rows: readonly JsonValue[]): readonly TieGroup[] {
  const groups: TieGroup[] = [];
  for (const row of rows) {
    if (!isObject(row)) continue;
    const order = comparableText(property(row, "orderByItems") ?? null);
    const payload = property(row, "payload");
    const text = payload === undefined ? "" : comparableText(payload);
    const last = groups.at(-1);
    if (last?.order === order) last.rows.push(text);
    else groups.push({ order, rows: [text] });
  }
  return groups;
}
