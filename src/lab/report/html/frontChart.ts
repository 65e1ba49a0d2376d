/**
 * The choice as one picture: cost across, skew up, fan-out as the shade. Nobody can do better than
 * the candidates on the front in one of them without doing worse in another.
 */
import type { Advice, CandidateAdvice } from "../../advise/advice.ts";
import type { Axis } from "../../drawing/axis.ts";
import { logAxis, spanAxis } from "../../drawing/axis.ts";
import type { PlotFrame } from "../../drawing/plot.ts";
import { amountAxis, placeX, placeY } from "../../drawing/plot.ts";
import { moneyText, numberText, percentText } from "../../wording/plain.ts";
import { verdictText } from "../figures.ts";
import { marksText } from "./drawn.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

const WIDTH = 760;
const HEIGHT = 330;
const FRAME: PlotFrame = { left: 52, right: WIDTH - 16, top: 14, bottom: HEIGHT - 38 };
const RADIUS = 10;
/** From which ratio on amounts are drawn by powers. */
const LOG_RATIO = 20;
const FAN_OUT_SHADES = 5;

interface Dot {
  readonly candidate: CandidateAdvice;
  /** Where it belongs. */
  readonly x: number;
  readonly y: number;
  /** Where there was room for it. */
  readonly shownX: number;
  readonly shownY: number;
}

export function frontChart({ candidates }: Advice): Markup {
  const costs = candidates.map(costOf);
  const skews = candidates.map(skewOf);
  const [costAxis, skewAxis] = [axisOver(costs), axisOver(skews)];
  const dots = placed(candidates, costAxis, skewAxis);
  const front = candidates.filter(({ isOnFront }) => isOnFront);
  const names = front.map(({ rank, expression }) => `${rank}. ${expression}`).join(", ");
  const sentence =
    `${front.length} of ${candidates.length} candidates are on the front: no other is as good in ` +
    "cost, skew, fan-out, storage risk and transactions together.";
  return html`<figure class="front">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" \
aria-label="Cost against skew. ${sentence} They are ${names}.">
${marksText(amountAxis(FRAME, skewAxis, (skew) => `${numberText(skew)} ×`))}
${costAxis.ticks.map((tick) => costTick(placeX(FRAME, costAxis.at(tick)), tick))}
<text class="name" x="${FRAME.right}" y="${HEIGHT - 6}" text-anchor="end">cost a month, laid \
out →</text>
<text class="name" x="${FRAME.left}" y="${FRAME.top - 3}">↑ skew: hottest partition over the \
mean</text>
${dots.toReversed().map(dotMark)}</svg>
<figcaption>${sentence} Numbers are ranks; a ring is the front; the stronger the shade, the more \
reads go everywhere: ${Array.from(
    { length: FAN_OUT_SHADES },
    (_, shade) => html`<span class="pair"><i class="key f${shade}"></i>${shadeName(shade)}</span> `,
  )}</figcaption></figure>
`;
}

function costTick(x: number, dollars: number): Markup {
  return html`<path class="grid" d="M${x} ${FRAME.top}V${FRAME.bottom}"/>\
<text class="tick" x="${x}" y="${FRAME.bottom + 13}" text-anchor="middle">${moneyText(dollars)}\
</text>`;
}

/** Partitions can be cut where the load is later on; a key cannot be changed. */
function costOf({ simulation }: CandidateAdvice): number {
  return simulation.cost.laidOut;
}

function skewOf({ simulation }: CandidateAdvice): number {
  return simulation.load.hottestPartition.overMean;
}

function shadeOf({ simulation }: CandidateAdvice): number {
  const share = simulation.fanOut.everywhereShare;
  return Math.max(0, Math.min(FAN_OUT_SHADES - 1, Math.floor(share * FAN_OUT_SHADES)));
}

function shadeName(shade: number): string {
  const step = 100 / FAN_OUT_SHADES;
  return `${shade * step}–${(shade + 1) * step} %`;
}

function axisOver(amounts: readonly number[]): Axis {
  const known = amounts.filter((amount) => Number.isFinite(amount) && amount > 0);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0) return spanAxis(0, 1);
  return most / least > LOG_RATIO ? logAxis(least / 1.5, most * 1.5) : spanAxis(least, most);
}

/** Best first: it gets its place, and whoever finds it taken moves to the nearest free one. */
function placed(
  candidates: readonly CandidateAdvice[],
  costAxis: Axis,
  skewAxis: Axis,
): readonly Dot[] {
  const dots: Dot[] = [];
  for (const candidate of candidates) {
    const x = placeX(FRAME, costAxis.at(costOf(candidate)));
    const y = placeY(FRAME, skewAxis.at(skewOf(candidate)));
    const isFree = (atX: number, atY: number): boolean =>
      atX > FRAME.left &&
      atX < WIDTH - RADIUS &&
      atY > FRAME.top &&
      atY < FRAME.bottom &&
      dots.every(({ shownX, shownY }) => Math.hypot(atX - shownX, atY - shownY) > RADIUS * 2.1);
    const [shownX, shownY] = nearestFree(x, y, isFree);
    dots.push({ candidate, x, y, shownX, shownY });
  }
  return dots;
}

const TURNS = 400;

/** Along a spiral. */
function nearestFree(
  x: number,
  y: number,
  isFree: (x: number, y: number) => boolean,
): readonly [number, number] {
  for (let turn = 0; turn < TURNS; turn++) {
    const distance = 1.6 * RADIUS * Math.sqrt(turn / Math.PI);
    const angle = turn * 2.399963;
    const [atX, atY] = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
    if (isFree(atX, atY)) return [atX, atY];
  }
  return [x, y];
}

function dotMark({ candidate, x, y, shownX, shownY }: Dot): Markup {
  const { rank, expression, isOnFront, simulation } = candidate;
  const isMoved = Math.hypot(x - shownX, y - shownY) > 1;
  const title =
    `${rank}. ${expression}, ${verdictText(candidate)}: ` +
    `${moneyText(costOf(candidate))} a month, ${numberText(skewOf(candidate))} × the mean, ` +
    `${percentText(simulation.fanOut.everywhereShare)} of reads go everywhere`;
  return html`${isMoved && html`<path class="leader" d="M${x} ${y}L${shownX} ${shownY}"/>`}<g>\
<title>${title}</title>${
    isOnFront && html`<circle class="ring" cx="${shownX}" cy="${shownY}" r="${RADIUS + 3}"/>`
  }<circle class="dot f${shadeOf(candidate)}" cx="${shownX}" cy="${shownY}" r="${RADIUS}"/>\
<text class="rank t${shadeOf(candidate)}" x="${shownX}" y="${shownY + 3.5}" \
text-anchor="middle">${rank}</text></g>`;
}
