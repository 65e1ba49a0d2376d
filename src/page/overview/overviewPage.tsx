/** Overview: is anything wrong, and where? The answer first, then containers, trend, advice. */
import type { VNode } from "preact";
import type { AlertsAnswer, OverviewAnswer } from "../../protocol/admin.ts";
import { useAdmin, useObserved, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Link } from "../parts/link.tsx";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Answered } from "../parts/states.tsx";
import { placeAt } from "../session/place.ts";
import { Advisories } from "./advisories.tsx";
import { ContainersPanel } from "./containersPanel.tsx";
import { FirstSteps } from "./firstSteps.tsx";
import { SPANS, type SpanId, TrendPanel } from "./trendPanel.tsx";
import { answerOf, firstToLookAt, judged } from "./verdict.ts";

const OVERVIEW_SECONDS = 5;
const ALERTS_SECONDS = 10;

export function OverviewPage(): VNode {
  const { answers } = usePage();
  const overview = useAdmin<OverviewAnswer>("overview", OVERVIEW_SECONDS);
  const alerts = useAdmin<AlertsAnswer>("alerts?only=active", ALERTS_SECONDS).value?.alerts;
  return (
    <Answered
      of={overview}
      loading="Reading the containers."
      rows={8}
      onRetry={() => answers.urge("overview")}
    >
      {({ containers }) => (
        <Shown rows={judged(containers, alerts?.alerts ?? [])} alerts={alerts} />
      )}
    </Answered>
  );
}

interface ShownProps {
  readonly rows: ReturnType<typeof judged>;
  readonly alerts: AlertsAnswer["alerts"] | undefined;
}

function Shown({ rows, alerts }: ShownProps): VNode {
  const [span, setSpan] = useParameter("span", "1h");
  const [of, setOf] = useParameter("of", "");
  const looked = rows.find(({ name }) => name === of) ?? firstToLookAt(rows);
  return (
    <>
      <AnswerHead
        question="Overview: is anything wrong, and where?"
        answer={answerOf(rows, alerts?.alerts)}
        tools={
          rows.length === 0 ? undefined : (
            <>
              <Segmented
                label="Time shown"
                choices={SPANS.map(({ id, word }) => ({ value: id, word }))}
                value={spanIn(span)}
                onChoose={(chosen) => setSpan(chosen, { isStep: true })}
              />
              <PauseButton />
              <Link to={placeAt("requests")}>Last requests</Link>
            </>
          )
        }
      />
      {rows.length === 0 ? (
        <FirstSteps />
      ) : (
        <div class="mainAndSide">
          <div class="stack">
            <ContainersPanel
              rows={rows}
              pickedName={looked?.name}
              onPick={(name) => setOf(name, { isStep: true })}
            />
            {looked === undefined ? null : <TrendPanel row={looked.row} span={spanIn(span)} />}
          </div>
          <Panel title="What to look at">
            <Advisories report={alerts} />
          </Panel>
        </div>
      )}
    </>
  );
}

function spanIn(text: string): SpanId {
  return SPANS.find(({ id }) => id === text)?.id ?? "1h";
}

function PauseButton(): VNode {
  const { schedule } = usePage();
  const isPaused = useObserved(schedule.isPaused);
  return (
    <Button onPress={() => schedule.isPaused.set(!isPaused)}>
      {isPaused ? "Resume updates" : "Pause updates"}
    </Button>
  );
}
