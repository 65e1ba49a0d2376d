/** The load of one container over time, with what happened to it. */
import type { VNode } from "preact";
import { HOUR_MS } from "../../base/units.ts";
import type { HistoryReport, JobsAnswer, OverviewRow } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { firstShown } from "../chart/firstShown.ts";
import { TrendPlot } from "../chart/plot.tsx";
import { jobEvents, rateEvents } from "../chart/reshapeEvents.ts";
import type { TrendSlot } from "../chart/trend.ts";
import { useAdmin, useAnswer, usePage } from "../control/page.ts";
import { percentText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Answered, NoData } from "../parts/states.tsx";
import { useTimes } from "../parts/times.ts";
import { containerRoute } from "../session/containerRoute.ts";
import { trendSlots, trendSummary } from "./loadTrend.ts";

export const SPANS = [
  { id: "1h", word: "1 hour", text: "last hour", hours: 1, slotSeconds: 60 },
  { id: "6h", word: "6 hours", text: "last 6 hours", hours: 6, slotSeconds: 60 },
  { id: "24h", word: "1 day", text: "last day", hours: 24, slotSeconds: 600 },
] as const;

export type SpanId = (typeof SPANS)[number]["id"];

const HISTORY_SECONDS = 15;

interface TrendPanelProps {
  readonly row: OverviewRow;
  readonly span: SpanId;
}

export function TrendPanel({ row, span }: TrendPanelProps): VNode {
  const { server, clock, answers } = usePage();
  const { hours, slotSeconds, text } = SPANS.find(({ id }) => id === span)!;
  const route = containerRoute(row);
  const ask = () => {
    const from = clock.wallNow() - hours * HOUR_MS;
    return server.admin<HistoryReport>(`${route}history?from=${from}&slotSeconds=${slotSeconds}`);
  };
  const key = `${route}history ${span}`;
  const history = useAnswer<HistoryReport>(key, ask, HISTORY_SECONDS);
  const report = useAdmin<ContainerReport>(`${route}report`, HISTORY_SECONDS).value;
  const jobs = useAdmin<JobsAnswer>("jobs", HISTORY_SECONDS).value;
  const name = `${row.database}/${row.container}`;
  return (
    <Panel title={`${name}: use of the rate`}>
      <Answered
        of={history}
        loading={`Reading the ${text} of ${name}.`}
        onRetry={() => answers.urge(key)}
      >
        {(value) =>
          report === undefined ? null : (
            <Trend history={value} report={report} spanText={text} jobs={jobs} row={row} />
          )
        }
      </Answered>
    </Panel>
  );
}

interface TrendProps {
  readonly history: HistoryReport;
  readonly report: ContainerReport;
  readonly spanText: string;
  readonly jobs: JobsAnswer | undefined;
  readonly row: OverviewRow;
}

function Trend({ history, report, spanText, jobs, row }: TrendProps): VNode {
  const { minuteText, dayText } = useTimes();
  const { clock } = usePage();
  const all = trendSlots(history, report, clock.wallNow());
  if (all.every(({ lower }) => lower === undefined)) {
    return <NoData>Nobody counted in the {spanText}. That is not zero.</NoData>;
  }
  const slots = all.slice(firstShown(all.map(({ lower }) => lower !== undefined)));
  const says = (slot: TrendSlot): string => `${dayText(slot.at)}: ${wordsOf(slot)}`;
  return (
    <TrendPlot
      summary={trendSummary(slots, spanText)}
      slots={slots}
      slotMs={history.slotSeconds * 1000}
      events={[
        ...(jobs === undefined ? [] : jobEvents(jobs, row)),
        ...rateEvents(report.rateChanges),
      ]}
      says={says}
      minuteText={minuteText}
      upperName="busiest physical partition"
      lowerName="whole container"
      table={<TrendTable slots={slots} timeText={dayText} />}
    />
  );
}

function wordsOf({ upper, lower, refusedShare }: TrendSlot): string {
  if (lower === undefined) return "nobody counted.";
  const busiest = upper === undefined ? "not known" : percentText(upper * 100);
  return (
    `busiest ${busiest}, whole ${percentText(lower * 100)}, ` +
    `${shareText(refusedShare)} of the requests refused.`
  );
}

interface TrendTableProps {
  readonly slots: readonly TrendSlot[];
  readonly timeText: (at: number) => string;
}

/** Exactly what is drawn, newest first. */
function TrendTable({ slots, timeText }: TrendTableProps): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box.
    <section class="scroll tall" tabIndex={0} aria-label="Use of the rate over time">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" class="number">
              Busiest, of its share
            </th>
            <th scope="col" class="number">
              Whole, of the rate
            </th>
            <th scope="col" class="number">
              Refused (429)
            </th>
          </tr>
        </thead>
        <tbody>
          {slots.toReversed().map(({ at, upper, lower, refusedShare }) => (
            <tr key={at}>
              <th scope="row">{timeText(at)}</th>
              <td class="number">{shareText(upper)}</td>
              <td class="number">{shareText(lower)}</td>
              <td class="number">{shareText(refusedShare)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
