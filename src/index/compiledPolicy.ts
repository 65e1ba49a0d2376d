/**
 * An indexing policy made quick to ask: is the value at this place of an item indexed?
 *
 * The most specific path of the policy decides: a deeper path before a shallower one, `/?` before
 * `/*`. `/a/*` covers the value at `/a` and everything below it, through arrays as well. Whatever
 * the policy says, `id` and `_ts` are indexed, `_rid`, `_self` and `_attachments` are not, and mode
 * `none` indexes nothing.
 *
 * The answers, and the path hashes that go with them, are remembered in a tree of the places seen
 * so far. Names come from clients, so the tree is bounded: when it is full nothing more is
 * remembered, and the next item starts an empty tree.
 */

import { assert } from "../base/assert.ts";
import { SYSTEM_PROPERTIES, TIME_STAMP } from "../base/systemProperties.ts";
import { DEFAULT_LANGUAGE } from "../text/language.ts";
import { type CompositeLayout, compositeLayoutsOf } from "./compositeTerm.ts";
import { type Hash, type PathHash, pathHashText, ROOT_HASH, stepHash } from "./hash.ts";
import type { IndexingPolicy } from "./policy.ts";
import type { FullTextIndex } from "./policyIndexes.ts";
import { type PathSegment, parsePolicyPath } from "./policyPath.ts";
import { type SpatialLayout, spatialLayoutOf } from "./spatialTerm.ts";
import { type WordLayout, wordLayoutOf } from "./wordTerm.ts";

/** One place in an item, and what the policy says about it. */
export interface IndexedPlace {
  readonly hash: Hash;
  readonly pathHash: PathHash;
  /** True when a value at this very place gets a term. */
  readonly isIndexed: boolean;
  /** True when a value below this place may get a term. */
  readonly mayIndexBelow: boolean;
  /**
   * True when the price list counts the place among the leaves: all places except `id` and `_ts`.
   */
  readonly isPriced: boolean;
}

export class CompiledPolicy {
  /** False under mode `none`: items have no terms at all. */
  readonly isIndexing: boolean;
  /**
   * The composite indexes, each once, however often and in whichever spelling the policy lists it.
   */
  readonly composites: readonly CompositeLayout[];
  readonly spatials: readonly SpatialLayout[];
  /** The full-text indexes, each once. */
  readonly words: readonly WordLayout[];
  readonly #rules: Rule;
  readonly #placeCountMax: number;
  #root: Place;
  #placeCount = 0;

  constructor(policy: IndexingPolicy, placeCountMax: number) {
    this.isIndexing = policy.indexingMode !== "none";
    this.composites = this.isIndexing ? compositeLayoutsOf(policy.compositeIndexes ?? []) : [];
    this.spatials = this.isIndexing ? (policy.spatialIndexes ?? []).map(spatialLayoutOf) : [];
    this.words = this.isIndexing ? wordLayoutsOf(policy.fullTextIndexes ?? []) : [];
    this.#rules = this.isIndexing ? rulesOf(policy) : emptyRule();
    this.#placeCountMax = placeCountMax;
    this.#root = rootPlace(this.#rules);
  }

  /**
   * Returns the place of the item itself. This is called once per item, and throws a full tree
   * away.
   */
  enter(): IndexedPlace {
    if (this.#placeCount >= this.#placeCountMax) {
      this.#placeCount = 0;
      this.#root = rootPlace(this.#rules);
    }
    return this.#root;
  }

  /** Returns the place one step down. `place` must come from this policy. */
  step(place: IndexedPlace, segment: PathSegment): IndexedPlace {
    const parent = place as Place;
    return parent.children.get(segment) ?? this.#explore(parent, segment);
  }

