/**
 * What a split or a merge by hand, by size or by rate would do to the physical partitions of a
 * container; or why it would not.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { epkRange, splitAt } from "../../partition/epkRange.ts";
import type { PartitionEntry } from "../../partition/partitionMap.ts";
import { byId } from "../../partition/partitionMap.ts";
import type { LogicalSize } from "../../partition/splitPlan.ts";
import { medianCut, middleCut } from "../../partition/splitPlan.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Container } from "../partition/container.ts";

export type ReshapeRequest =
  | {
      readonly kind: "split";
      readonly partitionId: string;
      /** The middle of its hashes, the middle of its bytes, or the first key of the right half. */
      readonly at: "middle" | "median" | { readonly epk: Epk };
    }
  | { readonly kind: "merge"; readonly partitionIds: readonly [string, string] }
  /** To another endpoint of the store, as it is. */
  | { readonly kind: "move"; readonly partitionId: string; readonly to: string };

/** The range ids of the partitions that give way, and the ranges that take their place. */
export interface ReshapePlan {
  readonly removedIds: readonly string[];
  readonly ranges: readonly EpkRange[];
  /** The endpoint that gets them; the store chooses if it is absent. */
  readonly to?: string | undefined;
}

export interface ReshapePlanSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly catalog: Pick<Catalog, "neededCount">;
}

export async function planReshape(
  setting: ReshapePlanSetting,
  container: Container,
  request: ReshapeRequest,
): Promise<Result<ReshapePlan, Refusal>> {
  if (request.kind === "merge") return planMerge(setting, container, request.partitionIds);
  const entry = byId(container.map, request.partitionId);
  if (entry === undefined) return no(unknownPartition(container, request.partitionId));
  if (request.kind === "move") return planMove(setting, entry, request.to);
  const cut = await cutOf(setting, container, entry, request.at);
  if (!cut.ok) return cut;
  return ok({ removedIds: [entry.id], ranges: splitAt(entry.range, cut.value) });
}

async function cutOf(
  setting: ReshapePlanSetting,
  container: Container,
  entry: PartitionEntry,
  at: "middle" | "median" | { readonly epk: Epk },
): Promise<Result<Epk, Refusal>> {
  const { id, range } = entry;
  if (typeof at === "object") {
    if (range.min < at.epk && at.epk < range.max) return ok(at.epk);
    return no(
      badRequest(
        `The key '${at.epk}' does not lie inside the range of physical partition ${id}, which ` +
          `goes from '${range.min}' to '${range.max}'.`,
      ),
    );
  }
  if (at === "middle") {
    const cut = middleCut(container.definition.partitionKey, range);
    if (cut !== undefined) return ok(cut);
    return no(badRequest(`Physical partition ${id} is too narrow to be cut in two.`));
  }
  const total = container.partitions.get(id)!.head.itemBytes;
  const sizes = await sizesAround(setting, entry, total / 2);
  const cut = medianCut(sizes, total);
  if (cut !== undefined) return ok(cut);
  return no(
    badRequest(
      sizes.length === 0
        ? `Physical partition ${id} is empty: there are no bytes to divide. Cut it in the middle.`
        : `All that physical partition ${id} holds is one logical partition, and a logical ` +
            "partition is never cut. Only another partition key spreads it.",
    ),
  );
}

const STEP_COUNT = 2048;
const WHOLE = { min: "", max: "\xff" };

/**
 * The sizes of the logical partitions around the place where half of the bytes is reached. There
 * may be millions of logical partitions: those before that page count as one, because the best cut
 * is not among them, and those behind it are not read.
 */
async function sizesAround(
  { store, timer }: ReshapePlanSetting,
  { part }: PartitionEntry,
  half: number,
): Promise<readonly LogicalSize[]> {
  let sizes: LogicalSize[] = [];
  let left = 0;
  let after: string | undefined;
  for (let isLast = false, isPast = false; !isLast && !isPast; ) {
    const page = await store.scanTallies(part, { range: WHOLE, after, countMax: STEP_COUNT });
    isPast = left > half;
    if (!isPast && sizes.length > 0) sizes = [{ epk: sizes[0]!.epk, bytes: left }];
    for (const { family, itemBytes } of page.tallies) {
      sizes.push({ epk: family as Epk, bytes: itemBytes });
      left += itemBytes;
    }
    after = page.tallies.at(-1)?.family ?? after;
    isLast = page.isLast;
    if (!isLast) await timer.soon();
  }
  return sizes;
}

function planMove(
  { store }: ReshapePlanSetting,
  { id, part, range }: PartitionEntry,
  to: string,
): Result<ReshapePlan, Refusal> {
  const { placement } = store;
  if (placement === undefined) {
    return no(badRequest("All data is in one place; there is nowhere to move it to."));
  }
  const target = placement.endpoints.find(({ name }) => name === to);
  if (target === undefined) {
    const names = placement.endpoints.map(({ name }) => name).join(", ");
    return no(badRequest(`There is no endpoint '${to}'; there are ${names}.`));
  }
  if (placement.endpointOf(part) === to) {
    return no(badRequest(`Physical partition ${id} is at ${to} already.`));
  }
  if (!target.isReachable) {
    return no({ kind: "unavailable", message: `${to} cannot be reached at present.` });
  }
  return ok({ removedIds: [id], ranges: [range], to });
}

