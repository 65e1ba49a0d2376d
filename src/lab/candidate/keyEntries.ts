/**
 * The keys of a candidate as weights, at one time. Heavy keys are there one by one, under the names
 * they would have, so that the server's hash places them where they would be. Of the others there
 * is no telling: so many that the hash spreads them evenly, they are a mass over all of the key
 * space, or over what lies below a prefix.
 */
import { keyOf } from "../../keys/component.ts";
import { isDrawn, pathsOf, pathText } from "../../keys/paths.ts";
import { stableHash } from "../../keys/stableHash.ts";
import type { KeyComponent, PartitionKey } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { Population, PopulationRow, TimeResolution } from "../data/facts.ts";
import { chosenRows } from "./chosenRows.ts";
import { BROAD, keyCountOf, SINGLES_MAX, withoutHashed } from "./hashedRows.ts";
import { itemOf } from "./itemOf.ts";
import { grainOf, type KeyShape } from "./keyShape.ts";

export interface KeyEntry {
  readonly key: PartitionKey;
  readonly place: KeyPlace;
  /** So many keys like it; 1 of a single one. */
  readonly keyCount: number;
  /** Of all its keys together. */
  readonly itemShare: number;
  readonly byteShare: number;
  readonly requestShare: number;
}

export type KeyPlace =
  | { readonly kind: "point"; readonly epk: Epk }
  /** Spread over all keys that begin so; all there are if it is empty. */
  | { readonly kind: "mass"; readonly prefix: Epk };

/** Rows of one grain: their keys begin anew together. */
interface GrainRows {
  readonly grain: TimeResolution | undefined;
  readonly rows: readonly PopulationRow[];
}

export function rowsByGrain(shape: KeyShape, { paths, rows }: Population): readonly GrainRows[] {
  if (!shape.hasChoice) return [{ grain: grainOf(shape, () => undefined), rows }];
  const byGrain = new Map<TimeResolution | undefined, PopulationRow[]>();
  for (const row of rows) {
    const grain = grainOf(shape, (path) => row.values[paths.indexOf(path)]);
    const group = byGrain.get(grain);
    if (group === undefined) byGrain.set(grain, [row]);
    else group.push(row);
  }
  return [...byGrain].map(([grain, group]) => ({ grain, rows: group }));
}

type Rows = Pick<Population, "paths" | "rows">;

/** The keys into which items fall that are written at an instant. */
export function keyEntriesAt(
  shape: KeyShape,
  { paths, rows }: Rows,
  millis: number,
): readonly KeyEntry[] {
  const parts = divided(shape, paths, rows, millis);
  if (parts.always !== undefined) return parts.always;
  const single = new Singles(shape, paths, millis);
  for (const row of parts.singles) single.addAll(row);
  const masses = parts.flat ?? joined(parts.spread.map((row) => massOf(shape, paths, row, millis)));
  const entries = [...single.entries(), ...masses];
  if (shape.times.size === 0) parts.always = entries;
  return entries;
}

/** What is told apart and what is not, at any time. */
interface Divided {
  readonly singles: readonly PopulationRow[];
  readonly spread: readonly PopulationRow[];
  /** Of a key with one level: it is spread over everything, whatever the time. */
  readonly flat: readonly KeyEntry[] | undefined;
  /** Of a key without a time, once they are made: the same at any. */
  always?: readonly KeyEntry[];
}

/** The same rows are asked for at many times. */
const dividedOf = new WeakMap<KeyShape, WeakMap<object, Divided>>();

function divided(
  shape: KeyShape,
  paths: readonly string[],
  rows: readonly PopulationRow[],
  millis: number,
): Divided {
  const ofShape = dividedOf.get(shape) ?? new WeakMap<object, Divided>();
  dividedOf.set(shape, ofShape);
  const known = ofShape.get(rows);
  if (known !== undefined) return known;
  const { rows: merged, total } = withoutHashed(shape, paths, chosenRows(shape, paths, rows));
  const singles: PopulationRow[] = [];
  const spread: PopulationRow[] = [];
  let left = SINGLES_MAX;
  for (const row of merged) {
    const keyCount = keyCountOf(shape, paths, row);
    const isSingle = total <= SINGLES_MAX || (isOneValue(shape, paths, row) && keyCount <= left);
    (isSingle ? singles : spread).push(row);
    if (isSingle) left -= keyCount;
  }
  const isFlat = shape.candidate.levels.length === 1;
  const flat = isFlat ? joined(spread.map((row) => massOf(shape, paths, row, millis))) : undefined;
  const made = { singles, spread, flat };
  ofShape.set(rows, made);
  return made;
}

