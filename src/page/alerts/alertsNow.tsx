/** The alerts as they are: a list, and beside it everything about the one that is picked. */
import type { VNode } from "preact";
import type { Alert, AlertsReport } from "../../alerts/alertBoard.ts";
import { useParameter } from "../control/page.ts";
import { toneOf } from "../parts/alertWords.ts";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Empty } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import { AlertDetail } from "./alertDetail.tsx";
import { type ListedStates, listed, whereOf } from "./standing.ts";

export function AlertsNow({ report }: { readonly report: AlertsReport }): VNode {
  const { dayText } = useTimes();
  const [states, setStates] = useParameter("states", "active");
  const [of, setOf] = useParameter("of", "");
  const shown: ListedStates = states === "all" ? "all" : "active";
  const alerts = listed(report.alerts, shown);
  const picked = report.alerts.find(({ id }) => id === of) ?? alerts[0];
  const choice = (
    <Segmented<ListedStates>
      label="Which alerts"
      choices={[
        { value: "active", word: "Firing and pending" },
        { value: "all", word: "All" },
      ]}
      value={shown}
      onChoose={(value) => setStates(value)}
    />
  );
  return (
    <div class="listAndDetail">
      <Panel title="Alerts" isBare beside={choice}>
        {alerts.length === 0 ? (
          <Empty title="Nothing fires, and nothing is about to.">
            “All” lists what the rules found to be in order, and what they could not judge.
          </Empty>
        ) : (
          <Grid
            label="Alerts"
            columns={columnsWith(dayText)}
            rows={alerts}
            keyOf={({ id }) => id}
            pickedKey={picked?.id}
            onPick={({ id }) => setOf(id, { isStep: true })}
          />
        )}
      </Panel>
      {picked === undefined ? null : <AlertDetail alert={picked} report={report} />}
    </div>
  );
}

const WORDS: Readonly<Record<Alert["state"], string>> = {
  normal: "normal",
  pending: "pending",
  firing: "firing",
  noData: "no data",
};

function columnsWith(dayText: (at: number) => string): readonly Column<Alert>[] {
  return [
    { id: "title", title: "What", cell: ({ title }) => title },
    {
      id: "state",
      title: "State",
      cell: (alert) => (
        <Tag
          tone={toneOf(alert)}
          word={alert.state === "firing" ? (alert.severity ?? WORDS.firing) : WORDS[alert.state]}
        />
      ),
    },
    { id: "where", title: "Where", cell: whereOf },
    {
      id: "since",
      title: "Since",
      isSecondary: true,
      cell: ({ since }) => <span class="oneLine">{dayText(since)}</span>,
    },
  ];
}
