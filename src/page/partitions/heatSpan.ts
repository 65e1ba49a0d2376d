/**
 * The times that the heat map is about: the last hours up to now, or a part of them that somebody
 * zoomed to. Both are in the address.
 */
import { HOUR_MS } from "../../base/units.ts";

/**
 * `columnCount`: spans of time at most. A few more than the hours are cut into, because they begin
 * and end within one.
 */
export const SPANS = [
  { id: "1h", word: "1 hour", text: "last hour", hours: 1, columnCount: 64 },
  { id: "6h", word: "6 hours", text: "last 6 hours", hours: 6, columnCount: 76 },
  { id: "24h", word: "1 day", text: "last day", hours: 24, columnCount: 148 },
  { id: "7d", word: "1 week", text: "last week", hours: 168, columnCount: 172 },
] as const;

type Span = (typeof SPANS)[number];

export function spanIn(text: string): Span {
  return SPANS.find(({ id }) => id === text) ?? SPANS[0];
}

interface Zoom {
  readonly from: number;
  readonly to: number;
}

const ZOOM_LEAST_MS = 600_000;

/** `undefined` when the text is no zoom. */
export function zoomIn(text: string): Zoom | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  return to > from ? { from, to } : undefined;
}

export function zoomText({ from, to }: Zoom): string {
  return `${Math.round(from)}-${Math.round(to)}`;
}

/** Half or twice of what is shown, around a time; `undefined` is everything. */
export function zoomAfter(
  way: "in" | "out" | "reset",
  shown: Zoom,
  at: number,
  span: Span,
): Zoom | undefined {
  if (way === "reset") return undefined;
  const extent = (shown.to - shown.from) * (way === "in" ? 0.5 : 2);
  if (extent >= span.hours * HOUR_MS) return undefined;
  const length = Math.max(ZOOM_LEAST_MS, extent);
  // The time keeps its place in the view.
  const share = (at - shown.from) / (shown.to - shown.from);
  const from = at - share * length;
  return { from, to: from + length };
}

interface Pin {
  readonly at: number;
  readonly epk: string;
}

/** `1778854080000-2AAA` is a pinned time and the EPK at which the stretch begins. */
export function pinIn(text: string): Pin | undefined {
  const match = /^(\d{1,15})-([0-9A-F]*)$/.exec(text);
  return match === null ? undefined : { at: Number(match[1]), epk: match[2]! };
}

export function pinText({ at, epk }: Pin): string {
  return `${at}-${epk}`;
}

/** The cell that is pinned, if it is in view. */
export function pinnedCell(
  pin: Pin | undefined,
  { times, bounds }: { readonly times: readonly number[]; readonly bounds: readonly string[] },
): { readonly row: number; readonly column: number } | undefined {
  if (pin === undefined || pin.at < times[0]! || pin.at >= times.at(-1)!) return undefined;
  const column = times.findLastIndex((time) => time <= pin.at);
  const row = bounds.findLastIndex((bound) => bound <= pin.epk);
  return row < 0 || row >= bounds.length - 1 ? undefined : { row, column };
}
