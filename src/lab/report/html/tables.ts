/** The tables of the page: all candidates, what operations ask under each, and what they cost. */
import { bytesText } from "../../../base/wording.ts";
import type { Advice, CandidateAdvice, Verdict } from "../../advise/advice.ts";
import { keyDanger, usedShare } from "../../drawing/drawnKey.ts";
import type { Scales } from "../../drawing/scales.ts";
import type { OperationOutcome } from "../../simulate/simulation.ts";
import {
  dayText,
  estimateText,
  moneyText,
  NONE,
  numberText,
  percentText,
  plural,
  routingText,
} from "../../wording/plain.ts";
import type { CostMode } from "../figures.ts";
import { COST_MODES, cheapestMode, nameOf, VERDICT_MARK, verdictText } from "../figures.ts";
import { headRow } from "./dataTable.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

export function verdictMark(verdict: Verdict): Markup {
  const mark = html`<span aria-hidden="true">${VERDICT_MARK[verdict]}</span>`;
  return html`<span class="verdict ${verdict}">${mark} ${verdict}</span>`;
}

/** Of a candidate with its figures: no star beside refusals. */
export function candidateMark(candidate: CandidateAdvice): Markup {
  const [mark, ...words] = verdictText(candidate).split(" ");
  const shown = html`<span aria-hidden="true">${mark!}</span>`;
  return html`<span class="verdict ${candidate.verdict}">${shown} ${words.join(" ")}</span>`;
}

export function keyName(candidate: CandidateAdvice): Markup {
  const name = nameOf(candidate);
  return html`${name !== undefined && html`<b>${name}</b> `}<code>${candidate.expression}</code>`;
}

/** A share from 0 to 1 behind its number. */
function meter(share: number, isOver = false): Markup {
  const width = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) * 100 : 100;
  return html`<span class="meter${isOver && " over"}" style="--w:${width}%" \
aria-hidden="true"></span>`;
}

export function candidateTable({ candidates }: Advice, scales: Scales): Markup {
  return html`<div class="wide" tabindex="0" role="region" aria-label="All candidates">
<table class="all">${headRow([
    ["#", "n"],
    ["key"],
    ["verdict"],
    ["keys", "n"],
    ["largest key"],
    ["partitions", "n"],
    ["hottest, of RU/s"],
    ["429s", "n"],
    ["reads by one key"],
    ["$ a month", "n"],
    ["transactions"],
  ])}<tbody>${candidates.map((candidate) => candidateRow(candidate, scales))}</tbody>
</table></div>
`;
}

function candidateRow(candidate: CandidateAdvice, { limits }: Scales): Markup {
  const { rank, verdict, simulation, isOnFront } = candidate;
  const {
    keys,
    load,
    throttling,
    fanOut,
    partitions,
    brokenTransactions: broken,
    cost,
  } = simulation;
  const danger = keyDanger(simulation, limits);
  const { bytesAtEnd, passes15GbOnDay, passes20GbOnDay } = keys.largest;
  const passes = danger === "over" ? passes20GbOnDay : passes15GbOnDay;
  const limit = limits.logicalPartitionBytesMax * (danger === "over" ? 1 : 0.75);
  const hottest = partitions.find(({ id }) => id === load.hottestPartition.id);
  const used = usedShare(load.hottestPartition.rate.value, hottest?.allotment ?? 0);
  return html`<tr data-verdict="${verdict}" data-front="${isOnFront ? "yes" : "no"}">\
<td class="n">${rank}</td><th scope="row"><a href="#c${rank}">${keyName(candidate)}</a></th>\
<td>${candidateMark(candidate)}${isOnFront && html`<small>on the front</small>`}</td>\
<td class="n">${simulation.measured?.basis.kind === "sample" && "≈"}\
${numberText(keys.count.value)}</td>\
<td>${bytesText(bytesAtEnd.value)}${
    danger !== "none" &&
    html`<small class="${danger}">over ${bytesText(limit)}: ${dayText(passes)}</small>`
  }</td><td class="n">${numberText(partitions.length)}</td>\
<td>${numberText(load.hottestPartition.rate.value)} of ${numberText(hottest?.allotment ?? 0)}\
${meter(used, used > 1)}</td>\
<td class="n">${percentText(throttling.share)}</td>\
<td>${percentText(fanOut.keyShare)}${meter(fanOut.keyShare)}</td>\
<td class="n">${moneyText(cost.cheapest.value)}<small>${cheapestMode(simulation) ?? ""}</small>\
</td><td>${broken.length === 0 ? "kept" : `broken: ${broken.join(", ")}`}</td></tr>
`;
}

