/** How a query was answered, from the execution that is shown; nothing is run again for it. */
import type { VNode } from "preact";
import { countText } from "../../../base/wording.ts";
import { NoData } from "../../parts/states.tsx";
import { adviceWords, planLines } from "./planSteps.ts";
import type { FetchedPage } from "./queryRun.ts";

const PARTS: Readonly<Record<string, string>> = {
  open: "physical partitions opened",
  lookups: "ranges of the index asked for",
  postings: "items reached through the index",
  scannedEntries: "entries of the index read for their values",
  orderedEntries: "entries passed for ORDER BY",
  items: "items read",
  loaded: "bytes of items loaded",
  largeItems: "bytes of large items",
  rows: "bytes of rows given",
  textCalls: "calls of functions that read a text",
  otherCalls: "calls of other functions",
};

export function PlanView({ page }: { readonly page: FetchedPage }): VNode {
  const { explained } = page;
  if (explained === undefined) return <NoData>No page came back, so there is no plan.</NoData>;
  const { plan, work, charge } = explained;
  return (
    <div class="stack tight">
      <p>
        Read by {work.access.join(", ") || "nothing"} on partition{" "}
        {work.partitions.join(", ") || "–"}; {countText(work.lookups)} lookups,{" "}
        {countText(work.terms)} terms. This is about the page on show.
      </p>
      <ol class="plan" aria-label="Steps, the last first">
        {planLines(plan).map(({ depth, words }, index) => (
          <li key={index} style={{ marginLeft: `${depth * 14}px` }}>
            <code>{words}</code>
          </li>
        ))}
      </ol>
      <table aria-label="The charge, part by part">
        <thead>
          <tr>
            <th scope="col">Part of the charge</th>
            <th scope="col" class="number">
              Count
            </th>
            <th scope="col" class="number">
              RU
            </th>
          </tr>
        </thead>
        <tbody>
          {charge.parts.map(({ part, count, ru }, index) => (
            <tr key={index}>
              <td>{PARTS[part] ?? part}</td>
              <td class="number">{countText(count)}</td>
              <td class="number">{ru.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <h3>What would cost less</h3>
        {charge.advice.length === 0 ? (
          <p class="small">No index would save half a RU of this page.</p>
        ) : (
          <ul>
            {charge.advice.map((advice) => (
              <li key={adviceWords(advice)}>{adviceWords(advice)}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
