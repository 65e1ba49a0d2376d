/** What the rows of the comparison say of a candidate: a sentence each, with its number. */
import { bytesText } from "../../base/wording.ts";
import {
  dayText,
  moneyText,
  NONE,
  numberText,
  percentText,
  plural,
  rateText,
} from "../../lab/wording/plain.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { TagTone } from "../parts/tag.tsx";
import type { LabAdvice, LabCandidate, LabOperation } from "./advice.ts";

/** A sentence, and whether it tells of something beyond a limit. */
export interface Said {
  readonly text: string;
  readonly isBad?: boolean;
}

const TONES: Readonly<Record<LabCandidate["verdict"], TagTone>> = {
  best: "good",
  workable: "info",
  conditional: "warn",
  bad: "bad",
};

export function verdictTag({ verdict, isShortOfRate }: LabCandidate): {
  readonly tone: TagTone;
  readonly word: string;
} {
  const isShort = verdict === "best" && isShortOfRate;
  return isShort
    ? { tone: "warn", word: "best at this rate" }
    : { tone: TONES[verdict], word: verdict };
}

/** Why, in words: what speaks against it first, and what speaks for it if nothing does. */
export function reasonsOf({ reasons, merits, surpassed }: LabCandidate): readonly Said[] {
  const against = reasons.map(({ sentence, weight }) => ({
    text: sentence,
    isBad: weight === "against",
  }));
  const behind = surpassed === null ? [] : [{ text: surpassed }];
  return [...against, ...behind, ...merits.map((text) => ({ text }))];
}

/** The largest logical partition against its limit, with the day on which it passes it. */
export function storageText({ figures }: LabCandidate): Said {
  const { largest } = figures.keys;
  const limit = SERVICE_LIMITS.logicalPartitionBytesMax;
  const size = `${bytesText(largest.bytes.value)} of ${bytesText(limit)}`;
  const { passes20GbOnDay, passes15GbOnDay } = figures.limits;
  if (passes20GbOnDay !== null) {
    return { text: `${size}: over on ${dayText(passes20GbOnDay)}.`, isBad: true };
  }
  if (passes15GbOnDay !== null) {
    return { text: `${size}: three quarters of it on ${dayText(passes15GbOnDay)}.` };
  }
  return { text: `${size}, at the end.` };
}

export function placementText({ partitions }: LabCandidate): Said {
  const sizes = partitions.map(({ bytes }) => bytes);
  const mean = sizes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, sizes.length);
  const largest = Math.max(0, ...sizes);
  const limit = SERVICE_LIMITS.physicalPartitionBytesMax;
  const skew = mean === 0 ? "" : `, ${numberText(largest / mean)} × the mean`;
  return {
    text: `${plural(sizes.length, "partition")}, the fullest ${bytesText(largest)}${skew}.`,
    isBad: largest > limit,
  };
}

/** The busiest physical partition beside the whole. */
export function loadText({ figures }: LabCandidate): Said {
  const { hottestPartition: busiest, peakRate, provisionedRate } = figures.load;
  return {
    text:
      `Busiest partition ${rateText(busiest.rate.value)}, ${percentText(busiest.share)} of the ` +
      `whole ${rateText(peakRate)}; ${rateText(provisionedRate)} provisioned.`,
  };
}

export function throttledText({ figures }: LabCandidate): Said {
  const { share } = figures.throttling;
  return { text: `429s at the peak: ${percentText(share)}.`, isBad: share > 0 };
}

/** How many physical partitions an operation asks, of all there are; and what one costs. */
export function reachText(operation: LabOperation | undefined, partitionCount: number): Said {
  if (operation === undefined) return { text: NONE };
  const { routing, partitionsVisited, ruEach } = operation;
  const isEverywhere = routing === "everywhere" && partitionCount > 1;
  const visited = isEverywhere
    ? `all ${numberText(partitionCount)}`
    : numberText(partitionsVisited);
  return { text: `${visited}, ${numberText(ruEach)} RU`, isBad: isEverywhere };
}

/** The cheapest mode, in dollars a month. */
export function costText({ figures }: LabCandidate): Said {
  const { cost, load } = figures;
  if (load.neededRate === null && cost.manual === null) {
    return { text: "No rate is enough.", isBad: true };
  }
  if (cost.cheapest.value === null)
    return { text: "No mode of throughput serves it.", isBad: true };
  const mode = cost.cheapestMode === null ? "" : `, ${cost.cheapestMode}`;
  return { text: `${moneyText(cost.cheapest.value)} a month${mode}.` };
}

export function laidOutText({ figures }: LabCandidate): string {
  const { laidOut, storage } = figures.cost;
  const rest = laidOut === null ? "" : `, ${moneyText(laidOut)} once laid out by load`;
  return `${moneyText(storage)} of it for storage${rest}.`;
}

/** From 0 to 1 of the dearest of those that are compared. */
export function costShare(candidate: LabCandidate, compared: readonly LabCandidate[]): number {
  const most = Math.max(0, ...compared.map(({ figures }) => figures.cost.cheapest.value ?? 0));
  const { value } = candidate.figures.cost.cheapest;
  return most === 0 || value === null ? 0 : value / most;
}

export function heavyKeyTexts({ figures }: LabCandidate): readonly Said[] {
  const { keys, load, limits } = figures;
  const { hottestKey } = load;
  return [
    {
      text: `Largest: ${keys.largest.key}, ${percentText(keys.largest.share)} of the bytes.`,
      isBad: limits.passes20GbOnDay !== null,
    },
    {
      text:
        `Busiest: ${hottestKey.key}, ${rateText(hottestKey.rate.value)}: ` +
        `${percentText(hottestKey.writeShare)} of the writes, ` +
        `${percentText(hottestKey.readShare)} of the reads.`,
    },
  ];
}

/** Operations that need one logical partition, and do not get it. */
export function transactionText({ figures, operations }: LabCandidate): Said {
  const { broken } = figures.transactions;
  if (broken.length > 0) return { text: `Broken: ${broken.join(", ")}.`, isBad: true };
  return { text: `Kept, of ${plural(operations.length, "operation")}.` };
}

/** The answer of the page once there is one. */
export function answerText({ best, summary, candidates }: LabAdvice): string {
  if (best !== null) return summary[0] ?? `${best.expression} is the best key.`;
  return summary[0] ?? `None of ${plural(candidates.length, "key")} is good enough.`;
}
