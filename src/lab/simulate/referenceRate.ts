/**
 * What is provisioned for all candidates alike, when nobody says how much: what the operations need
 * at their peak if each were answered by one visit, some headroom, and no less than the data asks.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import type { Limits } from "../../model/limits.ts";
import type { DataFacts } from "../data/facts.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import { growthFactor, totalItems } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import { oneVisitRu, statedVisitRu } from "./measuredPrices.ts";
import type { OperationModel } from "./operationModel.ts";

const HEADROOM = 1.2;
const GIB: number = 1024 ** 3;

export function referenceRate(
  workload: Workload,
  facts: DataFacts,
  models: readonly OperationModel[],
  limits: Limits,
): number {
  const { growth, horizonMonths } = workload;
  const end = horizonMonths * DAYS_PER_MONTH;
  const peak = models.reduce((sum, model) => {
    const { operation, hours, innerPeak } = model;
    const ru = statedVisitRu(model) ?? oneVisitRu(model, workload, end);
    return sum + operation.ratePerSecond * ru * Math.max(...hours) * innerPeak;
  }, 0);
  const wanted = HEADROOM * peak * growthFactor(growth, end);
  const gib = (totalItems(growth, horizonMonths) * storedBytesOf(facts.itemBytes)) / GIB;
  const { rateMin, ratePerGb, rateStep } = limits.manualRate;
  const rate = Math.ceil(Math.max(rateMin, gib * ratePerGb, wanted) / rateStep) * rateStep;
  // No container can have more: what it would take is then refused, under every key alike.
  return Math.min(limits.rateMax, rate);
}
