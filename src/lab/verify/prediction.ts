/**
 * What the lab predicts of a container before it is moved to another key, in the form in which it
 * is kept in a file until there is something to compare it with.
 *
 * `now` is about the items that the container has today, at the rate that the job asks for: that is
 * what can be measured after the move. `atEnd` is the report's own: at the end of its horizon.
 */
import { no, ok, type Result } from "../../base/result.ts";
import {
  listOf,
  member,
  objectOf,
  ReadingProblem,
  refuse,
  textNamed,
  textOf,
} from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import type { Estimate } from "../counting/estimate.ts";

export const PREDICTION_VERSION = 1;

export interface Prediction {
  readonly formatVersion: typeof PREDICTION_VERSION;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly workload: string;
  /** The container that is to be moved, as `database/container`. */
  readonly container: string;
  /** The key expression, and the paths that the new container declares. */
  readonly key: string;
  readonly keyPaths: readonly string[];
  /** Those of the container when the prediction was made. */
  readonly items: { readonly count: number; readonly bytes: number };
  /** What is asked for; null: as the source has it. */
  readonly throughput: { readonly kind: string; readonly ratePerSecond: number } | null;
  readonly now: PredictedLoad;
  readonly atEnd: PredictedLoad;
}

/** Rates are means over the day unless they say otherwise. */
export interface PredictedLoad {
  readonly ruPerSecond: number;
  readonly peakRuPerSecond: number;
  /** What physical partitions are asked: a query that comes to three of them counts three times. */
  readonly requestsPerSecond: number;
  /** How far the charge of one request lies from the mean of all (one standard deviation). */
  readonly requestRuDeviation: number;
  readonly hottestPartition: { readonly ruPerSecond: number; readonly share: number };
  readonly physicalPartitions: number;
  /** 429s among all answers, at the peak. */
  readonly throttledShare: number;
  readonly logicalPartitions: Estimate;
  readonly largestLogicalBytes: Estimate;
  readonly operations: readonly PredictedOperation[];
  /** RU/s that are enough for the hottest partition at the peak; null: no rate is. */
  readonly neededRate: number | null;
  readonly cost: PredictedCost;
}

export interface PredictedOperation {
  readonly id: string;
  readonly kind: string;
  /** The text of a query, else null. */
  readonly sql: string | null;
  readonly ratePerSecond: number;
  readonly ruEach: number;
  readonly requestsEach: number;
}

/** US dollars a month; null: not possible. */
interface PredictedCost {
  readonly manual: number | null;
  readonly autoscale: number | null;
  readonly serverless: number | null;
  readonly storage: number;
}

/** A prediction out of the text of a file, or what is wrong with the text. */
export function readPrediction(text: string): Result<Prediction, string> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return no(`it is no JSON: ${(error as Error).message}`);
  }
  const version = isObject(value) ? member(value, "formatVersion") : undefined;
  if (version !== PREDICTION_VERSION) {
    return no(
      version === undefined
        ? "it is no prediction; `orrery lab advise --migrate` makes them"
        : `its formatVersion is ${JSON.stringify(version)}; ${PREDICTION_VERSION} is known here`,
    );
  }
  try {
    return ok(predictionIn(value as JsonObject));
  } catch (problem) {
    if (problem instanceof ReadingProblem) return no(problem.message);
    throw problem;
  }
}

function predictionIn(object: JsonObject): Prediction {
  const items = objectOf(member(object, "items"), "The member 'items'");
  const throughput = member(object, "throughput");
  return {
    formatVersion: PREDICTION_VERSION,
    madeAt: numberIn(object, "madeAt"),
    workload: textNamed(member(object, "workload"), "workload"),
    container: textNamed(member(object, "container"), "container"),
    key: textNamed(member(object, "key"), "key"),
    keyPaths: listOf(member(object, "keyPaths"), "The member 'keyPaths'").map((path) =>
      textOf(path, "Each of 'keyPaths'"),
    ),
    items: { count: numberIn(items, "count"), bytes: numberIn(items, "bytes") },
    throughput: throughput === undefined ? null : rateIn(throughput),
    now: loadIn(object, "now"),
    atEnd: loadIn(object, "atEnd"),
  };
}

function rateIn(value: JsonValue): NonNullable<Prediction["throughput"]> {
  const object = objectOf(value, "The member 'throughput'");
  return {
    kind: textNamed(member(object, "kind"), "throughput.kind"),
    ratePerSecond: numberIn(object, "ratePerSecond"),
  };
}

function loadIn(parent: JsonObject, name: string): PredictedLoad {
  const object = objectOf(member(parent, name), `The member '${name}'`);
  const hottest = objectOf(member(object, "hottestPartition"), "The member 'hottestPartition'");
  const cost = objectOf(member(object, "cost"), "The member 'cost'");
  return {
    ruPerSecond: numberIn(object, "ruPerSecond"),
    peakRuPerSecond: numberIn(object, "peakRuPerSecond"),
    requestsPerSecond: numberIn(object, "requestsPerSecond"),
    requestRuDeviation: numberIn(object, "requestRuDeviation"),
    hottestPartition: {
      ruPerSecond: numberIn(hottest, "ruPerSecond"),
      share: numberIn(hottest, "share"),
    },
    physicalPartitions: numberIn(object, "physicalPartitions"),
    throttledShare: numberIn(object, "throttledShare"),
    logicalPartitions: estimateIn(object, "logicalPartitions"),
    largestLogicalBytes: estimateIn(object, "largestLogicalBytes"),
    operations: listOf(member(object, "operations"), "The member 'operations'").map(operationIn),
    neededRate: optionalNumber(object, "neededRate"),
    cost: {
      manual: optionalNumber(cost, "manual"),
      autoscale: optionalNumber(cost, "autoscale"),
      serverless: optionalNumber(cost, "serverless"),
      storage: numberIn(cost, "storage"),
    },
  };
}

function operationIn(value: JsonValue): PredictedOperation {
  const object = objectOf(value, "Each of 'operations'");
  const sql = member(object, "sql");
  return {
    id: textNamed(member(object, "id"), "id"),
    kind: textNamed(member(object, "kind"), "kind"),
    sql: sql === undefined ? null : textNamed(sql, "sql"),
    ratePerSecond: numberIn(object, "ratePerSecond"),
    ruEach: numberIn(object, "ruEach"),
    requestsEach: numberIn(object, "requestsEach"),
  };
}

function estimateIn(parent: JsonObject, name: string): Estimate {
  const object = objectOf(member(parent, name), `The member '${name}'`);
  return {
    value: numberIn(object, "value"),
    low: numberIn(object, "low"),
    high: numberIn(object, "high"),
  };
}

function optionalNumber(object: JsonObject, name: string): number | null {
  return member(object, name) === undefined ? null : numberIn(object, name);
}

/** Rates, shares, counts and bytes: none is below zero. */
function numberIn(object: JsonObject, name: string): number {
  const value = member(object, name);
  if (typeof value === "number" && value >= 0) return value;
  return refuse(`The member '${name}' must be a number, and not below 0.`);
}
