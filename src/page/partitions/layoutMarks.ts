/**
 * The layout strip as marks: the key space cut into physical partitions, and inside each its
 * largest logical partitions. Lengths are shares of the strip, from 0 to 1.
 *
 * Always: the partitions stand in key order and fill the strip; none is narrower than can be seen,
 * so a length of nearly nothing is drawn longer than it is. Not more marks than `MARK_COUNT_MAX`
 * keys for all partitions together.
 */
import type { LogicalReport, PartitionReport } from "../../statistics/report.ts";
import { heatStepOf } from "../chart/heatStep.ts";
import { keyLineOf } from "./keyPlace.ts";
import { averagePercentOf, loadShareOf, type TopKeys } from "./splitVerdict.ts";

export const WIDTHS = ["keySpace", "bytes", "items", "load"] as const;
export type WidthBy = (typeof WIDTHS)[number];

interface KeyMark {
  readonly key: LogicalReport;
  /** Of the width of its physical partition. */
  readonly from: number;
  readonly width: number;
  /** The step of heat: the least share of what its partition is allotted that the key spent. */
  readonly step: number;
}

export interface PartitionMark {
  readonly partition: PartitionReport;
  /** Of the strip. */
  readonly from: number;
  readonly width: number;
  readonly keys: readonly KeyMark[];
}

const MARK_COUNT_MAX = 600;
const KEYS_OF_ONE_MAX = 12;
/** The narrowest is this part of what it would have if all were alike. */
const LEAST = 0.2;
/** A key is drawn from this part of its partition on. */
const KEY_LEAST = 0.01;

export function layoutMarks(
  partitions: readonly PartitionReport[],
  keys: TopKeys,
  by: WidthBy,
): readonly PartitionMark[] {
  const line = keyLineOf(partitions);
  const weights = partitions.map((partition) =>
    by === "keySpace"
      ? line.place(partition.max) - line.place(partition.min)
      : amountOf(partition, by),
  );
  const widths = visibleWidths(weights);
  const keyCount = Math.min(KEYS_OF_ONE_MAX, Math.floor(MARK_COUNT_MAX / partitions.length));
  const listed = byPartition(by === "load" ? keys.byLoad : keys.bySize, keyCount);
  let from = 0;
  return partitions.map((partition, index) => {
    const width = widths[index]!;
    const mark = {
      partition,
      from,
      width,
      keys: keyMarks(partition, listed.get(partition.id) ?? [], by),
    };
    from += width;
    return mark;
  });
}

function amountOf({ itemBytes, itemCount, lastFiveMinutes }: PartitionReport, by: WidthBy): number {
  if (by === "items") return itemCount;
  return by === "load" ? lastFiveMinutes.ru : itemBytes;
}

/** Shares that add up to 1, none of them too small to see. */
export function visibleWidths(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const least = LEAST / weights.length;
  const rest = 1 - LEAST;
  if (total === 0) return weights.map(() => 1 / weights.length);
  const shares = weights.map((weight) => weight / total);
  if (shares.every((share) => share >= least)) return shares;
  return shares.map((share) => least + rest * share);
}

function byPartition(
  keys: readonly LogicalReport[],
  countMax: number,
): ReadonlyMap<string, readonly LogicalReport[]> {
  const lists = new Map<string, LogicalReport[]>();
  for (const key of keys) {
    const list = lists.get(key.partitionId) ?? [];
    if (list.length < countMax) list.push(key);
    lists.set(key.partitionId, list);
  }
  return lists;
}

/** Largest first; what is left over is the rest, and stays empty. */
function keyMarks(
  partition: PartitionReport,
  keys: readonly LogicalReport[],
  by: WidthBy,
): readonly KeyMark[] {
  let from = 0;
  return keys.flatMap((key) => {
    const width = Math.min(1 - from, partOf(key, partition, by));
    if (width < KEY_LEAST) return [];
    // The scale is the allotment, as in the heat map: a lone key of an idle partition is not hot.
    const spent = (loadShareOf(key, partition) ?? 0) * (averagePercentOf(partition) / 100);
    const mark = { key, from, width, step: heatStepOf(spent).step };
    from += width;
    return [mark];
  });
}

function partOf(key: LogicalReport, partition: PartitionReport, by: WidthBy): number {
  if (by === "load") return loadShareOf(key, partition) ?? 0;
  if (by === "items") return ratio(key.itemCount, partition.itemCount);
  return ratio(key.itemBytes, partition.itemBytes);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
