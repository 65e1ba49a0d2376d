/**
 * Who owns which terms: every term begins with a byte that says what kind of term it is, and no
 * two kinds share one. The table is the only place where such a byte is given out.
 *
 * The bytes are keys of the table, so a byte that is given out twice does not compile. A kind that
 * is named twice has no byte of its own, and does not compile where it is used.
 *
 * Bytes from 80 on begin the hashes of paths (`hash.ts`), with those of composite, spatial and
 * full-text indexes among them: those are told apart by their hashes, from seeds of their own.
 *
 * The bytes are on disk, inside every index. Whoever changes one has to see to the terms that are
 * there (`engine/itemTerms.ts` does so for ends, which once shared the byte of shapes).
 */
import type { TermRange } from "./term.ts";

const KIND_OF = {
  /** Where an item is in the key space: its EPK. */
  "\x01": "placement",
  /** The values of a unique key, in a logical partition. */
  "\x02": "unique",
  /** Which indexed properties an item has (`shapeTerm.ts`). */
  "\x03": "shape",
  /** The item is left out of the index. */
  "\x04": "unindexed",
  /** When an item with a ttl of its own ends. */
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

/** What all terms of a kind begin with. */
export const TERM_BYTES: { readonly [K in TermKind]: ByteOf<K> } = BYTES;

/** All terms of a kind, and no others. */
export function termRangeOfKind(kind: TermKind): TermRange {
  const byte = TERM_BYTES[kind];
  return { min: byte, max: String.fromCharCode(byte.charCodeAt(0) + 1) };
}

/** The lowest byte of a hash of a path; all those above are, too. */
export const PATH_BYTE_MIN = 0x80;

/** What kind of term this is; one that stands for a path, or an index over paths, is of `path`. */
export function kindOfTerm(term: string): TermKind | "path" | undefined {
  if (term.charCodeAt(0) >= PATH_BYTE_MIN) return "path";
  const [byte] = term;
  return byte !== undefined && Object.hasOwn(KIND_OF, byte) ? KIND_OF[byte as Byte] : undefined;
}
