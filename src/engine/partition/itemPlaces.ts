/**
 * Where the items of a container lie in the key space, as far as it is remembered: a number is
 * given to one item only, and an item never moves, so what was once learnt stays true. By it a walk
 * along an index passes over items of other keys without loading them.
 *
 * Memory is bounded: a number has two slots that it may lie in, and pushes out the older of the two
 * that are there. With one slot each, two items that a walk meets every time would push each other
 * out every time. Nothing is taken up before somebody learns something.
 */
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { isPoint } from "../../partition/epkRange.ts";

const PAIR_COUNT = 2 ** 15;
const SLOT_COUNT = 2 * PAIR_COUNT;
/** Hexadecimal digits of an EPK that are remembered as a number. */
const DIGITS = 8;
const DIGITS_MAX = 2 ** 32 - 1;

interface Slots {
  readonly numbers: Float64Array;
  /** The first digits of each EPK, and a hash of all of them. */
  readonly beginnings: Uint32Array;
  readonly hashes: Uint32Array;
}

export class ItemPlaces {
  #slots: Slots | undefined;

  learn(number: number, epk: Epk): void {
    this.#slots ??= {
      numbers: new Float64Array(SLOT_COUNT),
      beginnings: new Uint32Array(SLOT_COUNT),
      hashes: new Uint32Array(SLOT_COUNT),
    };
    const { numbers, beginnings, hashes } = this.#slots;
    const slot = 2 * (number % PAIR_COUNT);
    if (numbers[slot] === number || numbers[slot + 1] === number) return;
    numbers[slot + 1] = numbers[slot]!;
    beginnings[slot + 1] = beginnings[slot]!;
    hashes[slot + 1] = hashes[slot]!;
    numbers[slot] = number;
    beginnings[slot] = beginningOf(epk, 0);
    hashes[slot] = hashOf(epk);
  }

  /** Returns a test that is true of items that are known to lie outside all of the ranges. */
  outside(ranges: readonly EpkRange[]): (number: number) => boolean {
    const [only, ...others] = ranges;
    // A walk within a key asks this of a thousand entries for ten rows.
    if (others.length === 0 && only !== undefined && isPoint(only)) {
      const own = hashOf(only.min);
      return (number) => {
        const slot = this.#slotOf(number);
        return slot !== undefined && this.#slots!.hashes[slot] !== own;
      };
    }
    const tests = ranges.map(mayHold);
    return (number) => {
      const slot = this.#slotOf(number);
      if (slot === undefined) return false;
      const beginning = this.#slots!.beginnings[slot]!;
      const hash = this.#slots!.hashes[slot]!;
      return !tests.some((test) => test(beginning, hash));
    };
  }

  /** Where the number is remembered, if it is. */
  #slotOf(number: number): number | undefined {
    const numbers = this.#slots?.numbers;
    if (numbers === undefined) return undefined;
    const first = 2 * (number % PAIR_COUNT);
    if (numbers[first] === number) return first;
    return numbers[first + 1] === number ? first + 1 : undefined;
  }
}

/** True of the places that may lie in the range. */
function mayHold(range: EpkRange): (beginning: number, hash: number) => boolean {
  if (isPoint(range)) {
    const own = hashOf(range.min);
    return (_, hash) => hash === own;
  }
  const min = beginningOf(range.min, 0);
  const max = beginningOf(range.max, DIGITS_MAX);
  return (beginning) => beginning >= min && beginning <= max;
}

/** The first digits as a number; missing ones are filled up so that the number is a bound. */
function beginningOf(epk: string, filledUp: number): number {
  const fill = filledUp === 0 ? "0" : "F";
  const digits = Number.parseInt(epk.slice(0, DIGITS).padEnd(DIGITS, fill), 16);
  return Number.isNaN(digits) ? filledUp : digits;
}

function hashOf(epk: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < epk.length; at++) hash = Math.imul(hash ^ epk.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
