/**
 * Which kind of term begins with which byte: every term begins with a byte that says its kind, and
 * no two kinds share one. Such bytes are given out in this table only.
 *
 * The bytes are keys of the table, so a byte that is given out twice does not compile. A kind that
 * is named twice has no byte of its own, and does not compile where it is used.
 *
 * Bytes from 80 on begin the hashes of paths (`hash.ts`), and those of composite, spatial and
 * full-text indexes: all of them are told apart by their hashes, which start from seeds of their
 * own.
 *
 * The bytes are on disk, inside every index. A change of one has to deal with the terms that are
 * already stored (`engine/item/itemTerms.ts` does so for expiry, which once shared the byte of
 * shapes).
 */
import type { TermRange } from "./term.ts";

const KIND_OF = {
  /** The place of an item in the key space: its EPK. */
  "\x01": "placement",
  /** The values of a unique key, in a logical partition. */
  "\x02": "unique",
  /** Which indexed properties an item has (`shapeTerm.ts`). */
  "\x03": "shape",
  /** Says that the item is left out of the index. */
  "\x04": "unindexed",
  /** When an item with a ttl of its own expires. */
  "\x05": "expiry",
} as const;

type Byte = keyof typeof KIND_OF;

/** A kind of term that stands for no path. */
export type TermKind = (typeof KIND_OF)[Byte];

/** The byte of a kind; a union of several if the table names the kind more than once. */
type ByteOf<K extends TermKind> = {
  [B in Byte]: (typeof KIND_OF)[B] extends K ? B : never;
}[Byte];

const BYTES = Object.fromEntries(Object.entries(KIND_OF).map(([byte, kind]) => [kind, byte])) as {
  readonly [K in TermKind]: ByteOf<K>;
};

/** The byte that all terms of a kind begin with. */
export const TERM_BYTES: { readonly [K in TermKind]: ByteOf<K> } = BYTES;

/** Returns the range of all terms of a kind, and of no others. */
export function termRangeOfKind(kind: TermKind): TermRange {
  const byte = TERM_BYTES[kind];
  return { min: byte, max: String.fromCharCode(byte.charCodeAt(0) + 1) };
}

/** The lowest byte that begins the hash of a path; all bytes above do so, too. */
export const PATH_BYTE_MIN = 0x80;

/**
 * Returns the kind of a term; `path` for one that stands for a path, or for an index over paths.
 */
export function kindOfTerm(term: string): TermKind | "path" | undefined {
  if (term.charCodeAt(0) >= PATH_BYTE_MIN) return "path";
  const [byte] = term;
  return byte !== undefined && Object.hasOwn(KIND_OF, byte) ? KIND_OF[byte as Byte] : undefined;
}
