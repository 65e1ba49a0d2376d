/**
 * How many values a property has at the end of the horizon, where the workload says that they
 * become more: with the items, or so many a day. Without that there are as many as there were.
 */

import { DAYS_PER_MONTH } from "../../base/units.ts";
import { itemsWritten, totalItems } from "../workload/totalItems.ts";
import type { Growth, PropertyShape, Workload } from "../workload/workload.ts";

/** `fromItems`: among how many items there are so many now; undefined: those of the beginning. */
export function grownDistinct(
  distinct: number,
  { grows }: Pick<PropertyShape, "grows">,
  { growth, horizonMonths }: Pick<Workload, "growth" | "horizonMonths">,
  fromItems?: number,
): number {
  switch (grows?.kind) {
    case undefined:
    case "fixed":
      return distinct;
    case "withItems": {
      const now = Math.max(1, fromItems ?? itemsAtBeginning(growth));
      return distinct * Math.max(1, totalItems(growth, horizonMonths) / now);
    }
    case "perDay":
      return distinct + grows.count * horizonMonths * DAYS_PER_MONTH;
  }
}

/** A container that begins empty has its first values after a month. */
function itemsAtBeginning(growth: Growth): number {
  return growth.initialItems > 0 ? growth.initialItems : itemsWritten(growth, 0, DAYS_PER_MONTH);
}

/** With the numbers of the end in place of those of the beginning. */
export function grownShapes(
  shapes: ReadonlyMap<string, PropertyShape>,
  workload: Pick<Workload, "growth" | "horizonMonths">,
): ReadonlyMap<string, PropertyShape> {
  return new Map(
    [...shapes].map(([path, shape]) => {
      if (shape.distinct === undefined || shape.grows === undefined) return [path, shape];
      return [
        path,
        { ...shape, distinct: Math.round(grownDistinct(shape.distinct, shape, workload)) },
      ];
    }),
  );
}
