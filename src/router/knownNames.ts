/**
 * Names that a router knows. Whatever else it is given would be left out without a word, and a
 * range that is called by another name would be no range at all; so it is refused.
 */
import { BadRoute } from "./badRoute.ts";
import type { RouteQuery } from "./routeTypes.ts";

/** What one list of names has, each once. */
type Names<T> = { readonly [Name in keyof Required<T>]: true };

const QUERY_NAMES: Names<RouteQuery> = {
  from: true,
  to: true,
  key: true,
  values: true,
  where: true,
  parameters: true,
  select: true,
  order: true,
  limit: true,
  after: true,
  pageSize: true,
  concurrency: true,
  signal: true,
};

const ORDER_NAMES: Names<NonNullable<RouteQuery["order"]>> = { by: true, direction: true };

/** Clauses of the language that a router has under another name, or not at all. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/^(offset|skip)/i, "Go on after a page with `after`, which takes the page's `next`."],
  [/^(top|first|take|max)/i, "Write `limit`."],
  [/^(distinct|group)/i, "Each container would do it by itself; make it of the rows."],
  [/^(sum|avg|min|count)/i, "Each container would make its own; use count(), or add up the rows."],
  [/^(sort|orderBy)/i, "Write `order: { by, direction }`."],
];

/** `query` as it was given; throws a `BadRoute` if it has a name that means nothing. */
export function checkQueryNames(query: RouteQuery): void {
  checkNames("query", query, QUERY_NAMES);
  if (query.order !== undefined) checkNames("order", query.order, ORDER_NAMES);
}

/** `what`: what the caller knows `given` as. Names without a value are no names. */
export function checkNames<T>(what: string, given: T, known: Names<T>): void {
  if (typeof given !== "object" || given === null) {
    throw new BadRoute(`${what}: an object is expected.`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const [, instead] = INSTEAD.find(([words]) => words.test(name)) ?? [];
    throw new BadRoute(
      `${name}: ${what} knows no such name. ` +
        (instead ?? `It has ${Object.keys(known).join(", ")}.`),
    );
  }
}
