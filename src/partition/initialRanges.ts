/**
 * The ranges of a fresh container: as many as it needs, each with an equal share of the hashes.
 *
 * Boundary `i` of `n` is `i * floor(MAX / n)`, where MAX is the largest hash, written the way an
 * EPK of that version starts. The first range begins at "" and the last ends at "FF", so that
 * the empty key and every extension of the largest hash have an owner as well.
 *
 * Not here: how many ranges a container needs, and cutting a range later on.
 */
import { assert } from "../base/assert.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { orderedNumberText } from "./epk.ts";
import { assertTiles, type Epk, type EpkRange, epkRange, WHOLE_RANGE } from "./epkRange.ts";

const HASH_MAX_V1 = 2 ** 32 - 1;
const HASH_MAX_V2 = 2n ** 126n - 1n;
const HASH_DIGITS_V2 = 32;

export function initialRanges(
  definition: PartitionKeyDefinition,
  count: number,
): readonly EpkRange[] {
  assert(Number.isInteger(count) && count > 0, "a container has at least one range");
  const usesV1 = definition.kind === "Hash" && definition.version === 1;
  const boundaryOf = usesV1 ? boundaryV1 : boundaryV2;
  const ranges = Array.from({ length: count }, (_, index) => {
    const min = index === 0 ? WHOLE_RANGE.min : boundaryOf(index, count);
    const max = index === count - 1 ? WHOLE_RANGE.max : boundaryOf(index + 1, count);
    return epkRange(min, max);
  });
  assertTiles(ranges);
  return ranges;
}

function boundaryV1(index: number, count: number): Epk {
  return orderedNumberText(index * Math.floor(HASH_MAX_V1 / count)) as Epk;
}

function boundaryV2(index: number, count: number): Epk {
  const boundary = BigInt(index) * (HASH_MAX_V2 / BigInt(count));
  return boundary.toString(16).toUpperCase().padStart(HASH_DIGITS_V2, "0") as Epk;
}
