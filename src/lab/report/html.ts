/**
 * Advice as one page that needs nothing else: no server, no network, no script. It can be mailed,
 * kept and printed. Whatever came from users or their data is text in it and nothing more: all of
 * it goes through `html/markup.ts`, and the page itself forbids scripts.
 */
import { bytesText } from "../../base/wording.ts";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import { scalesOf } from "../drawing/scales.ts";
import { moneyText, numberText, percentText } from "../wording/plain.ts";
import { cheapestMode, shownCandidates } from "./figures.ts";
import type { GuideComparison } from "./guide.ts";
import { candidateCard } from "./html/candidateCard.ts";
import { DRAWING_WIDTH, heatLegend } from "./html/drawn.ts";
import { frontChart } from "./html/frontChart.ts";
import { guideSection } from "./html/guideTable.ts";
import type { Markup } from "./html/markup.ts";
import { html, NOTHING, raw } from "./html/markup.ts";
import { STYLE } from "./html/style.ts";
import {
  candidateMark,
  candidateTable,
  costTable,
  keyName,
  operationTable,
  verdictMark,
} from "./html/tables.ts";

interface AdviceHtmlOptions {
  /** Those the simulation ran with. */
  readonly limits?: Limits;
  /** The expression of the key in use: shown with the first, wherever it ranks. */
  readonly current?: string | undefined;
  /** Of a worked case: what the guides say of it. */
  readonly guide?: GuideComparison | undefined;
}

/** Cards that are open from the beginning; the others are folded. */
const OPEN_CARDS = 8;

export function adviceHtml(advice: Advice, options: AdviceHtmlOptions = {}): string {
  const { limits = SERVICE_LIMITS, current, guide } = options;
  const { workload, title, candidates } = advice;
  const drawn = candidates.map(({ simulation }) => simulation);
  const scales = scalesOf(drawn, limits, DRAWING_WIDTH);
  const open = shownCandidates(candidates, OPEN_CARDS, current);
  const folded = candidates.filter((candidate) => !open.includes(candidate));
  const card = (candidate: CandidateAdvice): Markup => candidateCard(candidate, scales);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Partition key for ${title || workload}</title>
<style>${raw(STYLE)}</style></head><body>
<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>\
<pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse">\
<path d="M-1 1l2-2M0 4l4-4M3 5l2-2"/></pattern></defs></svg>
<main>
<h1>Partition key for ${title || workload}</h1>
<p class="sub">Workload ${workload}: ${candidates.length} candidates, simulated month by month on \
the hash, the splits, the prices and the budgets of the engine.</p>
${top(advice)}
${guide !== undefined && guideSection(guide)}
${toggles()}
<h2>All candidates</h2><p>Best first. Sizes and loads are those at the end of the horizon, at the \
busiest hour.</p>
${candidateTable(advice, scales)}
<h2>What is traded for what</h2><p>Cheap, even and narrow do not always go together.</p>
${frontChart(advice)}
<h2>Where operations go</h2><p>Keys that have to be asked, physical partitions that have to be \
visited, and what one operation costs.</p>
${operationTable(advice)}
<h2>Cost a month</h2><p>US dollars at the end of the horizon, by mode of throughput; every bar is \
on the same scale. Laid out: the cheapest once the physical partitions are cut where the load is, \
which is what candidates are ranked by.</p>
${costTable(advice)}
<h2>Side by side</h2><p>All drawings of a kind have the same axes. Bars and cells that are hatched \
or red are beyond a limit.</p>
${heatLegend()}
<div class="cards">${open.map(card)}</div>
${
  folded.length === 0
    ? NOTHING
    : html`<details class="rest"><summary>${folded.length} more candidates</summary>
<div class="cards">${folded.map(card)}</div></details>`
}
${remarks(advice)}
</main></body></html>
`.html;
}

/** What to do, and what would change it: read this first. */
function top({ best, summary, sensitivities, alternatives, measureNext }: Advice): Markup {
  const list = (title: string, sentences: readonly string[]): Markup =>
    sentences.length === 0
      ? NOTHING
      : html`<h2>${title}</h2><ul>${sentences.map((text) => html`<li>${text}</li>`)}</ul>`;
  const beside = html`${list(
    "What would change it",
    sensitivities.map(({ sentence }) => sentence),
  )}${list(
    "Worth considering",
    alternatives.map(({ sentence }) => sentence),
  )}${list("What to measure next", measureNext === undefined ? [] : [measureNext])}`;
  return html`<div class="top"><section class="panel" aria-label="Verdict">${
    best === undefined
      ? html`<p class="winner">${verdictMark("bad")} No candidate is good enough</p>`
      : html`<p class="winner">${candidateMark(best)} ${keyName(best)}</p>`
  }${summary.map((sentence) => html`<p>${sentence}</p>`)}${
    best === undefined ? NOTHING : tiles(best)
  }</section>${
    beside.html !== "" && html`<section class="panel" aria-label="Conditions">${beside}</section>`
  }</div>`;
}

function tiles({ simulation }: CandidateAdvice): Markup {
  const { keys, fanOut, load, cost, throttling } = simulation;
  const facts: readonly (readonly [string, string])[] = [
    ["keys", numberText(keys.count.value)],
    ["largest key", bytesText(keys.largest.bytesAtEnd.value)],
    ["reads by one key", percentText(fanOut.keyShare)],
    ["hottest partition", `${numberText(load.hottestPartition.overMean)} × mean`],
    ["429s at the peak", percentText(throttling.share)],
    [`a month, ${cheapestMode(simulation) ?? "any mode"}`, moneyText(cost.cheapest.value)],
  ];
  return html`<dl class="tiles">${facts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** Without a script: styles look at which one is checked. */
function toggles(): Markup {
  const choices: readonly (readonly [string, string])[] = [
    ["all", "all candidates"],
    ["good", "without bad ones"],
    ["front", "on the front only"],
  ];
  return html`<fieldset class="toggles"><legend>Show</legend>${choices.map(
    ([name, text]) => html`<label><input type="radio" name="show" id="show-${name}"\
${name === "all" && html` checked`}> ${text}</label>`,
  )}</fieldset>`;
}

function remarks({ remarks: all }: Advice): Markup {
  if (all.length === 0) return NOTHING;
  return html`<h2>What was assumed</h2><div class="panel"><ul>${all.map(
    (remark) => html`<li>${remark}</li>`,
  )}</ul></div>`;
}
