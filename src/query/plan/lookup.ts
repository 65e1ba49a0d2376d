/**
 * A filter as a question to the index. A *lookup* gives, for the parameters of an execution, ranges
 * of terms: every item that passes the filter has a term in one of them. When the ranges are exact,
 * every item with such a term passes; otherwise the items still have to be looked at.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { TermRanges } from "../../index/termRange.ts";
import type { Run } from "../evaluate/run.ts";
import type { ItemPath } from "./itemPaths.ts";

export type Lookup =
  | TermLookup
  | { readonly kind: "and"; readonly parts: readonly Lookup[] }
  | { readonly kind: "or"; readonly parts: readonly Lookup[] }
  /** `first` answers for all of `others`; those are asked only if `first` cannot tell. */
  | { readonly kind: "prefer"; readonly first: TermLookup; readonly others: readonly Lookup[] };

export interface TermLookup {
  readonly kind: "terms";
  readonly path: ItemPath;
  /** The condition in words, for explain, such as `=` or `BETWEEN`. */
  readonly what: string;
  /** True when the terms are parts of the value: cells of a geometry, words of a text. */
  readonly isOfParts?: true;
  /** Present for a composite index: the lookup is about all of its paths. */
  readonly layout?: CompositeLayout;
  /**
   * Returns the terms; undefined when the index cannot tell because a parameter has a type that it
   * does not hold.
   */
  resolve(run: Run): ResolvedTerms | undefined;
}

/** Returns the lookups that a joined lookup is made of. */
export function partsOfLookup(lookup: Exclude<Lookup, TermLookup>): readonly Lookup[] {
  return lookup.kind === "prefer" ? [lookup.first, ...lookup.others] : lookup.parts;
}

export interface ResolvedTerms extends TermRanges {
  /** True when an item may have several of the terms, so that its number may come repeatedly. */
  readonly mayRepeat: boolean;
  /** Tries the value of a term. With it, `ranges` are a whole path, which is slow to read. */
  readonly test?: ((term: string) => boolean) | undefined;
}
