/**
 * What all drawings of a candidate have in common: the frame, the amounts beside it, lines for
 * limits, and the sentence that says the same in words.
 *
 * Whoever shows drawings says how wide they are in units; the units are then stretched to the room
 * there is, so letters keep their size best where the two are about the same.
 */
import type { Axis } from "./axis.ts";
import type { DrawnMark } from "./mark.ts";
import { mark, path, placed } from "./mark.ts";

export interface PlotFrame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const HEIGHT = 132;
const MARGIN_RIGHT = 6;
const MARGIN_BOTTOM = 20;

export function frameOf(width: number): PlotFrame {
  return { left: 46, right: width - MARGIN_RIGHT, top: 12, bottom: HEIGHT - MARGIN_BOTTOM };
}

export interface Drawing {
  readonly title: string;
  /** Below it, and what somebody hears who does not see it. */
  readonly sentence: string;
  readonly width: number;
  readonly height: number;
  readonly marks: readonly DrawnMark[];
}

interface DrawingParts {
  readonly title: string;
  readonly sentence: string;
  readonly frame: PlotFrame;
  readonly marks: readonly (readonly DrawnMark[])[];
}

export function drawing({ title, sentence, frame, marks }: DrawingParts): Drawing {
  return {
    title,
    sentence,
    width: frame.right + MARGIN_RIGHT,
    height: frame.bottom + MARGIN_BOTTOM,
    marks: marks.flat(),
  };
}

export function placeX(frame: PlotFrame, share: number): number {
  return frame.left + share * (frame.right - frame.left);
}

export function placeY(frame: PlotFrame, share: number): number {
  return frame.bottom - share * (frame.bottom - frame.top);
}

/** Faint lines across, with their amounts on the left. */
export function amountAxis(
  frame: PlotFrame,
  axis: Axis,
  text: (amount: number) => string,
): readonly DrawnMark[] {
  return axis.ticks.flatMap((tick) => {
    const y = placeY(frame, axis.at(tick));
    const place = { class: "tick", x: frame.left - 4, y: y + 3, "text-anchor": "end" };
    return [
      mark("path", { class: "grid", d: path`M${frame.left} ${y}H${frame.right}` }),
      mark("text", place, text(tick)),
    ];
  });
}

interface Label {
  /** Where along the bottom, from 0 to 1. */
  readonly share: number;
  readonly text: string;
}

/** Words along the bottom; the first and the last stay inside. */
export function bottomLabels(frame: PlotFrame, labels: readonly Label[]): readonly DrawnMark[] {
  return labels.map(({ share, text }) => {
    const anchor = share < 0.05 ? "start" : share > 0.95 ? "end" : "middle";
    const [x, y] = [placeX(frame, share), frame.bottom + 12];
    return mark("text", { class: "tick", x, y, "text-anchor": anchor }, text);
  });
}

/** A limit across the frame, named at its right end; a warning below its line. */
export function limitLine(
  frame: PlotFrame,
  axis: Axis,
  limit: number,
  text: string,
  kind: "limit" | "warn" = "limit",
): readonly DrawnMark[] {
  const y = placeY(frame, axis.at(limit));
  const isBelow = kind === "warn" || y - 3 < frame.top;
  const place = { x: frame.right, y: isBelow ? y + 9 : y - 3, "text-anchor": "end" };
  return [
    mark("path", { class: kind, d: path`M${frame.left} ${y}H${frame.right}` }),
    mark("text", { class: kind, ...place }, text),
  ];
}

/** A line through points, each [share across, share up]. */
export function polyline(
  frame: PlotFrame,
  points: readonly (readonly [number, number])[],
  kind: string,
): readonly DrawnMark[] {
  const places = points.map(([x, y]) => `${placed(placeX(frame, x))} ${placed(placeY(frame, y))}`);
  return [mark("polyline", { class: kind, points: places.join(" ") })];
}

interface Bar {
  readonly amount: number;
  /** Beyond a limit: marked by more than colour. */
  readonly isOver: boolean;
  /** Shown when pointed at. */
  readonly title: string;
}

/** Bars beside each other over the whole frame; those higher than it end in a point. */
export function bars(frame: PlotFrame, axis: Axis, all: readonly Bar[]): readonly DrawnMark[] {
  const step = (frame.right - frame.left) / Math.max(1, all.length);
  const gap = step > 8 ? 2 : step > 3 ? 0.8 : 0.2;
  const marks = all.flatMap(({ amount, isOver, title }, at) => {
    const [x, y] = [frame.left + at * step + gap / 2, placeY(frame, axis.at(amount))];
    const width = Math.max(0.4, step - gap);
    const height = Math.max(amount > 0 ? 0.6 : 0, frame.bottom - y);
    const kind = isOver ? "bar over" : "bar";
    const rect = mark("rect", { class: kind, x, y, width, height }, mark("title", {}, title));
    if (amount <= axis.max * 1.0001) return [rect];
    const d = path`M${x} ${y}l${width / 2} -7l${width / 2} 7z`;
    return [rect, mark("path", { class: "more", d })];
  });
  const base = path`M${frame.left} ${frame.bottom}H${frame.right}`;
  return [...marks, mark("path", { class: "base", d: base })];
}
