/**
 * Every term the store holds for an item: the terms of its indexed values, its placement term, one
 * term per unique key of the container and, if the item has a ttl of its own, the term of its end,
 * by which `engine/upkeep` finds expired items. An item that is left out of the index has one term
 * that says so instead of the terms of its values.
 *
 * At most one item of a logical partition may have a given unique term; the physical partition
 * checks this before it commits. The value of a unique term is a digest of the values at the paths
 * of its unique key.
 */

import { createHash } from "node:crypto";
import { TIME_STAMP } from "../../base/systemProperties.ts";
import { TERM_BYTES, termRangeOfKind } from "../../index/termSpace.ts";
import { termDifference, termsOf } from "../../index/terms.ts";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { KeyRange } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";
import { uniqueEntriesOf } from "./compoundEntries.ts";
import { isUnindexedObject } from "./itemBody.ts";
import { placementTerm } from "./itemKey.ts";

const UNIQUE = TERM_BYTES.unique;
const EXPIRY = TERM_BYTES.expiry;
/**
 * The first byte of end terms up to index format 4. Shape terms began with the same byte, so scans
 * of either kind could find terms of the other.
 */
const FORMER_EXPIRY = TERM_BYTES.shape;
const UNINDEXED = TERM_BYTES.unindexed;
/** Enough digits for a time in seconds since 1970 plus the longest ttl. */
const EXPIRY_DIGITS = 10;
const SEPARATOR = "\x00";
/**
 * Half a SHA-256: long enough that two different tuples of values do not share a digest by chance.
 */
const DIGEST_BYTES = 16;

interface ItemTerms {
  readonly terms: readonly string[];
  readonly leafCount: number;
}

/**
 * Returns the terms of an item under the policy that is in force. `stamp` holds the system
 * properties of the version when `item` does not have them yet.
 */
export function itemTermsOf(
  container: Container,
  epk: Epk,
  item: JsonObject,
  stamp?: JsonObject,
): ItemTerms {
  const others = [...fixedTermsOf(container, epk, item), ...expiryTermsOf(item, stamp)];
  if (isUnindexedObject(stamp ?? item)) return { terms: [UNINDEXED, ...others], leafCount: 0 };
  const { terms, leafCount } = termsOf(container.policy, item, stamp);
  return { terms: [...terms, ...others], leafCount };
}

/**
 * Returns the terms that the store must remove and add when an item gets a new version. While the
 * container has former policies, the store keeps a term that the item certainly has and still
 * needs; every other needed term is added, after its removal if the item may have it.
 */
export function itemTermChange(
  container: Container,
  epk: Epk,
  before: JsonObject,
  after: { readonly item: JsonObject; readonly stamp?: JsonObject },
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const now = itemTermsOf(container, epk, after.item, after.stamp).terms;
  if (!isIndexedAnew(container)) {
    return termDifference(itemTermsOf(container, epk, before).terms, now);
  }
  const { certain, possible } = termsUnderAll(container, epk, before);
  const added = now.filter((term) => !certain.has(term));
  const kept = new Set(now.filter((term) => certain.has(term)));
  return { removed: [...possible].filter((term) => !kept.has(term)), added };
}

/**
 * Every term the store may hold for a stored version. Until a container is indexed anew after a
 * change of policy, items keep the terms of the policy they were written under.
 */
export function heldTermsOf(container: Container, epk: Epk, item: JsonObject): readonly string[] {
  if (!isIndexedAnew(container)) return itemTermsOf(container, epk, item).terms;
  return [...termsUnderAll(container, epk, item).possible];
}

/** True when stored items may have other terms than the ones that the current policy gives them. */
export function isIndexedAnew({ formerPolicies, hasFormerExpiry }: Container): boolean {
  return formerPolicies.length > 0 || hasFormerExpiry;
}

/**
 * Returns the terms that an item may have under any policy the container has had (`possible`), and
 * those among them that the item is certain to have: terms of single values that all policies
 * index. With former policies, terms of several values are not certain, because items of an older
 * index format have none; the term of the item's end is never certain.
 */
function termsUnderAll(
  container: Container,
  epk: Epk,
  item: JsonObject,
): { readonly certain: ReadonlySet<string>; readonly possible: ReadonlySet<string> } {
  const fixed = fixedTermsOf(container, epk, item);
  const ends = [
    ...expiryTermsOf(item),
    ...(container.hasFormerExpiry ? expiryTermsOf(item, item, FORMER_EXPIRY) : []),
  ];
  if (isUnindexedObject(item)) {
    const certain = new Set([UNINDEXED, ...fixed]);
    return { certain, possible: new Set([...certain, ...ends]) };
  }
  if (container.formerPolicies.length === 0) {
    const certain = new Set([...fixed, ...termsOf(container.policy, item).terms]);
    return { certain, possible: new Set([...certain, ...ends]) };
  }
  const policies = [container.policy, ...container.formerPolicies];
  const found = policies.map((policy) => termsOf(policy, item));
  const valueTerms = found.map(({ terms, valueTermCount }) => terms.slice(0, valueTermCount));
  const sets = valueTerms.map((terms) => new Set<string>(terms));
  const certain = valueTerms[0]!.filter((term) => sets.every((terms) => terms.has(term)));
  return {
    certain: new Set([...fixed, ...certain]),
    possible: new Set([...fixed, ...ends, ...found.flatMap(({ terms }) => terms)]),
  };
}

/** The range of the term that items have when they are left out of the index. */
export const UNINDEXED_RANGE: KeyRange = termRangeOfKind("unindexed");

export function isUniqueTerm(term: string): boolean {
  return term.startsWith(UNIQUE);
}

/** The terms that do not depend on the indexing policy. */
function fixedTermsOf(container: Container, epk: Epk, item: JsonObject): readonly string[] {
  const placement = placementTerm(epk);
  if (container.definition.uniqueKeyPolicy === undefined) return [placement];
  return [placement, ...uniqueTermsOf(container, epk, item)];
}

function expiryTermsOf(
  item: JsonObject,
  stamp: JsonObject = item,
  prefix: string = EXPIRY,
): readonly string[] {
  const ttl = property(item, "ttl");
  const ts = property(stamp, TIME_STAMP);
  const isOwn = typeof ttl === "number" && ttl > 0 && typeof ts === "number";
  return isOwn ? [expiryTerm(ts + ttl, prefix)] : [];
}

function expiryTerm(seconds: number, prefix: string = EXPIRY): string {
  return prefix + String(seconds).padStart(EXPIRY_DIGITS, "0");
}

/** The terms of items with a ttl of their own that are expired at that second. */
export function expiredRange(seconds: number): KeyRange {
  return { min: EXPIRY, max: expiryTerm(Math.floor(seconds) + 1) };
}

/** One for each unique key of the container, in their order; none if it has none. */
export function uniqueTermsOf(
  container: Pick<Container, "definition">,
  epk: Epk,
  item: JsonObject,
): readonly string[] {
  return uniqueEntriesOf(container.definition, item).map((entry, index) => {
    const digest = createHash("sha256").update(entry).digest("binary").slice(0, DIGEST_BYTES);
    return UNIQUE + epk + SEPARATOR + String.fromCharCode(index) + digest;
  });
}
