/** Where the load lies: by physical partition at the peak, and over the day. */
import type { PartitionOutcome, Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText, plural, rateText } from "../../wording/plain.ts";
import { ARCHETYPE_TEXT, grouped, peakHour, usedShare } from "../figures.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import type { PlotFrame } from "./plot.ts";
import { amountAxis, bars, bottomLabels, FRAME, figure, limitLine, placeX } from "./plot.ts";
import type { Scales } from "./scales.ts";
import { BARS_MAX, groupName, groupNote, partitionLabels } from "./storageCharts.ts";

export function loadByPartition({ partitions, load }: Simulation, { rate: axis }: Scales): Markup {
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
  return figure({
    title: "Load by physical partition, at the peak",
    sentence,
    body: [
      amountAxis(FRAME, axis, numberText),
      bars(FRAME, axis, all),
      limitLine(FRAME, axis, allotment, rateText(allotment)),
      bottomLabels(FRAME, partitionLabels(partitions)),
    ],
  });
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00 UTC`;
}

/** Shades of load below the allotment; what is above has one of its own. */
const SHADES = 10;
const HEAT_FRAME: PlotFrame = { ...FRAME, top: 4, bottom: 124 };

/** Rows are partitions, columns hours; the shade is the share of the allotment, 0 to 100 %. */
export function heatOverDay({ partitions, load }: Simulation): Markup {
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
  return figure({
    title: `Heat over the day: ${load.archetype}`,
    sentence: `${capital(ARCHETYPE_TEXT[load.archetype])}. ${over}${note}`,
    height: HEAT_FRAME.bottom + 18,
    body: [
      html`<rect class="cold" x="${HEAT_FRAME.left}" y="${HEAT_FRAME.top}" \
width="${HEAT_FRAME.right - HEAT_FRAME.left}" height="${HEAT_FRAME.bottom - HEAT_FRAME.top}"/>`,
      ...Array.from({ length: SHADES + 1 }, (_, shade) => shadePath(shades, shade)),
      html`<text class="tick" x="${FRAME.left - 4}" y="${HEAT_FRAME.top + 8}" text-anchor="end">\
${partitions[0]?.id ?? ""}</text>\
<text class="tick" x="${FRAME.left - 4}" y="${HEAT_FRAME.bottom}" text-anchor="end">\
${partitions.length > 1 ? partitions.at(-1)!.id : ""}</text>`,
      bottomLabels(
        HEAT_FRAME,
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

/** All cells of one shade as one path; neighbours in a row become one rectangle. */
function shadePath(shades: readonly (readonly number[])[], shade: number): Markup {
  const height = (HEAT_FRAME.bottom - HEAT_FRAME.top) / Math.max(1, shades.length);
  let path = "";
  shades.forEach((row, at) => {
    let from = 0;
    while (from < row.length) {
      let to = from;
      while (to < row.length && row[to] === shade) to++;
      if (to > from) {
        const [x, end] = [placeX(HEAT_FRAME, from / 24), placeX(HEAT_FRAME, to / 24)];
        const y = HEAT_FRAME.top + at * height;
        path += html`M${x} ${y}H${end}V${y + height}H${x}z`.html;
      }
      from = to + 1;
    }
  });
  if (path === "") return html``;
  const hatch = shade === SHADES && html`<path class="hatch" d="${path}"/>`;
  return html`<path class="h${Math.min(shade, SHADES - 1)}" d="${path}"/>${hatch}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What the shades mean, once for the page. */
export function heatLegend(): Markup {
  return html`<p class="legend" role="note"><span>RU/s in % of the allotment of the partition: \
0</span>${Array.from(
    { length: SHADES },
    (_, shade) => html`<i class="key k${shade}"></i>`,
  )}<span>100</span><i class="key kover"></i><span>more than allotted: throttled</span></p>`;
}
