/** The lane of events above a chart: what happened, at its place in time. */
import type { VNode } from "preact";
import type { ChartEvent } from "./reshapeEvents.ts";

interface EventLaneProps {
  readonly events: readonly ChartEvent[];
  /** From 0 to 1 inside of the chart. */
  readonly place: (at: number) => number;
  readonly minuteText: (at: number) => string;
}

/** Beyond this place there is no room for words at the right. */
const LATE_FROM = 0.7;

export function EventLane({ events, place, minuteText }: EventLaneProps): VNode | null {
  const seen = events.filter(({ at }) => place(at) >= 0 && place(at) <= 1);
  if (seen.length === 0) return null;
  return (
    <ul class="events" aria-label="Events">
      {seen.map(({ at, text }) => (
        <li
          key={`${at} ${text}`}
          style={{ left: `${place(at) * 100}%` }}
          class={place(at) > LATE_FROM ? "late" : ""}
        >
          {minuteText(at)} {text}
        </li>
      ))}
    </ul>
  );
}
