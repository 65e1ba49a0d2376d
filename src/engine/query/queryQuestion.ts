/**
 * The question that the cursor of a query belongs to: its text, its parameters, and the keys that
 * its headers confine it to. Texts that differ only in spaces, in the case of keywords, or in the
 * condition that clients add to an order when they go on (`resumeFilter.ts`) are the same question.
 *
 * The page size, sessions, consistency and the caller are not part of the question.
 */
import type { JsonValue } from "../../json/value.ts";
import type { ItemScope } from "../../model/request/itemScope.ts";
import { withoutResumeFilter } from "../../query/clientPlan/resumeFilter.ts";
import type { Query } from "../../query/language/ast.ts";
import { printQuery } from "../../query/language/printer.ts";
import type { Question } from "../cursor/cursorKey.ts";
import { cursorScopeOf } from "../cursor/cursorScope.ts";

interface AskedQuery extends Pick<Question, "kind" | "owner"> {
  readonly query: Query;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  /** What the client confines it to. */
  readonly scope: ItemScope;
}

export function queryQuestion(asked: AskedQuery): Question {
  const { kind, owner, query, parameters, scope } = asked;
  return { kind, owner, scope: cursorScopeOf(scope), about: [textOf(query), valuesOf(parameters)] };
}

/** Prints a query once: the tree of a prepared query is the same for all its pages. */
function textOf(query: Query): string {
  const known = PRINTED.get(query);
  if (known !== undefined) return known;
  const text = printQuery(withoutResumeFilter(query));
  PRINTED.set(query, text);
  return text;
}

const PRINTED = new WeakMap<Query, string>();

/**
 * Returns the parameters sorted by name, because clients may send them in another order next time.
 */
function valuesOf(parameters: ReadonlyMap<string, JsonValue>): string {
  return JSON.stringify([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
}
