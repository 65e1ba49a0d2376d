/**
 * Facts about items that nobody has seen yet, from what a workload declares of their properties.
 *
 * Properties are independent of each other unless one is declared to be `within` another. What is
 * declared counts as exact: such facts have no sampling error.
 */
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { exactly } from "../counting/estimate.ts";
import { totalItems } from "../workload/totalItems.ts";
import type { Distribution, PropertyShape, Workload } from "../workload/workload.ts";
import type { DataFacts, Population, PopulationRow, PropertyFacts } from "./facts.ts";
import { grownShapes } from "./grownDistinct.ts";
import { itemRows, type ValueRow, valueRows, weightOfRanks } from "./valueRows.ts";

/** Rows of a population of several paths, and of each path before they are combined. */
const ROWS_MAX = 4000;
const ROWS_MIN = 4;
const UNIFORM: Distribution = { kind: "uniform" };

export function declaredFacts(workload: Workload): DataFacts {
  const shapes = grownShapes(shapesOf(workload), workload);
  const { example } = workload.item;
  const itemBytes = workload.item.bytes ?? (example === undefined ? 1024 : bytesOf(example));
  const itemCount = totalItems(workload.growth, workload.horizonMonths);
  const kept = new Map<string, Population>();
  return {
    itemBytes,
    leafCount: example === undefined ? Math.max(2, shapes.size - 1) : leafCount(example),
    example,
    properties: new Map([...shapes].map(([path, shape]) => [path, factsOf(shape, itemCount)])),
    sampleCount: undefined,
    populationOf(paths) {
      const name = paths.join("\n");
      const known = kept.get(name);
      if (known !== undefined) return known;
      const population = joint(paths, shapes, itemCount);
      kept.set(name, population);
      return population;
    },
  };
}

/** What is declared, and the id that every item has. */
export function shapesOf(workload: Workload): ReadonlyMap<string, PropertyShape> {
  const shapes = new Map(workload.properties);
  const id = "/id";
  if (!shapes.has(id)) shapes.set(id, { ...PLAIN, path: id, isUnique: true });
  return shapes;
}

const PLAIN: Omit<PropertyShape, "path"> = {
  distinct: undefined,
  isUnique: false,
  items: UNIFORM,
  requests: undefined,
  within: undefined,
  distinctWithin: undefined,
  time: undefined,
  changes: false,
  missingShare: 0,
};

function factsOf(shape: PropertyShape, itemCount: number): PropertyFacts {
  return {
    path: shape.path,
    missingShare: shape.missingShare,
    distinct: exactly(distinctOf(shape, itemCount)),
    time: shape.time,
    isScalar: true,
    isNumber: false,
    bytesMax: 64,
    changingShare: shape.changes ? 1 : undefined,
    hottestHourShare: undefined,
  };
}

export function distinctOf(shape: PropertyShape, itemCount: number): number {
  if (shape.distinct !== undefined) return Math.max(1, shape.distinct);
  if (shape.items.kind === "shares") return Math.max(1, shape.items.shares.size);
  return Math.max(1, Math.round(itemCount));
}

/** A row of some paths, while it is being made. */
interface Draft {
  readonly values: readonly (string | undefined)[];
  readonly counts: readonly number[];
  readonly itemShare: number;
  readonly requestShare: number;
}

