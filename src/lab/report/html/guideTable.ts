/** What the guides say of a worked case beside what was computed. */

import { NONE } from "../../wording/plain.ts";
import type { GuideComparison, GuideRow } from "../guide.ts";
import { agreementText, bestSentence, saysText } from "../guide.ts";
import { headRow } from "./dataTable.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { verdictMark } from "./tables.ts";

export function guideSection(comparison: GuideComparison): Markup {
  const { sentence, rows, errata } = comparison;
  const title = comparison.isOfGuides ? "Beside the guides" : "Beside what was expected";
  return html`<h2>${title}</h2><p>${sentence}</p>
<div class="wide" tabindex="0" role="region" aria-label="Beside the guides">
<table class="guide">${headRow([
    ["key"],
    ["the guides say"],
    ["computed"],
    ["agreement"],
    ["in words"],
  ])}<tbody>${rows.map(guideRow)}</tbody></table></div>
<p>${bestSentence(comparison)}</p>${
    errata.length > 0 &&
    html`<div class="panel"><h2>Where a guide errs</h2><ul>${errata.map(
      (text) => html`<li>${text}</li>`,
    )}</ul></div>`
  }
`;
}

function guideRow(row: GuideRow): Markup {
  const { id, accepted, computed, agrees, isGiven } = row;
  return html`<tr><th scope="row"><code>${id}</code></th>\
<td>${isGiven ? accepted.map((verdict) => html`${verdictMark(verdict)} `) : "not weighed"}</td>\
<td>${computed === undefined ? NONE : verdictMark(computed)}</td>\
<td>${agrees ? "✓" : "✕"} ${agreementText(row)}</td><td>${saysText(row)}</td></tr>
`;
}
