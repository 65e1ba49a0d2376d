/** How a query was answered, from the execution that is shown; nothing is run again for it. */
import type { VNode } from "preact";
import { counted, countText } from "../../../base/wording.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { Coded } from "../../parts/coded.tsx";
import { Link } from "../../parts/link.tsx";
import { NoData } from "../../parts/states.tsx";
import type { PagePlace } from "../../session/place.ts";
import { advisedText } from "../settings/advisedIndex.ts";
import type { ChargeAdvice } from "./explained.ts";
import { adviceWords, planLines } from "./planSteps.ts";
import { planSummary } from "./planSummary.ts";
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

interface PlanViewProps {
  readonly page: FetchedPage;
  readonly row: OverviewRow;
}

export function PlanView({ page, row }: PlanViewProps): VNode {
  const { explained } = page;
  if (explained === undefined) return <NoData>No page came back, so there is no plan.</NoData>;
  const { plan, work, charge } = explained;
  return (
    <div class="stack tight">
      <p class="answer">
        <Coded text={planSummary({ plan, work })} />
      </p>
      <ol class="plan" aria-label="Steps, the last first">
        {planLines(plan, work).map(({ depth, words, counts }, index) => (
          <li key={index} style={{ marginLeft: `${depth * 14}px` }}>
            <code>{words}</code>
            {counts === undefined ? null : <span class="small">{counts}</span>}
          </li>
        ))}
      </ol>
      <p class="small">
        About the page on show: {counted(work.lookups, "lookup")} in the index with{" "}
        {counted(work.terms, "entry", "entries")}, on partition {work.partitions.join(", ") || "–"}.
      </p>
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
      <Advice advice={charge.advice} row={row} />
    </div>
  );
}

/** The settings of the container, with the advised index in the policy and nothing saved. */
function settingsWith({ database, container }: OverviewRow, advice: ChargeAdvice): PagePlace {
  const parameters = { index: advisedText(advice) };
  return { page: "explorer", segments: [database, container, "settings"], parameters };
}

interface AdviceProps {
  readonly advice: readonly ChargeAdvice[];
  readonly row: OverviewRow;
}

function Advice({ advice: all, row }: AdviceProps): VNode {
  return (
    <div>
      <h3>What would cost less</h3>
      {all.length === 0 ? (
        <p class="small">No index would save half a RU of this page.</p>
      ) : (
        <ul>
          {all.map((advice) => (
            <li key={adviceWords(advice)}>
              {adviceWords(advice)}{" "}
              <Link to={settingsWith(row, advice)}>Show the change of the policy</Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
