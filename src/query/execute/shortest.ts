/**
 * Finds out which of several lookups has the fewest entries, by reading all of them a little, and
 * then a little more: the first to end is the shortest, and no more was read of the others.
 */
import type { TermBounds } from "../plan/termBounds.ts";
import type { Gathering } from "./gather.ts";
import { distinctSorted } from "./gather.ts";
import type { Part } from "./lookupParts.ts";
import { singleTermOf } from "./lookupParts.ts";
import type { SourceTerm } from "./source.ts";

/** How much is read of each at first. */
const FIRST = 64;
/** By how much more is read of each in the next turn. */
const GROWTH = 4;
/** The most that is read of a single term; its items can be walked along as they are. */
const TERM_MAX = 4_096;
/** The most that is read of a range, of which all has to be read before it is in order. */
const RANGE_MAX = 8_192;

interface Shortest {
  readonly part: Part;
  readonly numbers: readonly number[];
}

export async function shortestOf(
  parts: readonly Part[],
  gathering: Gathering,
): Promise<Shortest | undefined> {
  const looks = parts.flatMap((part) =>
    part.kind === "terms" && part.test === undefined ? [new Look(part, part.ranges)] : [],
  );
  for (let countMax = FIRST; looks.some((look) => look.countMax >= countMax); countMax *= GROWTH) {
    for (const look of looks) {
      if (look.countMax < countMax) continue;
      if (await look.readTo(countMax, gathering)) {
        return { part: look.part, numbers: distinctSorted(look.numbers) };
      }
    }
  }
  return undefined;
}

class Look {
  readonly part: Part;
  readonly countMax: number;
  readonly numbers: number[] = [];
  readonly #ranges: readonly TermBounds[];
  #rangeAt = 0;
  #after: SourceTerm | undefined;

  constructor(part: Part, ranges: readonly TermBounds[]) {
    this.part = part;
    this.#ranges = ranges;
    this.countMax = singleTermOf(part) === undefined ? RANGE_MAX : TERM_MAX;
  }

  /** Resolves with true if that was all. */
  async readTo(countMax: number, { source, work, pause }: Gathering): Promise<boolean> {
    while (this.#rangeAt < this.#ranges.length) {
      const left = countMax - this.numbers.length;
      if (left <= 0) return false;
      const bounds = this.#ranges[this.#rangeAt]!;
      const scan = { bounds, after: this.#after, isReverse: false, countMax: left };
      const page = source.scanTerms(scan);
      const { entries, isLast } = page instanceof Promise ? await page : page;
      work.termCount += entries.length;
      for (const { number } of entries) this.numbers.push(number);
      this.#after = isLast ? undefined : entries.at(-1);
      if (isLast) this.#rangeAt++;
      const pausing = pause();
      if (pausing !== undefined) await pausing;
    }
    return true;
  }
}
