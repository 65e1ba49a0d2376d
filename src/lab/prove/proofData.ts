/**
 * What the items of a proof are made from: what a workload declares, or real data that was
 * profiled. Whoever makes them also says what the simulator may know of them.
 */
import { DAY_MS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import type { DataFacts, PropertyFacts } from "../data/facts.ts";
import type { Profile } from "../profile/profile.ts";
import { bytesOfItem } from "../profile/sampledItem.ts";
import {
  itemsOf,
  type MutableObject,
  mutableCopy,
  padded,
  put,
  stepsIn,
} from "../scenario/itemGenerator.ts";
import { valueIn } from "../workload/pathField.ts";
import type { Workload } from "../workload/workload.ts";
import { type NewItems, newItems } from "./newItems.ts";
import { SampledItems, type StoredSpan } from "./sampledItems.ts";
import { storedFacts } from "./storedFacts.ts";

export interface ProofData {
  /** Paths whose values are those of real data. */
  readonly sampledPaths: ReadonlySet<string>;
  stored(workload: Workload, span: StoredSpan): readonly JsonObject[];
  created(workload: Workload, made: NewItems): readonly JsonObject[];
  /** Of these items; what they cost and how their values are divided. */
  factsOf(workload: Workload, items: readonly JsonObject[]): DataFacts;
  /** Where they come from, in sentences. */
  remarks(count: number): readonly string[];
}

export const DECLARED_DATA: ProofData = {
  sampledPaths: new Set(),
  stored: (workload, { count, seed, endMillis, spanDays }) => [
    ...itemsOf(workload, { seed, count, startMillis: endMillis - spanDays * DAY_MS, spanDays }),
  ],
  created: newItems,
  factsOf: (workload) => declaredFacts(workload),
  remarks: () => [],
};

/** `facts`: what the advice was given on the same profile, so that both call a time a time. */
export function sampledData(profile: Profile, facts: DataFacts): ProofData {
  const sampledPaths = new Set(profile.properties.map(({ path }) => path));
  const items = new SampledItems({
    sample: profile.sample,
    timePath: profile.time?.path,
    properties: facts.properties,
  });
  const others = (workload: Workload): Workload => withoutPaths(workload, sampledPaths);
  return {
    sampledPaths,
    stored: (workload, span) => {
      const made = DECLARED_DATA.stored(others(workload), span);
      return sized(workload, completed(workload, items.stored(span), made, sampledPaths));
    },
    created: (workload, given) => {
      const made = DECLARED_DATA.created(others(workload), given);
      const { count, after, nowMillis, seed } = given;
      const found = items.created(count, after, nowMillis, seed);
      return sized(workload, completed(workload, found, made, sampledPaths));
    },
    factsOf: (workload, stored) =>
      storedFacts(stored, describedBy(workload, facts.properties), workload),
    remarks: (count) => {
      const again = count > items.count ? ", some of them again under other ids" : "";
      return [
        `Items are those of ${profile.source}: ${items.count} of ${profile.itemCount} that were ` +
          `kept with their values, moved to these days${again}.`,
      ];
    },
  };
}

/** What the data has, and what the workload declares beside it. */
function describedBy(
  workload: Workload,
  known: ReadonlyMap<string, PropertyFacts>,
): ReadonlyMap<string, PropertyFacts> {
  const declared = declaredFacts(workload).properties;
  return new Map([...declared, ...known]);
}

function withoutPaths(workload: Workload, paths: ReadonlySet<string>): Workload {
  const properties = new Map([...workload.properties].filter(([path]) => !paths.has(path)));
  return { ...workload, properties, item: { example: undefined, bytes: undefined } };
}

/** With what is declared and not in the data, from items that were made up. */
function completed(
  { properties }: Workload,
  items: readonly JsonObject[],
  made: readonly JsonObject[],
  sampled: ReadonlySet<string>,
): readonly JsonObject[] {
  const added = [...properties.keys()].filter((path) => !sampled.has(path) && path !== "/id");
  if (added.length === 0) return items;
  return items.map((item, at) => {
    const whole: MutableObject = mutableCopy(item);
    for (const path of added) put(whole, stepsIn(path), valueIn(made[at], path));
    return whole;
  });
}

/** As large as declared, where that is larger than the file has them. */
function sized(workload: Workload, items: readonly JsonObject[]): readonly JsonObject[] {
  const sizes = items.map(bytesOfItem);
  const mean = sizes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, sizes.length);
  const factor = (workload.item.bytes ?? 0) / Math.max(1, mean);
  if (factor <= 1) return items;
  return items.map((item, at) => JSON.parse(padded(item, factor * sizes[at]!)) as JsonObject);
}
