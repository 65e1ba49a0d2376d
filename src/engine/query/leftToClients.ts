/**
 * Queries that the service's gateway does not answer: clients ask each range by the plan, and merge
 * what they get.
 *
 * Only a request that leaves it to the query where to go is refused so. Merging goes on behind it
 * (`queryItems.ts`), for whoever asks for one answer.
 */

import type { Timer } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import { isAboutOneKey, isLeftToClients, planText } from "../../query/clientPlan/clientPlan.ts";
import type { Container } from "../partition/container.ts";
import { planItems } from "./clientPlans.ts";

/** How a client asks that leaves it to the query where to go. */
export interface Asked {
  /** May it be about more than one key? */
  readonly isFanOutAllowed: boolean;
  /** Would the client rather ask several ranges at a time? */
  readonly isParallel: boolean;
}

/** Undefined if the query may go on to be answered. */
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
