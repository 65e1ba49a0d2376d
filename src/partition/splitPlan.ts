/**
 * Where to cut a physical partition in two, and which one to cut next.
 *
 * A cut is an EPK, and all items of a logical partition have the same EPK: so no cut ever goes
 * through a logical partition. Below a prefix of a hierarchical key there are many EPKs, and a cut
 * may fall between them.
 *
 * - For storage the cut leaves half of the bytes on either side, as nearly as whole logical
 *   partitions allow. If the items are all of one logical partition, there is no such cut.
 * - For throughput the cut halves the interval of hashes, whatever lies in it.
 *
 * Used by the engine and by the code that predicts what the engine will do. Not here: moving the
 * items.
 */
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import type { Epk, EpkRange } from "./epkRange.ts";
import { isPoint } from "./epkRange.ts";
import { boundaryAt, positionOf } from "./keySpace.ts";
import type { PartitionEntry } from "./partitionMap.ts";

/** What one logical partition holds; sizes come in EPK order. */
export interface LogicalSize {
  readonly epk: Epk;
  readonly bytes: number;
}

/** Returns the first EPK of the right half by bytes; `undefined` if the bytes cannot be divided. */
export function medianCut(sizes: Iterable<LogicalSize>, totalBytes: number): Epk | undefined {
  let left = 0;
  let best: { readonly epk: Epk; readonly difference: number } | undefined;
  for (const { epk, bytes } of sizes) {
    const difference = Math.abs(totalBytes - 2 * left);
    if (left > 0 && (best === undefined || difference < best.difference)) {
      best = { epk, difference };
    }
    left += bytes;
    // From here on the left side only gets heavier, so no later cut is better.
    if (best !== undefined && 2 * left > totalBytes + best.difference) break;
  }
  return best?.epk;
}

/** Returns the middle of the hashes of a range; `undefined` when it is too narrow to have one. */
export function middleCut(definition: PartitionKeyDefinition, range: EpkRange): Epk | undefined {
  if (isPoint(range)) return undefined;
  const usesV1 = definition.kind === "Hash" && definition.version === 1;
  const cut = usesV1 ? middleV1(definition, range) : middleV2(range);
  return range.min < cut && cut < range.max ? cut : undefined;
}

/** Number of digits of one level of a key: 128 bits, of which the upper two are never set. */
const LEVEL_DIGITS = 32;
const LEVEL_END = "40";

/**
 * Returns the middle of two bounds, read as fractions: filled up with zeros to the same length,
 * their texts are numbers.
 */
function middleV2({ min, max }: EpkRange): Epk {
  const upper = endOfHashes(max);
  const levelCount = Math.ceil(Math.max(1, min.length, upper.length) / LEVEL_DIGITS);
  const length = levelCount * LEVEL_DIGITS;
  const low = BigInt(`0x${min.padEnd(length, "0") || "0"}`);
  const high = BigInt(`0x${upper.padEnd(length, "0")}`);
  const middle = (low + high) / 2n;
  return middle.toString(16).toUpperCase().padStart(length, "0") as Epk;
}

/**
 * Returns where the hashes below a bound end: every level starts below "40", so the space that ends
 * at "FF" is used only up to there.
 */
function endOfHashes(max: Epk): string {
  const isEndOfLevel = max.endsWith("FF") && (max.length - 2) % LEVEL_DIGITS === 0;
  return isEndOfLevel ? max.slice(0, -2) + LEVEL_END : max;
}

/** Returns the middle for version 1, whose hashes are numbers in an ordered spelling. */
function middleV1(definition: PartitionKeyDefinition, { min, max }: EpkRange): Epk {
  return boundaryAt(definition, (positionOf(definition, min) + positionOf(definition, max)) / 2);
}

/**
 * Returns the physical partition to cut when there are to be more: the one with the widest share of
 * the hashes, and of equally wide ones the oldest.
 */
export function widestEntry(
  definition: PartitionKeyDefinition,
  entries: readonly PartitionEntry[],
): PartitionEntry {
  return entries.reduce((widest, entry) => {
    const difference = widthOf(definition, entry.range) - widthOf(definition, widest.range);
    const isWider = difference > WIDTH_TOLERANCE;
    const isOlder = Math.abs(difference) <= WIDTH_TOLERANCE && entry.ordinal < widest.ordinal;
    return isWider || isOlder ? entry : widest;
  });
}

/**
 * Difference of widths that is still taken as equal: halves of one interval differ by a rounding.
 */
const WIDTH_TOLERANCE = 2 ** -30;

/** Returns the share of the hashes that fall into a range. */
export function widthOf(definition: PartitionKeyDefinition, { min, max }: EpkRange): number {
  return positionOf(definition, max) - positionOf(definition, min);
}
