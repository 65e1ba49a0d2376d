/**
 * The change feed of a container, page by page: what has changed among the keys of a scope since a
 * position, in the order of the log within each logical partition.
 *
 * The server keeps no state for a reader. A position names keys and LSNs; physical partitions that
 * came from a split or a merge have the changes of their keys under the same LSNs, so a reader goes
 * on in them as if nothing had happened. Every physical partition of the scope has its share of a
 * page, so that none waits for a busier one.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn, Ru } from "../../base/units.ts";
import { lsn, ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { intersect } from "../../partition/epkRange.ts";
import { overlapping } from "../../partition/partitionMap.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { ChangesSetting, FeedMode } from "./changes.ts";
import { changesIn } from "./changes.ts";
import type { FeedMark, FeedProgress } from "./feedMarks.ts";
import { marksWithin, progressOf } from "./feedMarks.ts";
import { lsnBefore } from "./logTime.ts";

/** Where a reader begins in the feed. */
export type FeedStart =
  | { readonly kind: "beginning" }
  | { readonly kind: "now" }
  /** Begins with changes at or after that time, in milliseconds since 1970. */
  | { readonly kind: "time"; readonly at: number }
  | { readonly kind: "after"; readonly progress: FeedProgress };

export interface ChangeFeedRequest {
  readonly mode: FeedMode;
  readonly isSeparate?: boolean | undefined;
  readonly range: EpkRange;
  readonly start: FeedStart;
  readonly countMax: number;
  readonly caller: Caller;
  readonly consistency: Consistency;
}

export interface ChangeFeedPage {
  readonly rows: readonly Buffer[];
  /** True when nothing has changed since the position, so that there is no page. */
  readonly isUnchanged: boolean;
  readonly progress: FeedProgress;
  readonly charge: Ru;
  readonly charges: ReadonlyMap<PhysicalPartition, Ru>;
  readonly visited: readonly PhysicalPartition[];
}

/** Keys of one physical partition that the reader has seen up to the same LSN. */
interface Piece extends FeedMark {
  readonly partition: PhysicalPartition;
}

const OUT_OF_RETENTION: Refusal = badRequest(
  "You must read the change feed from within the retention period. In the mode of all versions " +
    "and deletes it starts now, or with a continuation that is not older than that.",
);

const NOTHING_KEPT: Refusal = badRequest(
  "This container keeps no versions, so there is no feed of all versions and deletes. Set the " +
    "retentionDuration of its changeFeedPolicy to the minutes for which they are to be kept.",
);

export async function readChangeFeed(
  setting: ChangesSetting & { readonly limits: Limits },
  container: Container,
  request: ChangeFeedRequest,
): Promise<Result<ChangeFeedPage, Refusal>> {
  const { mode, isSeparate, start, caller } = request;
  if (mode === "all" && !container.keepsVersions) return no(NOTHING_KEPT);
  const isTooEarly = start.kind === "beginning" || start.kind === "time";
  if (mode === "all" && isTooEarly) return no(OUT_OF_RETENTION);
  const pieces = await piecesOf(setting, container, request);
  if (!pieces.ok) return pieces;

  const rows: Buffer[] = [];
  const marks: FeedMark[] = [];
  const given = new Map<PhysicalPartition, number[]>();
  const countMax = Math.ceil(request.countMax / pieces.value.length);
  let bytesLeft = setting.limits.pageBytesMax;
  let isEnd = true;
  let hasMoved = false;
  let throttled: Refusal | undefined;
  for (const [index, { partition, range, lsn: afterLsn }] of pieces.value.entries()) {
    const refusal = given.has(partition)
      ? undefined
      : partition.spending.admit("feed", undefined, caller);
    throttled ??= refusal;
    if (refusal !== undefined || bytesLeft <= 0) {
      marks.push({ range, lsn: afterLsn });
      isEnd = false;
      continue;
    }
    const bytesMax = bytesLeft / (pieces.value.length - index);
    const bounds = { mode, isSeparate, range, afterLsn, countMax, bytesMax };
    const changes = await changesIn(setting, partition, bounds);
    // A sweep during the read may have removed changes, and the reader would not notice the gap.
    const isForgotten = mode === "all" && (await isSwept(setting, partition, afterLsn));
    if (isForgotten) return no(OUT_OF_RETENTION);
    const sizes = given.get(partition) ?? [];
    given.set(partition, [...sizes, ...changes.rows.map(({ length }) => length)]);
    for (const row of changes.rows) bytesLeft -= row.length;
    rows.push(...changes.rows);
    marks.push({ range, lsn: changes.through });
    hasMoved ||= changes.through > afterLsn;
    isEnd &&= changes.isEnd;
  }
  // An empty page would only make the reader ask again at once, so the request is throttled
  // instead.
  if (throttled !== undefined && !hasMoved) return no(throttled);
  const isUnchanged = rows.length === 0 && isEnd;
  return ok({ rows, isUnchanged, progress: progressOf(marks), ...paid(given, request) });
}

