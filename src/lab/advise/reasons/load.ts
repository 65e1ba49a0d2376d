/**
 * Keys and physical partitions that get more load than they can be allotted. What is provisioned is
 * divided evenly among physical partitions, a key lies on one of them, and none has more than
 * 10,000 RU/s.
 *
 * Whose fault it is decides: a key too hot for a partition rules the candidate out. A partition
 * that is too hot though none of its keys is has been dealt a bad hand, and that a rate cures.
 */

import type { Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText, rateText } from "../../wording/plain.ts";
import type { Reason } from "../advice.ts";
import {
  type Ground,
  hottestAllotment,
  partitionCount,
  ratio,
  surchargeOf,
  usefulRate,
} from "../ground.ts";
import {
  AFFORDABLE_RATE,
  EXCESS_NOTABLE,
  HOPELESS_RATE,
  KEY_LOAD_SHARE_MIN,
  KEY_OF_PARTITION_MIN,
  KEY_RATE_AGAINST,
  PARTITION_LOAD_ALARM,
  PERIOD_WRITES_MIN,
  THROTTLED_HEALTHY,
} from "../thresholds.ts";

export function loadReasons(simulation: Simulation, { limits }: Ground): readonly Reason[] {
  const figures = figuresOf(simulation, limits.partitionRateMax);
  const { keyRate, limitRate, fairRate } = figures;
  if (keyRate > limitRate) return [keyBeyondLimit(simulation, figures)];
  if (keyRate > fairRate) return [keyBeyondShare(simulation, figures)];
  if (isShort(simulation, figures)) {
    const isOfKey = keyRate >= KEY_OF_PARTITION_MIN * fairRate;
    return [isOfKey ? crowdedPartition(simulation, figures) : badHand(simulation, figures)];
  }
  return concentrated(simulation, figures);
}

/** Under a rate that is declared, much is refused; else the hottest partition costs the others. */
function isShort({ load }: Simulation, figures: LoadFigures): boolean {
  const { partitionRate, allotment, evenRate, throttledShare } = figures;
  return load.reference === undefined
    ? partitionRate > allotment && throttledShare > THROTTLED_HEALTHY
    : partitionRate > EXCESS_NOTABLE * evenRate;
}

interface LoadFigures {
  readonly keyRate: number;
  readonly limitRate: number;
  /** What a partition has of what is declared, or of what an even spread would take. */
  readonly evenRate: number;
  /** The same, or what an even spread of its load would give it, if that is more. */
  readonly fairRate: number;
  readonly partitionRate: number;
  readonly allotment: number;
  readonly throttledShare: number;
  readonly writeShare: number;
  readonly provisioned: number;
  /** What is declared, or would do if load were spread evenly. */
  readonly wantedRate: number;
  /** 1 where a rate is declared. */
  readonly isDeclared: number;
  readonly peakRate: number;
  /** 0: no rate is enough. */
  readonly neededRate: number;
}

function figuresOf(simulation: Simulation, limitRate: number): LoadFigures {
  const { load, throttling } = simulation;
  const allotment = hottestAllotment(simulation);
  const count = partitionCount(simulation);
  // Further visits are load as well: an even spread of all that is asked, not of one visit each.
  const wantedRate =
    load.reference === undefined ? load.provisioned : Math.max(load.reference, load.peakRate);
  const evenRate =
    load.reference === undefined ? allotment : Math.min(wantedRate / count, limitRate);
  return {
    keyRate: load.hottestKey.rate.value,
    limitRate,
    evenRate,
    fairRate: Math.max(evenRate, load.peakRate / count),
    partitionRate: load.hottestPartition.rate.value,
    allotment,
    throttledShare: throttling.share,
    writeShare: load.hottestKey.writeShare,
    provisioned: load.provisioned,
    wantedRate,
    isDeclared: Number(load.reference === undefined),
    peakRate: load.peakRate,
    neededRate: load.neededRate ?? 0,
  };
}

