/**
 * What was counted in the past, in slots of falling resolution. Each row is added to the present
 * slot of every resolution at once, so no resolution has to be computed from another later.
 *
 * Times are those of the wall clock. A slot to which nothing was added is a gap.
 */
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type PackedEntry, PackedRing, type Packing } from "./packedRing.ts";
import { RESOLUTIONS, type Resolution, type SlotGroup, slotOf } from "./resolution.ts";
import {
  addRow,
  COLUMN_COUNT,
  ITEM_BYTES,
  ITEM_COUNT,
  isGap,
  NORMALIZED_PERCENT,
  newRow,
  newTable,
  RU,
  rowAt,
} from "./slotTable.ts";

/** The size of a container at a time. */
interface SizeSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly itemBytes: number;
}

export class History {
  readonly #rings: readonly PackedRing<Float64Array>[] = RESOLUTIONS.map(
    (resolution) =>
      new PackedRing(packingOf(resolution), { groupLength: 1, groupCount: resolution.blockCount }),
  );

  add(wallAt: number, row: Float64Array): void {
    RESOLUTIONS.forEach((resolution, index) => {
      const { slotsPerBlock } = resolution;
      const slot = slotOf(resolution, wallAt);
      const block = this.#rings[index]!.change(Math.floor(slot / slotsPerBlock));
      addRow(block, slot % slotsPerBlock, row);
    });
  }

  /** The sum of the slots of each group; `undefined` for a group of gaps only. */
  sums(resolution: number, groups: readonly SlotGroup[]): readonly (Float64Array | undefined)[] {
    const { slotsPerBlock } = RESOLUTIONS[resolution]!;
    let number = -1;
    let block: Float64Array | undefined;
    return groups.map(({ firstSlot, endSlot }) => {
      let sum: Float64Array | undefined;
      for (let slot = firstSlot; slot < endSlot; slot++) {
        const wanted = Math.floor(slot / slotsPerBlock);
        if (wanted !== number) block = this.#rings[resolution]!.read(wanted);
        number = wanted;
        if (block === undefined || isGap(block, slot % slotsPerBlock)) continue;
        sum ??= newRow();
        addRow(sum, 0, rowAt(block, slot % slotsPerBlock));
      }
      return sum;
    });
  }

  /** The earliest size that is remembered. */
  earliestSize(): SizeSample | undefined {
    const samples = RESOLUTIONS.map((resolution, index) => {
      const ring = this.#rings[index]!;
      const { slotMs, slotsPerBlock } = resolution;
      for (const number of ring.numbers().toSorted((one, other) => one - other)) {
        const block = ring.read(number)!;
        for (let slot = 0; slot < slotsPerBlock; slot++) {
          const itemBytes = rowAt(block, slot)[ITEM_BYTES]!;
          // A size is that at the end of its slot.
          const at = (number * slotsPerBlock + slot + 1) * slotMs;
          if (!Number.isNaN(itemBytes)) return { at, itemBytes };
        }
      }
      return undefined;
    });
    const known = samples.filter((sample) => sample !== undefined);
    return known.toSorted((one, other) => one.at - other.at)[0];
  }

  takeChanged(resolution: number): readonly number[] {
    return this.#rings[resolution]!.takeChanged();
  }

  putBack(resolution: number, place: number): void {
    this.#rings[resolution]!.putBack(place);
  }

  /** Returns the block at this place, if there is one. */
  packedBlock(resolution: number, place: number): PackedEntry | undefined {
    return this.#rings[resolution]!.packedGroup(place)[0];
  }

  /** Takes over a stored block; returns false when its bytes are invalid. */
  restore(resolution: number, block: PackedEntry): boolean {
    return this.#rings[resolution]!.restore(block);
  }
}

/** Request units and percent are stored in hundredths, because charges have no more digits. */
const HUNDREDTHS = 100;

const GAP = 0;
const WITHOUT_SIZES = 1;
const WITH_SIZES = 2;

function packingOf({ slotsPerBlock }: Resolution): Packing<Float64Array> {
  return {
    make: () => newTable(slotsPerBlock),
    pack: (table) => packTable(table, slotsPerBlock),
    unpack: (bytes) => unpackTable(bytes, slotsPerBlock),
    merge: (table, earlier) => {
      for (let slot = 0; slot < slotsPerBlock; slot++) {
        if (isGap(earlier, slot)) continue;
        // The later row is added to the earlier one, because of sizes the later ones count.
        if (!isGap(table, slot)) addRow(earlier, slot, rowAt(table, slot));
        table.set(rowAt(earlier, slot), slot * COLUMN_COUNT);
      }
    },
  };
}

function packTable(table: Float64Array, slotCount: number): Uint8Array {
  const writer = new ByteWriter();
  for (let slot = 0; slot < slotCount; slot++) {
    if (isGap(table, slot)) {
      writer.byte(GAP);
      continue;
    }
    const row = rowAt(table, slot);
    const hasSizes = !Number.isNaN(row[ITEM_BYTES]!);
    writer.byte(hasSizes ? WITH_SIZES : WITHOUT_SIZES);
    const columnCount = hasSizes ? COLUMN_COUNT : ITEM_COUNT;
    for (let column = 0; column < columnCount; column++) {
      const number = Math.round(row[column]! * scaleOf(column));
      writer.number(Math.min(number, Number.MAX_SAFE_INTEGER));
    }
  }
  return writer.finish();
}

function unpackTable(bytes: Uint8Array, slotCount: number): Float64Array | undefined {
  const reader = new ByteReader(bytes);
  const table = newTable(slotCount);
  for (let slot = 0; slot < slotCount; slot++) {
    const form = reader.byte();
    if (form > WITH_SIZES) return undefined;
    if (form === GAP) continue;
    const row = rowAt(table, slot);
    const columnCount = form === WITH_SIZES ? COLUMN_COUNT : ITEM_COUNT;
    for (let column = 0; column < columnCount; column++) {
      row[column] = reader.number() / scaleOf(column);
    }
  }
  return reader.isDone ? table : undefined;
}

function scaleOf(column: number): number {
  return column === RU || column === NORMALIZED_PERCENT ? HUNDREDTHS : 1;
}
