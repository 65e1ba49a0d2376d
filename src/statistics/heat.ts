/**
 * Where in the key space the load of a container was, minute by minute: rows of buckets, in rings
 * of falling resolution. A row exists only when there was load.
 *
 * Meters add load to the row of the running minute (`pending`), which is added to the rings when
 * the minute is over. Load without a place in the key space, such as that of a query over all keys,
 * is spread evenly over its range, so that rows add up to the whole.
 *
 * Not here: which minutes are gaps; a missing row may also mean that there was no load.
 */
import {
  addHeat,
  BUCKET_COUNT,
  HEAT_PACKING,
  type HeatMetric,
  type HeatRow,
  newHeatRow,
} from "./heatRow.ts";
import { type PackedEntry, PackedRing } from "./packedRing.ts";
import { RESOLUTIONS, type SlotGroup, slotOf } from "./resolution.ts";

/** A stretch of the key space, by positions. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export class Heat {
  /** Load of the running minute that is not in the rings yet. Always the same object. */
  readonly pending: HeatRow = newHeatRow();
  /** The time of the load in `pending`, by the wall clock. */
  #pendingAt = 0;
  readonly #rings: readonly PackedRing<HeatRow>[] = RESOLUTIONS.map(
    ({ slotsPerBlock, blockCount }) =>
      new PackedRing(HEAT_PACKING, { groupLength: slotsPerBlock, groupCount: blockCount }),
  );

  /** Says that load added to `pending` from now on is of the minute of `wallAt`. */
  enter(wallAt: number): void {
    const [minute] = RESOLUTIONS;
    if (slotOf(minute!, wallAt) === slotOf(minute!, this.#pendingAt)) return;
    this.settle();
    this.#pendingAt = wallAt;
  }

  /** Divides load among the buckets of a stretch, in proportion to their share of it. */
  spread({ from, to }: Stretch, metric: HeatMetric, amount: number): void {
    if (amount === 0) return;
    const buckets = this.pending[metric];
    const first = Math.min(Math.floor(from * BUCKET_COUNT), BUCKET_COUNT - 1);
    const last = Math.max(first, Math.ceil(to * BUCKET_COUNT) - 1);
    const length = (to - from) * BUCKET_COUNT;
    for (let bucket = first; bucket <= last; bucket++) {
      const shared =
        Math.min(bucket + 1, to * BUCKET_COUNT) - Math.max(bucket, from * BUCKET_COUNT);
      // Below a hierarchical prefix a range may be so short that its length is zero.
      buckets[bucket]! += length > 0 ? (amount * shared) / length : amount;
    }
  }

  /** Adds the pending load to the rings. */
  settle(): void {
    const { ru, throttled } = this.pending;
    if (!ru.some((amount) => amount !== 0) && !throttled.some((amount) => amount !== 0)) return;
    RESOLUTIONS.forEach((resolution, index) => {
      addHeat(this.#rings[index]!.change(slotOf(resolution, this.#pendingAt)), this.pending);
    });
    ru.fill(0);
    throttled.fill(0);
  }

  /** The sum of the buckets over each group of slots. */
  sums(
    resolution: number,
    groups: readonly SlotGroup[],
    metric: HeatMetric,
  ): readonly Float64Array[] {
    return groups.map(({ firstSlot, endSlot }) => {
      const sum = new Float64Array(BUCKET_COUNT);
      for (let slot = firstSlot; slot < endSlot; slot++) {
        const buckets = this.#rings[resolution]!.read(slot)?.[metric];
        if (buckets === undefined) continue;
        for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) sum[bucket]! += buckets[bucket]!;
      }
      return sum;
    });
  }

  takeChanged(resolution: number): readonly number[] {
    return this.#rings[resolution]!.takeChanged();
  }

  putBack(resolution: number, group: number): void {
    this.#rings[resolution]!.putBack(group);
  }

  packedRows(resolution: number, group: number): readonly PackedEntry[] {
    return this.#rings[resolution]!.packedGroup(group);
  }

  /** Takes over a stored row; returns false when its bytes are invalid. */
  restore(resolution: number, row: PackedEntry): boolean {
    return this.#rings[resolution]!.restore(row);
  }
}
