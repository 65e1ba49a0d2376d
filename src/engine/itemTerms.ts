/**
 * Every term the store holds for an item: those of its indexed values, the one of its placement,
 * and one per unique key of the container.
 *
 * A unique term is one that at most one item of a logical partition may have; the physical
 * partition checks it before it commits. Its value is a digest of the values at the key's paths.
 */
import { createHash } from "node:crypto";
import type { Term } from "../index/term.ts";
import { termDifference, termsOf } from "../index/terms.ts";
import type { JsonObject } from "../json/value.ts";
import type { Epk } from "../partition/epkRange.ts";
import { uniqueEntriesOf } from "./compoundEntries.ts";
import type { Container } from "./container.ts";
import { placementTerm } from "./itemKey.ts";

const UNIQUE = "\x02";
const SEPARATOR = "\x00";
/** Half a SHA-256: two tuples of values do not share it by chance. */
const DIGEST_BYTES = 16;

export interface ItemTerms {
  readonly terms: readonly string[];
  readonly leafCount: number;
}

/**
 * The terms of an item under the policy that is in force. `ts` is the time of a version that has
 * none among its properties yet; it is the same for all items of a second, and so is its term.
 */
export function itemTermsOf(
  container: Container,
  epk: Epk,
  item: JsonObject,
  ts?: number,
): ItemTerms {
  const { terms, leafCount } = termsOf(container.policy, item);
  const all: string[] = [...terms, placementTerm(epk)];
  if (ts !== undefined) all.push(...container.tsTerms(ts));
  if (container.definition.uniqueKeyPolicy !== undefined)
    all.push(...uniqueTermsOf(container, epk, item));
  return { terms: all, leafCount };
}

/** What the store must forget and learn when an item becomes another version of itself. */
export function itemTermChange(
  container: Container,
  epk: Epk,
  before: JsonObject,
  after: { readonly item: JsonObject; readonly ts: number },
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const now = itemTermsOf(container, epk, after.item, after.ts).terms as readonly Term[];
  const held = heldTermsOf(container, epk, before) as readonly Term[];
  const change = termDifference(held, now);
  if (container.formerPolicies.length === 0) return change;
  // An item that was last written under another policy may have any of these terms or none.
  return { removed: [...new Set([...held, ...now])], added: now };
}

/**
 * Every term the store may hold for a stored version. Until a container is indexed anew after a
 * change of policy, items keep the terms of the policy they were written under.
 */
export function heldTermsOf(container: Container, epk: Epk, item: JsonObject): readonly string[] {
  const { terms } = itemTermsOf(container, epk, item);
  if (container.formerPolicies.length === 0) return terms;
  const former = container.formerPolicies.flatMap((policy) => termsOf(policy, item).terms);
  return [...new Set([...terms, ...former])];
}

export function isUniqueTerm(term: string): boolean {
  return term.startsWith(UNIQUE);
}

function uniqueTermsOf(container: Container, epk: Epk, item: JsonObject): string[] {
  return uniqueEntriesOf(container.definition, item).map((entry, index) => {
    const digest = createHash("sha256").update(entry).digest("binary").slice(0, DIGEST_BYTES);
    return UNIQUE + epk + SEPARATOR + String.fromCharCode(index) + digest;
  });
}
