/** Alerts: what should I know before users notice? What fires, what happened, which rules look. */
import type { VNode } from "preact";
import type { AlertsReport } from "../../alerts/alertBoard.ts";
import type { AlertsAnswer } from "../../protocol/admin.ts";
import { useAdmin, usePage, useParameter } from "../control/page.ts";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Answered } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { AlertsNow } from "./alertsNow.tsx";
import { History } from "./history.tsx";
import { Rules } from "./rules.tsx";
import { answerOf } from "./standing.ts";

const ALERTS_SECONDS = 10;
const TABS = ["now", "history", "rules"] as const;

export function AlertsPage(): VNode {
  const { answers } = usePage();
  const answer = useAdmin<AlertsAnswer>("alerts", ALERTS_SECONDS);
  return (
    <Answered of={answer} loading="Reading the alerts." onRetry={() => answers.urge("alerts")}>
      {({ alerts }) => <Shown report={alerts} />}
    </Answered>
  );
}

function Shown({ report }: { readonly report: AlertsReport }): VNode {
  const [tab, setTab] = useParameter("tab", "now");
  const picked = TABS.find((each) => each === tab) ?? "now";
  return (
    <>
      <AnswerHead
        question="Alerts: what should I know before users notice?"
        answer={answerOf(report)}
        more="States are not kept over a restart: what is still wrong is found again."
      />
      <Tabs
        label="Alerts"
        tabs={[
          { id: "now", title: "Now" },
          { id: "history", title: `History (${report.history.length})` },
          { id: "rules", title: `Rules (${report.rules.length})` },
        ]}
        picked={picked}
        onPick={(id) => setTab(id, { isStep: true })}
      >
        {picked === "now" ? (
          <AlertsNow report={report} />
        ) : (
          <Panel title={picked === "history" ? "What happened" : "Rules"} isBare>
            {picked === "history" ? <History report={report} /> : <Rules report={report} />}
          </Panel>
        )}
      </Tabs>
    </>
  );
}
