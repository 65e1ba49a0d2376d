/**
 * Where in the log of a physical partition a time is. The time of the database never goes back, so
 * within one log later LSNs have later stamps and the place is found by halving. A log that was
 * merged from several is walked instead: it has several orders of time in it.
 */
import type { Lsn } from "../base/units.ts";
import { lsn } from "../base/units.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import type { PartitionMap } from "../partition/partitionMap.ts";
import { rangeOfId } from "../partition/partitionMap.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import type { ChangesSetting } from "./changes.ts";
import { tsOf } from "./itemBody.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

const STEP_COUNT = 256;

/** The last LSN such that nothing up to it is of that time (milliseconds since 1970) or later. */
export async function lsnBefore(
  { store, timer }: ChangesSetting,
  partition: PhysicalPartition,
  time: number,
): Promise<Lsn> {
  const { entry, container } = partition;
  const end = partition.lsn;
  // Stamps are whole seconds.
  const seconds = Math.floor(time / 1000);
  let low = 0;
  if (!isMerged(container.map, entry.range, entry.parents)) {
    let high = end as number;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const stamped = await nextStamp(store, entry.part, lsn(middle));
      if (stamped === undefined || stamped.ts >= seconds) high = middle;
      else low = stamped.lsn;
    }
    return lsn(low);
  }
  for (;;) {
    const stamped = await nextStamp(store, entry.part, lsn(low));
    if (stamped === undefined) return end;
    if (stamped.ts >= seconds) return lsn(stamped.lsn - 1);
    low = stamped.lsn;
    await timer.soon();
  }
}

/** The first version after an LSN: ends have left no stamp. */
async function nextStamp(
  store: PartitionStore,
  part: number,
  after: Lsn,
): Promise<{ readonly lsn: Lsn; readonly ts: number } | undefined> {
  for (let from = after; ; ) {
    const { entries, isLast } = await store.readLog(part, from, from === after ? 1 : STEP_COUNT);
    for (const entry of entries) {
      if (entry.kind === "deleted" || entry.kind === "expired") continue;
      const item = await store.get(part, entry.key);
      if (item?.lsn === entry.lsn) return { lsn: entry.lsn, ts: tsOf(item.body) };
    }
    if (isLast) return undefined;
    from = entries.at(-1)!.lsn;
  }
}

/** An ancestor that had only some of these keys brought a log of its own. */
function isMerged(map: PartitionMap, range: EpkRange, parents: readonly string[]): boolean {
  return parents.some((id) => {
    const before = rangeOfId(map, id);
    return before === undefined || before.min > range.min || before.max < range.max;
  });
}
