/** How many items of a sample pass the filter of a query, and what rows they make. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Run, Slots } from "../../query/evaluate/run.ts";
import { problemOf } from "../../query/evaluate/run.ts";
import type { ItemPlan } from "../../query/plan/plan.ts";
import type { PriceSetting } from "./price.ts";
import { planOfText, runOf, sentenceOf } from "./queryPlan.ts";

export interface SampleMatches {
  readonly matchCount: number;
  /** Rows of those that match, before TOP; of groups the groups themselves. */
  readonly rowCount: number;
  /** Rows are groups: more items do not make more of them. */
  readonly isGrouped: boolean;
}

export function sampleMatches(
  sql: string,
  parameters: ReadonlyMap<string, JsonValue>,
  setting: Pick<PriceSetting, "policy">,
  items: readonly JsonObject[],
): Result<SampleMatches, string> {
  const planned = planOfText(sql, setting.policy);
  if (!planned.ok) return planned;
  const { plan } = planned.value;
  if (plan.kind === "constant") return ok({ matchCount: 0, rowCount: 1, isGrouped: true });
  const run = runOf(parameters);
  try {
    const counted = countIn(plan.kind === "items" ? plan : plan.inner, items, run);
    return ok(plan.kind === "items" ? counted : { ...counted, isGrouped: true });
  } catch (error) {
    return no(sentenceOf(problemOf(error)));
  }
}

function countIn(plan: ItemPlan, items: readonly JsonObject[], run: Run): SampleMatches {
  const groups = plan.makeGroups?.();
  let matchCount = 0;
  let rowCount = 0;
  for (const item of items) {
    const slots: Slots = new Array(plan.slotCount).fill(undefined);
    slots[plan.itemSlot] = item;
    let isMatch = false;
    for (const _ of plan.product(slots, run)) {
      if (plan.where !== undefined && plan.where(slots, run) !== true) continue;
      isMatch = true;
      rowCount++;
      groups?.add(slots, run);
    }
    if (isMatch) matchCount++;
  }
  if (groups === undefined) return { matchCount, rowCount, isGrouped: false };
  return { matchCount, rowCount: [...groups.all()].length, isGrouped: true };
}
