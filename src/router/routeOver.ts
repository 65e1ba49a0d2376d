/**
 * A range of dates over one container: under the keys that a strategy names for the range, or over
 * all keys with one query where the strategy cannot name them.
 *
 * The same as `hotWarmRouter.ts` with nothing but hot.
 */
import type { KeyStrategy } from "../keys/strategy.ts";
import { type RouteIndex, readIndexes } from "./compositeOrder.ts";
import type { DateOptions } from "./dateFormat.ts";
import { dateFormatOf } from "./dateFormat.ts";
import { checkNames } from "./knownNames.ts";
import { openRouter } from "./openRouter.ts";
import { pathOf } from "./routeRequest.ts";
import type { RangeRouter, RoutedContainer } from "./routeTypes.ts";

export interface RouteOverOptions extends DateOptions {
  readonly container: RoutedContainer;
  /** The property that has the date: its name, or a path such as "/meta/published". */
  readonly dateProperty: string;
  /** How keys are made, if they are: a query asks only those that it needs. */
  readonly strategy?: KeyStrategy;
  /** Those of the container's indexing policy, for the order of rows. */
  readonly compositeIndexes?: readonly RouteIndex[];
}

export function routeOver(options: RouteOverOptions): RangeRouter {
  checkNames("routeOver", options, {
    container: true,
    dateProperty: true,
    dateFormat: true,
    isoDigits: true,
    strategy: true,
    compositeIndexes: true,
  });
  return openRouter({
    containers: new Map([["only", options.container]]),
    datePath: pathOf("dateProperty", options.dateProperty),
    format: dateFormatOf(options),
    paths: options.strategy?.paths ?? [],
    strategy: options.strategy,
    compositeIndexes: new Map([["only", readIndexes(options.compositeIndexes)]]),
    markProperty: undefined,
    unmarked: undefined,
    isChecked: false,
    clock: undefined,
    survey: async ({ span }) => ({ pieces: [{ span, tiers: ["only"] }] }),
  });
}
