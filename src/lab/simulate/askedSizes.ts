/**
 * How much is found depends on how large a key is: what an operation pays in each, and whether the
 * newest period has enough for who wants the newest few.
 */
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { grainDays } from "../candidate/keyShape.ts";
import { isNewestFirst } from "../candidate/routing.ts";
import type { Population } from "../data/facts.ts";
import type { LoadSetting } from "./load.ts";
import { foundWithin, type OperationModel } from "./operationModel.ts";
import type { Routing } from "./simulation.ts";

/**
 * The newest few are in the newest period if it has so many already, and now is anywhere in it;
 * otherwise the one before is asked as well.
 */
export function withEnough(routing: Routing, model: OperationModel, setting: LoadSetting): Routing {
  const { access, operation } = model;
  const { shape, workload, day } = setting;
  const isOfNewest = routing.kind === "keys" && routing.count < 2 && isNewestFirst(shape, access);
  if (!isOfNewest || operation.resultItems !== undefined || access.top === undefined) {
    return routing;
  }
  const days = Math.max(...[...shape.times.values()].map(({ grain }) => grainDays(grain)));
  const { candidateCount } = foundWithin(model, workload, day, days);
  const short = access.top / Math.max(candidateCount, Number.MIN_VALUE);
  return { kind: "keys", count: 1 + Math.min(1, short) };
}

/** Keys whose sizes differ by less are alike. */
const SIZES_PER_DOUBLING = 8;

/**
 * What is paid in a key: more is found where more is, if the filter asks for what the key is made
 * of. Otherwise nobody knows, and all pay the same.
 */
export function ruByKey(
  { access, operation }: OperationModel,
  { shape, population }: LoadSetting,
  ruFor: (factor: number) => number,
): (entry: KeyEntry) => number {
  const mean = meanKeyShare(population);
  const isAsked =
    operation.kind === "query" &&
    shape.staticPaths.length > 0 &&
    shape.hashCounts.size === 0 &&
    shape.staticPaths.every((path) => access.equal.get(path)?.count === 1);
  if (!isAsked || mean === 0) {
    const ru = ruFor(1);
    return () => ru;
  }
  const bills = new Map<number, number>();
  return ({ itemShare, keyCount }) => {
    const share = itemShare / keyCount / mean;
    const step =
      share <= 0 ? Number.NEGATIVE_INFINITY : Math.round(SIZES_PER_DOUBLING * Math.log2(share));
    const known = bills.get(step);
    if (known !== undefined) return known;
    const ru = ruFor(share);
    bills.set(step, ru);
    return ru;
  };
}

/** Of all items, what a key has that is asked for. */
export function meanKeyShare({ rows }: Population): number {
  return rows.reduce(
    (sum, { requestShare, itemShare, keyCount }) => sum + (requestShare * itemShare) / keyCount,
    0,
  );
}
