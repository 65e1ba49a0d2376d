/**
 * Axes that all candidates share, so that two drawings side by side can be compared by eye. What is
 * far beyond a limit is cut off there: it is too much either way, and the others stay visible.
 */
import type { Limits } from "../../model/limits.ts";
import type { Axis } from "./axis.ts";
import { linearAxis, logAxis } from "./axis.ts";
import type { DrawnKey } from "./drawnKey.ts";
import type { PlotFrame } from "./plot.ts";
import { frameOf } from "./plot.ts";

export interface Scales {
  readonly frame: PlotFrame;
  readonly limits: Limits;
  /** Bytes of a physical partition. */
  readonly partitionBytes: Axis;
  /** Bytes of a logical partition; by powers. */
  readonly keyBytes: Axis;
  /** RU/s of a physical partition. */
  readonly rate: Axis;
  readonly monthCount: number;
}

const KB = 1024;
/** Keys that are so many times smaller than they may be lie on the ground. */
const KEY_DEPTH = 20_000;

/** Of drawings that are so many units wide. */
export function scalesOf(all: readonly DrawnKey[], limits: Limits, width: number): Scales {
  const months = all.flatMap((simulation) => simulation.months);
  const partitions = all.flatMap((simulation) => simulation.partitions);
  const most = (amounts: readonly number[]): number => amounts.reduce((a, b) => Math.max(a, b), 0);

  const { physicalPartitionBytesMax: full, logicalPartitionBytesMax: keyFull } = limits;
  const fullest = most([
    ...partitions.map(({ bytes }) => bytes),
    ...months.map((month) => month.largestPartitionBytes),
  ]);
  const keySizes = all
    .map(({ keys, months: own }) =>
      Math.max(keys.largest.bytesAtEnd.value, ...own.map((month) => month.largestKeyBytes)),
    )
    .filter((bytes) => bytes > 0);
  const allotment = most(partitions.map((partition) => partition.allotment));
  const busiest = most(partitions.map(({ rates }) => most(rates)));
  return {
    frame: frameOf(width),
    limits,
    partitionBytes: linearAxis(
      Math.max(full * 1.12, Math.min(fullest * 1.05, full * 1.6)),
      4,
      unitBelow(full),
    ),
    keyBytes: logAxis(keyFull / KEY_DEPTH, Math.max(keyFull * 3, most(keySizes) * 1.2), 32),
    rate: linearAxis(Math.max(allotment * 1.2, Math.min(busiest * 1.05, allotment * 2.5))),
    monthCount: most(months.map(({ month }) => month)),
  };
}

/** So that ticks are round numbers of the unit in which they are written. */
function unitBelow(bytes: number): number {
  return KB ** Math.max(0, Math.floor(Math.log(bytes) / Math.log(KB)));
}
