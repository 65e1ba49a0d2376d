/** What some items say of each property: enough to decide what is worth counting. */
import { TIME_STAMP } from "../../base/systemProperties.ts";
import type { JsonObject } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import { NO_VALUE } from "../counting/valueHash.ts";
import { BATCH_COUNT_MAX, type PathTree } from "./pathTree.ts";
import type { PropertyProfile } from "./profile.ts";
import { timeFormOf } from "./timeForm.ts";

export interface PathFacts {
  readonly slot: number;
  readonly steps: readonly string[];
  /** Share of the items that have a scalar there. */
  readonly presence: number;
  readonly distinct: number;
  /** The hashes of the values, one for each item. */
  readonly hashes: Int32Array;
  readonly time: PropertyProfile["time"];
  readonly kind: "text" | "whole" | "measure" | "flag" | "prose" | "stamp";
}

type Scalar = string | number | boolean | null;

/** Mean length and number of words above which a text is prose, or too long to be a key. */
const PROSE_LENGTH = 100;
const PROSE_WORDS = 5;
const ITEMS_MAX = 2000;
/** Number of values that are looked at; hashes are those of all items. */
const VALUES_MAX = 1000;

/** Returns the facts of properties that have scalars, in the order of slots. */
export function pathFactsOf(items: readonly JsonObject[], tree: PathTree): readonly PathFacts[] {
  const seen = items.slice(0, ITEMS_MAX);
  const columns = hashesOf(seen, tree);
  return columns.flatMap((hashes, slot) => {
    const steps = tree.stepsOf(slot);
    const having = seen.filter((_, at) => hashes[at] !== NO_VALUE);
    if (having.length === 0) return [];
    const step = Math.ceil(having.length / VALUES_MAX);
    const values = having
      .filter((_, at) => at % step === 0)
      .map((item) => valueAt(item, steps) as Scalar);
    return [factsOf({ slot, steps, hashes, presence: having.length / seen.length }, values)];
  });
}

/** Returns for each slot one hash for each item. */
function hashesOf(items: readonly JsonObject[], tree: PathTree): readonly Int32Array[] {
  const columns: Int32Array[] = [];
  for (let from = 0; from < items.length; from += BATCH_COUNT_MAX) {
    const batch = items.slice(from, from + BATCH_COUNT_MAX);
    tree.beginBatch();
    batch.forEach((item, row) => {
      tree.walk(item, row);
    });
    for (let slot = 0; slot < tree.slotCount; slot++) {
      const column = columns[slot] ?? new Int32Array(items.length);
      const at = tree.columnAt(slot);
      column.set(tree.lows.subarray(at, at + batch.length), from);
      columns[slot] = column;
    }
  }
  return columns;
}

function factsOf(
  found: Pick<PathFacts, "slot" | "steps" | "hashes" | "presence">,
  values: readonly Scalar[],
): PathFacts {
  const named = values.filter((value) => value !== null);
  const distinct = new Set(found.hashes);
  distinct.delete(NO_VALUE);
  const time = timeFormOf(found.steps.at(-1)!, named);
  return {
    ...found,
    distinct: distinct.size,
    time,
    kind: kindOf(found.steps, named),
  };
}

function kindOf(
  steps: readonly string[],
  values: readonly (string | number | boolean)[],
): PathFacts["kind"] {
  if (steps.length === 1 && steps[0] === TIME_STAMP) return "stamp";
  const texts = values.filter((value) => typeof value === "string");
  const numbers = values.filter((value) => typeof value === "number");
  if (texts.length >= values.length / 2 && texts.length > 0) {
    const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    const words = texts.reduce((sum, text) => sum + wordCount(text), 0) / texts.length;
    const isProse = words > PROSE_WORDS && new Set(texts).size > texts.length / 2;
    return length > PROSE_LENGTH || isProse ? "prose" : "text";
  }
  // The values are booleans, or nothing but null.
  if (numbers.length === 0 || numbers.length < values.length / 2) return "flag";
  const whole = numbers.filter((number) => Number.isInteger(number)).length;
  return whole > numbers.length / 2 ? "whole" : "measure";
}

function wordCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf(" "); at !== -1; at = text.indexOf(" ", at + 1)) count++;
  return count;
}
