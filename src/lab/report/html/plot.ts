/**
 * What all drawings of a candidate have in common: the frame, the amounts beside it, lines for
 * limits, and the sentence that says the same in words.
 *
 * Drawings are in units of 320 across; the page makes them as wide as there is room.
 */
import type { Axis } from "./axis.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

export interface PlotFrame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const WIDTH = 320;
const HEIGHT = 132;
export const FRAME: PlotFrame = { left: 46, right: WIDTH - 6, top: 12, bottom: HEIGHT - 20 };

interface Drawing {
  readonly title: string;
  /** Below it, and what somebody hears who does not see it. */
  readonly sentence: string;
  readonly height?: number;
  readonly body: readonly Markup[];
}

export function figure({ title, sentence, height = HEIGHT, body }: Drawing): Markup {
  return html`<figure><h4>${title}</h4>
<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}. ${sentence}">${body}</svg>
<figcaption>${sentence}</figcaption></figure>
`;
}

export function placeX(frame: PlotFrame, share: number): number {
  return frame.left + share * (frame.right - frame.left);
}

export function placeY(frame: PlotFrame, share: number): number {
  return frame.bottom - share * (frame.bottom - frame.top);
}

/** Faint lines across, with their amounts on the left. */
export function amountAxis(frame: PlotFrame, axis: Axis, text: (amount: number) => string): Markup {
  return html`${axis.ticks.map((tick) => {
    const y = placeY(frame, axis.at(tick));
    return html`<path class="grid" d="M${frame.left} ${y}H${frame.right}"/>\
<text class="tick" x="${frame.left - 4}" y="${y + 3}" text-anchor="end">${text(tick)}</text>`;
  })}`;
}

/** Words along the bottom; the first and the last stay inside. */
export function bottomLabels(
  frame: PlotFrame,
  labels: readonly { readonly share: number; readonly text: string }[],
): Markup {
  return html`${labels.map(({ share, text }) => {
    const anchor = share < 0.05 ? "start" : share > 0.95 ? "end" : "middle";
    return html`<text class="tick" x="${placeX(frame, share)}" y="${frame.bottom + 12}" \
text-anchor="${anchor}">${text}</text>`;
  })}`;
}

/** A limit across the frame, named at its right end; a warning below its line. */
export function limitLine(
  frame: PlotFrame,
  axis: Axis,
  limit: number,
  text: string,
  kind: "limit" | "warn" = "limit",
): Markup {
  const y = placeY(frame, axis.at(limit));
  const isBelow = kind === "warn" || y - 3 < frame.top;
  return html`<path class="${kind}" d="M${frame.left} ${y}H${frame.right}"/>\
<text class="${kind}" x="${frame.right}" y="${isBelow ? y + 9 : y - 3}" \
text-anchor="end">${text}</text>`;
}

/** A line through points, each [share across, share up]. */
export function polyline(
  frame: PlotFrame,
  points: readonly (readonly [number, number])[],
  kind: string,
): Markup {
  const places = points.map(([x, y]) => html`${placeX(frame, x)} ${placeY(frame, y)}`.html);
  return html`<polyline class="${kind}" points="${places.join(" ")}"/>`;
}

interface Bar {
  readonly amount: number;
  /** Beyond a limit: marked by more than colour. */
  readonly isOver: boolean;
  /** Shown when pointed at. */
  readonly title: string;
}

/** Bars beside each other over the whole frame; those higher than it end in a point. */
export function bars(frame: PlotFrame, axis: Axis, all: readonly Bar[]): Markup {
  const step = (frame.right - frame.left) / Math.max(1, all.length);
  const gap = step > 8 ? 2 : step > 3 ? 0.8 : 0.2;
  return html`${all.map(({ amount, isOver, title }, at) => {
    const [x, y] = [frame.left + at * step + gap / 2, placeY(frame, axis.at(amount))];
    const width = Math.max(0.4, step - gap);
    const height = Math.max(amount > 0 ? 0.6 : 0, frame.bottom - y);
    const rect = html`<rect class="${isOver ? "bar over" : "bar"}" x="${x}" y="${y}" \
width="${width}" height="${height}"><title>${title}</title></rect>`;
    return amount > axis.max * 1.0001
      ? html`${rect}<path class="more" d="M${x} ${y}l${width / 2} -7l${width / 2} 7z"/>`
      : rect;
  })}<path class="base" d="M${frame.left} ${frame.bottom}H${frame.right}"/>`;
}
