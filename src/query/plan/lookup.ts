/**
 * A filter as a question to the index. A *lookup* gives, for the parameters of an execution, ranges
 * of terms: every item that passes the filter has a term in one of them. When they are exact the
 * reverse holds as well; otherwise the items still have to be looked at.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { TermRanges } from "../../index/termRange.ts";
import type { Run } from "../evaluate/run.ts";
import type { ItemPath } from "./itemPaths.ts";

export type Lookup =
  | TermLookup
  | { readonly kind: "and"; readonly parts: readonly Lookup[] }
  | { readonly kind: "or"; readonly parts: readonly Lookup[] }
  /** `first` says all that the others do, unless it cannot tell. */
  | { readonly kind: "prefer"; readonly first: TermLookup; readonly others: readonly Lookup[] };

export interface TermLookup {
  readonly kind: "terms";
  readonly path: ItemPath;
  /** For explain: the condition in words, such as `= `. */
  readonly what: string;
  /** Its terms are parts of the value: cells of a geometry, words of a text. */
  readonly isOfParts?: true;
  /** Of a composite index: it is about all of its paths. */
  readonly layout?: CompositeLayout;
  /** Undefined when the index cannot tell: a parameter is of a type it does not hold. */
  resolve(run: Run): ResolvedTerms | undefined;
}

/** Lookups that another is made of. */
export function partsOfLookup(lookup: Exclude<Lookup, TermLookup>): readonly Lookup[] {
  return lookup.kind === "prefer" ? [lookup.first, ...lookup.others] : lookup.parts;
}

export interface ResolvedTerms extends TermRanges {
  /** An item may have several of the terms, or none of the ranges is one value alone. */
  readonly mayRepeat: boolean;
  /** Looks at the value of each term; ranges are of a whole path then, which is slow. */
  readonly test?: ((term: string) => boolean) | undefined;
}
