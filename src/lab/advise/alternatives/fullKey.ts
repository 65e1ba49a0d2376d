/**
 * Ways to live with a key that is right but for a few values: going on under the next suffix when
 * a logical partition is full, overwriting the oldest items, spreading a hot value over suffixes.
 */

import { bytesText } from "../../../base/wording.ts";
import { numberText, percentText, plural } from "../../wording/plain.ts";
import type { Alternative, ReasonCode } from "../advice.ts";
import { type Ground, hottestAllotment } from "../ground.ts";
import type { Judgement } from "../judge.ts";
import { ALARM_SHARE } from "../thresholds.ts";

/** What suffixes cure. */
const CURABLE: readonly ReasonCode[] = [
  "throughput-hot",
  "current-period-hot",
  "storage-hot",
  "low-cardinality",
];
/** A suffix should have no more than this of a physical partition: others live there too. */
const PARTITION_SHARE = 0.5;

export function fullKeyPatterns(
  ranked: readonly Judgement[],
  ground: Ground,
): readonly Alternative[] {
  return [...outliers(ranked, ground), ...suffixes(ranked, ground)];
}

/** The first candidate that a few outliers keep from being good. */
function outliers(ranked: readonly Judgement[], { limits }: Ground): readonly Alternative[] {
  const found = ranked.find(({ reasons }) => {
    const grave = reasons.filter(({ weight }) => weight !== "remark");
    return grave.length === 1 && grave[0]?.code === "outlier-over-20GB";
  });
  if (found === undefined) return [];
  const { candidate, keys } = found.simulation;
  const { overLimitCount, overLimitShare } = keys.largest;
  const count = Math.max(1, overLimitCount);
  return [
    {
      kind: "full-key-pattern",
      sentence:
        `With ${candidate.id} only ${plural(count, "key")} of ${numberText(keys.count.value)} ` +
        `(${percentText(overLimitShare)} of the data) ${count === 1 ? "outgrows" : "outgrow"} ` +
        `${bytesText(limits.logicalPartitionBytesMax)}. An application that goes on under the ` +
        "next suffix when a write is refused (a linked list of keys), or overwrites the oldest " +
        "items (a circular buffer), can keep it; `orrery/keys` has both.",
    },
  ];
}

/** Where no key is good without conditions: the first that only its hottest value spoils. */
function suffixes(ranked: readonly Judgement[], { limits }: Ground): readonly Alternative[] {
  if (ranked[0]?.standing === "workable") return [];
  const found = ranked.find(({ reasons }) => {
    const grave = reasons.filter(({ weight }) => weight !== "remark");
    return grave.length > 0 && grave.every(({ code }) => CURABLE.includes(code));
  });
  if (found === undefined) return [];
  const { candidate, keys, load } = found.simulation;
  const rateMax =
    PARTITION_SHARE * Math.min(limits.partitionRateMax, hottestAllotment(found.simulation));
  const bytesMax = ALARM_SHARE * limits.logicalPartitionBytesMax;
  const forRate = rateMax > 0 ? load.hottestKey.rate.value / rateMax : 1;
  const count = Math.ceil(Math.max(forRate, keys.largest.bytesAtEnd.value / bytesMax, 2));
  return [
    {
      kind: "full-key-pattern",
      sentence:
        `${candidate.id} is spoilt by its largest value (${keys.largest.label}). A suffix from 1 ` +
        `to ${numberText(count)} behind it, calculated from what readers know of the item, would ` +
        `spread that enough; who does not know the item asks ${numberText(count)} keys.`,
    },
  ];
}
