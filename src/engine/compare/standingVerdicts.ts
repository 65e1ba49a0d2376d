/**
 * What a comparison knows of all items: which are equal, which differ, and the sums of both sides.
 *
 * Every number has one verdict at a time; a later one takes its place, and the sums follow. Open
 * differences are counted without bound, and remembered and listed within bounds.
 *
 * Memory: 30 bytes for each item that is equal, up to `ENTRY_COUNT_MAX` of them, 45 MB; less than
 * 5 MB for everything else.
 */
import type { JsonValue } from "../../json/value.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { RangeSum } from "./bucketSums.ts";
import { BucketSums } from "./bucketSums.ts";
import { Ledger } from "./ledger.ts";
import type { Deviation, DifferenceKind, RowVerdict } from "./verdict.ts";

export interface ListedDifference {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly newKey: JsonValue;
}

/** What both sides have of a key range of the target: as it should be, and as it is. */
export interface ComparedRange extends EpkRange {
  readonly expected: RangeSum;
  readonly found: RangeSum;
}

const ENTRY_COUNT_MAX = 1_500_000;
/** So many differing items are remembered by number; more of them need a whole run. */
const OPEN_COUNT_MAX = 10_000;
const LISTED_COUNT_MAX = 100;

export class StandingVerdicts {
  readonly #expected = new BucketSums();
  readonly #found = new BucketSums();
  readonly #ledger: Ledger;
  readonly #open = new Map<number, Deviation>();
  readonly #openCountMax: number;
  readonly #moving = new Set<number>();
  /** Verdicts beyond those that are remembered. */
  readonly #beyond: Record<DifferenceKind | "moving", number> = {
    missing: 0,
    extra: 0,
    differs: 0,
    moving: 0,
  };
  /** True when there is a verdict that is in the sums and not remembered. */
  #isForgetful = false;
  #isSummed = true;

  constructor(entryCountMax: number = ENTRY_COUNT_MAX, openCountMax: number = OPEN_COUNT_MAX) {
    this.#ledger = new Ledger(entryCountMax);
    this.#openCountMax = openCountMax;
  }

  /** Of items that all have a verdict, of which only those that no run has settled are known. */
  static ofUnsettled(numbers: readonly number[]): StandingVerdicts {
    const standing = new StandingVerdicts();
    for (const number of numbers) standing.#moving.add(number);
    standing.#isForgetful = true;
    standing.#isSummed = false;
    return standing;
  }

  /** Whether a later run can go on from here, or has to read everything again. */
  get canGoOn(): boolean {
    return Object.values(this.#beyond).every((count) => count === 0);
  }

  /** The numbers that every later run has to look at: they differ, or could not be told. */
  get unsettled(): readonly number[] {
    return [...this.#open.keys(), ...this.#moving];
  }

  get inMotionCount(): number {
    return this.#moving.size + this.#beyond.moving;
  }

  /** Undefined where an item changed of which there was no room to remember the imprint. */
  get expected(): RangeSum | undefined {
    return this.#isSummed ? this.#expected.total : undefined;
  }

  /** Undefined where `expected` is. */
  get found(): RangeSum | undefined {
    return this.#isSummed ? this.#found.total : undefined;
  }

  /** Empty where `expected` is undefined. */
  rangesOf(ranges: readonly EpkRange[]): readonly ComparedRange[] {
    if (!this.#isSummed) return [];
    return ranges.map(({ min, max }, bucket) => {
      return { min, max, expected: this.#expected.of(bucket), found: this.#found.of(bucket) };
    });
  }

  countOf(kind: DifferenceKind): number {
    let count = this.#beyond[kind];
    for (const deviation of this.#open.values()) if (deviation.kind === kind) count++;
    return count;
  }

  /** Some of each kind. */
  get listed(): readonly ListedDifference[] {
    const left: Record<DifferenceKind, number> = {
      missing: LISTED_COUNT_MAX,
      extra: LISTED_COUNT_MAX,
      differs: LISTED_COUNT_MAX,
    };
    return [...this.#open.values()]
      .filter(({ kind }) => left[kind]-- > 0)
      .map(({ kind, id, key }) => ({ kind, id, newKey: keyValue(key) }));
  }

  /** Takes over a verdict that is not in doubt, in place of an earlier one. */
  enter(number: number, verdict: RowVerdict): void {
    this.#forget(number);
    this.enterFirst(number, verdict);
  }

  /** Takes over the first verdict about an item. */
  enterFirst(number: number, verdict: RowVerdict): void {
    if (verdict.kind === "nothing") return;
    if (verdict.kind === "equal") {
      this.#expected.add(verdict.imprint);
      this.#found.add(verdict.imprint);
      if (!this.#ledger.set(number, verdict.imprint)) this.#isForgetful = true;
      return;
    }
    if (verdict.expected !== undefined) this.#expected.add(verdict.expected);
    for (const imprint of verdict.found) this.#found.add(imprint);
    if (this.#open.size < this.#openCountMax) {
      this.#open.set(number, verdict);
      return;
    }
    this.#beyond[verdict.kind]++;
    this.#isForgetful = true;
  }

  /** Notes that an item changed whenever it was looked at; it is in no sum. */
  enterMoving(number: number): void {
    this.#forget(number);
    if (this.#moving.size < this.#openCountMax) this.#moving.add(number);
    else this.#beyond.moving++;
  }

  /** Takes the earlier verdict about an item out of the sums. */
  #forget(number: number): void {
    const wasMoving = this.#moving.delete(number);
    const open = this.#open.get(number);
    this.#open.delete(number);
    if (open?.expected !== undefined) this.#expected.remove(open.expected);
    for (const imprint of open?.found ?? []) this.#found.remove(imprint);
    const equal = this.#ledger.remove(number);
    if (equal !== undefined) {
      this.#expected.remove(equal);
      this.#found.remove(equal);
    }
    const isKnown = wasMoving || open !== undefined || equal !== undefined;
    if (!isKnown && this.#isForgetful) this.#isSummed = false;
  }
}

/** As in the protocol: a component that an item does not have is an empty object. */
function keyValue(key: PartitionKey): JsonValue {
  return key.map((component) => (component === undefined ? {} : component));
}