/** Candidates down, so that any number of them can be read; operations across. */
export function operationTable({ candidates }: Advice): Markup {
  const operations = candidates[0]?.simulation.operations ?? [];
  if (operations.length === 0) return html`<p>The workload has no operations.</p>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="Where operations go">
<table class="reach"><thead><tr><th scope="col">key</th>\
${operations.map(
  ({ id, kind, ratePerSecond }) =>
    html`<th scope="col">${id}<small>${kind}, ${numberText(ratePerSecond)}/s</small></th>`,
)}</tr></thead><tbody>${candidates.map(
    (candidate) => html`<tr data-verdict="${candidate.verdict}" \
data-front="${candidate.isOnFront ? "yes" : "no"}"><th scope="row">${candidate.rank}. \
${keyName(candidate)}</th>${operations.map(({ id }) =>
      operationCell(candidate.simulation.operations.find((found) => found.id === id)),
    )}</tr>
`,
  )}</tbody></table></div>
`;
}

const REACH_MARK: Readonly<Record<OperationOutcome["routing"]["kind"], string>> = {
  key: "●",
  keys: "◍",
  prefix: "◑",
  everywhere: "○",
};

function operationCell(operation: OperationOutcome | undefined): Markup {
  if (operation === undefined) return html`<td>${NONE}</td>`;
  const { routing, partitionsVisited, ruEach } = operation;
  const mark = html`<span aria-hidden="true">${REACH_MARK[routing.kind]}</span>`;
  return html`<td class="r-${routing.kind}">${mark} \
${routingText(routing)}<small>${plural(partitionsVisited, "partition")}, ${numberText(
    ruEach,
  )} RU</small></td>`;
}

/** Bars over one scale for all candidates and modes. */
export function costTable({ candidates }: Advice): Markup {
  const most = candidates
    .flatMap(({ simulation: { cost } }) => COST_MODES.map((mode) => cost[mode] ?? 0))
    .reduce((a, b) => Math.max(a, b), 0);
  return html`<div class="wide" tabindex="0" role="region" aria-label="Cost a month">
<table class="cost">${headRow([
    ["key"],
    ...COST_MODES.map((mode) => [mode] as const),
    ["of it storage", "n"],
    ["RU a month", "n"],
    ["cheapest, with its bounds"],
    ["laid out", "n"],
  ])}<tbody>${candidates.map(
    (candidate) => html`<tr data-verdict="${candidate.verdict}" \
data-front="${candidate.isOnFront ? "yes" : "no"}"><th scope="row">${candidate.rank}. \
${keyName(candidate)}</th>${COST_MODES.map((mode) => costCell(candidate, mode, most))}\
<td class="n">${moneyText(candidate.simulation.cost.storage)}</td>\
<td class="n">${numberText(candidate.simulation.cost.ruPerMonth)}</td>\
<td>${estimateText(candidate.simulation.cost.cheapest, moneyText)}</td>\
<td class="n">${moneyText(candidate.simulation.cost.laidOut)}</td></tr>
`,
  )}</tbody></table></div>
`;
}

function costCell({ simulation }: CandidateAdvice, mode: CostMode, most: number): Markup {
  const { cost } = simulation;
  const dollars = cost[mode];
  if (dollars === undefined) {
    const problem = mode === "serverless" ? cost.serverlessProblem : undefined;
    return html`<td class="no">${NONE}<small>${problem ?? "no rate is enough"}</small></td>`;
  }
  const isCheapest = cheapestMode(simulation) === mode;
  return html`<td${isCheapest && html` class="least"`}>${moneyText(dollars)}\
${meter(most === 0 ? 0 : dollars / most)}</td>`;
}
