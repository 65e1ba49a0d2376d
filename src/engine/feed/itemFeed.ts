/**
 * Items listed page by page: of a whole container, of one physical partition, or of an EPK range
 * down to one logical partition.
 *
 * Physical partitions are read in key order. A whole physical partition is read in order of
 * creation, and a part of one in order of placement, because the placement terms lead to exactly
 * those items. A position names EPKs and item numbers, never offsets, so writes between two pages
 * shift nothing, and a range that is split or merged between two pages goes on where it was.
 */
import type { MaybePromise, Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ItemScope } from "../../model/request/itemScope.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { contains, intersect, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { overlapping } from "../../partition/partitionMap.ts";
import type { Progress } from "../../query/execute/marks.ts";
import { isDone, progressTo, startIn } from "../../query/execute/marks.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { epkOfKey, placementRange, placementTerm } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

export interface FeedScope {
  readonly range: EpkRange;
  readonly order: "creation" | "placement";
}

/**
 * A whole range is read in order of creation. The keys between other bounds are found by the index
 * of placement, so they come in its order.
 */
export function feedScopeOf(scope: ItemScope): FeedScope {
  switch (scope.kind) {
    case "container":
      return { range: WHOLE_RANGE, order: "creation" };
    case "range":
      return { range: scope.range, order: "creation" };
    default:
      return { range: scope.range, order: "placement" };
  }
}

/** Everything before this is done. */
export type FeedPosition =
  | ({ readonly order: "creation" } & Progress)
  | { readonly order: "placement"; readonly afterEpk: Epk; readonly afterNumber: number };

export interface FeedPage {
  readonly bodies: readonly Buffer[];
  readonly charge: Ru;
  /** Absent on the last page. */
  readonly next?: FeedPosition;
  /** The share of the charge that each physical partition pays. */
  readonly charges: ReadonlyMap<PhysicalPartition, Ru>;
  /** The physical partitions that were read, in order. */
  readonly visited: readonly PhysicalPartition[];
}

interface Found {
  readonly item: StoredItem;
  readonly position: FeedPosition;
}

/** Bounds of what one step fetches from the store. */
const STEP = { countMax: 256, bytesMax: 1024 * 1024 };

export interface FeedRequest {
  readonly scope: FeedScope;
  readonly position: FeedPosition | undefined;
  readonly countMax: number;
  readonly caller: Caller;
  readonly consistency: Consistency;
}

/**
 * Reads a page. When the budget of a physical partition is empty, the page ends before that
 * physical partition, or is refused if it has no items yet.
 */
export async function readFeed(
  setting: { readonly store: PartitionStore; readonly limits: Limits },
  container: Container,
  request: FeedRequest,
): Promise<Result<FeedPage, Refusal>> {
  const { scope, position, countMax, caller } = request;
  const kept: Found[] = [];
  /** By physical partition: the bytes of each item that it gave. */
  const given = new Map<PhysicalPartition, number[]>();
  const endedAt = (last: Found | undefined): Result<FeedPage, Refusal> =>
    ok(pageOf(kept, given, last?.position, request.consistency));
  let bytes = 0;
  // The physical partitions are looked up before anything is awaited, because the partition map may
  // change.
  const partitions = overlapping(container.map, scope.range).map(
    ({ id }) => container.partitions.get(id)!,
  );
  for (const partition of partitions) {
    const range = intersect(partition.entry.range, scope.range)!;
    const read = scope.order === "creation" ? byCreation : byPlacement;
    const nextStep = read(setting.store, partition, range, position);
    for (let step = nextStep(); step !== undefined; step = nextStep()) {
      if (!given.has(partition)) {
        const refusal = partition.spending.admit("feed", undefined, caller);
        if (refusal !== undefined) return kept.length > 0 ? endedAt(kept.at(-1)) : no(refusal);
        given.set(partition, []);
      }
      for (const found of step instanceof Promise ? await step : step) {
        if (!partition.isLive(found.item)) continue;
        // One item more than fits shows that there is a next page, so that no page is ever empty.
        const isFull = bytes >= setting.limits.pageBytesMax && kept.length > 0;
        if (isFull || kept.length >= countMax) return endedAt(kept.at(-1));
        kept.push(found);
        given.get(partition)!.push(found.item.body.length);
        bytes += found.item.body.length;
      }
    }
  }
  return endedAt(undefined);
}

