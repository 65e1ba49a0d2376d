/**
 * A watermark: how far everything that is old is settled in the warm container.
 *
 * Anybody may make one; `orreryWatermark.ts` asks a server of Orrery. Its promise: at the moment of
 * the call every item of hot that is dated before `settledBefore` was in warm, equal to what was in
 * hot, and no copy in warm dated before it was older than its item in hot. Undefined, or an error:
 * nobody knows, and both containers are asked.
 */
import type { StopSignal } from "./routeTypes.ts";

export type RouteWatermark = (signal?: StopSignal) => Promise<SettledState | undefined>;

export interface SettledState {
  /** Milliseconds since 1970; undefined: unknown. */
  readonly settledBefore?: number;
  /** No item of this date, or a later one, is in warm alone. It may be later than the threshold. */
  readonly movedBefore?: number;
  /** The rest is for finding out that a router was told something else. */
  readonly ageSeconds?: number;
  readonly ageProperty?: string;
  readonly markProperty?: string;
  readonly markTtlSeconds?: number;
}