/** It stands for one combination of values, though that may have several suffixes. */
function isOneValue(shape: KeyShape, paths: readonly string[], row: PopulationRow): boolean {
  return row.counts.every((count, at) => count <= 1 || shape.hashCounts.has(paths[at]!));
}

/** Keys one by one, those that come to the same added up. */
class Singles {
  readonly #shape: KeyShape;
  readonly #paths: readonly string[];
  readonly #millis: number;
  readonly #byName = new Map<string, MutableEntry>();

  constructor(shape: KeyShape, paths: readonly string[], millis: number) {
    this.#shape = shape;
    this.#paths = paths;
    this.#millis = millis;
  }

  addAll(row: PopulationRow): void {
    const { spreadCount, candidate } = this.#shape;
    for (const piece of piecesOf(this.#shape, this.#paths, row)) {
      const item = itemOf(this.#shape, this.#paths, piece.values, this.#millis);
      for (let at = 0; at < spreadCount; at++) {
        const key = keyOf(candidate.levels, item, {
          random: () => (at + 0.5) / spreadCount,
          turn: () => at,
        });
        this.#add(key, piece, 1 / spreadCount);
      }
    }
  }

  #add(key: PartitionKey, piece: PopulationRow, share: number): void {
    const name = key.map(nameOf).join("\u0000");
    const known = this.#byName.get(name);
    if (known === undefined) {
      this.#byName.set(name, {
        key,
        place: { kind: "point", epk: epkOf(this.#shape.definition, key) },
        keyCount: 1,
        itemShare: piece.itemShare * share,
        byteShare: piece.byteShare * share,
        requestShare: piece.requestShare * share,
      });
      return;
    }
    known.itemShare += piece.itemShare * share;
    known.byteShare += piece.byteShare * share;
    known.requestShare += piece.requestShare * share;
  }

  entries(): readonly KeyEntry[] {
    return [...this.#byName.values()];
  }
}

interface MutableEntry extends KeyEntry {
  itemShare: number;
  byteShare: number;
  requestShare: number;
}

/** The levels of its key that are the same for all of a row say where it lies. */
function massOf(
  shape: KeyShape,
  paths: readonly string[],
  row: PopulationRow,
  millis: number,
): KeyEntry {
  const item = itemOf(shape, paths, row.values, millis);
  const key = keyOf(shape.candidate.levels, item, { random: () => 0, turn: () => 0 });
  const fixed = levelTraits(shape).findIndex(
    ({ isDrawn, paths: own }) =>
      isDrawn || paths.some((path, at) => row.counts[at]! > 1 && own.has(path)),
  );
  const prefix = epkOf(shape.definition, key.slice(0, Math.max(0, fixed)));
  return {
    key,
    place: { kind: "mass", prefix },
    keyCount: keyCountOf(shape, paths, row),
    itemShare: row.itemShare,
    byteShare: row.byteShare,
    requestShare: row.requestShare,
  };
}

interface LevelTraits {
  readonly isDrawn: boolean;
  readonly paths: ReadonlySet<string>;
}

const traitsOf = new WeakMap<KeyShape, readonly LevelTraits[]>();

function levelTraits(shape: KeyShape): readonly LevelTraits[] {
  let traits = traitsOf.get(shape);
  if (traits === undefined) {
    traits = shape.candidate.levels.map((level) => ({
      isDrawn: isDrawn(level),
      paths: new Set(pathsOf(level).map(pathText)),
    }));
    traitsOf.set(shape, traits);
  }
  return traits;
}

/** So many different masses are kept apart. */
const MASSES_MAX = 1024;

/** Masses of the same place and weight a key are one; of about the same, where they are many. */
function joined(masses: readonly KeyEntry[]): readonly KeyEntry[] {
  const exact = joinedBy(masses, (each) => (each.itemShare / each.keyCount).toPrecision(10));
  if (exact.length <= MASSES_MAX) return exact;
  return joinedBy(masses, (each) => `${Math.round(8 * Math.log2(each.itemShare / each.keyCount))}`);
}

function joinedBy(
  masses: readonly KeyEntry[],
  weightOf: (entry: KeyEntry) => string,
): readonly KeyEntry[] {
  const byName = new Map<string, { entry: KeyEntry; keyCount: number }>();
  for (const entry of masses) {
    const prefix = entry.place.kind === "mass" ? entry.place.prefix : "";
    const name = `${prefix} ${weightOf(entry)}`;
    const known = byName.get(name);
    if (known === undefined) {
      byName.set(name, { entry, keyCount: entry.keyCount });
      continue;
    }
    known.keyCount += entry.keyCount;
    known.entry = {
      ...known.entry,
      itemShare: known.entry.itemShare + entry.itemShare,
      byteShare: known.entry.byteShare + entry.byteShare,
      requestShare: known.entry.requestShare + entry.requestShare,
    };
  }
  return [...byName.values()].map(({ entry, keyCount }) => ({ ...entry, keyCount }));
}

function nameOf(component: KeyComponent): string {
  return `${typeof component} ${String(component)}`;
}

/**
 * The single keys of a row. A value of which only a hash is in the key is every bucket in turn,
 * when there are many of it.
 */
function piecesOf(
  shape: KeyShape,
  paths: readonly string[],
  row: PopulationRow,
): readonly PopulationRow[] {
  const bucketed = paths.flatMap((path, at) => {
    const count = shape.hashCounts.get(path);
    return count !== undefined && row.counts[at]! > BROAD * count ? [{ at, count }] : [];
  });
  const own = row.counts.map((count, at) =>
    bucketed.some((each) => each.at === at) ? 1 : Math.max(1, Math.round(count)),
  );
  const ownCount = own.reduce((product, count) => product * count, 1);
  let pieces = Array.from(
    { length: ownCount },
    (_, index): PopulationRow => part(row, variant(row.values, own, index), 1 / ownCount),
  );
  for (const { at, count } of bucketed) {
    pieces = pieces.flatMap((piece) =>
      bucketValues(count).map((value) => part(piece, piece.values.with(at, value), 1 / count)),
    );
  }
  return pieces;
}

function part(row: PopulationRow, values: readonly KeyComponent[], share: number): PopulationRow {
  return {
    values,
    counts: row.counts,
    keyCount: 1,
    itemShare: row.itemShare * share,
    byteShare: row.byteShare * share,
    requestShare: row.requestShare * share,
  };
}

/** One of the combinations that a row stands for, by its number; 0 is the row's own. */
function variant(
  values: readonly KeyComponent[],
  counts: readonly number[],
  index: number,
): readonly KeyComponent[] {
  let rest = index;
  const varied = [...values];
  for (let at = counts.length - 1; at >= 0; at--) {
    const count = Math.max(1, Math.ceil(counts[at]!));
    const digit = rest % count;
    rest = Math.floor(rest / count);
    if (digit > 0 && varied[at] !== undefined) varied[at] = `${String(varied[at])}~${digit}`;
  }
  return varied;
}

const bucketValuesOf = new Map<number, readonly string[]>();

/** A value for each bucket of a hash, in order. */
function bucketValues(count: number): readonly string[] {
  const known = bucketValuesOf.get(count);
  if (known !== undefined) return known;
  const values: (string | undefined)[] = Array.from({ length: count }, () => undefined);
  let found = 0;
  for (let at = 0; found < count && at < 50 * count + 1000; at++) {
    const value = `~${at}`;
    const bucket = stableHash(value) % count;
    if (values[bucket] === undefined) {
      values[bucket] = value;
      found++;
    }
  }
  const complete = values.map((value, at) => value ?? `~${at}`);
  if (bucketValuesOf.size < 100) bucketValuesOf.set(count, complete);
  return complete;
}
