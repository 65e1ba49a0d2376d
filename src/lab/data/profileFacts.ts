/**
 * Facts about items that were looked at.
 *
 * A combination of paths that the profile counted comes with its heaviest keys and the classes of
 * all others (`countedPopulation.ts`); one that it did not count is worked out from the sample of
 * items it kept (`sampledPopulation.ts`), with the wider interval that this deserves. How many keys
 * there will be follows from how the profile has seen them grow, or from what the workload says of
 * that.
 */
import { DAY_MS, DAYS_PER_MONTH } from "../../base/units.ts";
import type { GrowthModel, KeyProfile, Profile, PropertyProfile } from "../profile/profile.ts";
import { totalItems } from "../workload/totalItems.ts";
import type { PropertyShape, Workload } from "../workload/workload.ts";
import { countedPopulation, withOwn } from "./countedPopulation.ts";
import type { DataFacts, Population, PropertyFacts } from "./facts.ts";
import { measuredKeyIn } from "./measuredKeys.ts";
import { asDeclared, type Outlook } from "./populationCount.ts";
import { sampledPopulation } from "./sampledPopulation.ts";

const ID = "/id";

export function profileFacts(profile: Profile, workload: Workload | undefined): DataFacts {
  const source = withGrowth(profile, workload);
  const outlook = outlookOf(profile, workload);
  const kept = new Map<string, Population>();
  const changing = changingPaths(workload);
  const hasUpdates = workload === undefined || workload.operations.some(isUpdate);
  return {
    itemBytes: profile.itemBytes.mean,
    leafCount: profile.leafCountMean,
    example: profile.sample[0],
    properties: new Map(
      profile.properties.map((property) => [
        property.path,
        factsOf(property, countedKey(source, [property.path]), { changing, hasUpdates }),
      ]),
    ),
    sampleCount: profile.itemCount,
    measuredKey: (candidate) => measuredKeyIn(source, candidate),
    isAllRead: profile.coverage === "all",
    populationOf(paths) {
      const name = paths.join("\n");
      const known = kept.get(name);
      if (known !== undefined) return known;
      const population = populationIn(source, paths, outlook);
      kept.set(name, population);
      return population;
    },
  };
}

function outlookOf({ itemCount }: Profile, workload: Workload | undefined): Outlook {
  if (workload === undefined) return { counted: itemCount, expected: itemCount, days: 0 };
  const { growth, horizonMonths } = workload;
  return {
    counted: itemCount,
    expected: Math.max(totalItems(growth, horizonMonths), itemCount),
    days: Math.min(
      horizonMonths * DAYS_PER_MONTH,
      growth.retentionDays ?? Number.POSITIVE_INFINITY,
    ),
  };
}

/** The profile with what the workload says of growth in place of what was seen. */
function withGrowth(profile: Profile, workload: Workload | undefined): Profile {
  const declared = (path: string): GrowthModel | undefined =>
    declaredModel(workload?.properties.get(path));
  const { time, itemCount } = profile;
  const days =
    time === null ? 1 : Math.max(1, (Date.parse(time.last) - Date.parse(time.first)) / DAY_MS);
  const changed = (key: KeyProfile): KeyProfile => ({
    ...key,
    growth: asDeclared(key.growth, modelOf(key, declared), {
      distinct: key.distinct.value,
      counted: itemCount,
      days,
    }),
  });
  return { ...profile, keys: profile.keys.map(changed) };
}

function declaredModel(shape: PropertyShape | undefined): GrowthModel | undefined {
  switch (shape?.grows?.kind) {
    case undefined:
      return undefined;
    case "fixed":
      return "fixed";
    case "withItems":
      return "items";
    case "perDay":
      return "time";
  }
}

/** Of a combination: as the path that grows most; fixed only if all of them are. */
function modelOf(
  { paths, growth }: KeyProfile,
  declared: (path: string) => GrowthModel | undefined,
): GrowthModel | undefined {
  const models = paths.map(declared);
  for (const model of ["unique", "items", "time"] as const) {
    if (models.includes(model)) return model;
  }
  if (models.length > 0 && models.every((model) => model === "fixed")) return "fixed";
  // The ids of items that came in several versions are those of items all the same.
  return paths.includes(ID) && growth.model === "fixed" ? "items" : undefined;
}

/** Paths that the workload says are changed by updates. */
function changingPaths(workload: Workload | undefined): ReadonlySet<string> {
  if (workload === undefined) return new Set();
  const declared = [...workload.properties.values()].filter(({ changes }) => changes);
  const updated = workload.operations.flatMap(({ changes }) => changes);
  return new Set([...declared.map(({ path }) => path), ...updated]);
}

function isUpdate({ kind }: Workload["operations"][number]): boolean {
  return kind === "upsert" || kind === "replace" || kind === "patch";
}

/** What versions in the data show to change rules no key out where nothing is ever updated. */
function factsOf(
  property: PropertyProfile,
  key: KeyProfile | undefined,
  {
    changing,
    hasUpdates,
  }: { readonly changing: ReadonlySet<string>; readonly hasUpdates: boolean },
): PropertyFacts {
  const seen = hasUpdates ? (property.mutability ?? undefined) : 0;
  const scalarShare = 1 - (property.types.array ?? 0) - (property.types.object ?? 0);
  return {
    path: property.path,
    missingShare: 1 - property.presence * scalarShare,
    distinct: property.distinct,
    time: property.time?.resolution,
    isScalar: scalarShare > 0.5,
    isNumber: (property.types.number ?? 0) > 0.5,
    bytesMax: property.bytesMax,
    changingShare: changing.has(property.path) ? 1 : seen,
    hottestHourShare: key?.growth.model === "unique" ? undefined : key?.hottestShare?.hour,
    growth: key?.growth,
  };
}

function populationIn(profile: Profile, paths: readonly string[], outlook: Outlook): Population {
  const own = paths.find((path) => countedKey(profile, [path])?.growth.model === "unique");
  if (own !== undefined && new Set(paths).size > 1) {
    const others = [...new Set(paths)].filter((path) => path !== own);
    return withOwn(populationIn(profile, others, outlook), paths, own, outlook.expected);
  }
  const counted = countedKey(profile, paths);
  const population =
    counted === undefined
      ? sampledPopulation(profile, paths, outlook)
      : countedPopulation(profile, counted, paths, outlook);
  return { ...population, rows: complete(population.rows), isMet: true };
}

/** The counts of these paths, in any order. */
export function countedKey(
  { keys }: Pick<Profile, "keys">,
  paths: readonly string[],
): KeyProfile | undefined {
  const wanted = [...new Set(paths)].sort().join("\n");
  return keys.find((key) => [...key.paths].sort().join("\n") === wanted);
}

/** What is rounded is less: shares that add up to 1 stay as they were counted, to the digit. */
const ROUNDED = 1e-9;

/** Shares that add up to 1, where they come from a sample or were rounded on the way. */
function complete(rows: Population["rows"]): Population["rows"] {
  const items = rows.reduce((sum, { itemShare }) => sum + itemShare, 0);
  const bytes = rows.reduce((sum, { byteShare }) => sum + byteShare, 0);
  const requests = rows.reduce((sum, { requestShare }) => sum + requestShare, 0);
  if ([items, bytes, requests].every((sum) => Math.abs(sum - 1) < ROUNDED)) return rows;
  return rows.map((row) => ({
    ...row,
    itemShare: row.itemShare / items,
    byteShare: row.byteShare / bytes,
    requestShare: row.requestShare / requests,
  }));
}
