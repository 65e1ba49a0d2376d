/**
 * A population whose keys were counted: the heaviest one by one, all others in rows that each stand
 * for many keys with as many items, as the classes have it.
 *
 * The values of those others are taken from sampled items, and given other names where there are
 * not enough: where such a key lies matters, which of them it is does not.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import { exactly } from "../counting/estimate.ts";
import type { HeavyKey, KeyProfile, Profile, TailClass } from "../profile/profile.ts";
import type { Population, PopulationRow } from "./facts.ts";
import { grownCount, type Outlook } from "./populationCount.ts";
import { combinationsIn, type SampledKey } from "./sampledKeys.ts";

/** Rows that stand for the tail, about. */
const TAIL_ROWS = 1500;
/** Among values of which new ones keep coming, a key must have this share to be one that stays. */
const HEAVY_AMONG_NEW = 0.001;

/** `paths`: those of the key, in any order. */
export function countedPopulation(
  profile: Profile,
  key: KeyProfile,
  paths: readonly string[],
  outlook: Outlook,
): Population {
  const order = paths.map((path) => key.paths.indexOf(path));
  const total = Math.max(1, profile.itemCount);
  const bytesTotal = bytesIn(key);
  const distinct = grownCount(key.distinct, key.growth, outlook);
  const areStaying = key.growth.model === "fixed" || distinct.value <= key.distinct.value;
  const staying = key.heaviest.filter(
    ({ items }) => areStaying || items.low > HEAVY_AMONG_NEW * total,
  );
  const heavy = staying.map((each) => heavyRow(each, order, total, bytesTotal));
  const passing = key.heaviest.slice(staying.length).map((each) => classOf(each, total));
  const classes = [...passing, ...key.tail];
  const met = classes.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const scale = met === 0 ? 1 : Math.max(1, (distinct.value - heavy.length) / met);
  const heavyNames = new Set(heavy.map(({ values }) => nameOf(values)));
  const stock = combinationsIn(profile.sample, paths).filter(
    ({ values }) => !heavyNames.has(nameOf(values)),
  );
  const rows = tailRows(classes, { stock, order, scale, bytesTotal });
  return { paths, rows: [...heavy, ...rows], distinct };
}

function bytesIn({ heaviest, tail }: KeyProfile): number {
  const heavy = heaviest.reduce((sum, { bytes }) => sum + bytes, 0);
  return heavy + tail.reduce((sum, { bytes }) => sum + bytes, 0);
}

function classOf({ items, bytes }: HeavyKey, total: number): TailClass {
  return { keyCount: 1, itemShare: items.value / total, bytes };
}

function heavyRow(
  { values, items, bytes }: HeavyKey,
  order: readonly number[],
  total: number,
  bytesTotal: number,
): PopulationRow {
  const itemShare = items.value / total;
  return {
    values: order.map((at) => values[at]),
    counts: order.map(() => 1),
    keyCount: 1,
    itemShare,
    byteShare: bytesTotal === 0 ? itemShare : bytes / bytesTotal,
    requestShare: itemShare,
  };
}

/** The classes as rows, with values that lack what the keys of the class lack. */
function tailRows(
  classes: readonly TailClass[],
  given: {
    readonly stock: readonly SampledKey[];
    readonly order: readonly number[];
    /** So many keys there will be for each that was met. */
    readonly scale: number;
    readonly bytesTotal: number;
  },
): readonly PopulationRow[] {
  const { stock, order, scale, bytesTotal } = given;
  const tailShare = classes.reduce((sum, { itemShare }) => sum + itemShare, 0);
  const stocks = new Map<string, Stock>();
  return classes.flatMap(({ keyCount, itemShare, bytes, absent }) => {
    const name = JSON.stringify(absent ?? []);
    const own = stocks.get(name) ?? new Stock(stock, order, absent);
    stocks.set(name, own);
    const wanted = Math.ceil((TAIL_ROWS * itemShare) / tailShare);
    // Whole keys: those of a row may have to be told apart one by one.
    const keys = Math.max(1, Math.round(keyCount * scale));
    const rowCount = Math.max(1, Math.min(wanted, keys));
    const byteShare = bytesTotal === 0 ? itemShare : bytes / bytesTotal;
    return Array.from({ length: rowCount }, (_, row): PopulationRow => {
      const values = own.next();
      const first = Math.floor((row * keys) / rowCount);
      const ownKeys = Math.floor(((row + 1) * keys) / rowCount) - first;
      return {
        values,
        counts: countsOf(values, ownKeys),
        keyCount: ownKeys,
        itemShare: (itemShare * ownKeys) / keys,
        byteShare: (byteShare * ownKeys) / keys,
        requestShare: (itemShare * ownKeys) / keys,
      };
    });
  });
}

/** One that stands for several varies in its last value that is one. */
function countsOf(values: readonly KeyComponent[], keyCount: number): readonly number[] {
  const varied = values.findLastIndex((value) => value !== undefined && value !== null);
  return values.map((_, at) => (at === Math.max(0, varied) ? keyCount : 1));
}

/** Values for keys that are not known one by one. */
class Stock {
  readonly #values: readonly (readonly KeyComponent[])[];
  #next = 0;

  constructor(
    sampled: readonly SampledKey[],
    order: readonly number[],
    absent: TailClass["absent"],
  ) {
    const kinds = order.map((at) => absent?.[at] ?? "value");
    const fitting = sampled
      .map(({ values }) => values)
      .filter((values) => values.every((value, at) => kindOf(value) === kinds[at]));
    const madeUp = kinds.map((kind): KeyComponent => {
      return kind === "value" ? "other" : kind === "null" ? null : undefined;
    });
    this.#values = fitting.length > 0 ? fitting : [madeUp];
  }

  next(): readonly KeyComponent[] {
    const values = this.#values[this.#next % this.#values.length]!;
    const round = Math.floor(this.#next++ / this.#values.length);
    const last = values.findLastIndex((value) => value !== undefined && value !== null);
    if (round === 0 || last < 0) return values;
    return values.with(last, `${String(values[last])}~~${round}`);
  }
}

function kindOf(value: KeyComponent): "value" | "null" | "missing" {
  return value === undefined ? "missing" : value === null ? "null" : "value";
}

function nameOf(values: readonly KeyComponent[]): string {
  return JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
}

/** Every item has a value of its own there, which divides any other key into its items. */
export function withOwn(
  others: Population,
  paths: readonly string[],
  own: string,
  itemCount: number,
): Population {
  const rows = others.rows.map((row, at): PopulationRow => {
    const each = Math.max(1, (row.itemShare * itemCount) / row.keyCount);
    const place = (path: string): number => others.paths.indexOf(path);
    return {
      ...row,
      values: paths.map((path) => (path === own ? `own-${at}` : row.values[place(path)])),
      counts: paths.map((path) => (path === own ? each : row.counts[place(path)]!)),
      keyCount: row.keyCount * each,
    };
  });
  return { paths, rows, distinct: exactly(itemCount) };
}
