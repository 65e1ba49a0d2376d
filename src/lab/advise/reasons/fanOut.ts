/**
 * Reads that do not name their key, and therefore ask every physical partition; and keys so fine
 * that items which are read together never lie together.
 *
 * A read that no candidate confines speaks against none of them. One item a key is nothing bad by
 * itself: a workload of point reads is served by nothing better.
 */

import type { OperationOutcome, Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText, plural, rateText } from "../../wording/plain.ts";
import type { Reason } from "../advice.ts";
import {
  type Ground,
  idleVisits,
  partitionCount,
  partitionCountMax,
  rateOf,
  ratio,
  readsOf,
  surchargeOf,
  usefulRate,
} from "../ground.ts";
import {
  CROSS_PARTITION_ALARM,
  EVERYWHERE_AGAINST,
  EVERYWHERE_NOTABLE,
  IDLE_VISITS_AGAINST,
  ITEMS_PER_KEY_ONE,
  KEYS_ASKED_MANY,
  READS_NOTABLE,
  SMALL_PARTITION_COUNT,
  SURCHARGE_NOTABLE,
} from "../thresholds.ts";

export function fanOutReasons(simulation: Simulation, ground: Ground): readonly Reason[] {
  const figures = figuresOf(simulation, ground.unavoidable);
  const worst = worstOf(simulation, ground.unavoidable);
  const weight = weightOf(figures);
  const reasons: Reason[] = [];
  if (worst !== undefined) {
    reasons.push({
      code: "fan-out",
      weight,
      sentence: sentenceOf(simulation, figures, weight),
      counterExample: exampleOf(worst),
      figures: { ...figures },
    });
    const together = fragmented(simulation, ground);
    if (together !== undefined) reasons.push(fragmentation(simulation, together, weight));
  }
  return [...reasons, ...unavoidableReasons(simulation, ground, worst === undefined)];
}

interface FanOutFigures {
  readonly everywhereShare: number;
  /** Of reads that another key would confine, both of these. */
  readonly avoidableShare: number;
  /** Reads that have to ask many keys, though they know which. */
  readonly manyKeysShare: number;
  readonly surchargeRate: number;
  /** Visits a second that find nothing. */
  readonly idleVisits: number;
  readonly usefulRate: number;
  readonly partitionCount: number;
  readonly partitionCountMax: number;
  /** The larger of the share of reads among operations and among useful RU. */
  readonly readShare: number;
}

function figuresOf(simulation: Simulation, unavoidable: ReadonlySet<string>): FanOutFigures {
  const { operations } = simulation;
  const reads = readsOf(simulation);
  const avoidable = operations.filter(({ id }) => !unavoidable.has(id));
  const avoidableReads = reads.filter(({ id }) => !unavoidable.has(id));
  const useful = usefulRate(operations);
  const everywhereShare = ratio(rateOf(avoidableReads.filter(isEverywhere)), rateOf(reads));
  const manyKeysShare = ratio(rateOf(avoidableReads.filter(asksManyKeys)), rateOf(reads));
  return {
    everywhereShare,
    manyKeysShare,
    avoidableShare: everywhereShare + manyKeysShare,
    // A second or third key is what periods cost; it is in the price, and no fault.
    surchargeRate: avoidable
      .filter((one) => one.routing.kind !== "keys" || asksManyKeys(one))
      .reduce((sum, one) => sum + surchargeOf(one), 0),
    idleVisits: avoidable.reduce((sum, one) => sum + idleVisits(one), 0),
    usefulRate: useful,
    partitionCount: partitionCount(simulation),
    partitionCountMax: partitionCountMax(simulation),
    readShare: Math.max(ratio(rateOf(reads), rateOf(operations)), ratio(usefulRate(reads), useful)),
  };
}

function weightOf(figures: FanOutFigures): Reason["weight"] {
  const { everywhereShare, manyKeysShare, surchargeRate, partitionCountMax: count } = figures;
  const surcharge = ratio(surchargeRate, figures.usefulRate);
  const isSmall = count <= SMALL_PARTITION_COUNT;
  const doReadsMatter = figures.readShare >= READS_NOTABLE;
  if (figures.idleVisits > IDLE_VISITS_AGAINST * figures.usefulRate) return "against";
  if (doReadsMatter && !isSmall && everywhereShare >= EVERYWHERE_AGAINST) return "against";
  if (surcharge >= SURCHARGE_NOTABLE) return "condition";
  if (!doReadsMatter) return "remark";
  if (manyKeysShare >= EVERYWHERE_NOTABLE) return "condition";
  return !isSmall && everywhereShare >= EVERYWHERE_NOTABLE ? "condition" : "remark";
}

function isEverywhere({ routing }: OperationOutcome): boolean {
  return routing.kind === "everywhere";
}

function asksManyKeys({ routing }: OperationOutcome): boolean {
  return routing.kind === "keys" && routing.count >= KEYS_ASKED_MANY;
}

