/**
 * How large each physical partition was, over time: the sizes that were counted, each good until
 * the next one. Nothing is said of times before the first: nobody counted then.
 */
import type { HeatReport, HistoryReport } from "../../protocol/admin.ts";
import type { PartitionReport } from "../../statistics/report.ts";

export type CountedSizes = Pick<HistoryReport, "times" | "partitions">;

/**
 * Bytes of each physical partition at the end of each span of time, by range id; `undefined` before
 * the first count. `times` are the bounds of the spans, one more than there are spans.
 */
export function sizesAtEnds(
  { times: counted, partitions }: CountedSizes,
  times: readonly number[],
): ReadonlyMap<string, readonly (number | undefined)[]> {
  return new Map(
    partitions.map(({ id, slots }) => {
      let [next, bytes]: [number, number | undefined] = [0, undefined];
      const sizes = times.slice(1).map((end) => {
        for (; next < counted.length && counted[next]! < end; next++) {
          bytes = slots[next]?.itemBytes ?? bytes;
        }
        return bytes;
      });
      return [id, sizes];
    }),
  );
}

/**
 * With the sizes of now as the newest count: the server counts once a minute. They are put into the
 * last span of the heat that is not a gap, which is the one that is running or has just ended.
 */
export function withSizesNow(
  { times, partitions }: CountedSizes,
  now: readonly PartitionReport[],
  heat: Pick<HeatReport, "times" | "cells">,
): CountedSizes {
  const last = heat.cells.findLastIndex((row) => row.some((cell) => cell !== null));
  const at = heat.times[last];
  if (at === undefined) return { times, partitions };
  const place = times.findLastIndex((time) => time <= at) + 1;
  const sizes = new Map(now.map(({ id, itemBytes }) => [id, itemBytes]));
  return {
    times: times.toSpliced(place, 0, at),
    partitions: partitions.map((each) => {
      const itemBytes = sizes.get(each.id);
      const slot = itemBytes === undefined ? null : { ...NO_LOAD, itemBytes };
      return { ...each, slots: each.slots.toSpliced(place, 0, slot) };
    }),
  };
}

const NO_LOAD = { ru: 0, requestCount: 0, throttledCount: 0, normalizedPercent: 0 };