function pageOf(
  kept: readonly Found[],
  given: ReadonlyMap<PhysicalPartition, readonly number[]>,
  next: FeedPosition | undefined,
  consistency: Consistency,
): FeedPage {
  const priceOf = (itemBytes: readonly number[]): Ru =>
    chargeOf({ kind: "feedPage", itemBytes }, consistency);
  const bodies = kept.map(({ item }) => item.body);
  const charge = priceOf(bodies.map((body) => body.length));
  // Each physical partition pays for the items it gave; the last one pays what rounding and the
  // minimum add.
  let rest = charge as number;
  const charges = new Map<PhysicalPartition, Ru>();
  const visited = [...given.keys()];
  for (const [partition, itemBytes] of given) {
    const isLast = partition === visited.at(-1);
    const part = isLast ? rest : Math.min(rest, itemBytes.length === 0 ? 0 : priceOf(itemBytes));
    rest -= part;
    charges.set(partition, ru(part));
  }
  return { bodies, charge, charges, visited, ...(next && { next }) };
}

/** Returns the next few items, or `undefined` when there are no more. */
type NextStep = () => MaybePromise<readonly Found[]> | undefined;

function byCreation(
  store: PartitionStore,
  { entry }: PhysicalPartition,
  range: EpkRange,
  position: FeedPosition | undefined,
): NextStep {
  const resume = position?.order === "creation" ? position : undefined;
  const from = resume === undefined ? "beginning" : startIn(resume, range);
  if (from === "done") return () => undefined;
  let after = from === "beginning" ? 0 : from;
  const isGiven = ({ key, number }: StoredItem): boolean =>
    resume !== undefined && isDone(resume, epkOfKey(key), number);
  let isEnd = false;
  return () => {
    if (isEnd) return undefined;
    const page = store.scanItems(entry.part, after, STEP);
    const take = ({
      items,
      isLast,
    }: {
      items: readonly StoredItem[];
      isLast: boolean;
    }): Found[] => {
      isEnd = isLast;
      after = items.at(-1)?.number ?? after;
      return items
        .filter((item) => contains(range, epkOfKey(item.key)) && !isGiven(item))
        .map((item) => ({
          item,
          position: { order: "creation", ...progressTo(resume, range, item.number) },
        }));
    };
    return page instanceof Promise ? page.then(take) : take(page);
  };
}

function byPlacement(
  store: PartitionStore,
  { entry }: PhysicalPartition,
  range: EpkRange,
  position: FeedPosition | undefined,
): NextStep {
  const resume = position?.order === "placement" ? position : undefined;
  if (resume !== undefined && range.max <= resume.afterEpk) return () => undefined;
  const isInside = resume !== undefined && contains(range, resume.afterEpk);
  let after = isInside
    ? { term: placementTerm(resume.afterEpk), number: resume.afterNumber }
    : undefined;
  let isDone = false;
  return () => {
    if (isDone) return undefined;
    const scan = { range: placementRange(range), after, withItems: true, ...STEP };
    const page = store.scanTerms(entry.part, scan);
    const take = ({ entries, isLast }: Awaited<typeof page>): Found[] => {
      isDone = isLast;
      after = entries.at(-1) ?? after;
      return entries.map(({ item, number }) => {
        const afterEpk = epkOfKey(item!.key);
        return { item: item!, position: { order: "placement", afterEpk, afterNumber: number } };
      });
    };
    return page instanceof Promise ? page.then(take) : take(page);
  };
}
