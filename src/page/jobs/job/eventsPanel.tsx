/** What happened to a job, the latest first. */
import type { VNode } from "preact";
import type { JobEvent } from "../../../model/copyJob.ts";
import { Panel } from "../../parts/panel.tsx";
import { Empty } from "../../parts/states.tsx";
import { useTimes } from "../../parts/times.ts";

export function EventsPanel({ events }: { readonly events: readonly JobEvent[] }): VNode {
  const { timeText, dayText } = useTimes();
  return (
    <Panel title="What happened">
      {events.length === 0 ? (
        <Empty title="Nothing yet." />
      ) : (
        <ol class="jobEvents">
          {events.toReversed().map(({ at, text }, index) => (
            <li key={events.length - index}>
              <time class="small" title={dayText(at)}>
                {timeText(at)}
              </time>
              <span>{text}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
