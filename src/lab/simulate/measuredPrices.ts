/**
 * Prices that were measured beside those that are worked out. A measured one is used, whatever the
 * model says; where the two differ, that is told, because one of them is wrong about something.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import type { DataFacts } from "../data/facts.ts";
import { itemsOnDay } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import { foundWithin, type OperationModel, operationModels } from "./operationModel.ts";

/** A query that finds all it asks for in one logical partition, which holds nothing else. */
export function oneVisitRu(model: OperationModel, workload: Workload, day: number): number {
  const { price, pointRu, operation } = model;
  if (price === undefined) return pointRu;
  const { matchCount, rowCount, candidateCount } = foundWithin(model, workload, day, undefined);
  const heldItems = Math.max(matchCount, candidateCount);
  const { pageSize } = operation;
  const found = { matchCount, rowCount, heldItems, partitionItems: heldItems, pageSize };
  return price.visitRu + price.foundRu({ ...found, candidateCount });
}

/** The measured price, as if all of it had been met in one visit; undefined: there is none. */
export function statedVisitRu({ operation, price }: OperationModel): number | undefined {
  const { ru, ruPartitions = 1 } = operation;
  if (ru === undefined || price === undefined) return ru;
  return Math.max(price.visitRu, ru - (ruPartitions - 1) * price.visitRu);
}

/** Prices within this share of each other are the same. */
const ALIKE = 0.1;

/** Sentences for the report. */
export function priceRemarks(workload: Workload, facts: DataFacts): readonly string[] {
  const modelled = operationModels(
    { ...workload, operations: workload.operations.map((each) => ({ ...each, ru: undefined })) },
    facts,
  );
  const stated = operationModels(workload, facts);
  const day = measuredDay(workload);
  let alike = 0;
  const different = stated.flatMap((model, at) => {
    const measured = statedVisitRu(model);
    if (measured === undefined) return [];
    const worked = oneVisitRu(modelled[at]!, workload, day);
    if (Math.abs(measured - worked) <= ALIKE * Math.max(measured, worked)) {
      alike++;
      return [];
    }
    return [
      `'${model.operation.id}' costs ${ruText(measured)} RU a visit as measured and ` +
        `${ruText(worked)} RU as modelled; the measured price is used.`,
    ];
  });
  if (alike === 0) return different;
  const some = alike === 1 ? "one operation" : `${alike} operations`;
  return [...different, `Measured and modelled prices of ${some} agree within 10 %.`];
}

/** With the items there are; where there are none yet, with those there will be. */
function measuredDay({ growth, horizonMonths }: Workload): number {
  return itemsOnDay(growth, 0) > 0 ? 0 : horizonMonths * DAYS_PER_MONTH;
}

function ruText(amount: number): string {
  return amount >= 100 ? String(Math.round(amount)) : String(Number(amount.toPrecision(3)));
}
