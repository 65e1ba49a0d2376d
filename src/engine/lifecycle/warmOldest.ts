/** The date of the oldest item of a container, by its index: the first of each kind of date. */
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";
import { dateOfTerm, termRangesOf } from "./dateTerms.ts";
import type { ItemAge } from "./itemAge.ts";

/** Text that is no date may come first; so much of it is passed by. */
const TERM_COUNT = 256;
const TERM_BYTES = 64 * 1024;
const ALL = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** `undefined` if no item has a date. */
export async function oldestDateIn(
  store: PartitionStore,
  container: Container,
  { segments }: ItemAge,
): Promise<number | undefined> {
  let oldest: number | undefined;
  for (const { part } of container.map.entries) {
    for (const range of termRangesOf(segments, ALL)) {
      const { entries } = await store.scanTerms(part, {
        range,
        countMax: TERM_COUNT,
        bytesMax: TERM_BYTES,
        withItems: false,
      });
      for (const { term } of entries) {
        const date = dateOfTerm(term);
        if (typeof date !== "number") continue;
        if (oldest === undefined || date < oldest) oldest = date;
      }
    }
  }
  return oldest;
}
