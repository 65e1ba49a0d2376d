/** A proof as one page that needs nothing else, like that of the advice. */
import { bytesText, countText } from "../../base/wording.ts";
import { dataTable } from "../report/html/dataTable.ts";
import { html, type Markup, raw } from "../report/html/markup.ts";
import { STYLE } from "../report/html/style.ts";
import type { CaseComparison, OperationPair, PartitionPair, ProofComparison } from "./compare.ts";
import {
  amount,
  type ProofTextOptions,
  percent,
  scaleLines,
  summaryLines,
  WHOLE,
} from "./proofText.ts";
import type { ProofScale } from "./scale.ts";

export function proofHtml(
  scale: ProofScale,
  proof: ProofComparison,
  options: Omit<ProofTextOptions, "width">,
): string {
  const { title } = scale.workload;
  const item = (line: string): Markup => html`<li>${line.trim().replace(/ {2,}/, ": ")}</li>`;
  const lines = (all: readonly string[]): Markup => html`<ul>${all.slice(1).map(item)}</ul>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Proof for ${title}</title>
<style>${raw(STYLE)}</style></head><body><main>
<h1>Prediction and run for ${title}</h1>
<p class="sub">The simulator's prediction for this scale beside what the engine did.</p>
<section class="panel"><h2>Outcome</h2>${lines(summaryLines(proof))}</section>
<section class="panel"><h2>Scale</h2>${lines(scaleLines(scale, options))}</section>
${proof.cases.map(caseSection)}
</main></body></html>
`.html;
}

function caseSection(each: CaseComparison): Markup {
  return html`<h2>${each.id}</h2>
${dataTable(
  "Whole container",
  [
    { name: "", text: ({ name }) => name },
    { name: "predicted", text: ({ of, text }) => text(of(each).predicted) },
    { name: "measured", text: ({ of, text }) => text(of(each).measured) },
  ],
  WHOLE,
)}
${dataTable<PartitionPair>(
  "Physical partitions, RU/s and storage",
  [
    { name: "partition", text: ({ id }) => id },
    { name: "RU/s predicted", text: ({ rate }) => amount(rate.predicted) },
    { name: "measured", text: ({ rate }) => amount(rate.measured) },
    { name: "error", text: ({ error }) => percent(error) },
    { name: "stored predicted", text: ({ bytes }) => bytesText(bytes.predicted) },
    { name: "measured", text: ({ bytes }) => bytesText(bytes.measured) },
    { name: "429", text: ({ throttledShare }) => percent(throttledShare) },
  ],
  each.partitions,
)}
${dataTable<OperationPair>(
  "Operations, RU of one and physical partitions it visits",
  [
    { name: "operation", text: ({ id }) => id },
    { name: "sent", text: (operation) => countText(operation.count) },
    { name: "RU predicted", text: ({ ru }) => amount(ru.predicted) },
    { name: "measured", text: ({ ru }) => amount(ru.measured) },
    { name: "error", text: ({ error }) => percent(error) },
    { name: "visits predicted", text: ({ visited }) => amount(visited.predicted) },
    { name: "measured", text: ({ visited }) => amount(visited.measured) },
    { name: "ms p50", text: ({ latencyP50 }) => amount(latencyP50) },
    { name: "ms p99", text: ({ latencyP99 }) => amount(latencyP99) },
    { name: "429", text: ({ throttledShare }) => percent(throttledShare) },
  ],
  each.operations,
)}`;
}
