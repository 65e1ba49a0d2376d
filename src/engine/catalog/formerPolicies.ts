/**
 * The indexing policies under which items of a container may still be indexed, besides its own. As
 * long as a container remembers any, writes and queries reckon with them.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { policyInForce } from "../definition/fullTextPolicy.ts";
import type { ContainerRecord } from "../partition/container.ts";

/** Those that a container has once `next` is its definition, each once; the same list if it is. */
export function formerPoliciesOf(
  { definition, formerPolicies }: ContainerRecord,
  next: ContainerDefinition,
): readonly IndexingPolicy[] {
  const nextText = JSON.stringify(policyInForce(next));
  const before = policyInForce(definition);
  if (JSON.stringify(before) === nextText) return formerPolicies;
  const policies = [...formerPolicies, before];
  const byText = new Map(policies.map((policy) => [JSON.stringify(policy), policy]));
  byText.delete(nextText);
  return [...byText.values()];
}

/** The record of a container all of whose items are indexed under its own policy. */
export function withoutFormer({ hasFormerExpiry: _, ...record }: ContainerRecord): ContainerRecord {
  return { ...record, formerPolicies: [] };
}
