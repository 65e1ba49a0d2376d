/**
 * The names under which the engine stores items, as latin1 strings that sort like EPKs.
 *
 * An item's key is its EPK and its id. The zero byte between them is below every hexadecimal digit
 * and occurs in no EPK, so keys sort by EPK first, however long the EPKs are.
 *
 * Besides the terms of its indexed values an item has one *placement term*, its EPK alone: a scan
 * of placement terms gives the items of a logical partition, or of any EPK range, in order of
 * creation. A placement term begins with a byte of its own, like every kind of term
 * (`index/termSpace.ts`).
 */
import { TERM_BYTES } from "../../index/termSpace.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import type { KeyRange } from "../../store/partitionStore.ts";
import type { BatchOperation } from "./itemCommand.ts";

const SEPARATOR = "\x00";
const PLACEMENT = TERM_BYTES.placement;

export function itemKeyOf(epk: Epk, id: string): string {
  return epk + SEPARATOR + utf8Latin1(id);
}

/**
 * Returns the keys of the stored versions that an operation needs before it begins: that of its
 * item and, for a rename, that of the new id.
 */
export function itemKeysOf(operation: BatchOperation): readonly string[] {
  const { epk, id } = operation;
  const isRenamed = operation.kind === "replace" && operation.draft.id !== id;
  return isRenamed
    ? [itemKeyOf(epk, id), itemKeyOf(epk, operation.draft.id)]
    : [itemKeyOf(epk, id)];
}

export function epkOfKey(key: string): Epk {
  return key.slice(0, key.indexOf(SEPARATOR)) as Epk;
}

export function idOfKey(key: string): string {
  return Buffer.from(key.slice(key.indexOf(SEPARATOR) + 1), "latin1").toString("utf8");
}

export function placementTerm(epk: Epk): string {
  return PLACEMENT + epk + SEPARATOR;
}

/**
 * The placement terms of an EPK range. An EPK bound sorts before every term that continues the
 * bound.
 */
export function placementRange(range: EpkRange): KeyRange {
  return { min: PLACEMENT + range.min, max: PLACEMENT + range.max };
}

/**
 * The UTF-8 bytes of a text, one per character. An ASCII text, as most ids are, is returned as it
 * is.
 */
function utf8Latin1(text: string): string {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 127) return Buffer.from(text, "utf8").toString("latin1");
  }
  return text;
}
