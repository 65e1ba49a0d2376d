/**
 * Which indexes a page used, and which it could have used if the policy had them.
 *
 * The indexes that were used are those that the execution noted. Those that could have been used
 * are found by planning the filter again for a container that indexes everything: the paths of
 * lookups that only that plan has are missing from the policy. A composite index may help when some
 * conditions are equalities and another is a range, so each range gets one, the equal paths first.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { QueryWork } from "../execute/work.ts";
import { lookupsOf } from "../plan/filterLookup.ts";
import type { IndexView } from "../plan/indexView.ts";
import type { ItemPath } from "../plan/itemPaths.ts";
import { pathText, slotPathsOf } from "../plan/itemPaths.ts";
import type { Lookup, TermLookup } from "../plan/lookup.ts";
import { partsOfLookup } from "../plan/lookup.ts";
import type { ItemPlan, Plan } from "../plan/plan.ts";

export interface IndexUtilization {
  /** Paths as a policy would include them: `/a/?`. */
  readonly utilizedSingle: readonly string[];
  readonly potentialSingle: readonly string[];
  /** Lists of paths with directions: `/a ASC`. */
  readonly utilizedComposite: readonly (readonly string[])[];
  readonly potentialComposite: readonly (readonly string[])[];
}

/** The name that the service shows to users for the placement of items by their EPK. */
const PLACEMENT_SPEC = "/_epk/?";

/** Conditions that a composite index can answer on its last path. */
const RANGES: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

export function utilizationOf(plan: Plan, index: IndexView, work: QueryWork): IndexUtilization {
  const items = itemPlanOf(plan);
  const lookups = [...work.usedLookups];
  const used = lookups
    .filter(({ layout }) => layout === undefined)
    .map(({ path }) => singleSpec(path));
  const isIndexOnly = work.access.includes("index only");
  if (isIndexOnly && items?.indexOnly?.kind === "values") {
    used.push(singleSpec(items.indexOnly.path));
  }
  const order = work.usedOrder;
  if (order?.kind === "path") used.push(singleSpec(order.path));
  if (work.isPlacementUsed) used.push(PLACEMENT_SPEC);
  const layouts = new Set(
    lookups.map(({ layout }) => layout).filter((layout) => layout !== undefined),
  );
  if (order?.kind === "composite") layouts.add(order.layout);
  const wanted = items === undefined ? [] : lookupsWithEverythingIndexed(items, index);
  const missing = wanted
    .flatMap(leavesOf)
    .filter(({ path, isOfParts }) => isOfParts !== true && !index.isIncluded(path.segments))
    .map(({ path }) => singleSpec(path));
  return {
    utilizedSingle: distinct(used),
    potentialSingle: distinct(missing),
    utilizedComposite: [...layouts].map(compositeSpec),
    potentialComposite: potentialComposites(wanted, index),
  };
}

/** Returns the lookups on single paths that a lookup is made of, however they are joined. */
export function leavesOf(lookup: Lookup): readonly TermLookup[] {
  return lookup.kind === "terms" ? [lookup] : partsOfLookup(lookup).flatMap(leavesOf);
}

function itemPlanOf(plan: Plan): ItemPlan | undefined {
  if (plan.kind === "constant") return undefined;
  return plan.kind === "derived" ? plan.inner : plan;
}

function lookupsWithEverythingIndexed({ query }: ItemPlan, index: IndexView): readonly Lookup[] {
  const paths = slotPathsOf(query.sources, new Map());
  const everything: IndexView = { ...index, isIndexed: () => true, composites: [] };
  return lookupsOf(query.where, { index: everything, paths }).lookups;
}

function potentialComposites(
  wanted: readonly Lookup[],
  index: IndexView,
): readonly (readonly string[])[] {
  const conditions = wanted.filter(
    (lookup): lookup is TermLookup => lookup.kind === "terms" && lookup.path.isOne,
  );
  const pathsOf = (isWanted: (what: string) => boolean): readonly string[] =>
    distinct(conditions.filter(({ what }) => isWanted(what)).map(({ path }) => pathText(path)));
  const equal = pathsOf((what) => what === "=");
  const ranged = pathsOf(isRange).filter((path) => !equal.includes(path));
  if (equal.length === 0 || equal.length >= SERVICE_LIMITS.compositePathsMax) return [];
  return ranged
    .map((path) => [...equal, path])
    .filter((paths) => !index.composites.some((layout) => hasPaths(layout, paths)))
    .map((paths) => paths.map((path) => `${path} ASC`));
}

/**
 * Returns the composite index that would have the rows in their order with no entry to pass over,
 * in the form of the ORDER BY that has to name it: the paths that the filter binds to one value,
 * then the path that rows are ordered by. Undefined where there is no order by one path, no such
 * condition, or more paths than a composite index may have.
 */
export function orderingComposite(plan: Plan, index: IndexView): readonly string[] | undefined {
  const items = itemPlanOf(plan);
  if (items?.order?.kind !== "path") return undefined;
  const ordered = pathText(items.order.path);
  const direction = items.isDescending[0] === true ? "DESC" : "ASC";
  const equal = lookupsWithEverythingIndexed(items, index)
    .filter((lookup): lookup is TermLookup => lookup.kind === "terms" && lookup.path.isOne)
    .filter(({ what }) => what === "=")
    .map(({ path }) => pathText(path));
  const others = distinct(equal).filter((path) => path !== ordered);
  if (others.length === 0 || others.length >= SERVICE_LIMITS.compositePathsMax) return undefined;
  return [...others.map((path) => `${path} ASC`), `${ordered} ${direction}`];
}

/** True when a lookup is a range; several conditions on one path may have become one lookup. */
function isRange(what: string): boolean {
  return what.split(", ").every((condition) => RANGES.has(condition));
}

/** True when the index has these paths; their directions make no difference to a filter. */
function hasPaths({ steps }: CompositeLayout, paths: readonly string[]): boolean {
  return steps.length === paths.length && steps.every(({ path }, at) => textOf(path) === paths[at]);
}

/** Returns the paths and directions of a composite index, in the order of its terms. */
export function compositeSpec({ steps }: CompositeLayout): readonly string[] {
  return steps.map(({ path, isDescending }) => `${textOf(path)} ${isDescending ? "DESC" : "ASC"}`);
}

function textOf(names: readonly string[]): string {
  return pathText({ segments: names, isOne: true });
}

function singleSpec(path: ItemPath): string {
  return `${pathText(path)}/?`;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
