/** What the picture of placed items says in words, and the way of one item to its partition. */
import { counted } from "../../../base/wording.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import type { PlacedPile, PlacementAnswer } from "../../../protocol/adminLab.ts";

export interface PileRow {
  readonly pile: PlacedPile;
  readonly partitionId: string;
}

/** Where an item lies; `undefined` if its pile is among those that are only counted. */
export function wayOf({ partitions }: PlacementAnswer, itemIndex: number): PileRow | undefined {
  for (const { id, piles } of partitions) {
    const pile = piles.find(({ itemIndexes }) => itemIndexes.includes(itemIndex));
    if (pile !== undefined) return { pile, partitionId: id };
  }
  return undefined;
}

/** The largest first. */
export function pileRows({ partitions }: PlacementAnswer): readonly PileRow[] {
  return partitions
    .flatMap(({ id, piles }) => piles.map((pile) => ({ pile, partitionId: id })))
    .toSorted((one, other) => other.pile.itemCount - one.pile.itemCount);
}

export function pileName({ key, isNone }: Pick<PlacedPile, "key" | "isNone">): string {
  if (isNone && key.every((part) => part === null)) return "no value";
  return key
    .map((part: JsonValue) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(" / ");
}

export function placementSentence(placement: PlacementAnswer): string {
  const { itemCount, keyCount, partitions, missingCount } = placement;
  const used = partitions.filter((each) => each.itemCount > 0).length;
  const missing =
    missingCount === 0 ? "" : ` ${counted(missingCount, "item")} without a value for it.`;
  return (
    `${counted(itemCount, "item")} in ${counted(keyCount, "logical partition")}, on ${used} of ` +
    `${counted(partitions.length, "physical partition")}.${missing}`
  );
}

/** By its id, where it has one. */
export function itemName(item: JsonObject | undefined, at: number): string {
  const id = item?.["id"];
  return typeof id === "string" && id !== "" ? `Item ${id}` : `Item ${at + 1}`;
}

/** Both ends of a hash are enough to tell it from others. */
export function shortEpk(epk: string): string {
  return epk.length <= 12 ? epk : `${epk.slice(0, 6)}…${epk.slice(-4)}`;
}
