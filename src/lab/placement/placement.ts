/**
 * Where items would lie under a key: which logical partition each of them falls into, and which
 * physical partition has it. Hash and ranges are the engine's, so a container that is created with
 * the key places the same items in the same way.
 *
 * Invariants
 * - Every item lies in exactly one pile, and every pile in exactly one physical partition.
 * - The physical partitions tile the key space, in order.
 *
 * Not here: whether the key is a good one (`placementCheck.ts`).
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Draw } from "../../keys/component.ts";
import type { KeyLevels } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { strategyOf } from "../../keys/strategy.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { ownerOf } from "../../partition/epkRange.ts";
import { initialRanges } from "../../partition/initialRanges.ts";
import type { PlacedPartition, PlacedPile } from "../../protocol/adminLab.ts";

interface PlacementInput {
  readonly items: readonly JsonObject[];
  /** The length of each item as it would be sent. */
  readonly bytes: readonly number[];
  readonly levels: KeyLevels;
  /** Decides how many physical partitions there are. */
  readonly ratePerSecond: number;
  readonly limits: Pick<Limits, "partitionRateMax">;
  /** Where a random suffix or a turn comes from. */
  readonly draw: Draw;
}

export interface KeyPlacement {
  readonly key: string;
  readonly paths: readonly string[];
  readonly isMadeUp: boolean;
  readonly missingCount: number;
  readonly keyCount: number;
  readonly partitions: readonly PlacedPartition[];
}

/** As many piles of a physical partition are listed as somebody can look at. */
export const PILES_MAX = 100;
/** As many items of a pile are named as are drawn. */
const INDEXES_MAX = 200;

interface Pile {
  readonly key: PartitionKey;
  readonly epk: Epk;
  itemCount: number;
  itemBytes: number;
  readonly itemIndexes: number[];
}

export function placementOf(input: PlacementInput): KeyPlacement {
  const { items, bytes, levels, ratePerSecond, limits, draw } = input;
  const strategy = strategyOf(levels, { random: draw.random, turn: draw.turn });
  const definition = definitionOf(strategy.paths);
  const count = Math.max(1, Math.ceil(ratePerSecond / limits.partitionRateMax));
  const ranges = initialRanges(definition, count);
  const piles = new Map<Epk, Pile>();
  let missingCount = 0;
  items.forEach((item, index) => {
    const key = strategy.keyOf(item);
    if (key.includes(undefined)) missingCount++;
    const epk = epkOf(definition, key);
    let pile = piles.get(epk);
    if (pile === undefined) {
      pile = { key, epk, itemCount: 0, itemBytes: 0, itemIndexes: [] };
      piles.set(epk, pile);
    }
    pile.itemCount++;
    pile.itemBytes += bytes[index]!;
    if (pile.itemIndexes.length < INDEXES_MAX) pile.itemIndexes.push(index);
  });
  const held: Pile[][] = ranges.map(() => []);
  for (const pile of piles.values()) held[ownerOf(ranges, pile.epk)]!.push(pile);
  return {
    key: printKeyLevels(levels),
    paths: strategy.paths,
    isMadeUp: levels.some(({ kind }) => kind !== "path"),
    missingCount,
    keyCount: piles.size,
    partitions: ranges.map(({ min, max }, at) => partitionOf(String(at), min, max, held[at]!)),
  };
}

function partitionOf(
  id: string,
  min: string,
  max: string,
  piles: readonly Pile[],
): PlacedPartition {
  const sorted = piles.toSorted((a, b) => b.itemBytes - a.itemBytes || (a.epk < b.epk ? -1 : 1));
  const sum = (of: (pile: Pile) => number): number =>
    piles.reduce((total, pile) => total + of(pile), 0);
  return {
    id,
    min,
    max,
    itemCount: sum(({ itemCount }) => itemCount),
    itemBytes: sum(({ itemBytes }) => itemBytes),
    keyCount: piles.length,
    piles: sorted.slice(0, PILES_MAX).map(shownPile),
  };
}

function shownPile({ key, epk, itemCount, itemBytes, itemIndexes }: Pile): PlacedPile {
  return {
    key: key.map((component): JsonValue => component ?? null),
    isNone: key.includes(undefined),
    epk,
    itemCount,
    itemBytes,
    itemIndexes,
  };
}

/** What the container would be created with. */
function definitionOf(paths: readonly string[]): PartitionKeyDefinition {
  return { paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 };
}