function keyBeyondLimit(simulation: Simulation, figures: LoadFigures): Reason {
  const { keyRate, limitRate } = figures;
  return reason(simulation, figures, {
    weight: "against",
    says:
      `${rateText(keyRate)} at the peak, and a physical partition serves ${rateText(limitRate)} ` +
      `at most: no rate that is provisioned can help. ${throttledText(figures)}`,
  });
}

function keyBeyondShare(simulation: Simulation, figures: LoadFigures): Reason {
  const { keyRate, peakRate } = figures;
  const isLarge = keyRate >= KEY_LOAD_SHARE_MIN * peakRate;
  // What the layout takes beyond that can be repaired.
  const neededRate = Math.min(figures.neededRate, keyRate * partitionCount(simulation));
  const weight = moneyWeight({ ...figures, neededRate });
  return reason(simulation, figures, {
    weight: isLarge ? weight : milder(weight),
    says: `${rateText(keyRate)} at the peak, and ${allottedText(figures, "its")}`,
  });
}

/** Of a key that is a small part of the load: what it takes is in the price. */
function milder(weight: Reason["weight"]): Reason["weight"] {
  return weight === "against" ? "condition" : "remark";
}

/** The key fits, but not with the others beside it. */
function crowdedPartition(simulation: Simulation, figures: LoadFigures): Reason {
  const { keyRate, partitionRate } = figures;
  return reason(simulation, figures, {
    weight: moneyWeight(figures),
    says:
      `${rateText(keyRate)} at the peak. With the other keys beside it that makes ` +
      `${rateText(partitionRate)} for one physical partition, and ${allottedText(figures, "that")}`,
  });
}

/** What there is for a partition and what it takes: two sentences. */
function allottedText(figures: LoadFigures, whose: "its" | "that"): string {
  const { isDeclared, allotment, provisioned, evenRate, wantedRate, neededRate } = figures;
  if (isDeclared === 1) {
    const who = whose === "its" ? "its physical partition" : "that one";
    return (
      `${who} is allotted ${rateText(allotment)} of the ${rateText(provisioned)} provisioned. ` +
      `${throttledText(figures)} ${neededText(figures)}`
    );
  }
  const even = `spread evenly it would be ${rateText(evenRate)} for each.`;
  return neededRate > 0
    ? `${even} For its sake the container needs ${rateText(neededRate)}, where ` +
        `${rateText(wantedRate)} would do.`
    : `${even} ${neededText(figures)}`;
}

/** How much more than provisioned, or than an even spread takes, it would have to be. */
function moneyWeight(figures: LoadFigures): Reason["weight"] {
  const { keyRate, limitRate, neededRate, wantedRate, peakRate } = figures;
  const times = neededRate / Math.max(wantedRate, peakRate, 1);
  const isHopeless = neededRate === 0 || times > HOPELESS_RATE;
  if (isHopeless || keyRate >= KEY_RATE_AGAINST * limitRate) return "against";
  return times > AFFORDABLE_RATE ? "condition" : "remark";
}

/** None of its keys is too hot: another layout of the same keys would do, or a higher rate. */
function badHand(simulation: Simulation, figures: LoadFigures): Reason {
  const sentences =
    figures.isDeclared === 1
      ? [whyThrottled(simulation, figures), throttledText(figures), neededText(figures)]
      : [hotByLayout(figures), needsText(figures)];
  return {
    code: "throughput-hot",
    weight: "remark",
    sentence: sentences.filter((each) => each !== "").join(" "),
    counterExample: `physical partition ${simulation.load.hottestPartition.id}`,
    figures: { ...figures },
  };
}

function hotByLayout({ keyRate, partitionRate, evenRate }: LoadFigures): string {
  return (
    `The hottest physical partition gets ${rateText(partitionRate)}, where an even spread would ` +
    `give it ${rateText(evenRate)}, though none of its keys has more than ${rateText(keyRate)}: ` +
    "it is the layout, not the key."
  );
}

