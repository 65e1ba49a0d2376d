/** Queries over hot and warm containers, and over many keys: `import … from "orrery/router"`. */
export { BadRoute, RouteTooSlow } from "./router/badRoute.ts";
export type { RouteIndex } from "./router/compositeOrder.ts";
export type { DateOptions } from "./router/dateFormat.ts";
export type { HotWarmOptions, HotWarmRouter } from "./router/hotWarmRouter.ts";
export { hotWarmRouter } from "./router/hotWarmRouter.ts";
export type {
  FetchJson,
  OrreryWatermarkOptions,
  TierPlace,
} from "./router/orreryWatermark.ts";
export { orreryWatermark } from "./router/orreryWatermark.ts";
export type { TierName } from "./router/pieces.ts";
export type { RouteOverOptions } from "./router/routeOver.ts";
export { routeOver } from "./router/routeOver.ts";
export type { RouteClock } from "./router/routeSetting.ts";
export type {
  CountQuery,
  RangeRouter,
  RoutedContainer,
  RoutedRows,
  RouteKeyTotals,
  RouteMoment,
  RouteOrder,
  RouteQuery,
  RouteReport,
  StopSignal,
  TierTotals,
} from "./router/routeTypes.ts";
export type { RouteWatermark, SettledState } from "./router/watermark.ts";