  /** True when a value at this path gets a term. Paths that queries name are not remembered. */
  isIndexedAt(path: readonly PathSegment[]): boolean {
    return path.reduce(placeBelow, rootPlace(this.#rules)).isIndexed;
  }

  get rememberedPlaceCount(): number {
    return this.#placeCount;
  }

  #explore(parent: Place, segment: PathSegment): Place {
    const place = placeBelow(parent, segment);
    const isShort = typeof segment === "symbol" || segment.length <= NAME_CHARS_MAX;
    if (isShort && this.#placeCount < this.#placeCountMax) {
      parent.children.set(segment, place);
      this.#placeCount++;
    }
    return place;
  }
}

/**
 * A choice of ours: far more places than a container of real items has, and at most a few
 * megabytes.
 */
const PLACE_COUNT_MAX = 4_096;
/** Length of a name that is remembered; longer ones could hold megabytes each. */
const NAME_CHARS_MAX = 256;

const ALWAYS_INDEXED: readonly string[] = ["id", TIME_STAMP];
/** The etag is left out by the default policy, and may be indexed by another. */
const NEVER_INDEXED: readonly string[] = [...SYSTEM_PROPERTIES].filter(
  (name) => name !== TIME_STAMP && name !== "_etag",
);

export function compilePolicy(
  policy: IndexingPolicy,
  placeCountMax: number = PLACE_COUNT_MAX,
): CompiledPolicy {
  return new CompiledPolicy(policy, placeCountMax);
}

/**
 * True when all items that have a value at this path have its term. While a container is indexed
 * anew, its items may be indexed under any of the policies that it had. The answer is about terms
 * of single values only: shapes, composite and spatial terms are complete once there is just one
 * policy.
 */
export function isIndexedUnderAll(
  policies: readonly CompiledPolicy[],
  path: readonly PathSegment[],
): boolean {
  return policies.every((policy) => policy.isIndexedAt(path));
}

function wordLayoutsOf(indexes: readonly FullTextIndex[]): readonly WordLayout[] {
  const layouts = new Map<string, WordLayout>();
  for (const { path, language = DEFAULT_LANGUAGE } of indexes) {
    const parsed = parsePolicyPath(path);
    assert(parsed.ok, "a policy in normal form has no broken path");
    const names = parsed.value.segments.filter((segment) => typeof segment === "string");
    const layout = wordLayoutOf(names, language);
    layouts.set(layout.hash, layout);
  }
  return [...layouts.values()];
}

function rulesOf(policy: IndexingPolicy): Rule {
  const rules = emptyRule();
  for (const { path } of policy.excludedPaths) addRule(rules, path, false);
  for (const { path } of policy.includedPaths) addRule(rules, path, true);
  for (const name of NEVER_INDEXED) rules.children.set(name, emptyRule(false));
  for (const name of ALWAYS_INDEXED) {
    rules.children.set(name, { ...emptyRule(false), here: true, isPriced: false });
  }
  return rules;
}

/** What the policy's own paths say about one place; the paths of a policy form a tree of rules. */
interface Rule {
  /** Set by a path that ends in `/?`. */
  here: boolean | undefined;
  /** Set by a path that ends in `/*`. */
  below: boolean | undefined;
  readonly isPriced: boolean;
  readonly children: Map<PathSegment, Rule>;
}

function emptyRule(below?: boolean): Rule {
  return { here: undefined, below, isPriced: true, children: new Map() };
}

function addRule(root: Rule, path: string, isIncluded: boolean): void {
  const parsed = parsePolicyPath(path);
  assert(parsed.ok, "a policy in normal form has no broken path");
  const { segments, end, isTuple } = parsed.value;
  if (isTuple) return;
  let rule = root;
  for (const segment of segments) {
    const child = rule.children.get(segment) ?? emptyRule();
    rule.children.set(segment, child);
    rule = child;
  }
  if (end === "scalar") rule.here = isIncluded;
  else rule.below = isIncluded;
}

interface Place extends IndexedPlace {
  readonly rule: Rule | undefined;
  /** Whether places below are indexed, unless a path of the policy says otherwise. */
  readonly below: boolean;
  readonly children: Map<PathSegment, Place>;
}

/** Returns the place of the item itself, which gets no term: every item would have it. */
function rootPlace(rules: Rule): Place {
  return { ...placeOf(ROOT_HASH, rules, false), isIndexed: false };
}

function placeBelow(parent: Place, segment: PathSegment): Place {
  return placeOf(stepHash(parent.hash, segment), parent.rule?.children.get(segment), parent.below);
}

function placeOf(hash: Hash, rule: Rule | undefined, belowParent: boolean): Place {
  const below = rule?.below ?? belowParent;
  return {
    pathHash: pathHashText(hash),
    isIndexed: rule?.here ?? below,
    mayIndexBelow: below || (rule !== undefined && rule.children.size > 0),
    isPriced: rule?.isPriced ?? true,
    hash,
    rule,
    below,
    children: new Map(),
  };
}
