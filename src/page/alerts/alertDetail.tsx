/**
 * Everything about one alert: what it says, what to do, the figures it rests on, and the thresholds
 * that decided. Limits of the service and recommendations are told apart.
 */
import type { VNode } from "preact";
import type { Alert, AlertsReport } from "../../alerts/alertBoard.ts";
import { originOf } from "../parts/alertWords.ts";
import { Coded } from "../parts/coded.tsx";
import { Link } from "../parts/link.tsx";
import { Panel } from "../parts/panel.tsx";
import { useTimes } from "../parts/times.ts";
import { placeAt } from "../session/place.ts";
import { DocsLinks } from "./docsLinks.tsx";
import { figureOf } from "./figureText.ts";
import { whereOf } from "./standing.ts";
import { Thresholds } from "./thresholds.tsx";

interface AlertDetailProps {
  readonly alert: Alert;
  readonly report: AlertsReport;
}

const WINDOWS: Readonly<Record<string, string>> = {
  now: "as it is now",
  lastMinute: "of the last minute",
  lastFiveMinutes: "of the last five minutes",
  lastDay: "of the last day",
  history: "of all the time that is kept",
};

export function AlertDetail({ alert, report }: AlertDetailProps): VNode {
  const { title, says, todo, scope, docs, rule } = alert;
  const description = report.rules.find(({ id }) => id === rule);
  return (
    <Panel
      title={title}
      beside={<span class="tiny">{`${whereOf(alert)}, ${originOf(alert)}`}</span>}
      class="detail"
    >
      <p>{says}</p>
      {todo.length === 0 ? null : (
        <section>
          <h3>What helps</h3>
          <ol class="numbered">
            {todo.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ol>
        </section>
      )}
      {scope.kind === "server" ? null : (
        <p>
          <Link to={placeAt("partitions", scope)}>See where in Partitions</Link>
        </p>
      )}
      <Evidence alert={alert} />
      {description === undefined ? null : (
        <section>
          <h3>Thresholds</h3>
          <p class="small">
            <Coded text={description.fires} />
          </p>
          <Thresholds rule={description} setting={report.settings[rule]} />
        </section>
      )}
      <DocsLinks pages={docs} />
    </Panel>
  );
}

function Evidence({ alert: { evidence } }: Pick<AlertDetailProps, "alert">): VNode | null {
  const { timeText } = useTimes();
  if (evidence === undefined) return null;
  const { figures, partitionIds, partitionKeys, at, window } = evidence;
  return (
    <section>
      <h3>Evidence</h3>
      <p class="small">
        Figures {WINDOWS[window]}, at {timeText(at)}.
      </p>
      <table>
        <tbody>
          {Object.entries(figures).map(([key, amount]) => {
            const { name, text } = figureOf(key, amount);
            return (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td class="number">{text}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {partitionIds.length === 0 ? null : (
        <p>Physical partitions, the worst first: {partitionIds.join(", ")}.</p>
      )}
      {partitionKeys.length === 0 ? null : (
        <p>
          Partition keys, the worst first:{" "}
          <code>{partitionKeys.map((key) => JSON.stringify(key)).join(", ")}</code>
        </p>
      )}
    </section>
  );
}
