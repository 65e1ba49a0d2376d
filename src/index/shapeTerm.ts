/**
 * The shape of an item: which indexed properties it has, as one term.
 *
 * The index tells which items have a value at a path. Which have none it tells by their shapes:
 * items of one shape have the same set of indexed paths, so of each shape one item is enough to
 * know whether all of them lack a path. Paths through arrays are no part of the shape. Arrays and
 * objects count as present like any other value.
 *
 * A shape term is the byte of its kind (`termSpace.ts`) and eight bytes: the sum of the hashes of
 * the paths. Two sets of paths meet with a chance of n²/2⁶⁴.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { CompiledPolicy } from "./compiledPolicy.ts";
import { type Hash, hashText } from "./hash.ts";
import type { PathSegment } from "./policyPath.ts";
import type { Term, TermRange } from "./term.ts";
import { TERM_BYTES, termRangeOfKind } from "./termSpace.ts";

/** `sum`: of each half of the path hashes, as signed or unsigned words. */
export function shapeTermOf(sum: Hash): Term {
  return (TERM_BYTES.shape + hashText(sum)) as Term;
}

/** All shape terms: every item has one, unless the policy indexes nothing. */
export function shapeTermRange(): TermRange {
  return termRangeOfKind("shape");
}

/**
 * Is a term of that range a shape? Until a container of an older version has been through, terms of
 * ends lie among its shapes, and those are longer (`FORMER_EXPIRY` in `engine/itemTerms.ts`).
 */
export function isShapeTerm(term: string): boolean {
  return term.length === SHAPE_BYTES;
}

/**
 * Does the item have a term at this path, and with it all items of its shape? A path through an
 * array is not the shape's to know: the answer is no.
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

/** The byte of the kind, and a hash. */
const SHAPE_BYTES = 9;
