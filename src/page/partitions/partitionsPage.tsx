/**
 * Partitions: how is the data placed, and where is the load? The answer first, then the layout of
 * the key space, heat over time and the top keys, all about one selected physical partition.
 */
import type { VNode } from "preact";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewAnswer, TopKeysAnswer } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { useAdmin, usePage, useParameter, usePlace } from "../control/page.ts";
import { Link } from "../parts/link.tsx";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { useTimes } from "../parts/times.ts";
import { containerRoute } from "../session/containerRoute.ts";
import { containerIn, placeAt } from "../session/place.ts";
import { answerOf, basisOf, partitionToLookAt } from "./answer.ts";
import { HeatPanel } from "./heatPanel.tsx";
import { LayoutPanel } from "./layoutPanel.tsx";
import { LocatePanel } from "./locatePanel.tsx";
import { ReshapePanel } from "./reshapePanel.tsx";
import type { TopKeys } from "./splitVerdict.ts";
import { TopKeysPanel } from "./topKeysPanel.tsx";
import { GrowthPanel, VerdictPanel } from "./verdictPanel.tsx";

const REPORT_SECONDS = 5;
const KEYS_SECONDS = 10;
const KEY_COUNT = 200;

export function PartitionsPage(): VNode {
  const about = containerIn(usePlace());
  return about === undefined ? (
    <Choose />
  ) : (
    <OfContainer key={`${about.database}/${about.container}`} about={about} />
  );
}

const QUESTION = "Partitions: how is the data placed, and where is the load?";

/** Without a container there is nothing to show but which ones there are. */
function Choose(): VNode {
  const { answers } = usePage();
  const overview = useAdmin<OverviewAnswer>("overview", REPORT_SECONDS);
  return (
    <>
      <AnswerHead question={QUESTION} answer="Choose a container." />
      <Panel title="Containers">
        <Answered
          of={overview}
          loading="Reading the containers."
          onRetry={() => answers.urge("overview")}
        >
          {({ containers }) =>
            containers.length === 0 ? (
              <Empty
                title="There is no container yet."
                action={
                  <Link to={placeAt("explorer", undefined, { new: "container" })}>
                    Make a container
                  </Link>
                }
              />
            ) : (
              <ul class="stack tight">
                {containers.map((each) => (
                  <li key={`${each.database}/${each.container}`}>
                    <Link to={placeAt("partitions", each)}>
                      {each.database}/{each.container}
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
      </Panel>
    </>
  );
}

function OfContainer({ about }: { readonly about: NamedContainer }): VNode {
  const { answers } = usePage();
  const route = containerRoute(about);
  const report = useAdmin<ContainerReport>(`${route}report`, REPORT_SECONDS);
  const bySize = useAdmin<TopKeysAnswer>(
    `${route}topKeys?by=size&count=${KEY_COUNT}`,
    KEYS_SECONDS,
  ).value;
  const byLoad = useAdmin<TopKeysAnswer>(
    `${route}topKeys?by=load&count=${KEY_COUNT}`,
    KEYS_SECONDS,
  ).value;
  const name = `${about.database}/${about.container}`;
  return (
    <>
      {report.value === undefined ? (
        <AnswerHead
          question={QUESTION}
          answer={`Looking at ${name}.`}
          tools={<Link to={placeAt("partitions")}>Choose another container</Link>}
        />
      ) : null}
      <Answered
        of={report}
        loading={`Reading how ${name} is placed.`}
        rows={8}
        onRetry={() => answers.urge(route)}
      >
        {(value) => (
          <Shown
            report={value}
            keys={{
              bySize: bySize?.keys ?? value.topBySize,
              byLoad: byLoad?.keys ?? value.topByLoad,
            }}
          />
        )}
      </Answered>
    </>
  );
}

interface ShownProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
}

function Shown({ report, keys }: ShownProps): VNode {
  const { dateText } = useTimes();
  const [of, setOf] = useParameter("of", "");
  const picked = report.partitions.find(({ id }) => id === of) ?? partitionToLookAt(report)!;
  const name = `${report.database}/${report.container}`;
  const pick = (id: string): void => setOf(id);
  return (
    <>
      <AnswerHead
        question={`Partitions of ${name}, by ${report.partitionKeyPaths.join(", ")}`}
        answer={answerOf(report, keys, dateText)}
        more={basisOf(report)}
      />
      <LayoutPanel report={report} keys={keys} picked={picked} onPick={pick} />
      <div class="mainAndSide">
        <div class="stack">
          <HeatPanel report={report} keys={keys} pickedId={picked.id} onPick={pick} />
          <TopKeysPanel report={report} keys={keys} pickedId={picked.id} onPick={pick} />
        </div>
        <div class="stack">
          <VerdictPanel report={report} keys={keys} picked={picked} />
          <ReshapePanel report={report} keys={keys} picked={picked} />
          <LocatePanel report={report} onPick={pick} />
          <GrowthPanel report={report} keys={keys} dateText={dateText} />
        </div>
      </div>
    </>
  );
}
