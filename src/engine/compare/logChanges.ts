/**
 * What the log of a container says has changed since a position: numbers of items.
 *
 * A position is a mark for every key: the LSN up to which changes of that key are known. Physical
 * partitions that come from a split or a merge have the changes of their keys under the same LSNs,
 * so marks stay true whatever is split or merged.
 */
import { assert } from "../../base/assert.ts";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import { contains } from "../../partition/epkRange.ts";
import type { LogEntry } from "../../store/partitionStore.ts";
import type { FeedMark } from "../feed/feedMarks.ts";
import { marksWithin } from "../feed/feedMarks.ts";
import { epkOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { STEP_COUNT_MAX } from "./numberScan.ts";
import type { ComparisonSetting } from "./rowReader.ts";

/** Where the logs of a container end now. */
export function endOfLogs(container: Container): readonly FeedMark[] {
  return [...container.partitions.values()].map((partition) => {
    return { range: partition.entry.range, lsn: partition.lsn };
  });
}

/**
 * How many LSNs were given since the marks. Every transaction has one, however many items it is
 * about, so this is an estimate of the number of changes that costs nothing.
 */
export function lsnDistance(container: Container, marks: readonly FeedMark[]): number {
  let distance = 0;
  for (const partition of container.partitions.values()) {
    // A merged physical partition goes on after the higher LSN of those that it came from.
    const lsns = marksOf(partition, marks).map((mark) => mark.lsn);
    distance += partition.lsn - Math.max(...lsns);
  }
  return distance;
}

/** True when ends of items that came after the marks have left the logs. */
export async function isSwept(
  { store }: Pick<ComparisonSetting, "store">,
  container: Container,
  marks: readonly FeedMark[],
): Promise<boolean> {
  for (;;) {
    const { map } = container;
    let isForgotten = false;
    for (const partition of [...container.partitions.values()]) {
      // The store is asked because a physical partition learns of a sweep a moment later.
      const head = await store.head(partition.entry.part);
      const sweptLsn = head?.sweptLsn ?? partition.head.sweptLsn;
      isForgotten ||= marksOf(partition, marks).some((mark) => mark.lsn < sweptLsn);
    }
    if (container.map === map) return isForgotten;
  }
}

/**
 * Gives the numbers of all items that have changed since the marks, some of them twice. Resolves
 * with the marks up to which it has read, or with undefined when told to stop.
 */
export async function changesSince(
  setting: ComparisonSetting,
  container: Container,
  marks: readonly FeedMark[],
  take: (number: number) => Promise<boolean>,
): Promise<readonly FeedMark[] | undefined> {
  for (;;) {
    const { map } = container;
    const end = endOfLogs(container);
    for (const [index, partition] of [...container.partitions.values()].entries()) {
      if (!(await readChanges(setting, partition, marks, end[index]!.lsn, take))) return undefined;
    }
    // A part that was replaced meanwhile may have been dropped before it was read.
    if (container.map === map) return end;
  }
}

async function readChanges(
  { store, timer }: ComparisonSetting,
  partition: PhysicalPartition,
  marks: readonly FeedMark[],
  end: Lsn,
  take: (number: number) => Promise<boolean>,
): Promise<boolean> {
  const own = marksOf(partition, marks);
  let after = lsn(Math.min(end, ...own.map((mark) => mark.lsn)));
  while (after < end) {
    const { entries, isLast } = await store.readLog(partition.entry.part, after, STEP_COUNT_MAX);
    for (const entry of entries) {
      if (entry.lsn > end) return true;
      if (isAfter(own, entry) && !(await take(entry.number))) return false;
      after = entry.lsn;
    }
    if (isLast) return true;
    await timer.soon();
  }
  return true;
}

function isAfter(marks: readonly FeedMark[], { key, lsn: at }: LogEntry): boolean {
  const epk = epkOfKey(key);
  const mark = marks.find(({ range }) => contains(range, epk));
  assert(mark !== undefined, "a physical partition has only keys of its range");
  return at > mark.lsn;
}

function marksOf({ entry }: PhysicalPartition, marks: readonly FeedMark[]): readonly FeedMark[] {
  const own = marksWithin({ kind: "marks", marks }, entry.range);
  assert(own !== undefined, "marks tile the key space");
  return own;
}
