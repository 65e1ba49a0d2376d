/**
 * The date of the oldest item of a container, by its index: the first of each kind of date. Text
 * with an offset from UTC sorts up to a day off its time, so by that much it may be wrong.
 */
import type { Timer } from "../../base/world.ts";
import type { KeyRange, PartitionStore, TermEntry } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";
import { dateOfTerm, termRangesOf } from "./dateTerms.ts";
import type { ItemAge } from "./itemAge.ts";

const PAGE = { countMax: 1000, bytesMax: 256 * 1024 };
const ALL = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

interface OldestSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
}

/** `undefined` if no item has a date. */
export async function oldestDateIn(
  setting: OldestSetting,
  container: Container,
  { segments }: ItemAge,
): Promise<number | undefined> {
  let oldest: number | undefined;
  for (const { part } of container.map.entries) {
    for (const range of termRangesOf(segments, ALL)) {
      const first = await firstDateIn(setting, part, range);
      if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
    }
  }
  return oldest;
}

/** Text that is no date may come first, such as 01/02/2024; it is passed by, however much it is. */
async function firstDateIn(
  { store, timer }: OldestSetting,
  part: number,
  range: KeyRange,
): Promise<number | undefined> {
  let after: TermEntry | undefined;
  for (;;) {
    const page = await store.scanTerms(part, { range, after, ...PAGE, withItems: false });
    const dates = page.entries
      .map(({ term }) => dateOfTerm(term))
      .filter((date) => typeof date === "number");
    if (dates.length > 0) return Math.min(...dates);
    after = page.entries.at(-1);
    if (page.isLast || after === undefined) return undefined;
    await timer.soon();
  }
}
