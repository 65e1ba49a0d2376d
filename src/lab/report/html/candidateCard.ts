/**
 * One candidate with everything that was found out about it. Cards stand side by side, and the same
 * drawing is at the same height in all of them.
 */
import { millisText } from "../../../base/wording.ts";
import type { CandidateAdvice, Reason } from "../../advise/advice.ts";
import { largestKeyByMonth, lorenzCurve } from "../../drawing/keyCharts.ts";
import { heatOverDay, loadByPartition } from "../../drawing/loadCharts.ts";
import { MONTH_COLUMNS, PARTITION_COLUMNS } from "../../drawing/numberColumns.ts";
import type { Drawing } from "../../drawing/plot.ts";
import type { Scales } from "../../drawing/scales.ts";
import { storageByMonth, storageByPartition } from "../../drawing/storageCharts.ts";
import type { Simulation } from "../../simulate/simulation.ts";
import { estimateText, numberText, percentText, rateText } from "../../wording/plain.ts";
import { measuredText } from "../measured.ts";
import { dataTable } from "./dataTable.ts";
import { figure } from "./drawn.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { candidateMark, keyName } from "./tables.ts";

/** In the order in which they stand below each other. */
const DRAWINGS: readonly ((simulation: Simulation, scales: Scales) => Drawing)[] = [
  storageByPartition,
  storageByMonth,
  largestKeyByMonth,
  loadByPartition,
  heatOverDay,
  lorenzCurve,
];

export function candidateCard(candidate: CandidateAdvice, scales: Scales): Markup {
  const { rank, verdict, simulation, isOnFront, reasons, merits } = candidate;
  return html`<article class="card" id="c${rank}" data-verdict="${verdict}" \
data-front="${isOnFront ? "yes" : "no"}">
<header><p class="place">${rank}. ${candidateMark(candidate)}</p>\
<h3>${keyName(candidate)}</h3></header>
<div class="why">${merits.map((merit) => html`<p class="merit">${merit}</p>`)}\
${candidate.surpassed !== undefined && html`<p class="reason remark">${candidate.surpassed}</p>`}\
${reasons.map(reasonMark)}${measuredMark(simulation)}${factList(simulation)}</div>
${DRAWINGS.map((draw) => figure(draw(simulation, scales)))}
<details><summary>The numbers behind the drawings</summary>${numberTables(simulation)}</details>
</article>
`;
}

function reasonMark({ code, weight, sentence, counterExample }: Reason): Markup {
  return html`<p class="reason ${weight}">${sentence}\
${
  counterExample !== undefined && html` <span class="example">For example: ${counterExample}</span>`
} <small>${code}</small></p>`;
}

function measuredMark({ measured }: Simulation): Markup {
  return html`${measured !== undefined && html`<p class="measured">${measuredText(measured)}</p>`}`;
}

function factList(simulation: Simulation): Markup {
  const { keys, load, throttling } = simulation;
  const facts: readonly (readonly [string, string])[] = [
    ["keys", estimateText(keys.count, numberText)],
    ["items in a key", numberText(keys.itemsPerKey)],
    ["hottest key", `${rateText(load.hottestKey.rate.value)}, ${load.hottestKey.label}`],
    [
      "rate it needs",
      load.neededRate === undefined ? "no rate is enough" : rateText(load.neededRate),
    ],
    [
      "429s at the peak",
      `${percentText(throttling.share)}, given up ${percentText(throttling.failedShare)}`,
    ],
    ["wait for retries", `${millisText(throttling.waitP99)} (p99)`],
  ];
  return html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** All of them would make the page heavy where there are hundreds: the rest is in the JSON. */
const PARTITION_ROWS_MAX = 60;

function numberTables({ months, partitions }: Simulation): Markup {
  const shown = partitions.slice(0, PARTITION_ROWS_MAX);
  const note =
    shown.length === partitions.length
      ? ""
      : ` (the first ${shown.length} of ${partitions.length}; the JSON form has all)`;
  return html`${dataTable("Month by month", MONTH_COLUMNS, months)}${dataTable(
    `Physical partitions, at the end${note}`,
    PARTITION_COLUMNS,
    shown,
  )}`;
}
