/**
 * What another rate would have meant for load that was counted: in how many minutes the busiest
 * second of a physical partition asked for more than its new allotment. A lower bound: requests
 * that were throttled then were never counted in full, and allotments are taken to be today's.
 */
import type { HistoryReport } from "../../../protocol/admin.ts";
import { amountText } from "../../parts/numbers.ts";

interface ReplayedDay {
  readonly countedMinutes: number;
  /** Minutes with at least one second beyond the allotment, on the physical partition with most. */
  readonly throttledMinutes: number;
  readonly partitionId: string | undefined;
}

export function replayOf(
  { partitions }: Pick<HistoryReport, "partitions">,
  rateNow: number,
  rateThen: number,
): ReplayedDay {
  const each = partitions.map(({ id, slots }) => {
    const counted = slots.filter((slot) => slot !== null);
    const beyond = counted.filter(
      ({ normalizedPercent }) => (normalizedPercent / 100) * rateNow > rateThen,
    );
    return { partitionId: id, countedMinutes: counted.length, throttledMinutes: beyond.length };
  });
  const none: ReplayedDay = { countedMinutes: 0, throttledMinutes: 0, partitionId: undefined };
  return each.reduce<ReplayedDay>(
    (most, one) =>
      most.partitionId === undefined || one.throttledMinutes > most.throttledMinutes ? one : most,
    none,
  );
}

/** What goes on after "At 400 RU/s,". */
export function replayText({ partitionId, throttledMinutes, countedMinutes }: ReplayedDay): string {
  if (countedMinutes === 1) {
    const who = throttledMinutes === 0 ? "no physical partition" : `partition ${partitionId}`;
    return `${who} would have been throttled in the one minute with load of the last day.`;
  }
  const minutes = `${amountText(countedMinutes)} minutes with load of the last day.`;
  if (throttledMinutes === 0) {
    return `no physical partition would have been throttled in the ${minutes}`;
  }
  return (
    `partition ${partitionId} would have been throttled in at least ` +
    `${amountText(throttledMinutes)} of the ${minutes}`
  );
}
