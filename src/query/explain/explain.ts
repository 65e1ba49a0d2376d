/**
 * A plan and how it was executed, for people: the steps as a tree, each over the step that it gets
 * its rows from, and the counted work of one page.
 *
 * What the tree says about reading is what this page did, not what the planner intended: a lookup
 * is marked as used only if it helped to decide which items were read. Texts and lists are cut to
 * the room that the caller has, so an explanation has a bounded size whatever the query is.
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { QueryWork } from "../execute/work.ts";
import type { FromSource, Query } from "../language/ast.ts";
import { printExpression, printOrderBy, printSelection, printSource } from "../language/printer.ts";
import { pathText } from "../plan/itemPaths.ts";
import type { Lookup } from "../plan/lookup.ts";
import { partsOfLookup } from "../plan/lookup.ts";
import type { ItemPlan, Plan } from "../plan/plan.ts";
import { compositeSpec, leavesOf } from "./utilization.ts";

interface Explained {
  readonly query: Query;
  readonly plan: Plan;
  readonly work: QueryWork;
  readonly compileMs: number;
  /** The physical partitions that were visited, by range id. */
  readonly partitionIds: readonly string[];
}

/** How much room the explanation has. */
export interface Detail {
  /** Number of characters of a text. */
  readonly textMax: number;
  /** Number of members of a list. */
  readonly countMax: number;
}

export function explain(explained: Explained, detail: Detail): JsonObject {
  const { query, plan, work } = explained;
  return {
    plan: new Teller(work, detail).treeOf(query, plan),
    work: workOf(explained, detail),
  };
}

function workOf({ work, compileMs, partitionIds }: Explained, { countMax }: Detail): JsonObject {
  return {
    partitions: cut(partitionIds, countMax),
    access: cut(work.access, countMax),
    lookups: work.lookupCount,
    terms: work.termCount,
    items: work.itemCount,
    itemBytes: work.itemBytes,
    misses: work.missCount,
    rows: work.rowCount,
    rowBytes: work.rowBytes,
    compileMs: rounded(compileMs),
    indexMs: rounded(work.indexMs),
    loadMs: rounded(work.loadMs),
    totalMs: rounded(work.totalMs),
  };
}

/** Builds the tree from the bottom up: each step is put over the tree so far. */
class Teller {
  readonly #work: QueryWork;
  readonly #detail: Detail;

  constructor(work: QueryWork, detail: Detail) {
    this.#work = work;
    this.#detail = detail;
  }

