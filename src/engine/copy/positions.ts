/**
 * How far a copy has followed the logs of its source, by intervals of keys.
 *
 * Partitions come and go while a job runs. LSNs go on along the lineage of every key: what splits
 * or merges take over keeps its LSN. So a position is an LSN for an interval of keys, and not for a
 * partition; a partition is read from the lowest position of its keys, and what is read twice does
 * no harm.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { intersect } from "../../partition/epkRange.ts";
import type { Container } from "../partition/container.ts";

export interface LogPosition {
  readonly range: EpkRange;
  readonly lsn: Lsn;
}

/** Tiles of the key space, in order. */
export class Positions {
  #tiles: readonly LogPosition[];

  constructor(tiles: readonly LogPosition[]) {
    this.#tiles = tiles;
  }

  get tiles(): readonly LogPosition[] {
    return this.#tiles;
  }

  /** Up to which LSN everything in the range is copied. */
  of(range: EpkRange): Lsn {
    let lowest = Number.POSITIVE_INFINITY;
    for (const tile of this.#tiles) {
      if (intersect(tile.range, range) !== undefined) lowest = Math.min(lowest, tile.lsn);
    }
    return lsn(Number.isFinite(lowest) ? lowest : 0);
  }

  /** The highest LSN of any key in the range. */
  highest(range: EpkRange): Lsn {
    let found = 0;
    for (const tile of this.#tiles) {
      if (intersect(tile.range, range) !== undefined) found = Math.max(found, tile.lsn);
    }
    return lsn(found);
  }

  /** No position ever goes back. */
  advance(range: EpkRange, through: Lsn): void {
    this.#tiles = joined(
      this.#tiles.flatMap((tile) => {
        const inside = intersect(tile.range, range);
        if (inside === undefined || tile.lsn >= through) return [tile];
        return cut(tile, inside, through);
      }),
    );
  }
}

/** The tile with another position in one interval of it. */
function cut(tile: LogPosition, inside: EpkRange, through: Lsn): readonly LogPosition[] {
  const { min, max } = tile.range;
  return [
    ...(min < inside.min ? [{ range: { min, max: inside.min }, lsn: tile.lsn }] : []),
    { range: inside, lsn: through },
    ...(inside.max < max ? [{ range: { min: inside.max, max }, lsn: tile.lsn }] : []),
  ];
}

/** Neighbours with the same position are one tile, or they would become ever more. */
function joined(tiles: readonly LogPosition[]): readonly LogPosition[] {
  const result: LogPosition[] = [];
  for (const tile of tiles) {
    const last = result.at(-1);
    if (last !== undefined && last.lsn === tile.lsn && last.range.max === tile.range.min) {
      result[result.length - 1] = {
        range: { min: last.range.min, max: tile.range.max },
        lsn: tile.lsn,
      };
    } else {
      result.push(tile);
    }
  }
  return result;
}

/** The ends of the logs of a container. */
export function headsOf({ partitions }: Container): Positions {
  return new Positions(
    [...partitions.values()].map(({ entry, lsn }) => ({ range: entry.range, lsn })),
  );
}

/** Up to where ends have left the logs of a container. */
export function sweptOf({ partitions }: Container): Positions {
  return new Positions(
    [...partitions.values()].map(({ entry, head }) => ({ range: entry.range, lsn: head.sweptLsn })),
  );
}

/** How many items a container has. */
export function countOf({ partitions }: Container): number {
  let count = 0;
  for (const { head } of partitions.values()) count += head.itemCount;
  return count;
}
