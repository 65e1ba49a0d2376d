/**
 * Two containers by age: a small one for what is read and written now, which expires there, and a
 * large one for what is kept. The guides recommend it above 500 GB when most reads are for recent
 * items; a key of periods that is good for reads but too hot is another sign.
 */

import { bytesText } from "../../../base/wording.ts";
import { percentText, plural } from "../../wording/plain.ts";
import { type Access, accessOf } from "../../workload/access.ts";
import type { Operation } from "../../workload/workload.ts";
import type { Alternative } from "../advice.ts";
import {
  type Ground,
  isRead,
  partitionCount,
  rateOf,
  ratio,
  surchargeOf,
  totalBytes,
  usefulRate,
} from "../ground.ts";
import type { Judgement } from "../judge.ts";

/** 500 GB by the guides, said in logical partitions so that it scales with the limits. */
const LOGICAL_PARTITIONS_MIN = 25;
/** Items expire in the hot container after so many days: 30, and half as many as a safety net. */
const HOT_DAYS = 45;
/** The guides expect four queries in five at the hot container. */
const RECENT_READS_MIN = 0.8;
/** Fewer reads than this, by rate or by RU, are not worth a container. */
const READ_SHARE_MIN = 0.1;

export function hotWarm(ranked: readonly Judgement[], ground: Ground): readonly Alternative[] {
  const first = ranked[0];
  const { workload, limits } = ground;
  if (first === undefined) return [];
  const keptDays = workload.growth.retentionDays ?? workload.horizonMonths * 30;
  const reads = workload.operations.filter(isRead);
  const recent = ratio(rateOf(reads.filter((one) => isRecent(one, ground))), rateOf(reads));
  const bytes = totalBytes(first.simulation);
  const isLarge = bytes > LOGICAL_PARTITIONS_MIN * limits.logicalPartitionBytesMax;
  const hotPeriod = ranked.find(isPeriodTooHot);
  const isAsked = isLarge || (first.standing === "bad" && hotPeriod !== undefined);
  if (!isAsked || recent < RECENT_READS_MIN || keptDays < 2 * HOT_DAYS) return [];
  if (!doReadsMatter(first)) return [];
  const hotShare = Math.min(1, HOT_DAYS / keptDays);
  const partitions = partitionCount(first.simulation);
  const hotPartitions = Math.max(1, Math.ceil(partitions * hotShare));
  const surcharge = first.simulation.operations.reduce((sum, one) => sum + surchargeOf(one), 0);
  const less =
    surcharge > 0
      ? ` What asks all of them now would ask ${plural(hotPartitions, "physical partition")} ` +
        `instead of ${partitions}.`
      : "";
  return [
    {
      kind: "hot-warm",
      sentence:
        `${percentText(recent)} of the reads are for items of the last ${HOT_DAYS} days, which ` +
        `are ${bytesText(bytes * hotShare)} of ${bytesText(bytes)}. A hot container for them ` +
        `(items expire after ${HOT_DAYS} days, and are copied to a warm one after 30) would be ` +
        `small and quick, and the warm one cheap.${less}`,
    },
  ];
}

function doReadsMatter({ simulation }: Judgement): boolean {
  const { operations } = simulation;
  const reads = operations.filter(isRead);
  const byRate = ratio(rateOf(reads), rateOf(operations));
  return Math.max(byRate, ratio(usefulRate(reads), usefulRate(operations))) >= READ_SHARE_MIN;
}

function isPeriodTooHot({ reasons }: Judgement): boolean {
  return reasons.some(({ code, weight }) => code === "current-period-hot" && weight === "against");
}

function isRecent(operation: Operation, { facts }: Ground): boolean {
  if (operation.ageDays !== undefined) return operation.ageDays <= HOT_DAYS;
  const access = accessOf(operation);
  const isTime = (path: string): boolean => facts.properties.get(path)?.time !== undefined;
  return reachDays(access, isTime) <= HOT_DAYS;
}

/** How far back a query looks; the newest few lie at the end. */
function reachDays(access: Access, isTime: (path: string) => boolean): number {
  const { range, order, top } = access;
  if (range?.spanDays !== undefined && range.endsDaysAgo !== undefined) {
    return range.spanDays + range.endsDaysAgo;
  }
  const isNewest = order?.isDescending === true && isTime(order.path) && top !== undefined;
  return isNewest ? 0 : Number.POSITIVE_INFINITY;
}
