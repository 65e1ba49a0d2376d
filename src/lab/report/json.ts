/**
 * Advice for programs. The names are described in docs/lab/README.md and do not change; new ones
 * may come. Sizes are bytes, rates RU/s, times days from the beginning of the horizon or
 * milliseconds, money US dollars a month, shares numbers from 0 to 1. What does not apply is null.
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import { isShortOfRate } from "../advise/thresholds.ts";
import type { Estimate } from "../counting/estimate.ts";
import { splitCount } from "../drawing/drawnKey.ts";
import type { OperationOutcome, Routing, Simulation } from "../simulate/simulation.ts";
import { cheapestMode, ruPerOperation } from "./figures.ts";
import { measuredJson } from "./measured.ts";

export function adviceJson(advice: Advice): JsonObject {
  const { best } = advice;
  return {
    formatVersion: 1,
    workload: advice.workload,
    title: advice.title,
    best:
      best === undefined
        ? null
        : { id: best.simulation.candidate.id, expression: best.expression, rank: best.rank },
    summary: advice.summary,
    candidates: advice.candidates.map(candidateJson),
    sensitivities: advice.sensitivities.map(({ change, best: then, sentence }) => ({
      change,
      best: then ?? null,
      sentence,
    })),
    measureNext: advice.measureNext ?? null,
    alternatives: advice.alternatives.map(({ kind, sentence, index }) => ({
      kind,
      sentence,
      index: index?.map(({ path, order }) => ({ path, order })) ?? null,
    })),
    remarks: advice.remarks,
  };
}

function candidateJson(candidate: CandidateAdvice): JsonObject {
  const { simulation, expression, verdict, rank, reasons, merits, isOnFront } = candidate;
  return {
    id: simulation.candidate.id,
    expression,
    origin: simulation.candidate.origin,
    verdict,
    isShortOfRate: isShortOfRate(candidate),
    rank,
    isOnFront,
    surpassed: candidate.surpassed ?? null,
    behind: candidate.behind ?? null,
    reasons: reasons.map(({ code, weight, sentence, counterExample, figures }) => ({
      code,
      weight,
      sentence,
      counterExample: counterExample ?? null,
      figures: Object.fromEntries(Object.entries(figures).map(([k, v]) => [k, number(v)])),
    })),
    merits,
    figures: figuresJson(simulation),
    operations: simulation.operations.map(operationJson),
    months: simulation.months.map((month) => numbers({ ...month })),
    partitions: simulation.partitions.map(({ id, from, to, bytes, rates, allotment }) => ({
      id,
      from,
      to,
      bytes,
      rates: rates.map(number),
      allotment,
    })),
  };
}

function figuresJson(simulation: Simulation): JsonObject {
  const { keys, load, throttling, fanOut, cost, months } = simulation;
  const { largest } = keys;
  const last = months.at(-1);
  return {
    keys: {
      count: estimate(keys.count),
      period: keys.period ?? null,
      itemsPerKey: number(keys.itemsPerKey),
      gini: number(keys.giniBytes),
      effective: number(keys.effectiveKeys),
      measured: simulation.measured === undefined ? null : measuredJson(simulation.measured),
      lorenz: keys.lorenz.map(([share, bytes]) => [number(share), number(bytes)]),
      largest: {
        key: largest.label,
        bytes: estimate(largest.bytesAtEnd),
        share: number(largest.share),
      },
    },
    limits: {
      passes15GbOnDay: largest.passes15GbOnDay ?? null,
      passes20GbOnDay: largest.passes20GbOnDay ?? null,
      keysOver20Gb: number(largest.overLimitCount),
      keysOver20GbShare: number(largest.overLimitShare),
      changingShare: number(simulation.changingShare),
      missingShare: number(simulation.missingShare),
      splits: splitCount(simulation),
      partitions: last?.partitionCount ?? simulation.partitions.length,
    },
    load: {
      peakRate: number(load.peakRate),
      meanRate: number(load.meanRate),
      provisionedRate: number(load.provisioned),
      isRateDeclared: load.reference === undefined,
      neededRate: load.neededRate === undefined ? null : number(load.neededRate),
      hottestPartition: {
        id: load.hottestPartition.id,
        rate: estimate(load.hottestPartition.rate),
        share: number(load.hottestPartition.share),
        overMean: number(load.hottestPartition.overMean),
      },
      hottestKey: {
        key: load.hottestKey.label,
        rate: estimate(load.hottestKey.rate),
        writeShare: number(load.hottestKey.writeShare),
        readShare: number(load.hottestKey.readShare),
      },
      gini: number(load.giniRates),
      archetype: load.archetype,
    },
    throttling: numbers(ofLongRun(throttling)),
    routing: {
      oneKeyShare: number(fanOut.keyShare),
      fewKeysShare: number(fanOut.keysShare),
      prefixShare: number(fanOut.prefixShare),
      everywhereShare: number(fanOut.everywhereShare),
      surchargeRate: number(fanOut.surchargeRate),
      usefulRate: number(fanOut.usefulRate),
    },
    cost: {
      ruPerMonth: number(cost.ruPerMonth),
      ruPerOperation: number(ruPerOperation(simulation)),
      storage: number(cost.storage),
      manual: optional(cost.manual),
      autoscale: optional(cost.autoscale),
      serverless: optional(cost.serverless),
      serverlessProblem: cost.serverlessProblem ?? null,
      cheapest: estimate(cost.cheapest),
      cheapestMode: cheapestMode(simulation) ?? null,
      laidOut: number(cost.laidOut),
    },
    transactions: { broken: simulation.brokenTransactions },
  };
}

/** How far short runs are off is for proofs. */
function ofLongRun({
  shareDeviation: _,
  ...throttling
}: Simulation["throttling"]): Omit<Simulation["throttling"], "shareDeviation"> {
  return throttling;
}

function operationJson(operation: OperationOutcome): JsonObject {
  const { id, kind, ratePerSecond, routing, partitionsVisited, ruEach, usefulRuEach } = operation;
  return {
    id,
    kind,
    ratePerSecond: number(ratePerSecond),
    routing: routing.kind,
    keysAsked: keysAsked(routing),
    prefixLevels: routing.kind === "prefix" ? routing.levelCount : null,
    partitionsVisited: number(partitionsVisited),
    ruEach: number(ruEach),
    usefulRuEach: number(usefulRuEach),
  };
}

/** Null: all of them. */
function keysAsked(routing: Routing): number | null {
  if (routing.kind === "key") return 1;
  return routing.kind === "everywhere" ? null : number(routing.count);
}

function estimate({ value, low, high }: Estimate): JsonObject {
  return { value: number(value), low: number(low), high: number(high) };
}

function optional(value: number | undefined): JsonValue {
  return value === undefined ? null : number(value);
}

/** JSON knows no infinity: whatever never ends is null. */
function number(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function numbers(values: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, number(value)]));
}
