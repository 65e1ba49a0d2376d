/**
 * The shape of an item: which indexed properties it has, as one term.
 *
 * The terms of a path tell which items have a value there. Shapes tell which items have none: items
 * of one shape have the same set of indexed paths, so one item of each shape is enough to know
 * whether all of them lack a path. Paths through arrays are no part of the shape. Arrays and
 * objects count as present like any other value.
 *
 * A shape term is the byte of its kind (`termSpace.ts`) and eight bytes: the sum of the hashes of
 * the paths. Two of n sets of paths collide with a chance of n²/2⁶⁴.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { CompiledPolicy } from "./compiledPolicy.ts";
import { type Hash, hashText } from "./hash.ts";
import type { PathSegment } from "./policyPath.ts";
import type { Term, TermRange } from "./term.ts";
import { TERM_BYTES, termRangeOfKind } from "./termSpace.ts";

/**
 * Returns the term of a shape. `sum` has the sums of both halves of the path hashes, as signed or
 * unsigned words.
 */
export function shapeTermOf(sum: Hash): Term {
  return (TERM_BYTES.shape + hashText(sum)) as Term;
}

/** Returns the range of all shape terms: every item has one, unless the policy indexes nothing. */
export function shapeTermRange(): TermRange {
  return termRangeOfKind("shape");
}

/**
 * True when a term of that range is a shape. In a container of an older version, until all of it
 * has been indexed anew, expiry terms lie among the shapes; those are longer (`FORMER_EXPIRY` in
 * `engine/item/itemTerms.ts`).
 */
export function isShapeTerm(term: string): boolean {
  return term.length === SHAPE_BYTES;
}

/**
 * True when the item, and with it all items of its shape, has a term at this path. A shape says
 * nothing about a path through an array: the answer is false.
 */
export function hasPath(
  compiled: CompiledPolicy,
  item: JsonObject,
  path: readonly PathSegment[],
): boolean {
  let value: JsonValue | undefined = item;
  for (const segment of path) {
    if (typeof segment === "symbol" || !isObject(value)) return false;
    value = property(value, segment);
  }
  return value !== undefined && compiled.isIndexedAt(path);
}

/** Length of a shape term: the byte of the kind, and a hash. */
const SHAPE_BYTES = 9;
