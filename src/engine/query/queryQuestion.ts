/**
 * What the cursor of a query belongs to: its text, its parameters, and what its headers confine it
 * to. Texts that say the same in other letters are one: spaces, the case of keywords, and the
 * condition that clients add to an order when they go on (`resumeFilter.ts`).
 *
 * How many rows a page is to have, sessions, consistency and whoever asks are no part of it.
 */
import type { JsonValue } from "../../json/value.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { withoutResumeFilter } from "../../query/clientPlan/resumeFilter.ts";
import type { Query } from "../../query/language/ast.ts";
import { printQuery } from "../../query/language/printer.ts";
import type { CursorScope, Question } from "../cursor/cursorKey.ts";

export interface AskedQuery extends Pick<Question, "kind" | "owner"> {
  readonly query: Query;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  /** What the headers confine it to. */
  readonly scope?: EpkRange | undefined;
  /** Present if that is one of several ranges, and not a key. */
  readonly slice?: object | undefined;
  readonly isNowhere?: boolean | undefined;
}

export function queryQuestion(asked: AskedQuery): Question {
  const { kind, owner, query, parameters } = asked;
  return { kind, owner, scope: scopeOf(asked), about: [textOf(query), valuesOf(parameters)] };
}

function scopeOf({ scope, slice, isNowhere }: AskedQuery): CursorScope | undefined {
  if (scope === undefined) return undefined;
  return { by: slice === undefined ? "key" : "range", range: isNowhere ? "nowhere" : scope };
}

/** A text is printed once: the tree of a prepared query is the same for all its pages. */
function textOf(query: Query): string {
  const known = PRINTED.get(query);
  if (known !== undefined) return known;
  const text = printQuery(withoutResumeFilter(query));
  PRINTED.set(query, text);
  return text;
}

const PRINTED = new WeakMap<Query, string>();

/** In order of their names: nobody promises to send them in the same order again. */
function valuesOf(parameters: ReadonlyMap<string, JsonValue>): string {
  return JSON.stringify([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
}
