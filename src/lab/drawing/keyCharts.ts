/** The logical partitions: how large the largest becomes and when, and how unequal they are. */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import { bytesText } from "../../base/wording.ts";
import { cut, dayText, numberText, percentText } from "../wording/plain.ts";
import { linearAxis } from "./axis.ts";
import type { DrawnKey } from "./drawnKey.ts";
import { keyDanger, WARNING_SHARE } from "./drawnKey.ts";
import { mark, path } from "./mark.ts";
import type { Drawing, PlotFrame } from "./plot.ts";
import { amountAxis, bottomLabels, drawing, limitLine, placeX, placeY, polyline } from "./plot.ts";
import type { Scales } from "./scales.ts";
import { monthLabels } from "./storageCharts.ts";

const LABEL_MAX = 48;

export function largestKeyByMonth(simulation: DrawnKey, scales: Scales): Drawing {
  const { frame, keyBytes: axis, limits, monthCount } = scales;
  const { months, keys } = simulation;
  const limit = limits.logicalPartitionBytesMax;
  const across = (month: number): number => (monthCount === 0 ? 0 : month / monthCount);
  const { passes15GbOnDay, passes20GbOnDay } = keys.largest;
  const passing = [
    { day: passes15GbOnDay, bytes: limit * WARNING_SHARE },
    { day: passes20GbOnDay, bytes: limit },
  ];
  return drawing({
    title: "Largest logical partition over time",
    sentence: largestSentence(simulation, scales),
    frame,
    marks: [
      amountAxis(frame, axis, bytesText),
      limitLine(frame, axis, limit, bytesText(limit)),
      limitLine(frame, axis, limit * WARNING_SHARE, bytesText(limit * WARNING_SHARE), "warn"),
      polyline(
        frame,
        months.map((month) => [across(month.month), axis.at(month.largestKeyBytes)]),
        "line",
      ),
      passing.flatMap(({ day, bytes }) => {
        if (day === undefined || monthCount === 0) return [];
        const [cx, cy] = [across(day / DAYS_PER_MONTH), axis.at(bytes)];
        const place = { r: "3.2", cx: placeX(frame, cx), cy: placeY(frame, cy) };
        const title = `${bytesText(bytes)} on ${dayText(day)}`;
        return [mark("circle", { class: "mark", ...place }, mark("title", {}, title))];
      }),
      bottomLabels(frame, monthLabels(monthCount)),
    ],
  });
}

function largestSentence(simulation: DrawnKey, { limits }: Scales): string {
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
export function lorenzCurve({ keys }: Pick<DrawnKey, "keys">, { frame }: Scales): Drawing {
  const axis = linearAxis(1, 2);
  const points = risingCurve(keys.lorenz);
  return drawing({
    title: "How unequal keys are: Lorenz curve",
    sentence:
      `Gini ${keys.giniBytes.toFixed(2)} of 0 to 1: as concentrated as ` +
      `${numberText(keys.effectiveKeys)} equal keys; there are ${numberText(keys.count.value)}.`,
    frame,
    marks: [
      amountAxis(frame, axis, percentText),
      [mark("path", { class: "area", d: curvePath(frame, points) })],
      polyline(
        frame,
        [
          [0, 0],
          [1, 1],
        ],
        "equal",
      ),
      polyline(frame, points, "line"),
      [mark("text", { class: "tick", x: frame.left + 6, y: frame.top + 8 }, "of the bytes")],
      bottomLabels(frame, [
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

function curvePath(frame: PlotFrame, points: readonly (readonly [number, number])[]): string {
  const places = points.map(([x, y]) => path`L${placeX(frame, x)} ${placeY(frame, y)}`);
  return `${path`M${frame.left} ${frame.bottom}`}${places.join("")}Z`;
}
