/**
 * The words of the lane above a chart. Events whose words would lie on each other share one label;
 * each of them stands in the list below the chart.
 */
import type { ChartEvent } from "./reshapeEvents.ts";

interface EventLabel {
  readonly key: string;
  /** From 0 to 1 inside of the chart. */
  readonly place: number;
  readonly text: string;
  /** True when there is no room for the words at the right of the place. */
  readonly isLate: boolean;
}

/** The place of a time from 0 to 1, and how it is written. */
interface TimeAxis {
  readonly place: (at: number) => number;
  readonly minuteText: (at: number) => string;
}

/** Of the lane's width, where it is as narrow as it gets. */
const SIGN_WIDTH = 0.016;
const LATE_FROM = 0.7;

/** Events inside of the chart, the earliest first. */
export function eventsSeen(
  events: readonly ChartEvent[],
  { place }: Pick<TimeAxis, "place">,
): readonly ChartEvent[] {
  return events
    .filter(({ at }) => place(at) >= 0 && place(at) <= 1)
    .toSorted((one, other) => one.at - other.at);
}

export function eventLabels(events: readonly ChartEvent[], axis: TimeAxis): readonly EventLabel[] {
  const clusters: ChartEvent[][] = [];
  for (const event of eventsSeen(events, axis)) {
    const last = clusters.at(-1);
    const isApart =
      last === undefined || endOf(labelOf(last, axis)) < startOf(labelOf([event], axis));
    if (isApart) clusters.push([event]);
    else last.push(event);
  }
  return clusters.map((cluster) => labelOf(cluster, axis));
}

function labelOf(cluster: readonly ChartEvent[], { place, minuteText }: TimeAxis): EventLabel {
  const { at, text } = cluster[0]!;
  const more = cluster.length === 1 ? "" : ` and ${cluster.length - 1} more`;
  return {
    key: `${at} ${text}`,
    place: place(at),
    text: `${minuteText(at)} ${text}${more}`,
    isLate: place(at) > LATE_FROM,
  };
}

function startOf({ place, text, isLate }: EventLabel): number {
  return isLate ? place - SIGN_WIDTH * text.length : place;
}

function endOf({ place, text, isLate }: EventLabel): number {
  return isLate ? place : place + SIGN_WIDTH * text.length;
}
