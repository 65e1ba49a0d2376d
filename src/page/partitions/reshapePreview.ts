/**
 * What a split or a merge would come to, before it is started. Of the keys that are known (the top
 * ones) each falls on one side as a whole; what is not known is taken to lie evenly over the
 * partition's keys. So a preview is an estimate, and says of how much it knows.
 */

import { bytesText } from "../../base/wording.ts";
import type { SuggestedMerge } from "../../protocol/admin.ts";
import type { ContainerReport, LogicalReport, PartitionReport } from "../../statistics/report.ts";
import { rateText, shareText } from "../parts/numbers.ts";
import { keyLineOf } from "./keyPlace.ts";
import type { TopKeys } from "./splitVerdict.ts";

interface Half {
  /** Of what the partition has now. */
  readonly bytesShare: number;
  readonly loadShare: number;
}

interface SplitPreview {
  readonly left: Half;
  readonly right: Half;
  /** What each physical partition of the container would be allotted, in RU a second. */
  readonly allottedRate: number;
  /** The part of the bytes, and of the load, whose keys are known. */
  readonly knownBytesShare: number;
  readonly knownLoadShare: number;
}

export type SplitCut = "median" | "middle";

export function splitPreview(
  report: ContainerReport,
  partition: PartitionReport,
  keys: TopKeys,
  cut: SplitCut,
): SplitPreview {
  const line = keyLineOf(report.partitions);
  const [from, to] = [line.place(partition.min), line.place(partition.max)];
  const own = (list: readonly LogicalReport[]): readonly LogicalReport[] =>
    list.filter(({ partitionId }) => partitionId === partition.id);
  const ranked = [
    ...new Set([...own(keys.bySize), ...own(keys.byLoad)].map(({ epk }) => epk)),
  ].toSorted();
  // Without an even scale, the rank of a key among those known stands for its place.
  const within = (epk: string): number =>
    line.isEven && to > from
      ? Math.min(1, Math.max(0, (line.place(epk) - from) / (to - from)))
      : (ranked.indexOf(epk) + 1) / (ranked.length + 1);
  const bytes = weighed(
    own(keys.bySize),
    within,
    ({ itemBytes }) => itemBytes,
    partition.itemBytes,
  );
  const load = weighed(
    own(keys.byLoad),
    within,
    ({ ru = 0, errorRu = 0 }) => Math.max(0, ru - errorRu),
    partition.lastFiveMinutes.ru,
  );
  const at = cut === "middle" ? 0.5 : medianOf(bytes);
  const [bytesLeft, loadLeft] = [leftOf(bytes, at), leftOf(load, at)];
  const { ratePerSecond } = report.throughput;
  return {
    left: { bytesShare: bytesLeft, loadShare: loadLeft },
    right: { bytesShare: 1 - bytesLeft, loadShare: 1 - loadLeft },
    allottedRate: Math.min(
      ratePerSecond / (report.partitions.length + 1),
      report.limits.partitionRateMax,
    ),
    knownBytesShare: 1 - bytes.rest,
    knownLoadShare: 1 - load.rest,
  };
}

interface Weighed {
  /** In key order; shares of the partition's whole. */
  readonly points: readonly { readonly at: number; readonly share: number }[];
  readonly rest: number;
}

function weighed(
  keys: readonly LogicalReport[],
  within: (epk: string) => number,
  amountOf: (key: LogicalReport) => number,
  whole: number,
): Weighed {
  if (whole === 0) return { points: [], rest: 1 };
  const points = keys
    .map((key) => ({ at: within(key.epk), share: amountOf(key) / whole }))
    .toSorted((one, other) => one.at - other.at);
  const known = points.reduce((sum, { share }) => sum + share, 0);
  // Sizes and loads are not counted at the same moment, so the known may be a little too much.
  const scale = known > 1 ? 1 / known : 1;
  return {
    points: points.map(({ at, share }) => ({ at, share: share * scale })),
    rest: Math.max(0, 1 - known),
  };
}

/** The share of what lies before a place; a key exactly there is on the right. */
function leftOf({ points, rest }: Weighed, at: number): number {
  return points.reduce((sum, point) => sum + (point.at < at ? point.share : 0), rest * at);
}

/** The place, just before a key or at a round one, that comes nearest to half. */
function medianOf(bytes: Weighed): number {
  const even = Array.from({ length: 63 }, (_, index) => (index + 1) / 64);
  const places = bytes.rest > 0 ? even : [];
  const candidates = [...bytes.points.map(({ at }) => at).filter((at) => at > 0), ...places];
  return candidates.reduce(
    (best, at) =>
      Math.abs(leftOf(bytes, at) - 0.5) < Math.abs(leftOf(bytes, best) - 0.5) ? at : best,
    candidates[0] ?? 0.5,
  );
}

/** The neighbours in key order that a physical partition can be merged with. */
export function neighboursOf(
  { partitions }: ContainerReport,
  id: string,
): readonly PartitionReport[] {
  const index = partitions.findIndex((each) => each.id === id);
  return [partitions[index - 1], partitions[index + 1]].filter((each) => each !== undefined);
}

/** What a merge of two would come to, in a sentence. */
export function mergeSays(
  report: ContainerReport,
  one: PartitionReport,
  other: PartitionReport,
  suggestions: readonly SuggestedMerge[],
): string {
  const { limits, throughput, partitions } = report;
  const bytes = one.itemBytes + other.itemBytes;
  const rate = Math.min(
    throughput.ratePerSecond / Math.max(1, partitions.length - 1),
    limits.partitionRateMax,
  );
  const suggested = suggestions.find(({ partitionIds }) =>
    [one.id, other.id].every((id) => partitionIds.includes(id)),
  );
  return (
    `One physical partition with ${bytesText(bytes)}, ` +
    `${shareText(bytes / limits.physicalPartitionBytesMax)} of what one may hold; each of ` +
    `${partitions.length - 1} would be allotted ${rateText(rate)}. ` +
    (suggested?.reason ?? "The server does not suggest this merge.")
  );
}
