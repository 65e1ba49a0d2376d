/**
 * Facts about items that were looked at.
 *
 * A combination of paths that the profile tracked comes with its heaviest keys and the classes of
 * all others; one that it did not track is worked out from the sample of items it kept, with the
 * wider interval that this deserves. What nearly every item has a new value of grows with the
 * items: its keys are taken to go on being new.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import { type Estimate, within } from "../estimate.ts";
import type { HeavyKey, KeyProfile, Profile, PropertyProfile } from "../profile/profile.ts";
import type { Workload } from "../workload/workload.ts";
import type { DataFacts, Population, PopulationRow, PropertyFacts } from "./facts.ts";
import { combinationsIn, type SampledKey } from "./sampledKeys.ts";
import { totalItems } from "./totalItems.ts";

/** More keys than this share of items: what comes is taken to have new ones. */
const NEW_KEYS_SHARE = 0.9;
/** Sampled keys that stand for the tail. */
const TAIL_ROWS = 1500;

export function profileFacts(profile: Profile, workload: Workload | undefined): DataFacts {
  const itemCount =
    workload === undefined
      ? profile.itemCount
      : Math.max(totalItems(workload.growth, workload.horizonMonths), profile.itemCount);
  const kept = new Map<string, Population>();
  const changing = changingPaths(workload);
  return {
    itemBytes: profile.itemBytes.mean,
    leafCount: profile.leafCountMean,
    example: profile.sample[0],
    properties: new Map(
      profile.properties.map((property) => [
        property.path,
        factsOf(property, hottestOf(profile, property.path), changing),
      ]),
    ),
    sampleCount: profile.itemCount,
    populationOf(paths) {
      const name = paths.join("\n");
      const known = kept.get(name);
      if (known !== undefined) return known;
      const growth = itemCount / Math.max(1, profile.itemCount);
      const population = populationIn(profile, paths, growth);
      kept.set(name, population);
      return population;
    },
  };
}

/** Paths that the workload says are changed by updates. */
function changingPaths(workload: Workload | undefined): ReadonlySet<string> {
  if (workload === undefined) return new Set();
  const declared = [...workload.properties.values()].filter(({ changes }) => changes);
  const updated = workload.operations.flatMap(({ changes }) => changes);
  return new Set([...declared.map(({ path }) => path), ...updated]);
}

function factsOf(
  property: PropertyProfile,
  hottestHourShare: number | undefined,
  changing: ReadonlySet<string>,
): PropertyFacts {
  const scalarShare = 1 - (property.types.array ?? 0) - (property.types.object ?? 0);
  return {
    path: property.path,
    missingShare: 1 - property.presence * scalarShare,
    distinct: property.distinct,
    time: property.time?.resolution,
    isScalar: scalarShare > 0.5,
    isNumber: (property.types.number ?? 0) > 0.5,
    bytesMax: property.bytesMax,
    changingShare: changing.has(property.path) ? 1 : (property.mutability ?? undefined),
    hottestHourShare,
  };
}

/** Where nearly every item has its own value, none is busy; the share would tell of the sample. */
function hottestOf(profile: Profile, path: string): number | undefined {
  const key = profile.keys.find(({ paths }) => paths.length === 1 && paths[0] === path);
  if (key === undefined || key.distinct.value > NEW_KEYS_SHARE * profile.itemCount)
    return undefined;
  return key.hottestShare?.hour;
}

function populationIn(profile: Profile, paths: readonly string[], growth: number): Population {
  const own = paths.find((path) => isOwnOfItem(profile, path));
  if (own !== undefined && new Set(paths).size > 1) return withOwn(profile, paths, own, growth);
  const wanted = [...new Set(paths)].sort().join("\n");
  const tracked = profile.keys.find((key) => [...key.paths].sort().join("\n") === wanted);
  if (tracked !== undefined) return trackedPopulation(profile, tracked, paths, growth);
  const sampled = combinationsIn(profile.sample, paths);
  return sampledPopulation(profile, sampled, paths, growth);
}

