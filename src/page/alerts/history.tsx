/** What was raised, changed and cleared, newest first. */
import type { VNode } from "preact";
import type { AlertEvent, AlertsReport } from "../../alerts/alertBoard.ts";
import { toneOf } from "../parts/alertWords.ts";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { Link } from "../parts/link.tsx";
import { Empty } from "../parts/states.tsx";
import type { TagTone } from "../parts/tag.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import { placeAt } from "../session/place.ts";
import { whereOf } from "./standing.ts";

export function History({ report }: { readonly report: AlertsReport }): VNode {
  const { dayText } = useTimes();
  if (report.history.length === 0) {
    return (
      <Empty title="Nothing has happened since the server started.">
        The last 500 events will stand here: what was raised, changed and cleared.
      </Empty>
    );
  }
  return (
    <Grid
      label="What happened"
      columns={columnsWith(dayText)}
      rows={report.history}
      keyOf={({ at, event, alert }) => `${at} ${event} ${alert.id}`}
    />
  );
}

function columnsWith(dayText: (at: number) => string): readonly Column<AlertEvent>[] {
  return [
    { id: "at", title: "When", cell: ({ at }) => <span class="oneLine">{dayText(at)}</span> },
    {
      id: "event",
      title: "Event",
      cell: (each) => <Tag tone={toneOfEvent(each)} word={wordOf(each)} />,
    },
    {
      id: "what",
      title: "What",
      cell: ({ alert }) => (
        <>
          <Link to={placeAt("alerts", undefined, { of: alert.id, states: "all" })}>
            {alert.title}
          </Link>
          <br />
          <span class="small">{alert.says}</span>
        </>
      ),
    },
    { id: "where", title: "Where", isSecondary: true, cell: ({ alert }) => whereOf(alert) },
  ];
}

function toneOfEvent({ event, alert }: AlertEvent): TagTone {
  return event === "cleared" ? "good" : toneOf(alert);
}

function wordOf({ event, alert }: AlertEvent): string {
  return event === "cleared" ? "cleared" : `${event}: ${alert.severity ?? alert.state}`;
}
