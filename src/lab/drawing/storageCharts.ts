/** Where the bytes lie: by physical partition at the end, and how that came about. */
import { bytesText } from "../../base/wording.ts";
import type { MonthOutcome, PartitionOutcome } from "../simulate/simulation.ts";
import { plural } from "../wording/plain.ts";
import type { DrawnKey } from "./drawnKey.ts";
import { grouped, splitCount } from "./drawnKey.ts";
import type { DrawnMark } from "./mark.ts";
import { mark, path } from "./mark.ts";
import type { Drawing } from "./plot.ts";
import { amountAxis, bars, bottomLabels, drawing, limitLine, placeX, polyline } from "./plot.ts";
import type { Scales } from "./scales.ts";

/** More bars than that would be lines. */
export const BARS_MAX = 60;

/** What partitions are called that were put together. */
export function groupName(group: readonly PartitionOutcome[]): string {
  const [first, last] = [group[0]!.id, group.at(-1)!.id];
  return first === last ? `partition ${first}` : `partitions ${first} to ${last}`;
}

export function groupNote(partitionCount: number, groupCount: number, which: string): string {
  if (partitionCount === groupCount) return "";
  const each = Math.ceil(partitionCount / groupCount);
  return ` Each bar is the ${which} of ${each} neighbours.`;
}

export function storageByPartition(
  { partitions }: Pick<DrawnKey, "partitions">,
  scales: Scales,
): Drawing {
  const { frame, limits, partitionBytes: axis } = scales;
  const limit = limits.physicalPartitionBytesMax;
  const groups = grouped(partitions, BARS_MAX);
  const all = groups.map((group) => {
    const bytes = Math.max(...group.map((partition) => partition.bytes));
    return {
      amount: bytes,
      isOver: bytes > limit,
      title: `${groupName(group)}: ${bytesText(bytes)}`,
    };
  });
  const total = partitions.reduce((sum, { bytes }) => sum + bytes, 0);
  const fullest = Math.max(0, ...partitions.map(({ bytes }) => bytes));
  const sentence =
    `At the end ${bytesText(total)} in ${plural(partitions.length, "partition")}; the fullest ` +
    `has ${bytesText(fullest)} of ${bytesText(limit)}.` +
    groupNote(partitions.length, groups.length, "fullest");
  return drawing({
    title: "Storage by physical partition",
    sentence,
    frame,
    marks: [
      amountAxis(frame, axis, bytesText),
      bars(frame, axis, all),
      limitLine(frame, axis, limit, bytesText(limit)),
      bottomLabels(frame, partitionLabels(partitions)),
    ],
  });
}

export function partitionLabels(
  partitions: readonly PartitionOutcome[],
): readonly { readonly share: number; readonly text: string }[] {
  if (partitions.length === 0) return [];
  if (partitions.length === 1) return [{ share: 0.5, text: partitions[0]!.id }];
  return [
    { share: 0, text: partitions[0]!.id },
    { share: 0.5, text: "partitions in order of the key space" },
    { share: 1, text: partitions.at(-1)!.id },
  ];
}

export function monthLabels(
  monthCount: number,
): readonly { readonly share: number; readonly text: string }[] {
  if (monthCount === 0) return [];
  const middle = Math.round(monthCount / 2);
  return [
    { share: 0, text: "now" },
    ...(monthCount > 2 ? [{ share: middle / monthCount, text: `month ${middle}` }] : []),
    { share: 1, text: `month ${monthCount}` },
  ];
}

export function storageByMonth(simulation: DrawnKey, scales: Scales): Drawing {
  const { frame, limits, partitionBytes: axis, monthCount } = scales;
  const { months } = simulation;
  const limit = limits.physicalPartitionBytesMax;
  const across = (month: number): number => (monthCount === 0 ? 0 : month / monthCount);
  const line = (amountOf: (month: MonthOutcome) => number, kind: string): readonly DrawnMark[] =>
    polyline(
      frame,
      months.map((month) => [across(month.month), axis.at(amountOf(month))]),
      kind,
    );
  const splits = months.filter((month) => month.splitCount > 0);
  const first = months[0]?.partitionCount ?? 0;
  const last = months.at(-1)?.partitionCount ?? 0;
  const sentence =
    `${plural(first, "partition")} at the beginning, ${last} at the end after ` +
    `${plural(splitCount(simulation), "split")}. Solid: the largest; dashed: the mean.`;
  return drawing({
    title: "Storage of physical partitions by month",
    sentence,
    frame,
    marks: [
      amountAxis(frame, axis, bytesText),
      limitLine(frame, axis, limit, bytesText(limit)),
      line((month) => month.totalBytes / Math.max(1, month.partitionCount), "line second"),
      line((month) => month.largestPartitionBytes, "line"),
      splits.map((month) => {
        const d = path`M${placeX(frame, across(month.month))} ${frame.bottom}v-6`;
        const title = `month ${month.month}: ${plural(month.splitCount, "split")}`;
        return mark("path", { class: "split", d }, mark("title", {}, title));
      }),
      bottomLabels(frame, monthLabels(monthCount)),
    ],
  });
}
