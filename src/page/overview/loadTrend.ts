/**
 * The load of a container over time, as shares of its rate: of its busiest physical partition, and
 * of the whole. Slots that nobody counted stay empty.
 *
 * Past loads are held against the rates of now, because nobody keeps what they were.
 */
import { counted } from "../../base/wording.ts";
import type { HistoryReport } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { TrendSlot } from "../chart/trend.ts";
import { percentText } from "../parts/numbers.ts";

/** A slot that has only begun says too little: two busy seconds are not the load of a minute. */
const SLOT_SECONDS_MIN = 5;

/** `now` is in milliseconds since 1970: of the slot that runs, only what has passed counts. */
export function trendSlots(
  history: HistoryReport,
  report: ContainerReport,
  now: number,
): readonly TrendSlot[] {
  const { times, total, partitions } = history;
  const allotted = new Map(report.partitions.map(({ id, allottedRate }) => [id, allottedRate]));
  const wholeRate = [...allotted.values()].reduce((sum, rate) => sum + rate, 0);
  return times.map((at, index): TrendSlot => {
    const slot = total[index];
    const slotSeconds = Math.min(history.slotSeconds, (now - at) / 1000);
    if (slot === null || slot === undefined || slotSeconds < SLOT_SECONDS_MIN) return { at };
    const shares = partitions.flatMap(({ id, slots }) => {
      const [ru, rate] = [slots[index]?.ru, allotted.get(id)];
      return ru === undefined || rate === undefined ? [] : [shareOf(ru, rate, slotSeconds)];
    });
    return {
      at,
      // What a physical partition did before it was split is in the total only.
      upper: shares.length === 0 ? undefined : Math.max(...shares),
      lower: shareOf(slot.ru, wholeRate, slotSeconds),
      refusedShare: slot.requestCount === 0 ? 0 : slot.throttledCount / slot.requestCount,
    };
  });
}

function shareOf(ru: number, ratePerSecond: number, seconds: number): number {
  return ratePerSecond === 0 ? 0 : ru / (ratePerSecond * seconds);
}

/** What the chart shows, in a sentence or two. */
export function trendSummary(slots: readonly TrendSlot[], spanText: string): string {
  const counts = slots.filter(({ upper, lower }) => upper !== undefined || lower !== undefined);
  if (counts.length === 0) return `Nobody counted in the ${spanText}.`;
  const upper = Math.max(...counts.map(({ upper: share }) => share ?? 0));
  const lower = Math.max(...counts.map(({ lower: share }) => share ?? 0));
  const refused = counts.filter(({ refusedShare }) => (refusedShare ?? 0) > 0).length;
  const peaks =
    `In the ${spanText} the busiest physical partition used at most ${percentText(100 * upper)} ` +
    `of its share, the whole container ${percentText(100 * lower)}.`;
  if (refused === 0) return `${peaks} No request was refused.`;
  return `${peaks} Requests were refused in ${counted(refused, "slot")} of ${counts.length}.`;
}