function joint(
  paths: readonly string[],
  shapes: ReadonlyMap<string, PropertyShape>,
  itemCount: number,
): Population {
  const ordered = parentsFirst(withParents(paths, shapes), shapes);
  let drafts: readonly Draft[] = [{ values: [], counts: [], itemShare: 1, requestShare: 1 }];
  ordered.forEach((path, at) => {
    const shape = shapes.get(path) ?? { ...PLAIN, path, isUnique: true };
    const left = ordered.length - at;
    const rowMax = Math.max(ROWS_MIN, Math.floor((ROWS_MAX / drafts.length) ** (1 / left)));
    const parentAt = shape.within === undefined ? -1 : ordered.indexOf(shape.within);
    const isInside = parentAt >= 0 && parentAt < at;
    const parent = isInside ? shapes.get(shape.within!) : undefined;
    const rowsFor = rowsByCount(parent === undefined ? shape : withinParent(shape), rowMax);
    drafts = drafts.flatMap((draft) => {
      const parentValue = parent === undefined ? draft.values.at(-1) : draft.values[parentAt];
      const rows = isNewEach(shape)
        ? rowsFor(itemsOfOne(draft, itemCount))
        : rowsFor(
            parent === undefined
              ? distinctOf(shape, itemCount)
              : distinctWithin(shape, parent, parentValue, itemCount),
          );
      const isOwn = parent !== undefined || (isNewEach(shape) && draft.values.length > 0);
      return rows.map((row) => extended(draft, isOwn ? namedWithin(parentValue, row) : row));
    });
  });
  const order = paths.map((path) => ordered.indexOf(path));
  // Values of parents that were not asked for tell those of their children apart.
  const shownBy = ordered.map((path) =>
    paths.includes(path) ? path : paths.find((own) => ancestorsOf(own, shapes).includes(path)),
  );
  const rows = drafts.map(({ values, counts, itemShare, requestShare }): PopulationRow => {
    const keyCount = counts.reduce((product, count) => product * count, 1);
    const ownCounts = paths.map((path) =>
      counts.reduce((product, count, at) => (shownBy[at] === path ? product * count : product), 1),
    );
    const shares = { itemShare, byteShare: itemShare, requestShare };
    return { values: order.map((at) => values[at]), counts: ownCounts, keyCount, ...shares };
  });
  const distinct = rows.reduce((sum, { keyCount }) => sum + keyCount, 0);
  return { paths, rows, distinct: exactly(distinct) };
}

/** Values that belong to others have their names and shares from those, asked for or not. */
function withParents(
  paths: readonly string[],
  shapes: ReadonlyMap<string, PropertyShape>,
): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, ...ancestorsOf(path, shapes)]))];
}

/** What a property is within, what that is within, and so on. */
function ancestorsOf(path: string, shapes: ReadonlyMap<string, PropertyShape>): readonly string[] {
  const found: string[] = [];
  let parent = shapes.get(path)?.within;
  while (parent !== undefined && shapes.has(parent) && !found.includes(parent)) {
    found.push(parent);
    parent = shapes.get(parent)?.within;
  }
  return found;
}

/** A property that belongs to another comes after it. */
function parentsFirst(
  paths: readonly string[],
  shapes: ReadonlyMap<string, PropertyShape>,
): readonly string[] {
  // What every item has its own of comes last: so many as there are items of all the others.
  const orderOf = (path: string): number => {
    const shape = shapes.get(path);
    return shape === undefined || isNewEach(shape)
      ? Number.MAX_SAFE_INTEGER
      : ancestorsOf(path, shapes).length;
  };
  return [...new Set(paths)].sort((a, b) => orderOf(a) - orderOf(b));
}

/** Every item has a value of its own. */
function isNewEach({ distinct, items }: PropertyShape): boolean {
  return distinct === undefined && items.kind === "uniform";
}

/** Items of one combination of the values so far. */
function itemsOfOne({ counts, itemShare }: Draft, itemCount: number): number {
  const keyCount = counts.reduce((product, count) => product * count, 1);
  return Math.max(1, Math.round((itemCount * itemShare) / keyCount));
}

interface Row {
  readonly value: string | undefined;
  readonly count: number;
  readonly itemShare: number;
  readonly requestShare: number;
}

function extended(draft: Draft, row: Row): Draft {
  return {
    values: [...draft.values, row.value],
    counts: [...draft.counts, row.count],
    itemShare: draft.itemShare * row.itemShare,
    requestShare: draft.requestShare * row.requestShare,
  };
}

function rowsOfShape(shape: PropertyShape, distinct: number, rowMax: number): readonly Row[] {
  const values = fewer(itemRows(shape, distinct), rowMax);
  const requests = requestShares(values, shape, distinct);
  const present = 1 - shape.missingShare;
  const rows: Row[] = values.map((row, at) => ({
    value: row.value,
    count: row.count,
    itemShare: row.share * present,
    requestShare: requests[at]!,
  }));
  if (shape.missingShare > 0) {
    rows.push({ value: undefined, count: 1, itemShare: shape.missingShare, requestShare: 0 });
  }
  return rows;
}

