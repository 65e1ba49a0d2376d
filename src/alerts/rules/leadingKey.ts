/**
 * Decides whether one logical partition makes most of the load of its physical partition, and what
 * to advise.
 *
 * The answer decides about a split: a logical partition is never divided, so a split moves a single
 * heavy key to one of the children, whole, and nothing is gained. The load of logical partitions is
 * an estimate that may be too high by a known error; the decision takes the whole error into
 * account.
 */
import { countText } from "../../base/wording.ts";
import type { ContainerReport, LogicalReport, PartitionReport } from "../../statistics/report.ts";
import { keyText, percentOf, percentText, rateText } from "./wording.ts";

type LeadingKey =
  | {
      /** Whether most of the load belongs to this key: for certain, perhaps, or not. */
      readonly kind: "oneKey" | "perhapsOneKey" | "manyKeys";
      readonly logical: LogicalReport;
      readonly sharePercentMin: number;
      readonly sharePercentMax: number;
    }
  | { readonly kind: "unknown" };

/**
 * `mostPercent` is the share of the RU of its physical partition from which a key makes the load.
 */
export function leadingKeyOf(
  report: ContainerReport,
  partition: PartitionReport,
  mostPercent: number,
): LeadingKey {
  const logical = report.topByLoad.find(
    ({ partitionId, ru }) => partitionId === partition.id && ru !== undefined,
  );
  if (logical?.ru === undefined) return { kind: "unknown" };
  const whole = partition.lastFiveMinutes.ru;
  const sharePercentMax = Math.min(percentOf(logical.ru, whole), 100);
  const certainRu = Math.max(logical.ru - (logical.errorRu ?? 0), 0);
  const sharePercentMin = Math.min(percentOf(certainRu, whole), 100);
  const isCertain = sharePercentMin >= mostPercent;
  const isPossible = sharePercentMax >= mostPercent;
  const kind = isCertain ? "oneKey" : isPossible ? "perhapsOneKey" : "manyKeys";
  return { kind, logical, sharePercentMin, sharePercentMax };
}

/** Says in a sentence which logical partition makes the load. */
export function leadingKeyText(leading: LeadingKey, partitionId: string): string {
  if (leading.kind === "unknown") {
    return `Which keys make the load of physical partition ${partitionId} is not known.`;
  }
  const { logical, sharePercentMin, sharePercentMax } = leading;
  const isExact = sharePercentMax - sharePercentMin < 0.5;
  const share = isExact
    ? percentText(sharePercentMax)
    : `between ${percentText(sharePercentMin)} and ${percentText(sharePercentMax)}`;
  return (
    `The logical partition ${keyText(logical)} accounts for ${share} of the RUs of physical ` +
    `partition ${partitionId}.`
  );
}

/** Advice for a physical partition that has more load than the others. */
export function loadAdvice(
  report: ContainerReport,
  partition: PartitionReport,
  leading: LeadingKey,
): readonly string[] {
  const { partitionRateMax } = report.limits;
  if (leading.kind === "oneKey") {
    const key = keyText(leading.logical);
    return [
      `A split does not help: ${key} is a single logical partition, which is never divided, so ` +
        "all of its load would go to one of the children.",
      `Spread ${key} over several partition keys: a hierarchical partition key whose next level ` +
        "has many values, or a suffix on the value (computed from the item, so that point reads " +
        "stay possible). Both need a new container.",
      "Take load off it: cache what is read again and again, collect small writes into fewer ones.",
      rateAdvice(report, partition) +
        ` One logical partition can never be served more than ${rateText(partitionRateMax)}.`,
    ];
  }
  if (leading.kind === "manyKeys") {
    return [
      `No single logical partition makes the load, so a split of physical partition ` +
        `${partition.id} divides it.`,
      rateAdvice(report, partition),
    ];
  }
  return [
    "Look at the top logical partitions by load first: if one of them makes most of it, a split " +
      "does not help, because a logical partition is never divided. If not, a split does.",
    rateAdvice(report, partition),
  ];
}

function rateAdvice(report: ContainerReport, partition: PartitionReport): string {
  const { kind, isShared } = report.throughput;
  const { partitionRateMax } = report.limits;
  if (kind === "serverless") {
    return "The rate of a serverless physical partition is fixed and cannot be raised.";
  }
  if (partition.allottedRate >= partitionRateMax) {
    return (
      `Raising the rate does not help by itself: physical partition ${partition.id} already has ` +
      `the most that one can have, ${rateText(partitionRateMax)}.`
    );
  }
  const count = report.partitions.length;
  const whose = isShared ? "the database" : "the container";
  const all = count > 1 ? `, and is paid for on all ${countText(count)} physical partitions` : "";
  return (
    `Raising the rate of ${whose} helps until physical partition ${partition.id} has ` +
    `${rateText(partitionRateMax)}; it has ${rateText(partition.allottedRate)} now${all}.`
  );
}
