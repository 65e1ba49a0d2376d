/**
 * Terms of spatial indexes: the cells that a geometry covers.
 *
 * An index lists a path, or a path and all below it (`/*`), and types of geometry. Every valid
 * geometry of such a type that an item has there gives a term for each cell of its covering
 * (`geo/cells.ts`): a hash of the place and of the box that was cut into cells, the cell, and an
 * end byte 00, which is below all bytes of cells, so that no term is the beginning of another. A
 * cell within another begins with the text of that cell, so one range of terms is all that lies in
 * a cell.
 *
 * Elements of an array share their place here as they do elsewhere. Terms only say which items may
 * be near: a query has to look at the items.
 */
import { assert } from "../base/assert.ts";
import { geometryTerms, type QueryCovering } from "../geo/cells.ts";
import { type GeometryType, parseGeometry } from "../geo/geometry.ts";
import { GLOBE_GRID, type Grid, planeGridOf } from "../geo/grid.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import { type Hash, hashOf, pathHashText, SPATIAL_SEED, stepHash } from "./hash.ts";
import type { SpatialIndex } from "./policyIndexes.ts";
import { ELEMENTS, type PathSegment, parsePolicyPath } from "./policyPath.ts";
import type { Term, TermRange } from "./term.ts";
import { afterAll } from "./valueSpan.ts";

/** A spatial index, prepared for making terms and for lookups. */
export interface SpatialLayout {
  readonly path: readonly PathSegment[];
  readonly coversBelow: boolean;
  readonly types: readonly GeometryType[];
  readonly grid: Grid;
  /**
   * The hash that its places start from: it stands for the box and for how the box is cut into
   * cells.
   */
  readonly seed: Hash;
}

/** What an index knows about one place. */
export interface SpatialPlace {
  /** The bytes that all terms of the place begin with. */
  readonly hash: string;
  readonly grid: Grid;
}

/**
 * Prepares a spatial index. With a box the index is planar, without one spherical; the definition
 * of the container guarantees that this is right.
 */
export function spatialLayoutOf({ path, types, boundingBox }: SpatialIndex): SpatialLayout {
  const parsed = parsePolicyPath(path);
  assert(parsed.ok, "a policy in normal form has no broken path");
  const edges = boundingBox && [
    boundingBox.xmin,
    boundingBox.ymin,
    boundingBox.xmax,
    boundingBox.ymax,
  ];
  return {
    path: parsed.value.segments,
    coversBelow: parsed.value.end === "subtree",
    types,
    grid: boundingBox === undefined ? GLOBE_GRID : planeGridOf(boundingBox),
    seed: hashOf(JSON.stringify(edges ?? []), SPATIAL_SEED),
  };
}

/** Returns the spatial terms of an item, each once. */
export function spatialTermsOf(
  layouts: readonly SpatialLayout[],
  item: JsonObject,
): ReadonlySet<Term> {
  const found = new Set<Term>();
  for (const layout of layouts) visit(layout, item, layout.seed, 0, found);
  return found;
}

/**
 * Returns the place of an index that has every geometry at this path, whatever its type; undefined
 * when no index does.
 */
export function spatialPlaceOf(
  layouts: readonly SpatialLayout[],
  path: readonly PathSegment[],
): SpatialPlace | undefined {
  const covering = layouts.filter((layout) => isCovering(layout, path));
  for (const { seed, grid } of covering) {
    const alike = covering.filter((other) => isSameSeed(other.seed, seed));
    const types = new Set(alike.flatMap((layout) => layout.types));
    if (types.size < ALL_TYPE_COUNT) continue;
    return { hash: pathHashText(path.reduce(stepHash, seed)), grid };
  }
  return undefined;
}

/**
 * Returns the ranges of the terms of all geometries that may have a point in common with the
 * covered region.
 */
export function spatialRanges(
  { hash }: SpatialPlace,
  { prefixes, ancestors }: QueryCovering,
): readonly TermRange[] {
  const beginnings = [...prefixes, ...ancestors.map((cell) => cell + END)];
  return beginnings.map((cell) => ({ min: hash + cell, max: afterAll(hash + cell) }));
}

const END = "\0";
const ALL_TYPE_COUNT = 4;

function isCovering(layout: SpatialLayout, path: readonly PathSegment[]): boolean {
  const isLongEnough = layout.coversBelow
    ? path.length >= layout.path.length
    : path.length === layout.path.length;
  return isLongEnough && layout.path.every((segment, index) => segment === path[index]);
}

function isSameSeed(a: Hash, b: Hash): boolean {
  return a.high === b.high && a.low === b.low;
}

/** Collects terms. `depth` is the number of steps of the index's path that lead to `value`. */
function visit(
  layout: SpatialLayout,
  value: JsonValue,
  hash: Hash,
  depth: number,
  found: Set<Term>,
): void {
  const step = layout.path[depth];
  if (step === undefined) visitPlace(layout, value, hash, found);
  else if (step === ELEMENTS) {
    if (!Array.isArray(value)) return;
    const below = stepHash(hash, ELEMENTS);
    for (const element of value) visit(layout, element, below, depth + 1, found);
  } else {
    const child = isObject(value) ? property(value, step) : undefined;
    if (child !== undefined) visit(layout, child, stepHash(hash, step), depth + 1, found);
  }
}

function visitPlace(layout: SpatialLayout, value: JsonValue, hash: Hash, found: Set<Term>): void {
  if (!isNode(value)) return;
  const cells = cellsOf(layout, value);
  const prefix = cells.length > 0 ? pathHashText(hash) : "";
  for (const cell of cells) found.add((prefix + cell + END) as Term);
  if (!layout.coversBelow) return;
  if (isObject(value)) {
    for (const name of Object.keys(value)) {
      // Most values in an item are neither object nor array, and need no hash.
      const child = value[name]!;
      if (isNode(child)) visitPlace(layout, child, stepHash(hash, name), found);
    }
  } else if (value.some(isNode)) {
    const below = stepHash(hash, ELEMENTS);
    for (const element of value) visitPlace(layout, element, below, found);
  }
}

function isNode(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === "object" && value !== null;
}

function cellsOf({ types, grid }: SpatialLayout, value: JsonValue): readonly string[] {
  if (!isObject(value)) return [];
  const type = property(value, "type");
  if (!types.some((known) => known === type)) return [];
  const geometry = parseGeometry(value, grid.surface);
  return geometry.ok ? geometryTerms(geometry.value, grid) : [];
}
