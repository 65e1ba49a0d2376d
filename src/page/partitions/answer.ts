/**
 * The answer to "how is the data placed, and where is the load?", in a few sentences with numbers:
 * the busiest physical partition beside the whole, its heaviest key, whether a split helps, and
 * when a limit is met.
 */
import { bytesText, counted } from "../../base/wording.ts";
import type { ContainerReport, Load, PartitionReport } from "../../statistics/report.ts";
import { amountText, percentText, rateText, shareText } from "../parts/numbers.ts";
import { growthSentence } from "./growth.ts";
import { keyText } from "./keyPlace.ts";
import { heaviestOf, splitVerdict, type TopKeys } from "./splitVerdict.ts";

/** The one with most RU in the last five minutes, or else with most bytes. */
export function partitionToLookAt({ partitions }: ContainerReport): PartitionReport | undefined {
  const weight = ({ lastFiveMinutes, itemBytes }: PartitionReport): readonly [number, number] => [
    lastFiveMinutes.ru + lastFiveMinutes.throttledCount,
    itemBytes,
  ];
  return partitions.toSorted((one, other) => {
    const [load, bytes] = weight(one);
    const [otherLoad, otherBytes] = weight(other);
    return otherLoad - load || otherBytes - bytes;
  })[0];
}

export function answerOf(
  report: ContainerReport,
  keys: TopKeys,
  dateText: (at: number) => string,
): string {
  const { figures, partitions } = report;
  const looked = partitionToLookAt(report);
  if (looked === undefined || (figures.itemCount === 0 && figures.requestCount === 0)) {
    const empty = counted(partitions.length, "physical partition");
    return `Nothing is in here yet: ${empty}, all empty.`;
  }
  const growth = growthSentence(report, keys, dateText);
  const sentences =
    figures.requestCount === 0 ? atRest(report, looked, keys) : underLoad(report, looked, keys);
  return [...sentences, ...(growth === undefined ? [] : [growth])].join(" ");
}

function underLoad(
  report: ContainerReport,
  looked: PartitionReport,
  keys: TopKeys,
): readonly string[] {
  const { figures, partitions } = report;
  const { id, lastFiveMinutes: load } = looked;
  const spent = partitions.reduce((sum, each) => sum + each.lastFiveMinutes.ru, 0);
  const name = `Partition ${id}`;
  const share = shareText(spent === 0 ? 0 : load.ru / spent);
  const took =
    partitions.length === 1
      ? "The only physical partition"
      : `${name} took ${share} of all RU in the last five minutes;`;
  const use =
    `${partitions.length === 1 ? " used" : " its busiest second used"} ` +
    `${percentText(load.normalizedPercent)} of its share, the whole container ` +
    `${percentText(wholePercent(partitions))} of its rate on average.`;
  const refused =
    load.throttledCount === 0
      ? []
      : [`${shareText(throttledShareOf(load))} of its requests were refused (429).`];
  const verdict = splitVerdict(looked, keys, report.limits);
  const heaviest = heaviestOf(looked, keys, "load");
  const top =
    verdict.kind !== "notNeeded" || heaviest === undefined || figures.ru === 0
      ? []
      : [`Its top key, ${keyText(heaviest.key)}, is ${shareText(heaviest.share)} of that.`];
  return [`${took}${use}`, ...refused, ...top, verdict.says];
}

function atRest(
  report: ContainerReport,
  looked: PartitionReport,
  keys: TopKeys,
): readonly string[] {
  const { figures, partitions } = report;
  const heaviest = heaviestOf(looked, keys, "bytes");
  const bytes = bytesText(figures.itemBytes);
  const share = shareText(looked.itemBytes / Math.max(1, figures.itemBytes));
  const verdict = splitVerdict(looked, keys, report.limits);
  const where =
    partitions.length === 1
      ? `${amountText(figures.itemCount)} items, ${bytes}, are in one physical partition.`
      : `Partition ${looked.id} holds ${share} of ` +
        `${bytes} in ${partitions.length} physical partitions.`;
  const top =
    heaviest === undefined
      ? []
      : [`Its largest key, ${keyText(heaviest.key)}, is ${shareText(heaviest.share)} of that.`];
  const rest = "Nothing was asked in the last five minutes.";
  return [where, ...top, rest, ...(verdict.kind === "notNeeded" ? [] : [verdict.says])];
}

/** What all spent together over what all were allotted, in percent, as an average. */
function wholePercent(partitions: readonly PartitionReport[]): number {
  const spent = partitions.reduce((sum, { lastFiveMinutes }) => sum + lastFiveMinutes.ru, 0);
  const allotted = partitions.reduce(
    (sum, { allottedRate, lastFiveMinutes }) => sum + allottedRate * lastFiveMinutes.seconds,
    0,
  );
  return allotted === 0 ? 0 : (100 * spent) / allotted;
}

export function throttledShareOf({ requestCount, throttledCount }: Load): number | undefined {
  return requestCount === 0 ? undefined : throttledCount / requestCount;
}

/** The second line: what the numbers are about. */
export function basisOf({ throughput, partitions }: ContainerReport): string {
  const [first] = partitions;
  const each = first === undefined ? "" : `, ${rateText(first.allottedRate)} each`;
  const rate =
    throughput.kind === "serverless"
      ? "Serverless"
      : `${rateText(throughput.ratePerSecond)}${throughput.isShared ? " of the database" : ""}`;
  return (
    `${rate} over ${counted(partitions.length, "physical partition")}${each}. Sizes are ` +
    "exact; loads of single keys are the least that they surely had."
  );
}