/** Asks the store, because the head of the physical partition learns of a sweep a moment later. */
async function isSwept(
  { store }: ChangesSetting,
  { entry }: PhysicalPartition,
  afterLsn: Lsn,
): Promise<boolean> {
  const head = await store.head(entry.part);
  return head !== undefined && head.sweptLsn > afterLsn;
}

function paid(
  given: ReadonlyMap<PhysicalPartition, readonly number[]>,
  { consistency }: ChangeFeedRequest,
): Pick<ChangeFeedPage, "charge" | "charges" | "visited"> {
  const charges = new Map<PhysicalPartition, Ru>();
  for (const [partition, itemBytes] of given) {
    const work =
      itemBytes.length === 0
        ? ({ kind: "feedUnchanged" } as const)
        : ({ kind: "feedPage", itemBytes } as const);
    charges.set(partition, chargeOf(work, consistency));
  }
  const total = [...charges.values()].reduce((sum, charge) => sum + charge, 0);
  return { charge: ru(Math.round(total * 100) / 100), charges, visited: [...given.keys()] };
}

/** Returns the pieces in key order; together they tile the scope. */
async function piecesOf(
  setting: ChangesSetting,
  container: Container,
  request: ChangeFeedRequest,
): Promise<Result<readonly Piece[], Refusal>> {
  const pieces: Piece[] = [];
  // The physical partitions are looked up before anything is awaited, because the partition map may
  // change.
  const partitions = overlapping(container.map, request.range).map(
    ({ id }) => container.partitions.get(id)!,
  );
  for (const partition of partitions) {
    const range = intersect(partition.entry.range, request.range)!;
    const marks = await startMarks(setting, partition, range, request.start);
    if (marks === undefined) {
      return no(badRequest("The continuation is not about all of the keys that are asked for."));
    }
    for (const mark of marks) {
      if (mark.lsn > partition.lsn) {
        return no(
          badRequest(
            "The continuation is ahead of the container. It is of another container, or of a " +
              "state that was lost; begin again.",
          ),
        );
      }
      if (request.mode === "all" && mark.lsn < partition.head.sweptLsn) return no(OUT_OF_RETENTION);
      pieces.push({ ...mark, partition });
    }
  }
  return ok(pieces);
}

async function startMarks(
  setting: ChangesSetting,
  partition: PhysicalPartition,
  range: EpkRange,
  start: FeedStart,
): Promise<readonly FeedMark[] | undefined> {
  switch (start.kind) {
    case "beginning":
      return [{ range, lsn: BEGINNING }];
    case "now":
      return [{ range, lsn: partition.lsn }];
    case "time":
      return [{ range, lsn: await lsnBefore(setting, partition, start.at) }];
    case "after":
      return marksWithin(start.progress, range);
  }
}

const BEGINNING: Lsn = lsn(0);