/** Nearly every item has a value of its own there. */
function isOwnOfItem({ keys, itemCount }: Profile, path: string): boolean {
  const key = keys.find(({ paths }) => paths.length === 1 && paths[0] === path);
  return key !== undefined && key.distinct.value > OWN_SHARE * itemCount;
}

const OWN_SHARE = 0.9;

/** What items have of their own divides any other key into its items, evenly. */
function withOwn(
  profile: Profile,
  paths: readonly string[],
  own: string,
  growth: number,
): Population {
  const others = [...new Set(paths)].filter((path) => path !== own);
  const population = populationIn(profile, others, growth);
  const itemCount = profile.itemCount * growth;
  const rows = population.rows.map((row, at): PopulationRow => {
    const each = Math.max(1, (row.itemShare * itemCount) / row.keyCount);
    const componentOf = (path: string): KeyComponent =>
      path === own ? `own-${at}` : row.values[others.indexOf(path)];
    const countOf = (path: string): number =>
      path === own ? each : row.counts[others.indexOf(path)]!;
    return {
      ...row,
      values: paths.map(componentOf),
      counts: paths.map(countOf),
      keyCount: row.keyCount * each,
    };
  });
  return { paths, rows, distinct: { value: itemCount, low: itemCount, high: itemCount } };
}

function trackedPopulation(
  profile: Profile,
  key: KeyProfile,
  paths: readonly string[],
  growth: number,
): Population {
  const order = paths.map((path) => key.paths.indexOf(path));
  const total = Math.max(1, profile.itemCount);
  const isNew = key.distinct.value > NEW_KEYS_SHARE * total;
  const bytesTotal = total * profile.itemBytes.mean;
  const heavy = key.heaviest
    .filter(({ items }) => !isNew || items.low > HEAVY_AMONG_NEW * total)
    .map((each) => heavyRow(each, order, total, bytesTotal));
  const heavyShare = heavy.reduce((sum, { itemShare }) => sum + itemShare, 0);
  const tailShare = Math.max(0, 1 - heavyShare);
  const met = Math.max(heavy.length, key.distinct.value) - heavy.length;
  const tailCount = isNew ? met * growth : Math.min(met + unmetKeys(key, total), met * growth);
  const heavyNames = new Set(heavy.map(({ values }) => JSON.stringify(values)));
  const sampled = combinationsIn(profile.sample, paths).filter(
    ({ values }) => !heavyNames.has(JSON.stringify(values)),
  );
  const rows =
    tailCount >= 1 && tailShare > 0 ? tailRows(key, sampled, { tailShare, tailCount, paths }) : [];
  const distinct = scaled(
    key.distinct,
    (heavy.length + tailCount) / Math.max(1, heavy.length + met),
  );
  return { paths, rows: complete([...heavy, ...rows]), distinct };
}

/**
 * Keys that exist and were not met: Chao's estimate, from how many were met once and twice. A
 * sample of a few thousand items has not seen every customer.
 */
function unmetKeys({ tail }: KeyProfile, itemCount: number): number {
  let [once, twice] = [0, 0];
  for (const { keyCount, itemShare } of tail) {
    const each = keyCount === 0 ? 0 : (itemShare * itemCount) / keyCount;
    if (each > 0 && each < 1.5) once += keyCount;
    else if (each >= 1.5 && each < 2.5) twice += keyCount;
  }
  return (once * Math.max(0, once - 1)) / (2 * (twice + 1));
}

/** Among values that are nearly all different, a key must have this share to be one that stays. */
const HEAVY_AMONG_NEW = 0.001;

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

/**
 * Keys that occur in the sample stand for those that are too light to be counted one by one. The
 * classes say how many keys of which weight there are; heavier classes come first.
 */
