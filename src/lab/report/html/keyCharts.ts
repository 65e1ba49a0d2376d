/** The logical partitions: how large the largest becomes and when, and how unequal they are. */
import { DAYS_PER_MONTH } from "../../../base/units.ts";
import { bytesText } from "../../../base/wording.ts";
import type { Simulation } from "../../simulate/simulation.ts";
import { cut, dayText, numberText, percentText } from "../../wording/plain.ts";
import { keyDanger, WARNING_SHARE } from "../figures.ts";
import { linearAxis } from "./axis.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import {
  amountAxis,
  bottomLabels,
  FRAME,
  figure,
  limitLine,
  placeX,
  placeY,
  polyline,
} from "./plot.ts";
import type { Scales } from "./scales.ts";
import { monthLabels } from "./storageCharts.ts";

const LABEL_MAX = 48;

export function largestKeyByMonth(simulation: Simulation, scales: Scales): Markup {
  const { keyBytes: axis, limits, monthCount } = scales;
  const { months, keys } = simulation;
  const limit = limits.logicalPartitionBytesMax;
  const across = (month: number): number => (monthCount === 0 ? 0 : month / monthCount);
  const { passes15GbOnDay, passes20GbOnDay } = keys.largest;
  const passing = [
    { day: passes15GbOnDay, bytes: limit * WARNING_SHARE },
    { day: passes20GbOnDay, bytes: limit },
  ];
  return figure({
    title: "Largest logical partition over time",
    sentence: largestSentence(simulation, scales),
    body: [
      amountAxis(FRAME, axis, bytesText),
      limitLine(FRAME, axis, limit, bytesText(limit)),
      limitLine(FRAME, axis, limit * WARNING_SHARE, bytesText(limit * WARNING_SHARE), "warn"),
      polyline(
        FRAME,
        months.map((month) => [across(month.month), axis.at(month.largestKeyBytes)]),
        "line",
      ),
      html`${passing.flatMap(({ day, bytes }) =>
        day === undefined || monthCount === 0
          ? []
          : [passingMark(across(day / DAYS_PER_MONTH), axis.at(bytes), bytes, day)],
      )}`,
      bottomLabels(FRAME, monthLabels(monthCount)),
    ],
  });
}

function passingMark(across: number, up: number, bytes: number, day: number): Markup {
  return html`<circle class="mark" r="3.2" cx="${placeX(FRAME, across)}" \
cy="${placeY(FRAME, up)}"><title>${bytesText(bytes)} on ${dayText(day)}</title></circle>`;
}

function largestSentence(simulation: Simulation, { limits }: Scales): string {
  const { label, bytesAtEnd, passes15GbOnDay, passes20GbOnDay, overLimitCount } =
    simulation.keys.largest;
  const limit = limits.logicalPartitionBytesMax;
  const size = `${cut(label, LABEL_MAX)} has ${bytesText(bytesAtEnd.value)} at the end`;
  switch (keyDanger(simulation, limits)) {
    case "none":
      return `${size}, ${percentText(bytesAtEnd.value / limit)} of the limit.`;
    case "near":
      return (
        `${size} and passes ${bytesText(limit * WARNING_SHARE)} on ` +
        `${dayText(passes15GbOnDay)}.`
      );
    case "over":
      return (
        `${size} and passes ${bytesText(limit)} on ${dayText(passes20GbOnDay)}; ` +
        `${numberText(overLimitCount)} keys are too large in the end.`
      );
  }
}

/** The smallest keys first: the further below the diagonal, the more unequal. */
export function lorenzCurve({ keys }: Simulation): Markup {
  const axis = linearAxis(1, 2);
  const points = risingCurve(keys.lorenz);
  return figure({
    title: "How unequal keys are: Lorenz curve",
    sentence:
      `Gini ${keys.giniBytes.toFixed(2)} of 0 to 1: as concentrated as ` +
      `${numberText(keys.effectiveKeys)} equal keys; there are ${numberText(keys.count.value)}.`,
    body: [
      amountAxis(FRAME, axis, percentText),
      html`<path class="area" d="${curvePath(points)}"/>`,
      polyline(
        FRAME,
        [
          [0, 0],
          [1, 1],
        ],
        "equal",
      ),
      polyline(FRAME, points, "line"),
      html`<text class="tick" x="${FRAME.left + 6}" y="${FRAME.top + 8}">of the bytes</text>`,
      bottomLabels(FRAME, [
        { share: 0, text: "0 %" },
        { share: 0.5, text: "of the keys, smallest first" },
        { share: 1, text: "100 %" },
      ]),
    ],
  });
}

/** Whether it was given from the largest key down or from the smallest up. */
export function risingCurve(
  points: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const excess = points.reduce((sum, [keys, bytes]) => sum + bytes - keys, 0);
  const rising = excess > 0 ? points.map(([x, y]) => [1 - x, 1 - y] as const).reverse() : points;
  const isFromNothing = rising[0]?.[0] === 0 && rising[0][1] === 0;
  const last = rising.at(-1);
  const isToAll = last !== undefined && last[0] >= 1 && last[1] >= 1;
  return [
    ...(isFromNothing ? [] : [[0, 0] as const]),
    ...rising,
    ...(isToAll ? [] : [[1, 1] as const]),
  ];
}

function curvePath(points: readonly (readonly [number, number])[]): string {
  const places = points.map(([x, y]) => html`L${placeX(FRAME, x)} ${placeY(FRAME, y)}`.html);
  return `M${FRAME.left} ${FRAME.bottom}${places.join("")}Z`;
}
