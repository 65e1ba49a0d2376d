/** Where keys lead in parts that arrows move in. */

/** Where a key leads in a row of `count`; `undefined` when it leads nowhere. */
export function nextIndex(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return undefined;
}

/** Pixels by which an arrow moves a bar. */
const STEP = 16;

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isRow: boolean;
}

/** Where a key moves the bar; `undefined` when it does not. */
export function movedBy(
  key: string,
  extent: number,
  { min, max, isRow }: Bounds,
): number | undefined {
  if (key === (isRow ? "ArrowRight" : "ArrowDown")) return extent + STEP;
  if (key === (isRow ? "ArrowLeft" : "ArrowUp")) return extent - STEP;
  if (key === "Home") return min;
  if (key === "End") return max;
  return undefined;
}