/** By name where they are named, else by rank: who has most items is asked for most. */
function requestShares(
  values: readonly ValueRow[],
  { requests }: PropertyShape,
  distinct: number,
): readonly number[] {
  if (requests === undefined) return values.map(({ share }) => share);
  if (requests.kind === "shares") {
    const total = values.reduce((sum, { value }) => sum + (requests.shares.get(value) ?? 0), 0);
    const left = Math.max(0, 1 - total);
    const unnamed = values.filter(({ value }) => !requests.shares.has(value));
    const unnamedShare = unnamed.reduce((sum, { share }) => sum + share, 0);
    const scale = total > 0 && (unnamedShare === 0 || total > 1) ? 1 / total : 1;
    return values.map(({ value, share }) => {
      const named = requests.shares.get(value);
      if (named !== undefined) return named * scale;
      return unnamedShare === 0 ? 0 : (left * share) / unnamedShare;
    });
  }
  return sharesByRank(values, requests, distinct);
}

export function sharesByRank(
  values: readonly { readonly rank: number; readonly count: number }[],
  distribution: Distribution,
  distinct: number,
): readonly number[] {
  if (distribution.kind === "zipf") {
    const weights = values.map(({ rank, count }) =>
      weightOfRanks(distribution.s, rank, rank + count - 1),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }
  if (distribution.kind === "classes") {
    const rows = valueRows("/", distinct, distribution);
    return values.map(({ rank, count }) => shareOfRanks(rows, rank, count));
  }
  return values.map(({ count }) => count / distinct);
}

/** Of rows in order of rank, what falls to so many ranks from one on. */
function shareOfRanks(rows: readonly ValueRow[], rank: number, count: number): number {
  return rows.reduce((sum, row) => {
    const from = Math.max(rank, row.rank);
    const to = Math.min(rank + count, row.rank + row.count);
    return to > from ? sum + (row.share * (to - from)) / row.count : sum;
  }, 0);
}

/** The same rows are asked for again and again. */
function rowsByCount(shape: PropertyShape, rowMax: number): (distinct: number) => readonly Row[] {
  const known = new Map<number, readonly Row[]>();
  return (distinct) => {
    const rows = known.get(distinct) ?? rowsOfShape(shape, distinct, rowMax);
    known.set(distinct, rows);
    return rows;
  };
}

function namedWithin(parentValue: string | undefined, row: Row): Row {
  return row.value === undefined ? row : { ...row, value: nameWithin(parentValue, row.value) };
}

/** How many values belong to one value of the parent. */
export function distinctWithin(
  shape: PropertyShape,
  parent: PropertyShape,
  parentValue: string | undefined,
  itemCount: number,
): number {
  const distinct = distinctOf(shape, itemCount);
  const named = shape.distinctWithin ?? new Map<string, number>();
  const namedCount = [...named.values()].reduce((sum, count) => sum + count, 0);
  const others = Math.max(1, distinctOf(parent, itemCount) - named.size);
  const evenly = Math.max(1, Math.round((distinct - namedCount) / others));
  return (parentValue === undefined ? undefined : named.get(parentValue)) ?? evenly;
}

/** Shares by name are of all values: they do not tell those of one parent apart. */
export function withinParent(shape: PropertyShape): PropertyShape {
  return {
    ...shape,
    items: shape.items.kind === "shares" ? UNIFORM : shape.items,
    requests: shape.requests?.kind === "shares" ? undefined : shape.requests,
  };
}

export function nameWithin(parentValue: string | undefined, value: string): string {
  return `${parentValue ?? ""}-${value}`;
}

/** The same values in fewer rows: light neighbours become one. */
function fewer(rows: readonly ValueRow[], rowMax: number): readonly ValueRow[] {
  if (rows.length <= rowMax) return rows;
  const single = Math.floor(rowMax / 2);
  const rest = rows.slice(single);
  const size = Math.ceil(rest.length / (rowMax - single));
  const merged: ValueRow[] = [];
  for (let at = 0; at < rest.length; at += size) {
    const group = rest.slice(at, at + size);
    merged.push({
      ...group[0]!,
      count: group.reduce((sum, { count }) => sum + count, 0),
      share: group.reduce((sum, { share }) => sum + share, 0),
    });
  }
  return [...rows.slice(0, single), ...merged];
}

function bytesOf(item: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(item)).length;
}

/** Scalars, those of arrays one by one; not the id. */
function leafCount(item: JsonObject): number {
  const count = (value: JsonValue): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + count(each), 0);
    if (!isObject(value)) return 1;
    return Object.values(value).reduce<number>((sum, each) => sum + count(each), 0);
  };
  return count(item) - (Object.hasOwn(item, "id") ? 1 : 0);
}
