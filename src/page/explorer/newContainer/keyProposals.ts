/**
 * Which paths of some items could be their partition key: those that all items have, with a text, a
 * number or a truth value. For each, how many values it has and how much of the items the most
 * frequent one takes: two figures that tell good keys from bad ones at a glance.
 *
 * Not here: what the validator of the lab says of a key, which the server is asked for.
 */
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import { SYSTEM_PROPERTIES } from "../data/dataPlane.ts";

interface KeyProposal {
  /** As it is typed: `/customer/id`. */
  readonly path: string;
  readonly valueCount: number;
  /** Items with the most frequent value, of all items. */
  readonly largestShare: number;
  /** Every item has a value of its own. */
  readonly isUnique: boolean;
}

const DEPTH_MAX = 3;
/** Paths beyond these are not looked at: items may have thousands. */
const PATHS_MAX = 200;

/** The most useful first; at most `countMax`. */
export function keyProposals(
  items: readonly JsonObject[],
  countMax: number,
): readonly KeyProposal[] {
  const counts = new Map<string, Map<string, number>>();
  for (const item of items) {
    eachLeaf(item, "", 1, (path, value) => {
      let values = counts.get(path);
      if (values === undefined) {
        if (counts.size >= PATHS_MAX) return;
        values = new Map();
        counts.set(path, values);
      }
      // Amounts and measures are values of a kind that nobody asks for one by one.
      if (typeof value === "number" && !Number.isInteger(value)) return;
      const text = JSON.stringify(value);
      values.set(text, (values.get(text) ?? 0) + 1);
    });
  }
  return [...counts]
    .map(([path, values]) => proposalOf(path, [...values.values()], items.length))
    .filter((proposal) => proposal !== undefined)
    .toSorted((one, other) => rankOf(other) - rankOf(one) || (one.path < other.path ? -1 : 1))
    .slice(0, countMax);
}

/** Nothing where an item lacks the path: such items would all lie together. */
function proposalOf(
  path: string,
  counts: readonly number[],
  itemCount: number,
): KeyProposal | undefined {
  const present = counts.reduce((sum, count) => sum + count, 0);
  if (present < itemCount) return undefined;
  return {
    path,
    valueCount: counts.length,
    largestShare: Math.max(...counts) / itemCount,
    isUnique: counts.length === itemCount,
  };
}

/**
 * Many values that share items evenly come first, because they spread load and still keep together
 * what belongs together; values that no two items share come after them, one value for all last.
 */
function rankOf({ valueCount, largestShare, isUnique }: KeyProposal): number {
  if (valueCount === 1) return 0;
  return (isUnique ? 1 : 2) + Math.min(0.999, valueCount * (1 - largestShare) * 1e-6);
}

function eachLeaf(
  value: JsonObject,
  prefix: string,
  depth: number,
  take: (path: string, leaf: JsonValue) => void,
): void {
  for (const [name, member] of Object.entries(value)) {
    if (prefix === "" && SYSTEM_PROPERTIES.includes(name)) continue;
    // A name with a slash or a quote would need quotes in the path.
    if (!/^[\w$-]+$/.test(name)) continue;
    const path = `${prefix}/${name}`;
    if (typeof member === "object" && member !== null) {
      if (!Array.isArray(member) && depth < DEPTH_MAX) {
        eachLeaf(member as JsonObject, path, depth + 1, take);
      }
    } else if (member !== null) take(path, member);
  }
}

/** What a proposal comes to, in a few words. */
export function proposalWords({ valueCount, largestShare, isUnique }: KeyProposal): string {
  if (valueCount === 1) return "one value: everything would lie together";
  if (isUnique) return "every item by itself: no two are ever together";
  const share = `the largest has ${Math.max(1, Math.round(100 * largestShare))} %`;
  return largestShare > 0.25 ? `${share}: uneven` : share;
}
