/** Plans of queries, for clients that ask each range by themselves. */
import type { Result } from "../../base/result.ts";
import { no } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { BoundProgram } from "../../query/bind/bound.ts";
import { isLargerBetter } from "../../query/bind/ranked.ts";
import type { ClientPlan } from "../../query/clientPlan/clientPlan.ts";
import { clientPlanOf } from "../../query/clientPlan/clientPlan.ts";
import type { SupportedFeatures } from "../../query/clientPlan/planFeatures.ts";
import { refusalOf } from "../item/queryRefusal.ts";
import type { Container } from "../partition/container.ts";
import { keySettingOf } from "./queryRanges.ts";

export interface PlanTerms {
  /** The features that the client says it supports. */
  readonly supportedFeatures: SupportedFeatures;
  /** The range of the key that the request names, if it names one. */
  readonly asked?: EpkRange | undefined;
}

export async function planItems(
  world: { readonly timer: Pick<Timer, "soon"> },
  container: Container,
  command: QueryText,
  { supportedFeatures, asked }: PlanTerms,
): Promise<Result<ClientPlan, Refusal>> {
  const { text, parameters } = command;
  const made = await container.queries.read(container, text, parameters, world);
  if (!made.ok) return no(refusalOf(made.error));
  const isOpen = isMissingAny(made.value.program, command) || isAmbiguous(container, asked);
  const ordersDown = made.value.program.query.orderBy.map(({ isDescending }) => isDescending);
  const keySetting = keySettingOf(container, parameters, isOpen);
  const scoresDown = made.value.program.query.rank?.components.map(isLargerBetter);
  const setting = {
    ...keySetting,
    supportedFeatures,
    asked,
    isOneRange: container.map.entries.length === 1,
    ordersDown,
    ...(scoresDown !== undefined && { scoresDown }),
  };
  const plan = clientPlanOf(made.value.query, setting);
  return plan.ok ? plan : no(refusalOf(plan.error));
}

/**
 * True when the keys that a filter names may not be turned into ranges. Some clients still have the
 * ranges of the container that had the name before, where items lie by another key; all of the
 * ranges are right in either.
 */
function isAmbiguous({ former }: Container, asked: EpkRange | undefined): boolean {
  return former !== undefined && asked === undefined;
}

/**
 * True when the request lacks a parameter of the query. Running such a query takes the parameter as
 * undefined, but a client may ask for a plan before it knows the values.
 */
function isMissingAny(program: BoundProgram, { parameterNames }: QueryText): boolean {
  return program.parameterNames.some((name) => !parameterNames.has(name));
}
