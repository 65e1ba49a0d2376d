/** Which names stand beside the heat map: the heaviest keys at their rows, none over another. */
import type { LogicalReport } from "../../statistics/report.ts";
import { type HeatGrid, rowPlaceOf } from "./heatGrid.ts";
import { keyLineOf, keyText } from "./keyPlace.ts";

interface RowLabel {
  readonly text: string;
  /** From 0 at the top to 1. */
  readonly place: number;
}

const COUNT_MAX = 16;

/** `keys` are the heaviest first; `room` is the part of the height that a name needs. */
export function rowLabels(
  grid: HeatGrid,
  keys: readonly LogicalReport[],
  room: number,
): readonly RowLabel[] {
  const line = keyLineOf(grid.spans.map(({ partition }) => partition));
  const labels: RowLabel[] = [];
  for (const key of keys) {
    if (labels.length === COUNT_MAX) break;
    const row = Math.floor(rowPlaceOf(grid.bounds, key.epk, line));
    const place = (row + 0.5) / grid.rowCount;
    if (labels.every((label) => Math.abs(label.place - place) >= room)) {
      labels.push({ text: keyText(key), place });
    }
  }
  return labels;
}

/** Lines between more physical partitions than these would hide what lies between them. */
const BOUNDARIES_MAX = 64;

export function hasAllBoundaries({ spans }: Pick<HeatGrid, "spans">): boolean {
  return spans.length <= BOUNDARIES_MAX;
}
