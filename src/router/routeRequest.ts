/**
 * A query after everything about it was checked that can be checked without asking: what a router
 * works with. Whatever is wrong is a `BadRoute` with a sentence.
 */
import { countOf } from "../keys/client/parallel.ts";
import type { Key } from "../keys/client/partitionKey.ts";
import { componentsOf } from "../keys/client/partitionKey.ts";
import type { NamedValue } from "../keys/client/queryText.ts";
import { listedValues, namedParameters, stepsOf } from "../keys/client/queryText.ts";
import type { KeyComponent } from "../keys/component.ts";
import { pathText } from "../keys/paths.ts";
import { timeOf } from "../keys/time.ts";
import { BadRoute } from "./badRoute.ts";
import { checkText } from "./checkedText.ts";
import type { RouteSpan } from "./dateFormat.ts";
import { ALL_TIME } from "./dateFormat.ts";
import { checkQueryNames } from "./knownNames.ts";
import type { CountQuery, RouteMoment, RouteQuery, StopSignal } from "./routeTypes.ts";
import { parsePlace, type RowPlace } from "./rowPlace.ts";

/** Parameters of a router's own begin so. */
export const OWN_PARAMETER = "@route";
const OWN_PARAMETERS = /^@(route|values\d)/;
const CONCURRENCY_USUAL = 8;
const PAGE_SIZE_USUAL = 100;

export interface RouteRequest {
  readonly span: RouteSpan;
  readonly key: readonly KeyComponent[] | undefined;
  readonly values: ReadonlyMap<string, readonly KeyComponent[]>;
  readonly where: string | undefined;
  readonly parameters: readonly NamedValue[];
  readonly select: string | undefined;
  /** The path by which rows are ordered. */
  readonly by: string;
  readonly isDescending: boolean;
  readonly limit: number | undefined;
  /** Where another query has stopped, after which this one goes on. */
  readonly after: RowPlace | undefined;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly signal: StopSignal | undefined;
}

/** `datePath`: that of the items' date. `levelCount`: of the key, if it is known. */
export function requestOf(
  query: RouteQuery,
  datePath: string,
  levelCount: number | undefined,
): RouteRequest {
  checkQueryNames(query);
  const { select, where, limit, order = {}, after, signal } = query;
  const inOrder = {
    by: order.by === undefined ? datePath : pathOf("order.by", order.by),
    isDescending: isDescending(order.direction),
  };
  return {
    span: spanOf(query),
    key: query.key === undefined ? undefined : keyOf(query.key, levelCount),
    values: valuesOf(query),
    where: where === undefined ? undefined : checkText("where", where),
    parameters: parametersOf(query),
    select: select === undefined ? undefined : checkText("select", select),
    ...inOrder,
    after: after === undefined ? undefined : parsePlace(after, inOrder),
    limit: limit === undefined ? undefined : checkedCount("limit", limit),
    pageSize: checkedCount("pageSize", query.pageSize ?? PAGE_SIZE_USUAL),
    concurrency: checkedCount("concurrency", query.concurrency ?? CONCURRENCY_USUAL),
    signal,
  };
}

/** A count has no rows, so it takes nothing that is about rows. */
export function countRequestOf(
  query: CountQuery,
  datePath: string,
  levelCount: number | undefined,
): RouteRequest {
  for (const name of ["select", "order", "limit", "after"]) {
    if (Object.hasOwn(query, name)) {
      throw new BadRoute(`${name}: a count has no rows to apply it to; leave it out.`);
    }
  }
  return requestOf(query, datePath, levelCount);
}

/** A path, or the name of a property, in the one form that paths have here. */
export function pathOf(name: string, given: string): string {
  if (typeof given !== "string" || given === "") {
    throw new BadRoute(`${name}: a property is expected, such as "publishedDate" or "/meta/date".`);
  }
  if (!given.startsWith("/")) return pathText({ kind: "path", steps: [given] });
  return badAs(name, () => pathText({ kind: "path", steps: stepsOf(given) }));
}

/** `what`, with what it throws as a `BadRoute` about `name`. */
function badAs<T>(name: string, what: () => T): T {
  try {
    return what();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BadRoute(`${name}: ${error.message}`);
  }
}

function spanOf({ from, to }: CountQuery): RouteSpan {
  const span = {
    from: from === undefined ? ALL_TIME.from : millisOf("from", from),
    before: to === undefined ? ALL_TIME.before : millisOf("to", to) + 1,
  };
  if (span.from < span.before) return span;
  throw new BadRoute(
    `from is ${momentText(from)} and to is ${momentText(to)}: the range ends before it begins. ` +
      "Change them over.",
  );
}

function millisOf(name: "from" | "to", moment: RouteMoment): number {
  const millis = timeOf(moment);
  if (millis !== undefined) return millis;
  throw new BadRoute(
    `${name}: ${momentText(moment)} is no date. Write it as "2026-01-31T12:00:00Z", as a Date, ` +
      "or as a number since 1970.",
  );
}

function momentText(moment: RouteMoment | undefined): string {
  const isDate = moment instanceof Date && !Number.isNaN(moment.getTime());
  return isDate ? moment.toISOString() : String(moment);
}

function keyOf(key: Key, levelCount: number | undefined): readonly KeyComponent[] {
  const components = componentsOf(key);
  if (components.length === 0) throw new BadRoute("key: it has no components; leave it out.");
  if (levelCount !== undefined && components.length > levelCount) {
    throw new BadRoute(
      `key: it has ${components.length} components, and the containers' key has ${levelCount}.`,
    );
  }
  return components;
}

function valuesOf({ values }: CountQuery): RouteRequest["values"] {
  const entries = [...listedValues(values)].map(([path, list]): [string, typeof list] => {
    if (list.length > 0) return [pathOf("values", path), list];
    throw new BadRoute(`values: ${path} has none, so no item can fit. Leave it out, or name some.`);
  });
  return new Map(entries);
}

function parametersOf({ parameters }: CountQuery): readonly NamedValue[] {
  const named = namedParameters(parameters);
  const taken = named.find(({ name }) => OWN_PARAMETERS.test(name));
  if (taken === undefined) return named;
  throw new BadRoute(
    `parameters: ${taken.name} is a name that the router uses itself. Choose another.`,
  );
}

function isDescending(direction: unknown): boolean {
  if (direction === undefined || direction === "ascending") return false;
  if (direction === "descending") return true;
  throw new BadRoute(
    `order.direction: ${JSON.stringify(direction)} is neither "ascending" nor "descending".`,
  );
}

function checkedCount(name: string, count: number): number {
  return badAs(name, () => countOf(name, count, 1));
}
