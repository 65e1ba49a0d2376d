/** The request headers that say what is asked for; each is refused when it makes no sense. */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import type { Refusal } from "../model/refusal.ts";
import { badRequest } from "../model/refusal.ts";
import type { Throughput } from "../model/throughput.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import { parseEpk } from "../partition/epkRange.ts";
import { parseKeyHeader } from "../partition/partitionKeyOf.ts";
import type { WireHeaders } from "./wire.ts";
import { headerOf } from "./wire.ts";

const PAGE_COUNT_DEFAULT = 100;
/** What a client gets that leaves the page size to the server, or asks for more. */
const PAGE_COUNT_MAX = 1000;
const MANUAL_RATE_MIN = 400;
const MANUAL_RATE_STEP = 100;
const AUTOSCALE_RATE_MIN = 1000;
const AUTOSCALE_RATE_STEP = 1000;
const RATE_MAX = 1_000_000;

export function parseKey(headers: WireHeaders): Result<PartitionKey | undefined, Refusal> {
  const text = headerOf(headers, "x-ms-documentdb-partitionkey");
  if (text === undefined) return ok(undefined);
  const key = parseKeyHeader(text);
  return key.ok ? key : no(badRequest(key.error));
}

/** .NET and Java write `<container rid>,<range id>`. */
export function rangeIdOf(headers: WireHeaders): string | undefined {
  const text = headerOf(headers, "x-ms-documentdb-partitionkeyrangeid");
  return text === undefined ? undefined : text.slice(text.lastIndexOf(",") + 1);
}

export function parseEpkBounds(headers: WireHeaders): Result<EpkRange | undefined, Refusal> {
  const start = headerOf(headers, "x-ms-start-epk");
  const end = headerOf(headers, "x-ms-end-epk");
  if (start === undefined && end === undefined) return ok(undefined);
  const min = parseEpk(start ?? "");
  const max = parseEpk(end ?? "FF");
  if (min === undefined || max === undefined || min >= max) {
    return no(badRequest(`The EPK range from '${start}' to '${end}' is not a range.`));
  }
  return ok({ min, max });
}

export function parsePageCount(headers: WireHeaders): Result<number, Refusal> {
  const text = headerOf(headers, "x-ms-max-item-count");
  if (text === undefined || text === "") return ok(PAGE_COUNT_DEFAULT);
  const count = Number(text);
  if (!Number.isInteger(count) || count < -1 || count === 0) {
    return no(badRequest(`The max item count '${text}' is neither -1 nor a positive integer.`));
  }
  return ok(count === -1 ? PAGE_COUNT_MAX : Math.min(count, PAGE_COUNT_MAX));
}

export function parseThroughput(headers: WireHeaders): Result<Throughput | undefined, Refusal> {
  const manual = headerOf(headers, "x-ms-offer-throughput");
  const autoscale = headerOf(headers, "x-ms-cosmos-offer-autopilot-settings");
  if (manual !== undefined && autoscale !== undefined) {
    return no(badRequest("Both manual throughput and autoscale settings were given; choose one."));
  }
  if (manual !== undefined) {
    const ratePerSecond = Number(manual);
    const problem = rateProblem(ratePerSecond, MANUAL_RATE_MIN, MANUAL_RATE_STEP);
    if (problem !== undefined) return no(badRequest(problem));
    return ok({ kind: "manual", ratePerSecond });
  }
  if (autoscale === undefined) return ok(undefined);
  const rateMax = autoscaleRateMax(autoscale);
  const problem = rateProblem(rateMax, AUTOSCALE_RATE_MIN, AUTOSCALE_RATE_STEP);
  if (problem !== undefined) return no(badRequest(problem));
  return ok({ kind: "autoscale", rateMax });
}

function autoscaleRateMax(text: string): number {
  try {
    const settings = JSON.parse(text) as JsonValue;
    return isObject(settings) ? Number(property(settings, "maxThroughput")) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

function rateProblem(rate: number, min: number, step: number): string | undefined {
  if (Number.isInteger(rate) && rate >= min && rate <= RATE_MAX && rate % step === 0) {
    return undefined;
  }
  return (
    `The throughput ${rate} is not valid: it must be a multiple of ${step} ` +
    `from ${min} to ${RATE_MAX} RU/s.`
  );
}
