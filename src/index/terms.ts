/**
 * The terms of an item: what a container's index holds for it under a policy.
 *
 * Every value at an indexed place gives one term: a scalar gives its value, an array or an object
 * only the fact that it is there (so that `IS_DEFINED` finds it). Elements of an array share the
 * path `/[]`, and equal ones share a term. The item itself gives one term of its shape
 * (`shapeTerm.ts`), one for each composite index (`compositeTerm.ts`), some for each geometry in a
 * spatial index (`spatialTerm.ts`) and one for each word in a full-text index (`wordTerm.ts`).
 *
 * A leaf is a scalar at an indexed place, other than `id` and `_ts`; elements of an array count one
 * by one, equal or not. The price list counts leaves (`throughput/charge.ts`).
 *
 * Items come from clients: only own properties are looked at, and items nest no deeper than
 * `json/depth.ts` allows, so recursion is safe.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { CompiledPolicy, IndexedPlace } from "./compiledPolicy.ts";
import { compositeTermOf } from "./compositeTerm.ts";
import { ELEMENTS } from "./policyPath.ts";
import { shapeTermOf } from "./shapeTerm.ts";
import { spatialTermsOf } from "./spatialTerm.ts";
import { type Scalar, type Term, termOf, termOfNode } from "./term.ts";
import { wordTermsOf } from "./wordTerm.ts";

export interface ItemTerms {
  /** The terms, each once, in no particular order. */
  readonly terms: readonly Term[];
  /**
   * Number of terms, from the first on, that stand for one value each; the others stand for
   * several.
   */
  readonly valueTermCount: number;
  readonly leafCount: number;
}

/**
 * Grows when items get terms that they did not have before. An item that was indexed under another
 * number is indexed anew, as far as its terms differ (`engine/catalog/catalogRecords.ts`).
 */
export const INDEX_FORMAT = 5;

interface TermDifference<T extends string> {
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** Returns the terms of an item. `stamp` has the properties of the item that are not in `item`. */
export function termsOf(
  compiled: CompiledPolicy,
  item: JsonObject,
  stamp: JsonObject = NOTHING,
): ItemTerms {
  if (!compiled.isIndexing) return { terms: [], valueTermCount: 0, leafCount: 0 };
  const found: Found = {
    terms: [],
    elementTerms: new Set(),
    leafCount: 0,
    shape: { high: 0, low: 0 },
  };
  const root = compiled.enter();
  collect(compiled, root, item, false, found);
  if (stamp !== NOTHING) collect(compiled, root, stamp, false, found);
  const { terms, elementTerms, leafCount } = found;
  for (const term of elementTerms) terms.push(term);
  const valueTermCount = terms.length;
  terms.push(shapeTermOf(found.shape));
  for (const layout of compiled.composites) terms.push(compositeTermOf(layout, item, stamp));
  if (compiled.spatials.length > 0) terms.push(...spatialTermsOf(compiled.spatials, item));
  if (compiled.words.length > 0) {
    for (const term of wordTermsOf(compiled.words, item)) terms.push(term);
  }
  return { terms, valueTermCount, leafCount };
}

/** Returns the terms that the index must forget and learn when the terms of an item change. */
export function termDifference<T extends string>(
  before: readonly T[],
  after: readonly T[],
): TermDifference<T> {
  const gone = new Set(before);
  const added = after.filter((term) => !gone.delete(term));
  return { removed: [...gone], added };
}

/**
 * Returns how many leaves have another value than before; a leaf that came or went counts as one.
 */
export function changedLeafCount(
  compiled: CompiledPolicy,
  before: JsonObject,
  after: JsonObject,
): number {
  return changesAt(compiled, compiled.enter(), before, after);
}

interface Found {
  readonly terms: Term[];
  /** Terms of array elements. Only below an array can a term repeat, so only those are checked. */
  readonly elementTerms: Set<Term>;
  leafCount: number;
  /**
   * The sums of both halves of the path hashes, which do not depend on the order of the properties.
   */
  readonly shape: { high: number; low: number };
}

function collect(
  compiled: CompiledPolicy,
  place: IndexedPlace,
  value: JsonValue,
  isBelowArray: boolean,
  found: Found,
): void {
  if (place.isIndexed) {
    const term = termAt(place, value);
    if (isBelowArray) found.elementTerms.add(term);
    else {
      found.terms.push(term);
      found.shape.high = (found.shape.high + place.hash.high) | 0;
      found.shape.low = (found.shape.low + place.hash.low) | 0;
    }
  }
  if (isScalar(value)) {
    if (isLeaf(place)) found.leafCount++;
  } else if (!place.mayIndexBelow) {
    return;
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      collect(compiled, compiled.step(place, name), value[name]!, isBelowArray, found);
    }
  } else {
    const elements = compiled.step(place, ELEMENTS);
    for (const element of value) collect(compiled, elements, element, true, found);
  }
}

function termAt(place: IndexedPlace, value: JsonValue): Term {
  if (isScalar(value)) return termOf(place.pathHash, value);
  return termOfNode(place.pathHash, isObject(value) ? "object" : "array");
}

function changesAt(
  compiled: CompiledPolicy,
  place: IndexedPlace,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): number {
  if (before === undefined) return leavesAt(compiled, place, after);
  if (after === undefined) return leavesAt(compiled, place, before);
  if (isScalar(before) && isScalar(after)) return before !== after && isLeaf(place) ? 1 : 0;
  if (isObject(before) && isObject(after)) return memberChanges(compiled, place, before, after);
  if (Array.isArray(before) && Array.isArray(after)) {
    return elementChanges(compiled, place, before, after);
  }
  return leavesAt(compiled, place, before) + leavesAt(compiled, place, after);
}

function memberChanges(
  compiled: CompiledPolicy,
  place: IndexedPlace,
  before: JsonObject,
  after: JsonObject,
): number {
  if (!place.mayIndexBelow) return 0;
  let count = 0;
  for (const name of Object.keys(after)) {
    const below = compiled.step(place, name);
    count += changesAt(compiled, below, property(before, name), after[name]);
  }
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name)) continue;
    count += leavesAt(compiled, compiled.step(place, name), before[name]);
  }
  return count;
}

function elementChanges(
  compiled: CompiledPolicy,
  place: IndexedPlace,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): number {
  if (!place.mayIndexBelow) return 0;
  const elements = compiled.step(place, ELEMENTS);
  let count = 0;
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    count += changesAt(compiled, elements, before[index], after[index]);
  }
  return count;
}

function leavesAt(
  compiled: CompiledPolicy,
  place: IndexedPlace,
  value: JsonValue | undefined,
): number {
  if (value === undefined) return 0;
  if (isScalar(value)) return isLeaf(place) ? 1 : 0;
  if (isObject(value)) return memberChanges(compiled, place, NOTHING, value);
  return elementChanges(compiled, place, [], value);
}

const NOTHING: JsonObject = {};

function isLeaf(place: IndexedPlace): boolean {
  return place.isIndexed && place.isPriced;
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== "object" || value === null;
}
