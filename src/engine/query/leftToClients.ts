/**
 * Queries that the service's gateway does not answer: clients follow the plan, ask each range, and
 * merge the rows.
 *
 * Only a request that confines itself to no key and no range is refused so. A client that asks for
 * one merged answer gets it from `queryItems.ts`.
 */

import type { Timer } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import { isAboutOneKey, isLeftToClients, planText } from "../../query/clientPlan/clientPlan.ts";
import type { Container } from "../partition/container.ts";
import { planItems } from "./clientPlans.ts";

/** What a client states in a request that confines itself to no key and no range. */
export interface Asked {
  /** True when the query may be about more than one key. */
  readonly isFanOutAllowed: boolean;
  /** True when the client would rather ask several ranges at a time. */
  readonly isParallel: boolean;
}

/** Returns the refusal with the plan, or undefined if the query is to be answered here. */
export async function leftToClients(
  world: { readonly timer: Pick<Timer, "soon"> },
  container: Container,
  query: QueryText,
  { isFanOutAllowed, isParallel }: Asked,
): Promise<Refusal | undefined> {
  const plan = await planItems(world, container, query, { supportedFeatures: undefined });
  if (!plan.ok) return plan.error;
  if (!isFanOutAllowed && !isAboutOneKey(plan.value)) return undefined;
  if (!isLeftToClients(plan.value, isParallel)) return undefined;
  return { kind: "queryNotServable", plan: planText(plan.value) };
}