function needsText({ neededRate, wantedRate }: LoadFigures): string {
  if (neededRate === 0) return "No rate would be enough.";
  return (
    `Until partitions are cut where the load is, the container needs ${rateText(neededRate)}, ` +
    `where ${rateText(wantedRate)} would do.`
  );
}

function whyThrottled({ operations }: Simulation, figures: LoadFigures): string {
  const { keyRate, partitionRate, allotment, peakRate, provisioned } = figures;
  if (peakRate <= provisioned) {
    return (
      `The hottest physical partition gets ${rateText(partitionRate)} and is allotted ` +
      `${rateText(allotment)}, though none of its keys has more than ${rateText(keyRate)}: it is ` +
      "the layout, not the key."
    );
  }
  const useful = usefulRate(operations);
  const paid = useful + operations.reduce((sum, one) => sum + surchargeOf(one), 0);
  const usefulPeak = peakRate * ratio(useful, paid);
  return usefulPeak > provisioned
    ? `The workload takes ${rateText(usefulPeak)} at the peak and ${rateText(provisioned)} are ` +
        "provisioned: that is too little with any key."
    : `With its further visits the workload takes ${rateText(peakRate)} at the peak, and ` +
        `${rateText(provisioned)} are provisioned.`;
}

/** Little is refused, but nearly all of it lies on one physical partition. */
function concentrated(simulation: Simulation, figures: LoadFigures): readonly Reason[] {
  const { hottestPartition } = simulation.load;
  const isAlone = partitionCount(simulation) < 2;
  if (isAlone || hottestPartition.share <= PARTITION_LOAD_ALARM) return [];
  return [
    {
      code: isOfPeriod(simulation) ? "current-period-hot" : "throughput-hot",
      weight: "remark",
      sentence:
        `${percentText(hottestPartition.share)} of all load lies on one physical partition (the ` +
        `guides raise an alert above ${percentText(PARTITION_LOAD_ALARM)}): ` +
        `${rateText(figures.partitionRate)} of the ${rateText(figures.allotment)} it is allotted.`,
      counterExample: `physical partition ${hottestPartition.id}`,
      figures: { ...figures },
    },
  ];
}

function reason(
  simulation: Simulation,
  figures: LoadFigures,
  { weight, says }: { readonly weight: Reason["weight"]; readonly says: string },
): Reason {
  const { label, writeShare, readShare } = simulation.load.hottestKey;
  const period = simulation.keys.period;
  const isPeriod = isOfPeriod(simulation);
  const who = isPeriod
    ? `Everything that is written now has the key of the current ${period} (${label}), which gets`
    : isOfMoment(simulation)
      ? `Everything that is written in the same ${period} has one key, which gets`
      : `The key ${label} gets ${percentText(writeShare)} of the writes and ` +
        `${percentText(readShare)} of the reads:`;
  return {
    code: isPeriod ? "current-period-hot" : "throughput-hot",
    weight,
    sentence: `${who} ${says.trim()}`,
    counterExample: `${label}: ${numberText(figures.keyRate)} RU/s`,
    figures: { ...figures },
  };
}

/** All writes of now have one key, or nearly. */
function isOfPeriod(simulation: Simulation): boolean {
  return isTimed(simulation) && !isOfMoment(simulation);
}

/** Seconds and minutes are moments rather than periods: what is hot moves on at once. */
function isOfMoment(simulation: Simulation): boolean {
  const { period } = simulation.keys;
  return isTimed(simulation) && (period === "second" || period === "minute");
}

function isTimed({ keys, load }: Simulation): boolean {
  return keys.period !== undefined && load.hottestKey.writeShare >= PERIOD_WRITES_MIN;
}

function throttledText({ throttledShare }: LoadFigures): string {
  return throttledShare > 0
    ? `${percentText(throttledShare)} of the answers at the peak are 429.`
    : "";
}

function neededText({ neededRate }: LoadFigures): string {
  return neededRate > 0
    ? `It would take ${rateText(neededRate)} for the container.`
    : "No rate would be enough.";
}
