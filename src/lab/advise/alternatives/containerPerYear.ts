/**
 * A container for each year, which the guides advise against: what it would cost more, and who
 * would have to ask several of them. Said where items are kept for years.
 */
import type { Limits } from "../../../model/limits.ts";
import { manualCost } from "../../simulate/money.ts";
import { moneyText, numberText, percentText, rateText } from "../../wording/plain.ts";
import { accessOf } from "../../workload/access.ts";
import type { Operation } from "../../workload/workload.ts";
import type { Alternative } from "../advice.ts";
import { type Ground, isRead, rateOf, ratio, totalBytes } from "../ground.ts";
import type { Judgement } from "../judge.ts";

const YEAR_DAYS = 365;
const YEARS_MIN = 3;
const GIB: number = 1024 ** 3;

export function containerPerYear(
  ranked: readonly Judgement[],
  ground: Ground,
): readonly Alternative[] {
  const [best] = ranked;
  const { workload, facts, limits } = ground;
  const days = workload.growth.retentionDays ?? 0;
  const years = Math.ceil(days / YEAR_DAYS) + 1;
  const hasTime = [...facts.properties.values()].some(({ time }) => time !== undefined);
  if (best === undefined || years - 1 < YEARS_MIN || !hasTime) return [];
  const gib = totalBytes(best.simulation) / GIB;
  const idle = idleRate(gib / years, limits);
  // What one container needs for its load and all its data, several need for their parts.
  const load = best.simulation.load.neededRate ?? best.simulation.load.provisioned;
  const one = Math.max(load, idleRate(gib, limits));
  const more = Math.max(0, (years - 1) * idle + Math.max(load, idle) - one);
  const cost = more > 0 ? ` (${moneyText(manualCost(more, 0, limits))} a month more)` : "";
  const reads = workload.operations.filter(isRead);
  const wide = ratio(rateOf(reads.filter((one) => !isWithinYear(one))), rateOf(reads));
  const who =
    wide > 0
      ? `${percentText(wide)} of the reads would have to ask all ${numberText(years)} of them`
      : "reads at the turn of a year would have to ask two";
  return [
    {
      kind: "container-per-year",
      sentence:
        `A container for each year is not recommended: there would be ${numberText(years)} at a ` +
        `time, of which ${numberText(years - 1)} get no writes and have ${rateText(idle)} each ` +
        `at the least${cost}, and ${who}. Items that expire do the ` +
        "same in one.",
    },
  ];
}

/** What a container has to have whether it is asked or not: by itself, and by its data. */
function idleRate(gib: number, { manualRate }: Limits): number {
  const { rateMin, ratePerGb, rateStep } = manualRate;
  return Math.ceil(Math.max(rateMin, gib * ratePerGb) / rateStep) * rateStep;
}

function isWithinYear(operation: Operation): boolean {
  // Of what nobody describes nothing is said.
  if (operation.sql === undefined) return (operation.ageDays ?? 0) <= YEAR_DAYS;
  const { range, top, order } = accessOf(operation);
  if (range?.spanDays !== undefined) return range.spanDays <= YEAR_DAYS;
  return top !== undefined && order?.isDescending === true;
}
