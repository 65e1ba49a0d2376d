/**
 * What the log of one physical partition says about a range of keys, in LSN order, as rows of the
 * change feed.
 *
 * In the *latest* mode a row is an item as it is now, at the place of its last change; versions
 * that were superseded, deleted or have expired have no row. In the *all* mode every kept version
 * and every kept end has a row. Rows of one LSN are one transaction and are never cut apart.
 */
import type { Lsn } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { epkOfKey } from "../item/itemKey.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { latestRow, separateRow, versionRow } from "./changeRow.ts";

export type FeedMode = "latest" | "all";

export interface ChangesSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
}

export interface ChangesRequest {
  readonly mode: FeedMode;
  /** True when rows of the latest mode have the metadata beside the item, not in it. */
  readonly isSeparate?: boolean | undefined;
  readonly range: EpkRange;
  readonly afterLsn: Lsn;
  /** A transaction that begins within `countMax` and `bytesMax` is given whole. */
  readonly countMax: number;
  readonly bytesMax: number;
}

export interface Changes {
  readonly rows: readonly Buffer[];
  /**
   * The LSN up to which the log has been read; never beyond the latest LSN of the physical
   * partition.
   */
  readonly through: Lsn;
  /** True when the log has nothing beyond `through`, as far as the physical partition knows. */
  readonly isEnd: boolean;
}

/** A change of the log; `row` is absent when the change has no row. */
interface Entry {
  readonly lsn: Lsn;
  readonly row: Buffer | undefined;
}

interface Step {
  readonly entries: readonly Entry[];
  readonly isLast: boolean;
}

const STEP_COUNT = 256;
const STEP_BYTES = 1024 * 1024;
/**
 * Number of steps for one page. A step reads up to `STEP_COUNT` entries, most of which may be about
 * other keys.
 */
const STEPS_MAX = 64;

export async function changesIn(
  { store, timer }: ChangesSetting,
  partition: PhysicalPartition,
  request: ChangesRequest,
): Promise<Changes> {
  const rows: Buffer[] = [];
  let bytes = 0;
  let through = request.afterLsn;
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    // Read before the log is, so that the log shows every change up to this LSN.
    const known = partition.lsn;
    if (through >= known) return { rows, through, isEnd: true };
    const read = request.mode === "latest" ? latestStep : allStep;
    const { entries, isLast } = await read(store, partition, request, through);
    for (const { lsn: entryLsn, row } of entries) {
      // The physical partition has not taken over this commit yet; a reader of the change would be
      // ahead of it.
      if (entryLsn > known) return { rows, through: known, isEnd: true };
      const isFull = rows.length >= request.countMax || bytes >= request.bytesMax;
      if (row !== undefined && isFull && entryLsn > through) return { rows, through, isEnd: false };
      if (row !== undefined) {
        rows.push(row);
        bytes += row.length;
      }
      // Entries with the same LSN belong to one transaction.
      if (entryLsn > through) through = entryLsn;
    }
    if (isLast) return { rows, through: known, isEnd: true };
    await timer.soon();
  }
  return { rows, through, isEnd: false };
}

async function latestStep(
  store: PartitionStore,
  partition: PhysicalPartition,
  { range, isSeparate }: ChangesRequest,
  after: Lsn,
): Promise<Step> {
  const { part } = partition.entry;
  const { entries, isLast } = await store.readLog(part, after, STEP_COUNT);
  const wanted = entries.filter(
    ({ kind, key }) => kind !== "deleted" && kind !== "expired" && contains(range, epkOfKey(key)),
  );
  const items = await store.getMany(
    part,
    wanted.map(({ key }) => key),
  );
  const itemOf = new Map(wanted.map((entry, index) => [entry, items[index]]));
  const found = entries.map((entry): Entry => {
    const item = itemOf.get(entry);
    const isLatest = item?.lsn === entry.lsn && item.number === entry.number;
    if (!isLatest || !partition.isLive(item)) return { lsn: entry.lsn, row: undefined };
    const row = isSeparate ? separateRow(item, entry.kind) : latestRow(item);
    return { lsn: entry.lsn, row };
  });
  return { entries: found, isLast };
}

async function allStep(
  store: PartitionStore,
  partition: PhysicalPartition,
  { range }: ChangesRequest,
  after: Lsn,
): Promise<Step> {
  const { part } = partition.entry;
  const limits = { countMax: STEP_COUNT, bytesMax: STEP_BYTES };
  const { versions, isLast } = await store.readVersions(part, after, limits);
  const entries: Entry[] = [];
  for (const version of versions) {
    const isWanted = contains(range, epkOfKey(version.key));
    const row = isWanted ? versionRow(partition, version) : undefined;
    entries.push({ lsn: version.lsn, row });
  }
  return { entries, isLast };
}
