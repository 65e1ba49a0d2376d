/** The figures of each property, from the counts of all items and from the sampled ones. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import type { Estimate } from "../counting/estimate.ts";
import type { SampledItem } from "../counting/itemSample.ts";
import { monotonicityOf } from "./monotonicity.ts";
import { type PathTree, VALUE_TYPES } from "./pathTree.ts";
import type { PropertyProfile } from "./profile.ts";
import { timeFormOf } from "./timeForm.ts";
import type { Versions } from "./versions.ts";

const EXAMPLE_COUNT = 3;
const EXAMPLE_UNITS_MAX = 80;

interface Counted {
  readonly tree: PathTree;
  readonly versions: Versions;
  readonly itemCount: number;
  readonly sample: readonly SampledItem[];
  /** The sampled items in the order of their times; undefined without a time. */
  readonly inTime: readonly SampledItem[] | undefined;
  distinctOf(slot: number): Estimate;
}

export function propertyOf(slot: number, counted: Counted): PropertyProfile {
  const { tree, versions, itemCount, sample, inTime } = counted;
  const steps = tree.stepsOf(slot);
  const values = scalarsIn(sample, steps);
  const bytes = values.map(bytesOf);
  const counts = VALUE_TYPES.map((type) => [type, tree.typeCount(slot, type)] as const);
  const present = counts.reduce((sum, [, count]) => sum + count, 0);
  return {
    path: tree.pathOf(slot),
    presence: present / itemCount,
    types: Object.fromEntries(
      counts.filter(([, count]) => count > 0).map(([type, count]) => [type, count / present]),
    ),
    distinct: counted.distinctOf(slot),
    bytesMean: bytes.reduce((sum, each) => sum + each, 0) / Math.max(1, bytes.length),
    bytesMax: bytes.reduce((most, each) => Math.max(most, each), tree.bytesMax[slot]!),
    time: timeFormOf(
      steps.at(-1)!,
      values.filter((value) => value !== null),
    ),
    monotonicity: inTime === undefined ? null : monotonicityOf(scalarsIn(inTime, steps)),
    mutability: versions.mutabilityOf(slot),
    examples: examplesOf(values),
  };
}

function scalarsIn(items: readonly SampledItem[], steps: readonly string[]): readonly JsonValue[] {
  return items
    .map(({ item }) => valueAt(item, steps) as JsonValue | undefined)
    .filter((value) => value === null || (value !== undefined && typeof value !== "object"));
}

/** The bytes of a text, or of the JSON text of any other value. */
function bytesOf(value: JsonValue): number {
  return typeof value === "string" ? Buffer.byteLength(value) : String(value).length;
}

function examplesOf(values: readonly JsonValue[]): readonly JsonValue[] {
  const found = new Set<JsonValue>();
  for (const value of values) {
    found.add(typeof value === "string" ? shortened(value) : value);
    if (found.size === EXAMPLE_COUNT) break;
  }
  return [...found];
}

function shortened(text: string): string {
  return text.length > EXAMPLE_UNITS_MAX ? `${text.slice(0, EXAMPLE_UNITS_MAX - 1)}…` : text;
}
