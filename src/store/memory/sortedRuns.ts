/**
 * Keys that arrive in any order and are asked for in order, rarely.
 *
 * New keys are collected in a map, where the last word on a key wins. A reader turns them into a
 * sorted run first; runs of similar length are merged, so there are never more than about
 * log2(n) of them. Sorting on demand costs a third of what a balanced tree costs on every insert,
 * and writers that nobody queries pay nothing at all.
 *
 * A key is *present* or *absent*; an absent one hides the same key in older layers below. When
 * nothing lies below (`isBottom`), absent keys are dropped as soon as they reach the oldest run.
 */
interface Run {
  readonly keys: readonly string[];
  readonly presence: readonly boolean[];
}

export interface RunEntry {
  readonly key: string;
  readonly isPresent: boolean;
}

export class SortedRuns {
  readonly #isBottom: boolean;
  #fresh = new Map<string, boolean>();
  #runs: Run[] = [];

  constructor(isBottom: boolean) {
    this.#isBottom = isBottom;
  }

  set(key: string, isPresent: boolean): void {
    this.#fresh.set(key, isPresent);
  }

  /**
   * The keys in `[min, max)`, ascending or descending. Sees what was there when it was called;
   * keys set while it is being read are not seen.
   */
  *entries(min: string, max: string, isReverse: boolean): Generator<RunEntry, void, undefined> {
    const walk = this.walk(min, max, isReverse);
    for (let { key } = walk; key !== undefined; { key } = walk) {
      yield { key, isPresent: walk.isPresent };
      walk.advance();
    }
  }

  /** The same, for those who take one key after the other. */
  walk(min: string, max: string, isReverse: boolean): RunsWalk {
    this.settle();
    // Newest first: on equal keys the newest run has the last word.
    const cursors = this.#runs.map((run) => new Cursor(run, min, max, isReverse)).reverse();
    return new RunsWalk(cursors, isReverse);
  }

  /** Sorts what has come since the last time. */
  settle(): void {
    if (this.#fresh.size === 0) return;
    const fresh = this.#fresh;
    const keys = [...fresh.keys()].sort();
    this.#runs = [...this.#runs, { keys, presence: keys.map((key) => fresh.get(key)!) }];
    this.#fresh = new Map();
    while (this.#runs.length > 1) {
      const newer = this.#runs.at(-1)!;
      const older = this.#runs.at(-2)!;
      if (older.keys.length > 2 * newer.keys.length) return;
      const isOldest = this.#isBottom && this.#runs.length === 2;
      this.#runs = [...this.#runs.slice(0, -2), merge(older, newer, isOldest)];
    }
  }
}

export class RunsWalk {
  readonly #cursors: readonly Cursor[];
  readonly #isReverse: boolean;
  #first: Cursor | undefined;
  key: string | undefined;

  constructor(cursors: readonly Cursor[], isReverse: boolean) {
    this.#cursors = cursors.filter(({ key }) => key !== undefined);
    this.#isReverse = isReverse;
    this.#find();
  }

  get isPresent(): boolean {
    return this.#first?.isPresent === true;
  }

  advance(): void {
    const { key } = this;
    if (key === undefined) return;
    for (const cursor of this.#cursors) if (cursor.key === key) cursor.advance();
    this.#find();
  }

  #find(): void {
    let first: Cursor | undefined;
    for (const cursor of this.#cursors) {
      if (cursor.key === undefined) continue;
      if (first?.key === undefined || isBefore(cursor.key, first.key, this.#isReverse)) {
        first = cursor;
      }
    }
    this.#first = first;
    this.key = first?.key;
  }
}

class Cursor {
  readonly #run: Run;
  readonly #step: number;
  readonly #end: number;
  #at: number;

  constructor(run: Run, min: string, max: string, isReverse: boolean) {
    const low = lowerBound(run.keys, min);
    const high = lowerBound(run.keys, max);
    this.#run = run;
    this.#step = isReverse ? -1 : 1;
    this.#at = isReverse ? high - 1 : low;
    this.#end = isReverse ? Math.min(low, high) - 1 : Math.max(low, high);
  }

  get key(): string | undefined {
    return this.#at === this.#end ? undefined : this.#run.keys[this.#at];
  }

  get isPresent(): boolean {
    return this.#run.presence[this.#at]!;
  }

  advance(): void {
    this.#at += this.#step;
  }
}

export function isBefore(key: string, other: string, isReverse: boolean): boolean {
  return isReverse ? key > other : key < other;
}

/** The position of the first key that is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function merge(older: Run, newer: Run, dropAbsent: boolean): Run {
  const keys: string[] = [];
  const presence: boolean[] = [];
  const push = (key: string, isPresent: boolean): void => {
    if (dropAbsent && !isPresent) return;
    keys.push(key);
    presence.push(isPresent);
  };
  let i = 0;
  let j = 0;
  while (i < older.keys.length && j < newer.keys.length) {
    const a = older.keys[i]!;
    const b = newer.keys[j]!;
    if (a < b) push(a, older.presence[i++]!);
    else {
      if (a === b) i++;
      push(b, newer.presence[j++]!);
    }
  }
  while (i < older.keys.length) push(older.keys[i]!, older.presence[i++]!);
  while (j < newer.keys.length) push(newer.keys[j]!, newer.presence[j++]!);
  return { keys, presence };
}
