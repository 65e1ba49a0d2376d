/**
 * All that is counted for one key, that is for one path or a combination of paths: how many
 * different keys there are, which have most items, and how items are divided among the others.
 *
 * While there are few keys every one is counted, and all of it is exact. From then on there are
 * sketches: of the number of keys, of the heaviest, of their concentration, and a fair sample.
 *
 * Not here: what follows from the counts, which is `keyProfile.ts`.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import { ExactCounts } from "./exactCounts.ts";
import type { Added, HeavyCount } from "./heavyCount.ts";
import { HyperLogLog } from "./hyperLogLog.ts";
import { KeySample } from "./keySample.ts";
import { SpaceSaving } from "./spaceSaving.ts";
import { SquareSum } from "./squareSum.ts";

/** Keys that have fewer items than this on average are hardly ever met again. */
const NEARLY_UNIQUE_MEAN = 1.05;
/** Where no key can have a larger share of the items than this, none is counted by itself. */
const LIGHT_SHARE_MAX = 0.003;
/** Both are asked again after so many items. */
const ASKED_EVERY = 16_384;

export interface Sketches {
  readonly distinct: HyperLogLog;
  readonly sample: KeySample;
  readonly squares: SquareSum;
  readonly heaviest: SpaceSaving;
}

export class KeyTally {
  #exact: ExactCounts | undefined = new ExactCounts();
  #sketches: Sketches | undefined;
  #itemCount = 0;
  #isNearlyUnique = false;
  #areAllLight = false;
  #askAgainAt = ASKED_EVERY;

  get itemCount(): number {
    return this.#itemCount;
  }

  /** Undefined while all of it is exact. */
  get sketches(): Sketches | undefined {
    return this.#sketches;
  }

  /** Of all keys while it is exact, then of those with no larger error than this share of it. */
  counts(errorShareMax: number): readonly HeavyCount[] {
    return this.#sketches?.heaviest.counts(errorShareMax) ?? this.#exact!.counts();
  }

  /** So many items that have the same key, before any other; `bytes` is the mean of them. */
  begin(hash: number, count: number, bytes: number, values: readonly KeyComponent[]): void {
    this.#itemCount += count;
    this.#exact!.insert(hash, count, bytes);
    this.#exact!.keepValues(hash, values);
  }

  /**
   * Puts the places of hashes whose values are to be kept now into `wanted`, and returns how many.
   */
  addAll(added: Added, wanted: Int32Array): number {
    this.#itemCount += added.length;
    if (this.#exact !== undefined) {
      if (this.#exact.hasRoomFor(added.length)) return this.#exact.addAll(added, wanted);
      this.#sketches = sketchesOf(this.#exact.counts());
      this.#exact = undefined;
    }
    const { distinct, sample, squares, heaviest } = this.#sketches!;
    distinct.addAll(added.hashes, added.length);
    sample.addAll(added.hashes, added.length);
    squares.addAll(added.hashes, added.length);
    if (this.#itemCount >= this.#askAgainAt) this.#askAgain(this.#sketches!);
    return this.#areAllLight ? 0 : heaviest.addAll(added, wanted);
  }

  keepValues(hash: number, values: readonly KeyComponent[]): void {
    (this.#exact ?? this.#sketches!.heaviest).keepValues(hash, values);
  }

  /** Whether nearly every item has a key of its own. */
  get isNearlyUnique(): boolean {
    return this.#isNearlyUnique;
  }

  /**
   * Where every item has another key, looking for the heaviest is most work and finds nothing: it
   * rests for as long as the sum of squares says that no key is heavy.
   */
  #askAgain({ distinct, squares, heaviest }: Sketches): void {
    this.#askAgainAt = this.#itemCount + ASKED_EVERY;
    this.#isNearlyUnique = this.#itemCount < distinct.estimate() * NEARLY_UNIQUE_MEAN;
    const countMax = squares.rootMax();
    const wereAllLight = this.#areAllLight;
    this.#areAllLight = countMax < LIGHT_SHARE_MAX * this.#itemCount;
    if (wereAllLight !== this.#areAllLight) heaviest.restart(countMax);
  }
}

function sketchesOf(counts: readonly HeavyCount[]): Sketches {
  const distinct = new HyperLogLog();
  const sample = new KeySample();
  const squares = new SquareSum();
  distinct.addAll(
    Int32Array.from(counts, ({ hash }) => hash),
    counts.length,
  );
  for (const { hash, count } of counts) {
    sample.add(hash, count);
    squares.add(hash, count);
  }
  return { distinct, sample, squares, heaviest: new SpaceSaving(counts) };
}
