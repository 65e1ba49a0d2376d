/**
 * Decides which keys to count: every path that could be a key, and the pairs and triples of paths
 * that are most likely to make a good one. The decision is made from a few thousand items, because
 * counting every combination would take too long.
 *
 * Measures, prose and time stamps of the service are no keys. A time is counted by itself, not in
 * combinations: these are made of its periods, and need no counting.
 */

import { mixedLow } from "../counting/valueHash.ts";
import type { PathFacts } from "./pathFacts.ts";

const SINGLES_MAX = 48;
/** Number of keys to count, combinations included; but at least this many combinations. */
const KEYS_WANTED = 36;
const COMBINATIONS_MIN = 8;
const TRIPLES_SHARE = 0.25;
/** Number of paths of which pairs, and triples, are tried. */
const MEMBERS_MAX = 14;
const TRIPLE_MEMBERS_MAX = 7;
const PRESENCE_MIN = 0.02;
const MEMBER_PRESENCE_MIN = 0.5;

const ID_NAME = /(?:^|[a-z_-])(?:id|key|code|number|no|name|sku|uuid|guid|email)$/i;

/** Returns the keys as lists of slots, coarsest first. */
export function trackedKeysOf(facts: readonly PathFacts[]): readonly (readonly number[])[] {
  const singles = facts
    .filter(({ kind }) => kind !== "measure" && kind !== "prose" && kind !== "stamp")
    .filter(({ presence }) => presence >= PRESENCE_MIN)
    .sort((a, b) => worthOf(b) - worthOf(a) || a.slot - b.slot)
    .slice(0, SINGLES_MAX);
  const members = singles.filter(isMember);
  const room = Math.max(COMBINATIONS_MIN, KEYS_WANTED - singles.length);
  const pairs = ranked(pairsOf(members.slice(0, MEMBERS_MAX)));
  const triples = ranked(triplesOf(members.slice(0, TRIPLE_MEMBERS_MAX)));
  const tripleCount = Math.min(triples.length, Math.ceil(room * TRIPLES_SHARE));
  const pairCount = Math.min(pairs.length, room - tripleCount);
  const chosen = [
    ...singles.map((each) => [each]),
    ...pairs.slice(0, pairCount),
    ...triples.slice(0, room - pairCount),
  ];
  return chosen.map((paths) => paths.map(({ slot }) => slot));
}

function isMember({ kind, time, distinct, presence }: PathFacts): boolean {
  return kind !== "flag" && time === null && distinct > 1 && presence >= MEMBER_PRESENCE_MIN;
}

/** How much a path looks like a key, or a part of one. */
function worthOf({ kind, steps, presence, distinct, hashes }: PathFacts): number {
  const isId = ID_NAME.test(steps.at(-1)!);
  const uniqueness = distinct / (presence * hashes.length);
  const byCount = distinct < 2 ? 0.1 : uniqueness > 0.95 ? 0.6 : distinct < 10 ? 0.6 : 1;
  // Quantities, versions and ratings are whole numbers too, so whole numbers count less.
  const byKind = kind === "flag" ? 0.3 : kind === "whole" && !isId ? 0.5 : 1;
  return presence * byCount * byKind * (isId ? 1.3 : 1) * 0.95 ** steps.length;
}

interface Combination {
  readonly paths: readonly PathFacts[];
  readonly worth: number;
}

/** Returns the combinations, best first. */
function ranked(combinations: readonly Combination[]): readonly (readonly PathFacts[])[] {
  return combinations
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
    .map(({ paths }) => paths);
}

function pairsOf(members: readonly PathFacts[]): readonly Combination[] {
  return members.flatMap((a, at) => members.slice(at + 1).map((b) => combinationOf([a, b])));
}

function triplesOf(members: readonly PathFacts[]): readonly Combination[] {
  return members.flatMap((a, at) =>
    members
      .slice(at + 1)
      .flatMap((b, next) => members.slice(at + next + 2).map((c) => combinationOf([a, b, c]))),
  );
}

function combinationOf(members: readonly PathFacts[]): Combination {
  const paths = [...members].sort((a, b) => a.distinct - b.distinct || a.slot - b.slot);
  const byMembers = paths.reduce((product, each) => product * worthOf(each), 1);
  return { paths, worth: byMembers * gainOf(paths) };
}

/** How much a combination adds to its members. */
function gainOf(paths: readonly PathFacts[]): number {
  const together = distinctOf(paths);
  const finest = paths.at(-1)!;
  // Paths with the same number of values, also together, are two names of the same thing.
  if (paths.some(({ distinct }, at) => at > 0 && distinct === paths[at - 1]!.distinct)) {
    if (together === finest.distinct) return 0;
  }
  const uniques = paths.filter(({ distinct, hashes }) => distinct > 0.95 * hashes.length).length;
  if (uniques > 1) return 0;
  return uniques === 1 ? 0.7 : 1;
}

function distinctOf(paths: readonly PathFacts[]): number {
  const [first, ...others] = paths;
  const keys = Int32Array.from(first!.hashes);
  for (const { hashes } of others) {
    for (let at = 0; at < keys.length; at++) keys[at] = mixedLow(keys[at]!, hashes[at]!);
  }
  keys.sort();
  let count = 0;
  for (let at = 0; at < keys.length; at++) if (at === 0 || keys[at] !== keys[at - 1]) count++;
  return count;
}
