/**
 * The physical partitions of a candidate's container as its data grows: where the server would have
 * put them, and where it would have cut them, by its own planner.
 */
import type { Limits } from "../../model/limits.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import {
  type Epk,
  type EpkRange,
  epkRange,
  prefixRange,
  WHOLE_RANGE,
} from "../../partition/epkRange.ts";
import { initialRanges } from "../../partition/initialRanges.ts";
import { boundaryAt, positionOf } from "../../partition/keySpace.ts";
import { type LogicalSize, medianCut } from "../../partition/splitPlan.ts";

export interface PlacedRange {
  readonly id: string;
  readonly range: EpkRange;
}

/** What lies where: single keys in EPK order, and what is spread. */
export interface Weights {
  readonly epks: readonly Epk[];
  readonly bytes: Float64Array;
  readonly masses: readonly Mass[];
}

interface Mass {
  readonly prefix: Epk;
  readonly bytes: number;
  /** Where these bytes lie, if that is a part of what begins with the prefix. */
  readonly within?: EpkRange;
}

export class PartitionModel {
  readonly #limits: Limits;
  #nextId: number;
  #ranges: readonly PlacedRange[];

  constructor(definition: PartitionKeyDefinition, count: number, limits: Limits) {
    this.#limits = limits;
    this.#ranges = initialRanges(definition, count).map((range, at) => ({
      id: String(at),
      range,
    }));
    this.#nextId = count;
  }

  get ranges(): readonly PlacedRange[] {
    return this.#ranges;
  }

  /** Cuts what holds more than a physical partition may; gives how often. */
  grow(weights: Weights): number {
    const held = bytesPerRange(this.#ranges, weights);
    const countBefore = this.#ranges.length;
    this.#ranges = this.#ranges.flatMap((placed, at) => {
      const isTooMuch = held[at]! > this.#limits.physicalPartitionBytesMax;
      return isTooMuch ? this.#cut(placed, weightsWithin(placed.range, weights)) : [placed];
    });
    return this.#ranges.length - countBefore;
  }

  /** In as many pieces as it takes, from left to right. */
  #cut(placed: PlacedRange, weights: Weights): readonly PlacedRange[] {
    const { min, max } = placed.range;
    const total = bytesIn(weights);
    if (total <= this.#limits.physicalPartitionBytesMax) return [placed];
    const cut = medianCut(sizesWithin(placed.range, weights), total);
    if (cut === undefined || cut <= min || max <= cut) return [placed];
    const left = { id: String(this.#nextId++), range: epkRange(min, cut) };
    const right = { id: String(this.#nextId++), range: epkRange(cut, max) };
    return [
      ...this.#cut(left, weightsWithin(left.range, weights)),
      ...this.#cut(right, weightsWithin(right.range, weights)),
    ];
  }
}

/** What of it lies in a range; of masses, the part of them that does. */
function weightsWithin(range: EpkRange, { epks, bytes, masses }: Weights): Weights {
  const [from, to] = spanOf(epks, range);
  return {
    epks: epks.slice(from, to),
    bytes: bytes.subarray(from, to),
    masses: masses.flatMap(({ prefix, bytes: all, within = range }) => {
      const before = shareWithin(prefix, within === range ? WHOLE_RANGE : within);
      const part = shareWithin(prefix, range);
      return part <= 0
        ? []
        : [{ prefix, bytes: before === 0 ? 0 : (all * part) / before, within: range }];
    }),
  };
}

function bytesIn({ bytes, masses }: Weights): number {
  let total = 0;
  for (let at = 0; at < bytes.length; at++) total += bytes[at]!;
  for (const mass of masses) total += mass.bytes;
  return total;
}

/** What is spread is taken in so many equal pieces. */
const PIECES = 48;

function sizesWithin(range: EpkRange, { epks, bytes, masses }: Weights): readonly LogicalSize[] {
  const [from, to] = spanOf(epks, range);
  const sizes: LogicalSize[] = [];
  for (let at = from; at < to; at++) {
    if (bytes[at]! > 0) sizes.push({ epk: epks[at]!, bytes: bytes[at]! });
  }
  // One mass by itself is cut in the middle, whatever its pieces.
  const count = sizes.length === 0 && masses.length === 1 ? 2 : PIECES;
  for (const mass of masses) {
    const [low, high] = placesWithin(mass.prefix, range);
    const piece = mass.bytes / count;
    if (piece <= 0) continue;
    for (let at = 0; at < count; at++) {
      const place = low + (at * (high - low)) / count;
      sizes.push({ epk: (mass.prefix + boundaryAt(ONE_LEVEL, place)) as Epk, bytes: piece });
    }
  }
  return sizes.sort((a, b) => (a.epk < b.epk ? -1 : 1));
}

/** Each level of a key is spread over the hashes by itself. */
const ONE_LEVEL: PartitionKeyDefinition = { paths: ["/"], kind: "Hash", version: 2 };

/** Which part of what begins with a prefix lies in a range, from 0 to 1. */
function placesWithin(prefix: Epk, { min, max }: EpkRange): readonly [number, number] {
  return [placeOf(prefix, min), placeOf(prefix, max)];
}

function shareWithin(prefix: Epk, range: EpkRange): number {
  const [low, high] = placesWithin(prefix, range);
  return high - low;
}

function placeOf(prefix: Epk, bound: Epk): number {
  if (bound <= prefix) return 0;
  if (!bound.startsWith(prefix)) return 1;
  return positionOf(ONE_LEVEL, bound.slice(prefix.length) as Epk);
}

/** The entries within a range, as positions in the sorted list. */
function spanOf(epks: readonly Epk[], { min, max }: EpkRange): readonly [number, number] {
  return [lowerBound(epks, min), lowerBound(epks, max)];
}

function lowerBound(epks: readonly Epk[], bound: Epk): number {
  let low = 0;
  let high = epks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (epks[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which of the ranges, in order, holds an EPK. */
export function rangeIndexOf(ranges: readonly PlacedRange[], epk: Epk): number {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (ranges[middle]!.range.min <= epk) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function bytesPerRange(
  ranges: readonly PlacedRange[],
  { epks, bytes, masses }: Weights,
): Float64Array {
  const held = new Float64Array(ranges.length);
  let at = 0;
  ranges.forEach(({ range }, index) => {
    for (; at < epks.length && epks[at]! < range.max; at++) held[index]! += bytes[at]!;
  });
  for (const { prefix, bytes: all } of masses) {
    forEachPart(prefix, ranges, (index, part) => {
      held[index]! += all * part;
    });
  }
  return held;
}

/** Where what begins with a prefix lies: in ranges from one on, in these parts. */
interface Parts {
  readonly first: number;
  readonly parts: readonly number[];
}

/** The same few prefixes are asked for again and again. */
const partsIn = new WeakMap<readonly PlacedRange[], Map<Epk, Parts>>();

/** Calls for each range that holds some of what begins with a prefix, with its part. */
export function forEachPart(
  prefix: Epk,
  ranges: readonly PlacedRange[],
  action: (index: number, part: number) => void,
): void {
  const { first, parts } = partsOf(prefix, ranges);
  for (let at = 0; at < parts.length; at++) {
    if (parts[at]! > 0) action(first + at, parts[at]!);
  }
}

function partsOf(prefix: Epk, ranges: readonly PlacedRange[]): Parts {
  const kept = partsIn.get(ranges) ?? new Map<Epk, Parts>();
  partsIn.set(ranges, kept);
  const known = kept.get(prefix);
  if (known !== undefined) return known;
  const end = prefix === WHOLE_RANGE.min ? WHOLE_RANGE.max : prefixRange(prefix).max;
  const first = rangeIndexOf(ranges, prefix);
  const parts: number[] = [];
  let before = 0;
  for (let index = first; index < ranges.length; index++) {
    const { max } = ranges[index]!.range;
    const place = placeOf(prefix, max);
    parts.push(place - before);
    before = place;
    if (max >= end) break;
  }
  const found = { first, parts };
  kept.set(prefix, found);
  return found;
}
