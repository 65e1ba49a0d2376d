/**
 * Too few keys. They are a ceiling: no more data and no more load than so many logical partitions
 * can take, whatever is paid. Keys that are periods do not count here: new ones keep coming.
 */
import { bytesText } from "../../../base/wording.ts";
import type { Simulation } from "../../simulate/simulation.ts";
import { numberText, plural, rateText } from "../../wording/plain.ts";
import type { Reason } from "../advice.ts";
import { type Ground, partitionCount, ratio, totalBytes } from "../ground.ts";
import { CARDINALITY_MIN, ROOM_SHARE_MAX } from "../thresholds.ts";

/** With what else was found: few keys that break a limit are the cause of it. */
export function cardinalityReasons(
  simulation: Simulation,
  { limits }: Ground,
  others: readonly Reason[],
): readonly Reason[] {
  const { keys } = simulation;
  const count = keys.count.value;
  if (keys.period !== undefined || count >= CARDINALITY_MIN) return [];
  const bytesMax = ratio(limits.logicalPartitionBytesMax, keys.largest.share);
  const rateMax = count * limits.partitionRateMax;
  const room = ratio(totalBytes(simulation), bytesMax);
  const partitions = partitionCount(simulation);
  const weight = breaksLimit(others)
    ? "against"
    : room > ROOM_SHARE_MAX || (partitions > 1 && partitions > count)
      ? "condition"
      : "remark";
  const ceiling =
    `${bytesText(bytesMax)} is all the container can ever hold with the largest of them where it ` +
    `is, and ${rateText(rateMax)} all it can serve`;
  const says =
    weight === "remark"
      ? `this container, with ${bytesText(totalBytes(simulation))} at the end, is far from that`
      : `it will have ${bytesText(totalBytes(simulation))} on ` +
        `${plural(partitions, "physical partition")}`;
  return [
    {
      code: "low-cardinality",
      weight,
      sentence: `There are only ${numberText(count)} keys: ${ceiling}; ${says}.`,
      counterExample: keys.largest.label,
      figures: { keyCount: count, bytesMax, rateMax, partitionCount: partitions },
    },
  ];
}

function breaksLimit(reasons: readonly Reason[]): boolean {
  return reasons.some(
    ({ code, weight }) =>
      weight === "against" && (code === "storage-hot" || code === "throughput-hot"),
  );
}
