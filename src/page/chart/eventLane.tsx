/** The lane of events above a chart, each at its place in time, and all of them as a list. */
import type { VNode } from "preact";
import { counted } from "../../base/wording.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { eventLabels, eventsSeen } from "./eventLabels.ts";
import type { ChartEvent } from "./reshapeEvents.ts";

interface EventLaneProps {
  readonly events: readonly ChartEvent[];
  /** From 0 to 1 inside of the chart. */
  readonly place: (at: number) => number;
  readonly minuteText: (at: number) => string;
}

export function EventLane(props: EventLaneProps): VNode | null {
  const labels = eventLabels(props.events, props);
  if (labels.length === 0) return null;
  return (
    <ul class="events" aria-label="Events">
      {labels.map(({ key, place, text, isLate }) => (
        <li key={key} style={{ left: `${place * 100}%` }} class={isLate ? "late" : ""}>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** Nothing where nothing happened. */
export function EventList({ events, place, minuteText }: EventLaneProps): VNode | null {
  const seen = eventsSeen(events, { place });
  if (seen.length === 0) return null;
  return (
    <Disclosure summary={`What happened: ${counted(seen.length, "event")}`}>
      <ul class="stack tight">
        {seen.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            {minuteText(at)} {text}
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
