/**
 * Where in the log of a physical partition a time is. The time of the database never goes back, so
 * within one log later LSNs have later stamps, but for what a script wrote, which is stamped when
 * the script begins and committed when it ends. So a place before the time is found by halving, and
 * the rest is walked. A log that was merged from several is walked from its beginning: it has
 * several orders of time in it.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { PartitionMap } from "../../partition/partitionMap.ts";
import { rangeOfId } from "../../partition/partitionMap.ts";
import { isEnd } from "../../store/partitionStore.ts";
import { tsOf } from "../item/itemBody.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { ChangesSetting } from "./changes.ts";

const STEP_COUNT = 256;

/** By how much a stamp may be older than those committed before it. */
export const STAMP_LAG_MS = 10_000;

/** The last LSN such that nothing up to it is of that time (milliseconds since 1970) or later. */
export async function lsnBefore(
  setting: ChangesSetting,
  partition: PhysicalPartition,
  time: number,
): Promise<Lsn> {
  const { entry, container } = partition;
  // The log may show more already; who begins behind this would be ahead of the partition.
  const end = partition.lsn;
  // Stamps are whole seconds.
  const isSince = (ts: number): boolean => ts >= Math.floor(time / 1000);
  const isMerge = isMerged(container.map, entry.range, entry.parents);
  const start = isMerge ? lsn(0) : await wellBefore(setting, partition, time);
  const walk = { after: start, countMax: STEP_COUNT };
  const first = await firstVersion(setting, entry.part, walk, isSince);
  if (first === undefined) return end;
  // What was superseded or has ended in between may be of that time, and nobody can tell.
  return lsn(Math.min(isMerge ? first.lsn - 1 : first.passed, end));
}

/** An LSN such that nothing up to it is of that time or later, and little before it. */
async function wellBefore(
  setting: ChangesSetting,
  { entry, lsn: end }: PhysicalPartition,
  time: number,
): Promise<Lsn> {
  // Whatever was committed up to something that is so old is older than the time.
  const isWellBefore = (ts: number): boolean => ts < Math.floor((time - STAMP_LAG_MS) / 1000);
  let low = 0;
  let high = end as number;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const probe = { after: lsn(middle), countMax: 1 };
    const next = await firstVersion(setting, entry.part, probe, () => true);
    if (next !== undefined && isWellBefore(next.ts)) low = next.lsn;
    else high = middle;
  }
  return lsn(Math.min(low, end));
}

interface FirstVersion {
  readonly lsn: Lsn;
  readonly ts: number;
  /** Where the last one was that is not wanted. */
  readonly passed: Lsn;
}

/** The first version of those that are wanted by their stamp; ends have left none. */
async function firstVersion(
  { store, timer }: ChangesSetting,
  part: number,
  from: { readonly after: Lsn; readonly countMax: number },
  isWanted: (ts: number) => boolean,
): Promise<FirstVersion | undefined> {
  let passed = from.after;
  for (let { after, countMax } = from; ; countMax = STEP_COUNT) {
    const { entries, isLast } = await store.readLog(part, after, countMax);
    const versions = entries.filter(({ kind }) => !isEnd(kind));
    const keys = versions.map(({ key }) => key);
    const items = await store.getMany(part, keys);
    for (const [index, { lsn: at }] of versions.entries()) {
      const item = items[index];
      if (item?.lsn !== at) continue;
      const ts = tsOf(item.body);
      if (isWanted(ts)) return { lsn: at, ts, passed };
      // Of several under one LSN a later one may be wanted.
      if (versions[index + 1]?.lsn !== at) passed = at;
    }
    if (isLast) return undefined;
    after = entries.at(-1)!.lsn;
    await timer.soon();
  }
}

/** An ancestor that had only some of these keys brought a log of its own. */
function isMerged(map: PartitionMap, range: EpkRange, parents: readonly string[]): boolean {
  return parents.some((id) => {
    const before = rangeOfId(map, id);
    return before === undefined || before.min > range.min || before.max < range.max;
  });
}
