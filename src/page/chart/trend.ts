/**
 * Two lines over time, the area between them, and stretches of time with a meaning: data in, marks
 * out. Nothing is drawn here; marks are in a box of 1000 by 1000, which whoever draws stretches.
 *
 * A slot that nobody counted is a gap: no line leads through it, and it is never zero.
 */
import { linear } from "./scale.ts";

/** The width and the height of the box that marks are in. */
export const BOX = 1000;

export interface TrendSlot {
  /** When the slot begins, in milliseconds since 1970. */
  readonly at: number;
  /** Of 1, which is the limit; absent where nobody counted. */
  readonly upper?: number | undefined;
  readonly lower?: number | undefined;
  /** The share of requests that were refused. */
  readonly refusedShare?: number | undefined;
}

interface TrendMarks {
  /** Paths of SVG. */
  readonly upper: string;
  readonly lower: string;
  /** The area between the two, which is what unevenness costs. */
  readonly between: string;
  readonly refused: readonly Stretch[];
  readonly gaps: readonly Stretch[];
}

/** From left to right, in the box. */
interface Stretch {
  readonly x: number;
  readonly width: number;
}

export function trendMarks(
  slots: readonly TrendSlot[],
  { slotMs, top }: { readonly slotMs: number; readonly top: number },
): TrendMarks {
  const from = slots[0]?.at ?? 0;
  const to = (slots.at(-1)?.at ?? 0) + slotMs;
  const time = linear(from, to);
  const x = (at: number): number => round(time.place(at) * BOX);
  const y = (share: number): number => round(BOX - Math.min(1, Math.max(0, share / top)) * BOX);
  const pointsOf = (shareIn: (slot: TrendSlot) => number | undefined): readonly Point[][] =>
    runsOf(slots, (slot) => shareIn(slot) !== undefined).map((run) =>
      // A line has a point in the middle of each slot, and one that is alone has two ends.
      run.length === 1
        ? [0, slotMs].map((offset) => [x(run[0]!.at + offset), y(shareIn(run[0]!)!)] as const)
        : run.map((slot) => [x(slot.at + slotMs / 2), y(shareIn(slot)!)] as const),
    );
  const stretchesOf = (isMeant: (slot: TrendSlot) => boolean): readonly Stretch[] =>
    runsOf(slots, isMeant).map((run) => {
      const start = x(run[0]!.at);
      return { x: start, width: round(x(run.at(-1)!.at + slotMs) - start) };
    });
  const both = runsOf(slots, ({ upper, lower }) => upper !== undefined && lower !== undefined);
  return {
    upper: lineThrough(pointsOf(({ upper }) => upper)),
    lower: lineThrough(pointsOf(({ lower }) => lower)),
    between: both.map((run) => areaOf(run, { x, y, slotMs })).join(""),
    refused: stretchesOf(({ refusedShare }) => (refusedShare ?? 0) > 0),
    gaps: stretchesOf(({ upper, lower }) => upper === undefined && lower === undefined),
  };
}

type Point = readonly [x: number, y: number];

function lineThrough(runs: readonly Point[][]): string {
  return runs
    .map((points) => points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join(""))
    .join("");
}

function areaOf(
  run: readonly TrendSlot[],
  place: { x(at: number): number; y(share: number): number; readonly slotMs: number },
): string {
  const point = (slot: TrendSlot, share: number): Point => [
    place.x(slot.at + place.slotMs / 2),
    place.y(share),
  ];
  if (run.length < 2) return "";
  const above = run.map((slot) => point(slot, slot.upper!));
  const below = run.toReversed().map((slot) => point(slot, slot.lower!));
  return `${lineThrough([[...above, ...below]])}Z`;
}

/** Slots that follow each other and are all meant. */
function runsOf(
  slots: readonly TrendSlot[],
  isMeant: (slot: TrendSlot) => boolean,
): readonly TrendSlot[][] {
  const runs: TrendSlot[][] = [];
  let run: TrendSlot[] = [];
  for (const slot of slots) {
    if (isMeant(slot)) run.push(slot);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  return run.length > 0 ? [...runs, run] : runs;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The slot under a place between 0 and 1 from left to right. */
export function slotAt(slots: readonly TrendSlot[], place: number): number {
  const index = Math.floor(place * slots.length);
  return Math.min(slots.length - 1, Math.max(0, index));
}
