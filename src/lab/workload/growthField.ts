/** The `growth` of a workload file, and how far a simulation has to look because of it. */
import { DAY_SECONDS, DAYS_PER_MONTH } from "../../base/units.ts";
import type { SourceNode } from "../../yaml/sourceTree.ts";
import {
  type AmountRule,
  amountOf,
  COUNT,
  DAYS,
  FACTOR,
  Fields,
  hoursOf,
  type Reading,
} from "./reading.ts";
import type { Growth, Operation } from "./workload.ts";

const HORIZON_MONTHS = 24;

const PER_MONTH: AmountRule = {
  ...COUNT,
  what: "a share such as 0.05 for 5 % more each month",
  min: -0.99,
};

export function growthOf(
  node: SourceNode | undefined,
  operations: readonly Operation[],
  reading: Reading,
): Growth {
  const created = createdPerDay(operations);
  if (node === undefined) {
    remarkDerived(created, reading);
    return { ...NO_GROWTH, itemsPerDay: created };
  }
  const fields = new Fields(node, reading);
  const itemsPerDay = amountOf(fields.take("itemsPerDay", "docsPerDay"), COUNT, reading);
  const hours = hoursOf(fields.take("hours"), reading);
  const retention = fields.take("retentionDays");
  const growth: Growth = {
    itemsPerDay: itemsPerDay ?? created,
    initialItems: amountOf(fields.take("initialItems"), COUNT, reading) ?? 0,
    retentionDays: amountOf(retention, { ...DAYS, min: Number.MIN_VALUE }, reading),
    perMonth: amountOf(fields.take("perMonth", "growthPerMonth"), PER_MONTH, reading) ?? 0,
    peakFactor: amountOf(fields.take("peakFactor"), FACTOR, reading) ?? peakOf(hours),
    hours,
  };
  fields.close();
  if (itemsPerDay === undefined) remarkDerived(created, reading);
  else remarkMismatch(itemsPerDay, operations, reading);
  return growth;
}

/** The horizon in months: as long as items are kept, and at least two years. */
export function horizonOf({ retentionDays = 0 }: Growth): number {
  return Math.min(600, Math.max(HORIZON_MONTHS, Math.ceil(retentionDays / DAYS_PER_MONTH)));
}

const NO_GROWTH: Growth = {
  itemsPerDay: 0,
  initialItems: 0,
  retentionDays: undefined,
  perMonth: 0,
  peakFactor: 1,
  hours: undefined,
};

function peakOf(hours: readonly number[] | undefined): number {
  if (hours === undefined) return 1;
  const mean = hours.reduce((sum, hour) => sum + hour, 0) / hours.length;
  return Math.max(...hours) / mean;
}

function ratesOf(operations: readonly Operation[], kind: Operation["kind"]): number {
  const rates = operations.filter((one) => one.kind === kind).map((one) => one.ratePerSecond);
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/**
 * Items created per day. Upserts count only if nothing else creates items: most upserts replace
 * one.
 */
function createdPerDay(operations: readonly Operation[]): number {
  const created = ratesOf(operations, "create") || ratesOf(operations, "upsert");
  return created * DAY_SECONDS;
}

function remarkDerived(created: number, reading: Reading): void {
  const rounded = Number(created.toPrecision(6));
  reading.remark(
    `growth.itemsPerDay is not given; ${rounded} a day were taken ` +
      "from the rates of what creates items.",
  );
}

function remarkMismatch(
  itemsPerDay: number,
  operations: readonly Operation[],
  reading: Reading,
): void {
  const created = ratesOf(operations, "create") * DAY_SECONDS;
  const most = created + ratesOf(operations, "upsert") * DAY_SECONDS;
  const isTooLittle = itemsPerDay > most * 1.2 && most > 0;
  if (!isTooLittle && created <= itemsPerDay * 1.2) return;
  const rounded = Number((isTooLittle ? most : created).toPrecision(6));
  reading.remark(
    `growth.itemsPerDay is ${itemsPerDay}, but the operations create ${rounded} items a day; ` +
      "storage follows the first, load the second.",
  );
}
