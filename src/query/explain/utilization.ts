/**
 * Which indexes a page used, and which it could have used if the policy had them.
 *
 * What was used is what the execution says it was. What could have been is found by planning the
 * filter again for a container that indexes everything: the lookups that only that plan has are the
 * paths that are missing. A composite index is worth a thought when some conditions are equalities
 * and another is a range, so each range gets one, the equal paths first.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Work } from "../execute/work.ts";
import { lookupsOf } from "../plan/filterLookup.ts";
import type { IndexView } from "../plan/indexView.ts";
import type { ItemPath } from "../plan/itemPaths.ts";
import { pathText, slotPathsOf } from "../plan/itemPaths.ts";
import type { Lookup, TermLookup } from "../plan/lookup.ts";
import { partsOfLookup } from "../plan/lookup.ts";
import type { ItemPlan, Plan } from "../plan/plan.ts";

export interface IndexUtilization {
  /** As a policy would include them: `/a/?`. */
  readonly utilizedSingle: readonly string[];
  readonly potentialSingle: readonly string[];
  /** Each a list of paths with directions: `/a ASC`. */
  readonly utilizedComposite: readonly (readonly string[])[];
  readonly potentialComposite: readonly (readonly string[])[];
}

/** The name under which the placement of items by their EPK is known to users of the service. */
const PLACEMENT_SPEC = "/_epk/?";

/** Conditions that a composite index can answer on its last path. */
const RANGES: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

export function utilizationOf(plan: Plan, index: IndexView, work: Work): IndexUtilization {
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

/** The lookups of a plan that have a path each, whatever they are joined to. */
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
 * The composite index that would have the rows in their order with nothing to pass over, and the
 * ORDER BY that has to say so: what the filter binds to one value, then what rows are ordered by.
 * Undefined where there is no order of one path, or no such condition, or there is one already.
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

/** Conditions on the same path may have become one lookup. */
function isRange(what: string): boolean {
  return what.split(", ").every((condition) => RANGES.has(condition));
}

/** In which directions they go makes no difference to a filter. */
function hasPaths({ steps }: CompositeLayout, paths: readonly string[]): boolean {
  return steps.length === paths.length && steps.every(({ path }, at) => textOf(path) === paths[at]);
}

/** Paths and directions of a composite index, as its terms are ordered. */
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
