/**
 * Items that were changed and are not saved yet: nothing is written before somebody says so, and
 * what each change comes to can be looked at first.
 */
import type { ItemPlace } from "./itemAccess.ts";

export interface StagedItem {
  readonly place: ItemPlace;
  /** As it was when the change began, and its etag then. */
  readonly before: string;
  readonly etag?: string | undefined;
  readonly text: string;
  /** Why it was not saved, when somebody tried. */
  readonly problem?: string | undefined;
}

/** As the address names an item: the values of its key, and its id. */
export function itemName({ keys, id }: ItemPlace): string {
  return JSON.stringify([keys, id]);
}

export function stagedAt(
  items: readonly StagedItem[],
  place: ItemPlace | undefined,
): StagedItem | undefined {
  if (place === undefined) return undefined;
  const named = itemName(place);
  return items.find((each) => itemName(each.place) === named);
}

/** The change takes the place of the former one of the same item. */
export function withStaged(items: readonly StagedItem[], item: StagedItem): readonly StagedItem[] {
  const former = stagedAt(items, item.place);
  return former === undefined
    ? [...items, item]
    : items.map((each) => (each === former ? item : each));
}

export function withoutStaged(
  items: readonly StagedItem[],
  place: ItemPlace,
): readonly StagedItem[] {
  const former = stagedAt(items, place);
  return items.filter((each) => each !== former);
}
