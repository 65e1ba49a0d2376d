/** Where the load lies: by physical partition at the peak, and over the day. */
import type { PartitionOutcome } from "../simulate/simulation.ts";
import { numberText, percentText, plural, rateText } from "../wording/plain.ts";
import type { DrawnKey } from "./drawnKey.ts";
import { ARCHETYPE_TEXT, grouped, peakHour, usedShare } from "./drawnKey.ts";
import type { DrawnMark } from "./mark.ts";
import { mark, path } from "./mark.ts";
import type { Drawing, PlotFrame } from "./plot.ts";
import { amountAxis, bars, bottomLabels, drawing, limitLine, placeX } from "./plot.ts";
import type { Scales } from "./scales.ts";
import { BARS_MAX, groupName, groupNote, partitionLabels } from "./storageCharts.ts";

export function loadByPartition({ partitions, load }: DrawnKey, scales: Scales): Drawing {
  const { frame, rate: axis } = scales;
  const hour = peakHour(partitions);
  const rateAt = ({ rates }: PartitionOutcome): number => rates[hour] ?? 0;
  const groups = grouped(partitions, BARS_MAX);
  const all = groups.map((group) => {
    const hottest = group.reduce((most, one) => (rateAt(one) > rateAt(most) ? one : most));
    const [rate, allotment] = [rateAt(hottest), hottest.allotment];
    return {
      amount: rate,
      isOver: rate > allotment,
      title: `${groupName(group)}: ${rateText(rate)} of ${rateText(allotment)}`,
    };
  });
  const overCount = partitions.filter((one) => rateAt(one) > one.allotment).length;
  const allotment = Math.max(0, ...partitions.map((one) => one.allotment));
  const { share, overMean } = load.hottestPartition;
  const sentence =
    `At ${hourText(hour)} the hottest has ${percentText(share)} of the load, ` +
    `${numberText(overMean)} × an even share; ` +
    `${overCount === 0 ? "none is" : `${overCount} of ${partitions.length} are`} over the ` +
    `${rateText(allotment)} each is allotted.` +
    groupNote(partitions.length, groups.length, "hottest");
  return drawing({
    title: "Load by physical partition, at the peak",
    sentence,
    frame,
    marks: [
      amountAxis(frame, axis, numberText),
      bars(frame, axis, all),
      limitLine(frame, axis, allotment, rateText(allotment)),
      bottomLabels(frame, partitionLabels(partitions)),
    ],
  });
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00 UTC`;
}

/** Shades of load below the allotment; what is above has one of its own. */
export const SHADES = 10;

/** Rows are partitions, columns hours; the shade is the share of the allotment, 0 to 100 %. */
export function heatOverDay({ partitions, load }: DrawnKey, scales: Scales): Drawing {
  const frame = { ...scales.frame, top: 4, bottom: 124 };
  const groups = grouped(partitions, BARS_MAX);
  const shades = groups.map((group) =>
    Array.from({ length: 24 }, (_, hour) =>
      shadeOf(
        group.reduce(
          (most, one) => Math.max(most, usedShare(one.rates[hour] ?? 0, one.allotment)),
          0,
        ),
      ),
    ),
  );
  const hoursOver = shades.flat().filter((shade) => shade === SHADES).length;
  const note = groupNote(partitions.length, groups.length, "hottest").replace("bar", "row");
  const over =
    hoursOver === 0
      ? "Nowhere is more asked than allotted."
      : `More is asked than allotted in ${plural(hoursOver, "cell")} of ${shades.length * 24}.`;
  return drawing({
    title: `Heat over the day: ${load.archetype}`,
    sentence: `${capital(ARCHETYPE_TEXT[load.archetype])}. ${over}${note}`,
    frame,
    marks: [
      [
        mark("rect", {
          class: "cold",
          x: frame.left,
          y: frame.top,
          width: frame.right - frame.left,
          height: frame.bottom - frame.top,
        }),
      ],
      ...Array.from({ length: SHADES + 1 }, (_, shade) => shadeMarks(frame, shades, shade)),
      [
        sideLabel(frame, frame.top + 8, partitions[0]?.id ?? ""),
        sideLabel(frame, frame.bottom, partitions.length > 1 ? partitions.at(-1)!.id : ""),
      ],
      bottomLabels(
        frame,
        [0, 6, 12, 18, 24].map((hour) => ({
          share: hour / 24,
          text: hour === 12 ? "12 h UTC" : String(hour),
        })),
      ),
    ],
  });
}

function shadeOf(share: number): number {
  return share > 1 ? SHADES : Math.min(SHADES - 1, Math.floor(share * SHADES));
}

function sideLabel(frame: PlotFrame, y: number, text: string): DrawnMark {
  return mark("text", { class: "tick", x: frame.left - 4, y, "text-anchor": "end" }, text);
}

/** All cells of one shade as one path; neighbours in a row become one rectangle. */
function shadeMarks(
  frame: PlotFrame,
  shades: readonly (readonly number[])[],
  shade: number,
): readonly DrawnMark[] {
  const height = (frame.bottom - frame.top) / Math.max(1, shades.length);
  let d = "";
  shades.forEach((row, at) => {
    let from = 0;
    while (from < row.length) {
      let to = from;
      while (to < row.length && row[to] === shade) to++;
      if (to > from) {
        const [x, end] = [placeX(frame, from / 24), placeX(frame, to / 24)];
        const y = frame.top + at * height;
        d += path`M${x} ${y}H${end}V${y + height}H${x}z`;
      }
      from = to + 1;
    }
  });
  if (d === "") return [];
  const cells = mark("path", { class: `h${Math.min(shade, SHADES - 1)}`, d });
  return shade === SHADES ? [cells, mark("path", { class: "hatch", d })] : [cells];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
