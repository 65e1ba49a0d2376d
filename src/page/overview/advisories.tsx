/** What fires, the worst first: one sentence, its numbers, where it comes from, and the way on. */
import type { VNode } from "preact";
import type { Alert, AlertsReport } from "../../alerts/alertBoard.ts";
import { originOf, toneOf } from "../parts/alertWords.ts";
import { Link } from "../parts/link.tsx";
import { Notice } from "../parts/notice.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { useTimes } from "../parts/times.ts";
import type { PagePlace } from "../session/place.ts";
import { placeAt } from "../session/place.ts";

const SHOWN_COUNT_MAX = 6;

export function Advisories({ report }: { readonly report: AlertsReport | undefined }): VNode {
  const { dayText } = useTimes();
  if (report === undefined) return <Loading what="Reading the alerts." />;
  const { alerts } = report;
  if (alerts.length === 0) {
    const rules = placeAt("alerts", undefined, { tab: "rules" });
    return (
      <Empty title="Nothing fires." action={<Link to={rules}>See the rules</Link>}>
        Rules look at every container once it has requests.
      </Empty>
    );
  }
  return (
    <div class="advisories">
      {alerts.slice(0, SHOWN_COUNT_MAX).map((alert) => (
        <Advisory
          key={alert.id}
          alert={alert}
          since={dayText(alert.since)}
          origin={originOf(alert)}
        />
      ))}
      {alerts.length > SHOWN_COUNT_MAX ? (
        <p>
          <Link to={placeAt("alerts")}>{alerts.length - SHOWN_COUNT_MAX} more in Alerts</Link>
        </p>
      ) : null}
    </div>
  );
}

interface AdvisoryProps {
  readonly alert: Alert;
  readonly since: string;
  readonly origin: string;
}

function Advisory({ alert, since, origin }: AdvisoryProps): VNode {
  const { title, says, todo, scope, state } = alert;
  const word = state === "pending" ? "pending" : (alert.severity ?? "info");
  const where = scope.kind === "server" ? "the server" : `${scope.database}/${scope.container}`;
  return (
    <Notice tone={toneOf(alert)} word={word} title={title} beside={`${where}, since ${since}`}>
      <p>{says}</p>
      {todo[0] === undefined ? null : <p class="small">{todo[0]}</p>}
      <p class="noticeFoot">
        <Link to={placeOf(alert)}>{scope.kind === "server" ? "See the alert" : "See where"}</Link>
        <span class="tiny">{origin}</span>
      </p>
    </Notice>
  );
}

/** The page that shows what an alert is about. */
function placeOf({ scope, id }: Alert): PagePlace {
  if (scope.kind === "server") return placeAt("alerts", undefined, { of: id });
  return placeAt("partitions", scope);
}
