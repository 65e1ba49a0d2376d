/**
 * Logical partitions that outgrow their limit. A logical partition is never split: when it is full,
 * the service refuses every write to it (403), whatever is paid.
 */
import { bytesText } from "../../../base/wording.ts";
import type { LargestKey, Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText, plural } from "../../wording/plain.ts";
import type { Reason } from "../advice.ts";
import { type Ground, totalBytes } from "../ground.ts";
import {
  ALARM_SHARE,
  GINI_ALARM,
  OUTLIER_KEY_SHARE_MAX,
  OUTLIER_KEYS_MIN,
  OUTLIER_LIMITS_MAX,
} from "../thresholds.ts";

export function storageReasons(simulation: Simulation, { limits }: Ground): readonly Reason[] {
  const bytesMax = limits.logicalPartitionBytesMax;
  const { largest } = simulation.keys;
  if (isOver(largest, bytesMax)) return [overLimit(simulation, bytesMax)];
  return nearLimit(simulation, bytesMax);
}

function isOver({ bytesAtEnd, passes20GbOnDay }: LargestKey, bytesMax: number): boolean {
  return bytesAtEnd.value > bytesMax || passes20GbOnDay !== undefined;
}

function overLimit(simulation: Simulation, bytesMax: number): Reason {
  const { keys } = simulation;
  const { largest } = keys;
  const end = bytesText(largest.bytesAtEnd.value);
  const isOutlier = isOutlierOnly(simulation, bytesMax);
  const over = Math.max(1, overCount(simulation, bytesMax));
  const others = over > 1 ? `, and ${plural(over - 1, "other key")} with it` : "";
  return {
    code: isOutlier ? "outlier-over-20GB" : "storage-hot",
    weight: isOutlier ? "condition" : "against",
    sentence: isOutlier
      ? `Of ${numberText(keys.count.value)} keys a few grow too large: ${largest.label} ends at ` +
        `${end}${others}, and a logical partition holds ${bytesText(bytesMax)} at most. The key ` +
        "works if these few are dealt with."
      : `The logical partition of ${largest.label} holds ${percentText(largest.share)} of the ` +
        `data and ends at ${end}${others}; ${bytesText(bytesMax)} is the most one may hold, and ` +
        "then every write to it is refused (403).",
    counterExample: `${largest.label}: ${passing(largest, bytesMax)}`,
    figures: figuresOf(simulation, bytesMax),
  };
}

/** Very many keys, of which a few pass the limit, and those not by much. */
function isOutlierOnly(simulation: Simulation, bytesMax: number): boolean {
  const { largest, count } = simulation.keys;
  return (
    count.value > OUTLIER_KEYS_MIN &&
    largest.bytesAtEnd.value < OUTLIER_LIMITS_MAX * bytesMax &&
    overCount(simulation, bytesMax) <= OUTLIER_KEY_SHARE_MAX * count.value
  );
}

/** More keys than fit into all there is cannot be over: then only the largest is known to be. */
function overCount(simulation: Simulation, bytesMax: number): number {
  const { overLimitCount } = simulation.keys.largest;
  return overLimitCount * bytesMax <= totalBytes(simulation) ? overLimitCount : 1;
}

function passing({ passes15GbOnDay, passes20GbOnDay }: LargestKey, bytesMax: number): string {
  const steps: readonly (readonly [number | undefined, number])[] = [
    [passes15GbOnDay, ALARM_SHARE * bytesMax],
    [passes20GbOnDay, bytesMax],
  ];
  const passed = steps.flatMap(([day, bytes]) =>
    day === undefined ? [] : [`${bytesText(bytes)} on day ${numberText(Math.ceil(day))}`],
  );
  return passed.length === 0 ? "too large at the end" : `passes ${passed.join(" and ")}`;
}

/** Within the limit, but so that somebody should know. */
function nearLimit(simulation: Simulation, bytesMax: number): readonly Reason[] {
  const { largest, giniBytes } = simulation.keys;
  const { value, high } = largest.bytesAtEnd;
  const isUneven = giniBytes > GINI_ALARM && value > bytesMax / 4;
  if (value < ALARM_SHARE * bytesMax && high <= bytesMax && !isUneven) return [];
  const mayPass = high > bytesMax ? ` It may be as much as ${bytesText(high)}.` : "";
  const gini = isUneven
    ? ` Bytes are distributed unevenly (Gini ${numberText(giniBytes)}; the guides raise an alert ` +
      `at ${GINI_ALARM}).`
    : "";
  return [
    {
      code: "storage-hot",
      weight: "remark",
      sentence:
        `The largest logical partition (${largest.label}) ends at ${bytesText(value)}, ` +
        `${percentText(value / bytesMax)} of the ${bytesText(bytesMax)} it may hold.` +
        `${mayPass}${gini}`,
      counterExample: `${largest.label}: ${
        largest.passes15GbOnDay === undefined ? "below the alert" : passing(largest, bytesMax)
      }`,
      figures: figuresOf(simulation, bytesMax),
    },
  ];
}

function figuresOf(simulation: Simulation, bytesMax: number): Record<string, number> {
  const { largest, count, giniBytes } = simulation.keys;
  const { passes15GbOnDay, passes20GbOnDay } = largest;
  return {
    largestBytes: largest.bytesAtEnd.value,
    limitBytes: bytesMax,
    share: largest.share,
    totalBytes: totalBytes(simulation),
    keyCount: count.value,
    overLimitCount: overCount(simulation, bytesMax),
    giniBytes,
    ...(passes15GbOnDay === undefined ? {} : { alarmDay: passes15GbOnDay }),
    ...(passes20GbOnDay === undefined ? {} : { fullDay: passes20GbOnDay }),
  };
}