function tailRows(
  key: KeyProfile,
  sampled: readonly SampledKey[],
  {
    tailShare,
    tailCount,
    paths,
  }: { readonly tailShare: number; readonly tailCount: number; readonly paths: readonly string[] },
): readonly PopulationRow[] {
  const classShare = key.tail.reduce((sum, { itemShare }) => sum + itemShare, 0);
  const classKeys = key.tail.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const classes =
    classShare > 0 && classKeys > 0
      ? key.tail.map(({ keyCount, itemShare }) => ({
          keyCount: (keyCount * tailCount) / classKeys,
          itemShare: (itemShare * tailShare) / classShare,
        }))
      : [{ keyCount: tailCount, itemShare: tailShare }];
  const stock = sampled.length > 0 ? sampled : [{ values: paths.map(() => "other"), count: 1 }];
  let next = 0;
  return classes.flatMap(({ keyCount, itemShare }) => {
    const wanted = Math.ceil((TAIL_ROWS * itemShare) / tailShare);
    const rowCount = Math.max(1, Math.min(wanted, Math.ceil(keyCount)));
    return Array.from({ length: rowCount }, () => {
      const { values } = stock[next % stock.length]!;
      const round = Math.floor(next++ / stock.length);
      const own = round === 0 ? values : renamed(values, round);
      return rowOf(own, keyCount / rowCount, itemShare / rowCount);
    });
  });
}

/** Where there are more keys than the sample has met, the last value gets another name. */
function renamed(values: readonly KeyComponent[], round: number): readonly KeyComponent[] {
  return values.with(-1, `${String(values.at(-1))}~~${round}`);
}

/** One that stands for several varies in its last value. */
function rowOf(
  values: readonly KeyComponent[],
  keyCount: number,
  itemShare: number,
): PopulationRow {
  return {
    values,
    counts: values.map((_, at) => (at === values.length - 1 ? keyCount : 1)),
    keyCount,
    itemShare,
    byteShare: itemShare,
    requestShare: itemShare,
  };
}

function sampledPopulation(
  profile: Profile,
  sampled: readonly SampledKey[],
  paths: readonly string[],
  growth: number,
): Population {
  const n = Math.max(1, profile.sample.length);
  const singles = sampled.filter(({ count }) => count === 1).length;
  const pairs = sampled.filter(({ count }) => count === 2).length;
  // Chao's estimate of how many were not met, and never more than there are items.
  const unseen = n < profile.itemCount ? (singles * (singles - 1)) / (2 * (pairs + 1)) : 0;
  const seen = sampled.length;
  const distinct = Math.min(seen + unseen, profile.itemCount);
  const isNew = distinct > NEW_KEYS_SHARE * profile.itemCount;
  const keyCount = isNew ? distinct * growth : distinct;
  const lightest = sampled.filter(({ count }) => count <= 2);
  const lightItems = lightest.reduce((sum, { count }) => sum + count, 0);
  const lightKeys = Math.max(lightest.length, keyCount - (seen - lightest.length));
  const heavy = sampled
    .filter(({ count }) => count > 2)
    .map(({ values, count }) => rowOf(values, 1, count / n));
  const light = lightest
    .slice(0, TAIL_ROWS)
    .map(({ values }, _, { length }) => rowOf(values, lightKeys / length, lightItems / n / length));
  const estimate: Estimate = { value: keyCount, low: seen, high: Math.max(keyCount * 2, seen) };
  return { paths, rows: complete([...heavy, ...light]), distinct: estimate };
}

/** Shares that add up to 1, whatever was rounded on the way. */
function complete(rows: readonly PopulationRow[]): readonly PopulationRow[] {
  const items = rows.reduce((sum, { itemShare }) => sum + itemShare, 0);
  const bytes = rows.reduce((sum, { byteShare }) => sum + byteShare, 0);
  const requests = rows.reduce((sum, { requestShare }) => sum + requestShare, 0);
  return rows.map((row) => ({
    ...row,
    itemShare: row.itemShare / items,
    byteShare: row.byteShare / bytes,
    requestShare: row.requestShare / requests,
  }));
}

function scaled(estimate: Estimate, factor: number): Estimate {
  const { value, low, high } = estimate;
  if (low === high) return within(value * factor, factor === 1 ? 0 : 0.1);
  return { value: value * factor, low: low * factor, high: high * factor };
}