/** The operation that pays most for further visits; without any, the one that is asked most. */
function worstOf(
  { operations }: Simulation,
  unavoidable: ReadonlySet<string>,
): OperationOutcome | undefined {
  const spread = operations.filter(
    (one) => !unavoidable.has(one.id) && (isEverywhere(one) || asksManyKeys(one)),
  );
  return spread.reduce<OperationOutcome | undefined>((most, one) => {
    if (most === undefined) return one;
    const [left, right] = [surchargeOf(most), surchargeOf(one)];
    return right > left || (right === left && one.ratePerSecond > most.ratePerSecond) ? one : most;
  }, undefined);
}

function sentenceOf(
  simulation: Simulation,
  figures: FanOutFigures,
  weight: Reason["weight"],
): string {
  const { everywhereShare, manyKeysShare, surchargeRate, partitionCount: count } = figures;
  const parts: string[] = [];
  if (everywhereShare > 0) {
    const alarm =
      everywhereShare > CROSS_PARTITION_ALARM
        ? ` (the guides raise an alert above ${percentText(CROSS_PARTITION_ALARM)})`
        : "";
    parts.push(
      `${percentText(everywhereShare)} of the reads name no key${alarm} and ask ` +
        (count === 1 ? "the one physical partition there is" : `all ${partitions(count)}`),
    );
  }
  if (manyKeysShare > 0) {
    parts.push(`${percentText(manyKeysShare)} of the reads ask ${keysAsked(simulation)}`);
  }
  if (parts.length === 0) parts.push("Some operations do not know the key they ask for");
  const cost =
    surchargeRate > 0
      ? `: ${rateText(surchargeRate)} for further visits, on ${rateText(figures.usefulRate)} of ` +
        "useful work"
      : "";
  const isSmall = figures.partitionCountMax <= SMALL_PARTITION_COUNT && everywhereShare > 0;
  const small =
    isSmall && weight === "remark"
      ? ` With ${partitions(figures.partitionCountMax)} at most this hardly matters.`
      : "";
  return `${parts.join("; ")}${cost}.${small}`;
}

/** "20 keys each", of the operation that asks most. */
function keysAsked(simulation: Simulation): string {
  const counts = readsOf(simulation).flatMap(({ routing }) =>
    routing.kind === "keys" ? [routing.count] : [],
  );
  return `up to ${numberText(Math.max(...counts))} keys each`;
}

function exampleOf(one: OperationOutcome): string {
  const { id, ratePerSecond, partitionsVisited, ruEach, usefulRuEach } = one;
  return (
    `${id}: ${numberText(ratePerSecond)} times a second, ${partitions(partitionsVisited)}, ` +
    `${numberText(ruEach)} RU where one visit would cost ${numberText(usefulRuEach)}`
  );
}

function partitions(count: number): string {
  return plural(count, "physical partition");
}

/** Reads of several items at once that one-item keys scatter; undefined: too few to matter. */
function fragmented(
  simulation: Simulation,
  { workload, unavoidable }: Ground,
): readonly OperationOutcome[] | undefined {
  if (simulation.keys.itemsPerKey >= ITEMS_PER_KEY_ONE) return undefined;
  const readsOne = new Set(
    workload.operations
      .filter(({ kind, resultItems }) => kind !== "query" || (resultItems ?? 2) <= 1)
      .map(({ id }) => id),
  );
  const reads = readsOf(simulation);
  const together = reads.filter(
    (one) => isEverywhere(one) && !readsOne.has(one.id) && !unavoidable.has(one.id),
  );
  const share = ratio(rateOf(together), rateOf(reads));
  return share >= EVERYWHERE_NOTABLE ? together : undefined;
}

function fragmentation(
  { keys }: Simulation,
  together: readonly OperationOutcome[],
  weight: Reason["weight"],
): Reason {
  const names = together.map(({ id }) => id).join(", ");
  return {
    code: "hyperfragmentation",
    weight,
    sentence:
      `Nearly every item has a key of its own (${numberText(keys.count.value)} keys), but ` +
      `${names} reads several items at once, and those never lie together.`,
    counterExample: together[0]?.id,
    figures: { itemsPerKey: keys.itemsPerKey, keyCount: keys.count.value },
  };
}

/** Said once: as part of no reason of its own, when the key has no other fan-out. */
function unavoidableReasons(
  simulation: Simulation,
  { unavoidable }: Ground,
  isAlone: boolean,
): readonly Reason[] {
  const reads = readsOf(simulation);
  const scattered = reads.filter(({ id }) => unavoidable.has(id));
  const share = ratio(rateOf(scattered), rateOf(reads));
  if (!isAlone || share === 0) return [];
  const surcharge = scattered.reduce((sum, one) => sum + surchargeOf(one), 0);
  return [
    {
      code: "fan-out",
      weight: "remark",
      sentence:
        `${scattered.map(({ id }) => id).join(", ")} (${percentText(share)} of the reads) asks ` +
        `all physical partitions whatever the key: ${rateText(surcharge)} for further visits.`,
      counterExample: scattered[0]?.id,
      figures: { everywhereShare: share, surchargeRate: surcharge },
    },
  ];
}
