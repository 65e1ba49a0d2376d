/**
 * How the engine names things to the store, in latin1 strings whose order is the order of EPKs.
 *
 * An item's key is its EPK and its id. The zero byte between them is below every hexadecimal digit
 * and occurs in no EPK, so keys sort by EPK first, however long the EPKs are.
 *
 * Besides the terms of its indexed values an item has one *placement term*, its EPK alone: a scan
 * of those is the items of a logical partition, or of any EPK range, in order of creation. It
 * begins with a byte of its own, like every kind of term (`index/termSpace.ts`).
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

/** What an operation has to know before it begins: its item, and the place of its new name. */
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

/** The placement terms of an EPK range; an EPK bound is below every term that continues it. */
export function placementRange(range: EpkRange): KeyRange {
  return { min: PLACEMENT + range.min, max: PLACEMENT + range.max };
}

/** The bytes of a text's UTF-8 form, one per character. Most ids are their own. */
function utf8Latin1(text: string): string {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 127) return Buffer.from(text, "utf8").toString("latin1");
  }
  return text;
}
