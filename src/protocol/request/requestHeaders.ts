/** The request headers that say what is asked for; each is refused when it makes no sense. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { RateRules, Throughput } from "../../model/throughput.ts";
import { rateProblem, SERVERLESS_PROBLEM } from "../../model/throughput.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { parseEpk } from "../../partition/epkRange.ts";
import { parseKeyHeader } from "../../partition/partitionKeyOf.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

const PAGE_COUNT_DEFAULT = 100;
const EXPIRY_SECONDS_DEFAULT = 3600;

export function parseKey(headers: WireHeaders): Result<PartitionKey | undefined, Refusal> {
  const text = headerOf(headers, HEADER.partitionKey);
  if (text === undefined) return ok(undefined);
  const key = parseKeyHeader(text);
  return key.ok ? key : no(badRequest(key.error));
}

/** From this version of the API on every container has a partition key. */
const KEYS_NEEDED_SINCE = "2018-12-31";

/** Whether a program is from before that version, and knows of no key that nobody gave. */
export function isOld(headers: WireHeaders): boolean {
  const version = headerOf(headers, HEADER.version) ?? "";
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version < KEYS_NEEDED_SINCE;
}

/**
 * Clients that cache a container's rid say which container they mean. Java's sends the header with
 * nothing in it where the path says so already.
 */
export function intendedRidOf(headers: WireHeaders): string | undefined {
  return headerOf(headers, HEADER.intendedRid) || undefined;
}

/** .NET and Java write `<container rid>,<range id>`. */
export function rangeIdOf(headers: WireHeaders): string | undefined {
  const text = headerOf(headers, HEADER.rangeId);
  return text === undefined ? undefined : text.slice(text.lastIndexOf(",") + 1);
}

export function parseEpkBounds(headers: WireHeaders): Result<EpkRange | undefined, Refusal> {
  const start = headerOf(headers, HEADER.startEpk);
  const end = headerOf(headers, HEADER.endEpk);
  if (start === undefined && end === undefined) return ok(undefined);
  const min = parseEpk(start ?? "");
  const max = parseEpk(end ?? "FF");
  if (min === undefined || max === undefined || min >= max) {
    return no(badRequest(`The EPK range from '${start}' to '${end}' is not a range.`));
  }
  return ok({ min, max });
}

/** How many rows a page may have, and where it begins. */
export interface PageTerms {
  readonly countMax: number;
  /** The text that the last page ended with; absent for the first page. */
  readonly continuation: string | undefined;
}

export function parsePage(headers: WireHeaders): Result<PageTerms, Refusal> {
  const count = parsePageCount(headers);
  if (!count.ok) return count;
  const continuation = headerOf(headers, HEADER.continuation) || undefined;
  return ok({ countMax: count.value, continuation });
}

/**
 * Who leaves the page size to the server with -1, or asks for more, gets the largest. 0 says
 * nothing: clients send it along with TOP 0.
 */
export function parsePageCount(headers: WireHeaders): Result<number, Refusal> {
  const text = headerOf(headers, HEADER.maxItemCount);
  if (text === undefined || text === "") return ok(PAGE_COUNT_DEFAULT);
  const count = Number(text);
  if (!Number.isInteger(count) || count < -1) {
    return no(badRequest(`The max item count '${text}' is no whole number of -1 or more.`));
  }
  if (count === 0) return ok(PAGE_COUNT_DEFAULT);
  const { pageItemsMax } = SERVICE_LIMITS;
  return ok(count === -1 ? pageItemsMax : Math.min(count, pageItemsMax));
}

/** How long the token of a permission is to be good. */
export function parseExpirySeconds(headers: WireHeaders, limits: Limits): Result<number, Refusal> {
  const text = headerOf(headers, HEADER.expirySeconds);
  if (text === undefined || text === "") return ok(EXPIRY_SECONDS_DEFAULT);
  const seconds = Number(text);
  const { tokenSecondsMin, tokenSecondsMax } = limits;
  if (Number.isInteger(seconds) && seconds >= tokenSecondsMin && seconds <= tokenSecondsMax) {
    return ok(seconds);
  }
  const range = `from ${tokenSecondsMin} to ${tokenSecondsMax}`;
  return no(badRequest(`A token is good for ${range} seconds, not for '${text}'.`));
}

export function parseThroughput(
  headers: WireHeaders,
  { limits, rates }: RateRules,
): Result<Throughput | undefined, Refusal> {
  const manual = headerOf(headers, HEADER.offerThroughput);
  const autoscale = headerOf(headers, HEADER.autoscaleSettings);
  if (manual !== undefined && autoscale !== undefined) {
    return no(badRequest("Both manual throughput and autoscale settings were given; choose one."));
  }
  if (manual === undefined && autoscale === undefined) return ok(undefined);
  if (rates?.isServerless) return no(badRequest(SERVERLESS_PROBLEM));
  const throughput: Result<Throughput, Refusal> =
    autoscale === undefined
      ? ok({ kind: "manual", ratePerSecond: Number(manual) })
      : parseAutoscale(settingsIn(autoscale));
  if (!throughput.ok) return throughput;
  const problem = rateProblem(throughput.value, limits);
  return problem === undefined ? throughput : no(badRequest(problem));
}

/** Reads autoscale settings, which are alike in the header and in an offer. It checks no rates. */
export function parseAutoscale(settings: JsonValue | undefined): Result<Throughput, Refusal> {
  const rateMax = isObject(settings) ? property(settings, "maxThroughput") : undefined;
  if (!isObject(settings) || typeof rateMax !== "number") {
    return no(badRequest("Autoscale settings must be an object with a number as maxThroughput."));
  }
  const policy = property(settings, "autoUpgradePolicy") ?? {};
  const step = isObject(policy) ? (property(policy, "throughputPolicy") ?? {}) : undefined;
  const given = isObject(step) ? (property(step, "incrementPercent") ?? undefined) : Number.NaN;
  if (given !== undefined && !(Number.isInteger(given) && Number(given) >= 0)) {
    return no(
      badRequest("The incrementPercent of an autoUpgradePolicy must be an integer of 0 or more."),
    );
  }
  // A zero is kept as well: clients that gave one look for it in the offer.
  const rising = given === undefined ? {} : { incrementPercent: Number(given) };
  return ok({ kind: "autoscale", rateMax, ...rising });
}

function settingsIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