  treeOf(query: Query, plan: Plan): JsonObject {
    const sources = query.from === undefined ? [] : sourcesIn(query.from);
    let tree = this.#bottomOf(sources[0], plan);
    const joined = sources.slice(1).map((source) => this.#text(printSource(source)));
    if (joined.length > 0)
      tree = { step: "join", with: cut(joined, this.#detail.countMax), of: tree };
    if (query.where !== undefined) {
      tree = { step: "filter", condition: this.#text(printExpression(query.where)), of: tree };
    }
    tree = this.#groupedOver(tree, query, plan);
    const rows = this.#text(printSelection(query.select.selection));
    tree = { step: "project", rows, of: tree };
    if (query.select.isDistinct) tree = { step: "distinct", of: tree };
    const isInOrder = plan.kind === "items" && this.#work.usedOrder !== undefined;
    if (query.orderBy !== undefined && !isInOrder) {
      tree = { step: "sort", by: this.#text(printOrderBy(query.orderBy)), of: tree };
    }
    return cutOver(tree, query);
  }

  /** Returns the step that the rows come from in the first place. */
  #bottomOf(first: FromSource | undefined, plan: Plan): JsonObject {
    switch (plan.kind) {
      case "items":
        return this.#accessOf(plan);
      case "constant":
        return { step: "constant" };
      case "derived": {
        const inner = first === undefined ? undefined : subqueryIn(first);
        const of =
          inner === undefined ? this.#accessOf(plan.inner) : this.treeOf(inner, plan.inner);
        return { step: "collect", of };
      }
    }
  }

  #accessOf({ filter, query, isDescending, indexOnly }: ItemPlan): JsonObject {
    const { usedOrder, isPlacementUsed, access } = this.#work;
    const leafCount = filter.lookups.flatMap(leavesOf).length;
    const areAllUsed = indexOnly?.kind === "values" && access.includes("index only");
    const room = { left: this.#detail.countMax, areAllUsed };
    const lookups = filter.lookups.flatMap((lookup) => this.#lookupOf(lookup, room));
    const left = leafCount - this.#detail.countMax;
    return {
      step: "access",
      read: this.#readOf(),
      ...(isPlacementUsed && { scope: "placement" }),
      ...(usedOrder?.kind === "path" && {
        order: [`${this.#text(pathText(usedOrder.path))} ${isDescending[0] ? "DESC" : "ASC"}`],
      }),
      ...(usedOrder?.kind === "composite" && {
        order: usedOrder.layout.steps.map(({ path }, at) => {
          const text = this.#text(pathText({ segments: path, isOne: true }));
          return `${text} ${query.orderBy[at]?.isDescending ? "DESC" : "ASC"}`;
        }),
      }),
      ...(lookups.length > 0 && { lookups }),
      ...(left > 0 && { lookupsLeftOut: left }),
    };
  }

  #readOf(): string {
    const { usedOrder, access } = this.#work;
    if (usedOrder?.kind === "path") return "order by index";
    if (usedOrder?.kind === "composite") return "order by composite index";
    const kinds = access.map((text) => /^(scan|seek|index( only)?)\b/.exec(text)?.[1]);
    const known = [...new Set(kinds)].filter((kind) => kind !== undefined);
    return known.length === 0 ? "nothing" : known.join(", ");
  }

  /** Returns a lookup as a tree; an empty list when there is no room left. */
  #lookupOf(lookup: Lookup, room: { left: number; areAllUsed: boolean }): JsonObject[] {
    if (lookup.kind !== "terms") {
      const parts = partsOfLookup(lookup).flatMap((part) => this.#lookupOf(part, room));
      if (lookup.kind === "prefer" || parts.length === 0) return parts;
      return [{ [lookup.kind]: parts }];
    }
    if (room.left <= 0) return [];
    room.left--;
    const { path, what, layout } = lookup;
    const used = this.#work.usedLookups.has(lookup) || room.areAllUsed;
    if (layout === undefined) return [{ path: this.#text(pathText(path)), condition: what, used }];
    const paths = this.#text(`(${compositeSpec(layout).join(", ")})`);
    return [{ path: paths, condition: "composite", used }];
  }

  #groupedOver(tree: JsonObject, query: Query, plan: Plan): JsonObject {
    const { aggregates } = plan.query;
    if (query.groupBy === undefined && aggregates.length === 0) return tree;
    const names = aggregates.map(({ name }) => name);
    return {
      step: query.groupBy === undefined ? "aggregate" : "group",
      ...(query.groupBy !== undefined && {
        by: this.#text(query.groupBy.map(printExpression).join(", ")),
      }),
      ...(names.length > 0 && { aggregates: cut([...new Set(names)], this.#detail.countMax) }),
      of: tree,
    };
  }

  #text(text: string): string {
    const line = text.replaceAll("\n", " ");
    const { textMax } = this.#detail;
    return line.length <= textMax ? line : `${line.slice(0, textMax)}...`;
  }
}

function cutOver(tree: JsonObject, { select: { top }, offsetLimit }: Query): JsonObject {
  if (top === undefined && offsetLimit === undefined) return tree;
  return {
    step: "cut",
    ...(top !== undefined && { top: printExpression(top) }),
    ...(offsetLimit !== undefined && {
      offset: printExpression(offsetLimit.offset),
      limit: printExpression(offsetLimit.limit),
    }),
    of: tree,
  };
}

function sourcesIn(source: FromSource): readonly FromSource[] {
  return source.kind === "join" ? [...sourcesIn(source.left), source.right] : [source];
}

function subqueryIn(source: FromSource): Query | undefined {
  if (source.kind === "join" || source.collection.kind !== "subquery") return undefined;
  return source.collection.query;
}

function cut(list: readonly string[], countMax: number): readonly JsonValue[] {
  if (list.length <= countMax) return list;
  return [...list.slice(0, countMax), `and ${list.length - countMax} more`];
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
