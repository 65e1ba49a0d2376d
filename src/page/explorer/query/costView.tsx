/** What a query cost: the charge, and the share of each physical partition, from the same run. */
import type { VNode } from "preact";
import { counted } from "../../../base/wording.ts";
import { Grid } from "../../parts/grid.tsx";
import { Meter } from "../../parts/meter.tsx";
import { amountText, chargeText, shareText } from "../../parts/numbers.ts";
import { NoData } from "../../parts/states.tsx";
import {
  type CostRow,
  chargeOf,
  costRows,
  type QueryRun,
  readToReturned,
  sumOfRu,
  workOf,
} from "./queryRun.ts";

export function CostView({ run }: { readonly run: QueryRun }): VNode {
  const { pages, requestCount } = run;
  const rows = costRows(pages);
  const work = workOf(pages);
  const inVain = rows.filter((row) => row.items === 0 && row.rows === 0);
  return (
    <div class="stack tight">
      <p class="answer">
        <strong data-charge={chargeOf(run)}>{chargeText(chargeOf(run))}</strong> on{" "}
        {counted(rows.length, "physical partition")}. {readToReturned(work.items, work.rows)}
      </p>
      {inVain.length === 0 || inVain.length === rows.length ? null : (
        <p>
          {counted(inVain.length, "physical partition")} held nothing of it:{" "}
          <strong>{chargeText(sumOfRu(inVain.map(({ ru }) => ru)))}</strong> for visits in vain. A
          filter on the partition key asks one only.
        </p>
      )}
      {rows.length === 0 ? (
        <NoData>No page came back, so nobody counted.</NoData>
      ) : (
        <Grid
          label="Cost by physical partition"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ name }) => name}
        />
      )}
      <p class="small">
        Equals the header x-ms-request-charge, summed over {counted(requestCount, "request")}.
        {run.chargeBeside === 0 ? "" : ` ${chargeText(run.chargeBeside)} of it was refused.`} Time
        at the server: {work.totalMs.toFixed(2)} ms, of which index {work.indexMs.toFixed(2)} ms and
        items {work.loadMs.toFixed(2)} ms.
      </p>
    </div>
  );
}

const COLUMNS = [
  { id: "name", title: "On", cell: ({ name }: CostRow) => name },
  {
    id: "bar",
    title: "Share",
    cell: ({ share }: CostRow) => (
      <div class="costBar">
        <Meter share={share} />
        <span class="tiny">{shareText(share)}</span>
      </div>
    ),
  },
  {
    id: "ru",
    title: "RU",
    isNumber: true,
    cell: ({ ru }: CostRow) => ru.toFixed(2),
  },
  {
    id: "items",
    title: "Read",
    isNumber: true,
    cell: ({ items }: CostRow) => amountText(items),
  },
  {
    id: "misses",
    title: "In vain",
    isNumber: true,
    isSecondary: true,
    cell: ({ misses }: CostRow) => amountText(misses),
  },
  {
    id: "rows",
    title: "Given",
    isNumber: true,
    cell: ({ rows }: CostRow) => amountText(rows),
  },
  {
    id: "ms",
    title: "Time, ms",
    isNumber: true,
    cell: ({ ms }: CostRow) => ms.toFixed(2),
  },
];
