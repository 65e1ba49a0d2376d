/**
 * Every term the store holds for an item: those of its indexed values, the one of its placement,
 * one per unique key of the container, and if it has a ttl of its own the one of its end, by which
 * whoever sweeps finds what has expired. An item that was left out of the index has one that says
 * so instead of those of its values.
 *
 * A unique term is one that at most one item of a logical partition may have; the physical
 * partition checks it before it commits. Its value is a digest of the values at the key's paths.
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
/** In index format 4 and before, terms of ends began like those of shapes, which misled both. */
const FORMER_EXPIRY = TERM_BYTES.shape;
const UNINDEXED = TERM_BYTES.unindexed;
/** Of seconds since 1970 plus the longest ttl. */
const EXPIRY_DIGITS = 10;
const SEPARATOR = "\x00";
/** Half a SHA-256: two tuples of values do not share it by chance. */
const DIGEST_BYTES = 16;

export interface ItemTerms {
  readonly terms: readonly string[];
  readonly leafCount: number;
}

/**
 * The terms of an item under the policy that is in force. `stamp` is the system properties of a
 * version that has none among its properties yet.
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
 * What the store must forget and learn when an item becomes another version of itself. With former
 * policies, what is certain is left alone and what is not is removed before it is added.
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

/** May items have other terms than those that they are due now? */
export function isIndexedAnew({ formerPolicies, hasFormerExpiry }: Container): boolean {
  return formerPolicies.length > 0 || hasFormerExpiry;
}

/**
 * The terms that an item may have, under any of the policies the container has had, and those it
 * has for certain: the ones of single values that are indexed under all of them. Terms of several
 * values are not certain if there were other policies, because items of an older format have none;
 * that of its end never is.
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

/** The terms of items that are left out of the index. */
export const UNINDEXED_RANGE: KeyRange = termRangeOfKind("unindexed");

export function isUniqueTerm(term: string): boolean {
  return term.startsWith(UNIQUE);
}

/** The terms that no indexing policy decides about. */
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

/** The terms of items with a ttl of their own whose time is over at that second. */
export function expiredRange(seconds: number): KeyRange {
  return { min: EXPIRY, max: expiryTerm(Math.floor(seconds) + 1) };
}

function uniqueTermsOf(container: Container, epk: Epk, item: JsonObject): string[] {
  return uniqueEntriesOf(container.definition, item).map((entry, index) => {
    const digest = createHash("sha256").update(entry).digest("binary").slice(0, DIGEST_BYTES);
    return UNIQUE + epk + SEPARATOR + String.fromCharCode(index) + digest;
  });
}
