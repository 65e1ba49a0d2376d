/**
 * Finds a time in the log of a physical partition. The time of the database never goes back, so
 * within one log later LSNs have later stamps, except for writes of scripts, which are stamped when
 * the script begins and committed when it ends. So `wellBefore` finds a place before the time by
 * halving, and `lsnBefore` walks the rest. A log that was merged or copied from others is walked
 * from its beginning, because its stamps are not in one order.
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

/** Milliseconds by which a stamp may be older than stamps that were committed before it. */
export const STAMP_LAG_MS = 10_000;

/**
 * Returns the last LSN up to which no version is stamped `time` (milliseconds since 1970) or later.
 */
export async function lsnBefore(
  setting: ChangesSetting,
  partition: PhysicalPartition,
  time: number,
): Promise<Lsn> {
  const { entry, container } = partition;
  // The log may show later commits already; a reader that begins there would be ahead of the
  // physical partition.
  const end = partition.lsn;
  // Stamps are whole seconds.
  const isSince = (ts: number): boolean => ts >= Math.floor(time / 1000);
  const isMerge =
    container.record.firstOwnOrdinal !== undefined ||
    isMerged(container.map, entry.range, entry.parents);
  const start = isMerge ? lsn(0) : await wellBefore(setting, partition, time);
  const walk = { after: start, countMax: STEP_COUNT };
  const first = await firstVersion(setting, entry.part, walk, isSince);
  if (first === undefined) return end;
  // Superseded or ended versions between `passed` and `first` may be of that time; no stamp of them
  // is left to tell.
  return lsn(Math.min(isMerge ? first.lsn - 1 : first.passed, end));
}

/** Returns an LSN shortly before `time`, up to which no version is stamped `time` or later. */
async function wellBefore(
  setting: ChangesSetting,
  { entry, lsn: end }: PhysicalPartition,
  time: number,
): Promise<Lsn> {
  // Everything that was committed before a stamp this old is older than `time`.
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
  /** The LSN of the last version before it that is not wanted. */
  readonly passed: Lsn;
}

/** Returns the first version whose stamp is wanted. Ends are passed over: they have no stamp. */
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
      // Further versions may have the same LSN, and one of them may be wanted.
      if (versions[index + 1]?.lsn !== at) passed = at;
    }
    if (isLast) return undefined;
    after = entries.at(-1)!.lsn;
    await timer.soon();
  }
}

/** True when a parent had only some of these keys: then several logs were merged into this one. */
function isMerged(map: PartitionMap, range: EpkRange, parents: readonly string[]): boolean {
  return parents.some((id) => {
    const before = rangeOfId(map, id);
    return before === undefined || before.min > range.min || before.max < range.max;
  });
}
