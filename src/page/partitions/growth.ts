/**
 * When the largest logical and the largest physical partition reach what one of them may hold, if
 * the container grows on as it did.
 *
 * Only the growth of the whole container is known. A partition is taken to grow in proportion to
 * its bytes, which is said wherever a date is shown.
 */
import { DAY_SECONDS } from "../../base/units.ts";
import { bytesText, daysText } from "../../base/wording.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { keyText } from "./keyPlace.ts";
import type { TopKeys } from "./splitVerdict.ts";

interface Filling {
  readonly of: "logical" | "physical";
  /** The key, or "partition 3". */
  readonly name: string;
  readonly bytes: number;
  readonly bytesMax: number;
  /** Milliseconds since 1970; absent when it does not grow, or nobody measured growth. */
  readonly fullAt?: number | undefined;
  readonly days?: number | undefined;
}

/** Beyond this a date says nothing. */
const DAYS_MAX = 3650;

/** The logical partition first; none in an empty container. */
export function fillingsOf(report: ContainerReport, { bySize }: TopKeys): readonly Filling[] {
  const { limits, figures, partitions, at } = report;
  const [largestKey] = bySize;
  const largest = partitions.reduce<(typeof partitions)[number] | undefined>(
    (most, each) => (most === undefined || each.itemBytes > most.itemBytes ? each : most),
    undefined,
  );
  const filling = (of: Filling["of"], name: string, bytes: number, bytesMax: number): Filling => {
    const perDay = figures.bytesPerDay;
    if (perDay === undefined || perDay <= 0 || figures.itemBytes === 0 || bytes === 0) {
      return { of, name, bytes, bytesMax };
    }
    const days = Math.max(0, (bytesMax - bytes) / (perDay * (bytes / figures.itemBytes)));
    if (days > DAYS_MAX) return { of, name, bytes, bytesMax };
    return { of, name, bytes, bytesMax, days, fullAt: at + days * DAY_SECONDS * 1000 };
  };
  return [
    ...(largestKey === undefined
      ? []
      : [
          filling(
            "logical",
            keyText(largestKey),
            largestKey.itemBytes,
            limits.logicalPartitionBytesMax,
          ),
        ]),
    ...(largest === undefined || largest.itemBytes === 0
      ? []
      : [
          filling(
            "physical",
            `partition ${largest.id}`,
            largest.itemBytes,
            limits.physicalPartitionBytesMax,
          ),
        ]),
  ];
}

/** One sentence about the first limit that will be met; `undefined` when there is none in sight. */
export function growthSentence(
  report: ContainerReport,
  keys: TopKeys,
  dateText: (at: number) => string,
): string | undefined {
  const [first] = fillingsOf(report, keys)
    .filter(({ fullAt }) => fullAt !== undefined)
    .toSorted((one, other) => one.fullAt! - other.fullAt!);
  if (first === undefined) return undefined;
  const { of, name, bytesMax, fullAt, days } = first;
  if (days === 0) return `${capital(name)} is at its limit of ${bytesText(bytesMax)}.`;
  const then = of === "logical" ? "then writes to it are refused" : "then it is split";
  return (
    `At this growth ${name} reaches its ${bytesText(bytesMax)} on ${dateText(fullAt!)}, in ` +
    `${daysText(days!)}; ${then}.`
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