function planMerge(
  setting: ReshapePlanSetting,
  container: Container,
  ids: readonly [string, string],
): Result<ReshapePlan, Refusal> {
  const { entries } = container.map;
  for (const id of ids) {
    if (byId(container.map, id) === undefined) return no(unknownPartition(container, id));
  }
  const positions = ids.map((id) => entries.findIndex((entry) => entry.id === id));
  const [left, right] = positions.sort((a, b) => a - b).map((position) => entries[position]!);
  if (positions[1]! - positions[0]! !== 1) {
    return no(badRequest(`Physical partitions ${ids.join(" and ")} are not neighbours.`));
  }
  const problem = mergeProblem(setting, container, [left!, right!]);
  if (problem !== undefined) return no(badRequest(problem));
  const range = epkRange(left!.range.min, right!.range.max);
  return ok({ removedIds: [left!.id, right!.id], ranges: [range] });
}

/** Why two neighbouring physical partitions had better stay apart. */
export function mergeProblem(
  { limits, catalog }: ReshapePlanSetting,
  container: Container,
  neighbours: readonly PartitionEntry[],
): string | undefined {
  const needed = catalog.neededCount(container);
  if (container.map.entries.length <= needed) {
    return (
      `The rate of the container needs ${needed} physical partitions, and there are no more. ` +
      "Lower the rate first."
    );
  }
  const heads = neighbours.map(({ id }) => container.partitions.get(id)!.head);
  const bytes = heads.reduce((sum, { itemBytes }) => sum + itemBytes, 0);
  if (bytes <= limits.physicalPartitionBytesMax) return undefined;
  return (
    `Together they hold ${bytes} bytes, and a physical partition holds at most ` +
    `${limits.physicalPartitionBytesMax}.`
  );
}

/** Two neighbouring physical partitions that had better be one. */
export interface WorthwhileMerge {
  readonly partitionIds: readonly [string, string];
  /** The bytes that the merged partition would hold, and the RU/s that it would be allotted. */
  readonly itemBytes: number;
  readonly allottedRate: number;
  /** One sentence, for people. */
  readonly reason: string;
}

/** Documented: merging pays below 3,000 of 10,000 RU/s and 20 of 50 GB. */
const WORTHWHILE_RATE_SHARE = 0.3;
const WORTHWHILE_BYTES_SHARE = 0.4;

/** Merges that would be worth it, in the order of keys; no partition is in two of them. */
export function mergeSuggestions(
  setting: ReshapePlanSetting,
  container: Container,
): readonly WorthwhileMerge[] {
  const { entries } = container.map;
  const suggestions: WorthwhileMerge[] = [];
  const sparable = entries.length - setting.catalog.neededCount(container);
  for (let at = 0; at + 1 < entries.length && suggestions.length < sparable; at++) {
    const pair = [entries[at]!, entries[at + 1]!] as const;
    const suggestion = suggestionFor(setting, container, pair);
    if (suggestion === undefined) continue;
    suggestions.push(suggestion);
    at++;
  }
  return suggestions;
}

function suggestionFor(
  setting: ReshapePlanSetting,
  container: Container,
  pair: readonly [PartitionEntry, PartitionEntry],
): WorthwhileMerge | undefined {
  if (mergeProblem(setting, container, pair) !== undefined) return undefined;
  const { limits } = setting;
  const members = pair.map(({ id }) => container.partitions.get(id)!);
  const rates = members.map(({ spending }) => spending.purse.ratePerSecond);
  const bytes = members.map(({ head }) => head.itemBytes);
  const rateMax = WORTHWHILE_RATE_SHARE * limits.partitionRateMax;
  const bytesMax = WORTHWHILE_BYTES_SHARE * limits.physicalPartitionBytesMax;
  const isWorthwhile =
    rates.every((rate) => rate < rateMax) && bytes.every((held) => held < bytesMax);
  if (!isWorthwhile) return undefined;
  const [left, right] = pair;
  const count = container.map.entries.length;
  const allottedRate = (rates[0]! * count) / (count - 1);
  return {
    partitionIds: [left.id, right.id],
    itemBytes: bytes[0]! + bytes[1]!,
    allottedRate,
    reason:
      `Each has ${Math.round(rates[0]!)} RU/s and little data; as one of fewer partitions they ` +
      `would have ${Math.round(allottedRate)} RU/s, and queries would ask one partition less.`,
  };
}

function unknownPartition(container: Container, id: string): Refusal {
  const ids = container.map.entries.map((entry) => entry.id).join(", ");
  return badRequest(`There is no physical partition '${id}'; there are ${ids}.`);
}
