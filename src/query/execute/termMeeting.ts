/**
 * The items that have several terms at once, in order of creation and no further than somebody
 * asks: each list is read from the next number that matters, so what lies between two numbers far
 * apart is not read.
 */
import type { TermBounds } from "../plan/termBounds.ts";
import type { Source } from "./source.ts";
import type { QueryWork } from "./work.ts";

const STEP_MIN = 64;
const STEP_MAX = 1_024;
/** After so many jumps over a few times what was read, reading on is cheaper than jumping. */
const SHORT_JUMPS_MAX = 32;
const JUMP_SPANS = 16;
/** Number of entries that are read before other requests may have a turn. */
const ENTRIES_PER_TURN = 2_048;

interface Reading {
  readonly source: Source;
  readonly work: QueryWork;
  pause(): Promise<void> | undefined;
}

/** One list, of which some numbers have been read. */
class TermList {
  readonly #bounds: TermBounds;
  readonly #reading: Reading;
  #numbers: readonly number[] = [];
  #at = 0;
  #isLast = false;
  #step = STEP_MIN;
  #shortJumpCount = 0;

  constructor(bounds: TermBounds, reading: Reading) {
    this.#bounds = bounds;
    this.#reading = reading;
  }

  /** Resolves with the first number that is not below `target`; undefined if there is none. */
  async seek(target: number): Promise<number | undefined> {
    for (;;) {
      const numbers = this.#numbers;
      const last = numbers.at(-1);
      if (last !== undefined && last >= target) {
        this.#at = firstFrom(numbers, target, this.#at);
        return numbers[this.#at];
      }
      if (this.#isLast) return undefined;
      await this.#read(target);
    }
  }

  /**
   * Goes on from the last number if the target cannot be far, and so reads what others have read
   * before; a jump to a far target begins with few entries again.
   */
  async #read(target: number): Promise<void> {
    const { source, work } = this.#reading;
    const [first] = this.#numbers;
    const last = this.#numbers.at(-1);
    const gap = first === undefined ? Number.POSITIVE_INFINITY : target - last!;
    const span = first === undefined ? 0 : last! - first;
    if (gap <= JUMP_SPANS * span) this.#shortJumpCount++;
    const isNear =
      gap <= span / 4 || (this.#shortJumpCount > SHORT_JUMPS_MAX && gap <= JUMP_SPANS * span);
    this.#step = isNear ? Math.min(2 * this.#step, STEP_MAX) : STEP_MIN;
    const bounds = this.#bounds;
    const after = { term: bounds.min, number: isNear ? last! : target - 1 };
    const scan = { bounds, after, isReverse: false, countMax: this.#step };
    const page = source.scanTerms(scan);
    const { entries, isLast } = page instanceof Promise ? await page : page;
    work.termCount += entries.length;
    this.#numbers = entries.map(({ number }) => number);
    this.#at = 0;
    this.#isLast = isLast;
    const pausing = this.#reading.pause();
    if (pausing !== undefined) await pausing;
  }
}

/** The numbers that all lists have; `bounds` are of one term each. */
export class TermMeeting {
  readonly #lists: readonly TermList[];
  readonly #work: QueryWork;
  #reached: number;

  constructor(bounds: readonly TermBounds[], reading: Reading, after: number) {
    this.#lists = bounds.map((each) => new TermList(each, reading));
    this.#work = reading.work;
    this.#reached = after;
  }

  /** Resolves with the next numbers, and with how far the lists have been searched for them. */
  async next(countMax: number): Promise<{
    readonly numbers: readonly number[];
    readonly reached: number;
    readonly isLast: boolean;
  }> {
    const numbers: number[] = [];
    const before = this.#work.termCount;
    while (numbers.length < countMax && this.#work.termCount - before < ENTRIES_PER_TURN) {
      const common = await this.#nextCommon(this.#reached + 1);
      if (common === undefined) return { numbers, reached: this.#reached, isLast: true };
      if (common.isIn) numbers.push(common.number);
      this.#reached = common.isIn ? common.number : common.number - 1;
    }
    return { numbers, reached: this.#reached, isLast: false };
  }

  /** A number that all lists have, or else one below which no number is in all of them. */
  async #nextCommon(
    from: number,
  ): Promise<{ readonly number: number; readonly isIn: boolean } | undefined> {
    let target = from;
    for (const list of this.#lists) {
      const number = await list.seek(target);
      if (number === undefined) return undefined;
      if (number > target && list !== this.#lists[0]) return { number, isIn: false };
      target = number;
    }
    return { number: target, isIn: true };
  }
}

/** Resolves with those of the numbers that have the term; undefined if too many were looked at. */
export async function meeting(
  numbers: readonly number[],
  bounds: TermBounds,
  reading: Reading,
  entriesMax: number,
): Promise<readonly number[] | undefined> {
  const list = new TermList(bounds, reading);
  const before = reading.work.termCount;
  const common: number[] = [];
  for (const number of numbers) {
    const found = await list.seek(number);
    if (found === undefined) return common;
    if (found === number) common.push(number);
    if (reading.work.termCount - before > entriesMax) return undefined;
  }
  return common;
}

function firstFrom(numbers: readonly number[], target: number, from: number): number {
  let low = from;
  let high = numbers.length;
  // Near numbers are asked for one after the other; of far ones the place is halved.
  for (let reach = 1; low + reach < high; reach *= 2) {
    if (numbers[low + reach]! >= target) high = low + reach + 1;
    else low += reach;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
