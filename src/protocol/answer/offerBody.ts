/**
 * Offers on the wire: the throughput of a database or container as a resource of its own, and what
 * a client that replaces one wants.
 *
 * The kind of throughput changes only when a header says so, and then the rate is ours to choose;
 * without the header a body of the other kind is refused, as by the service.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type {
  AutoscaleThroughput,
  ProvisionedThroughput,
  Throughput,
  ThroughputChange,
} from "../../model/throughput.ts";
import type { OfferMigration } from "../request/metadataRequest.ts";
import { parseAutoscale } from "../request/requestHeaders.ts";
import { HEADER } from "../wire/headerNames.ts";
import { bucketsBody, parseBuckets } from "./bucketsBody.ts";

export interface OfferFacts {
  readonly rid: string;
  /** Whose throughput it is: a container's, or else a database's. */
  readonly owner: { readonly databaseRid: string; readonly containerRid?: string | undefined };
  readonly throughput: ProvisionedThroughput;
  readonly storedBytes: number;
  /** The rate of autoscale at the moment; when it is absent, the rate at which it rests is told. */
  readonly rateNow?: number | undefined;
}

/** An autoscale rate rests that many times below its ceiling. */
const RESTING_FALL = 10;
const VERSION = "V2";
const TO_AUTOSCALE = HEADER.toAutoscale;
const TO_MANUAL = HEADER.toManual;

export function offerBody(offer: OfferFacts): JsonObject {
  const { rid, throughput } = offer;
  return {
    offerVersion: VERSION,
    offerType: "Invalid",
    content: contentOf(offer),
    resource: ownerLink(offer),
    offerResourceId: ownerRid(offer),
    id: rid,
    _rid: rid,
    _self: `offers/${rid}/`,
    _etag: throughput.etag,
    _ts: throughput.ts,
  };
}

function contentOf(offer: OfferFacts): JsonObject {
  const { throughput, storedBytes } = offer;
  const { pending, buckets, rateMaxEver, storedBytesMaxEver = 0 } = throughput;
  const target = pending?.kind === "manual" ? pending.ratePerSecond : undefined;
  return {
    offerThroughput: rateNowOf(offer),
    offerIsRUPerMinuteThroughputEnabled: false,
    offerMinimumThroughputParameters: {
      maxThroughputEverProvisioned: rateMaxEver,
      maxConsumedStorageEverInKB: Math.ceil(Math.max(storedBytes, storedBytesMaxEver) / 1024),
    },
    ...(throughput.kind === "autoscale" && {
      offerAutopilotSettings: settingsOf(throughput, pending),
    }),
    // What it will be when it is no longer pending.
    ...(target !== undefined && { offerTargetThroughput: target }),
    ...(buckets !== undefined && { throughputBuckets: bucketsBody(buckets) }),
  };
}

function rateNowOf({ throughput, rateNow }: OfferFacts): number {
  if (throughput.kind === "manual") return throughput.ratePerSecond;
  return rateNow ?? throughput.rateMax / RESTING_FALL;
}

function settingsOf(
  { rateMax, incrementPercent }: AutoscaleThroughput,
  pending: Throughput | undefined,
): JsonObject {
  return {
    tier: 0,
    maximumTierThroughput: 0,
    autoUpgrade: false,
    maxThroughput: rateMax,
    ...(pending?.kind === "autoscale" && { targetMaxThroughput: pending.rateMax }),
    ...(incrementPercent !== undefined && {
      autoUpgradePolicy: { throughputPolicy: { incrementPercent } },
    }),
  };
}

/** Byte for byte the self link of the owner: SDKs look an offer up by it. */
function ownerLink({ owner: { databaseRid, containerRid } }: OfferFacts): string {
  const database = `dbs/${databaseRid}/`;
  return containerRid === undefined ? database : `${database}colls/${containerRid}/`;
}

function ownerRid({ owner }: OfferFacts): string {
  return owner.containerRid ?? owner.databaseRid;
}

export function parseOfferChange(
  body: JsonValue,
  { toAutoscale, toManual }: OfferMigration,
  offer: OfferFacts,
): Result<ThroughputChange, Refusal> {
  if (!isObject(body)) return no(badRequest("An offer must be a JSON object."));
  const fixed = fixedMemberProblem(body, offer);
  if (fixed !== undefined) return no(badRequest(fixed));
  const content = property(body, "content");
  if (!isObject(content)) return no(badRequest("The content of an offer must be an object."));
  if (toAutoscale && toManual) {
    return no(badRequest(`${TO_AUTOSCALE} and ${TO_MANUAL} exclude each other.`));
  }
  // Some clients write null for what they leave out.
  const settings = property(content, "offerAutopilotSettings") ?? undefined;
  const rate = property(content, "offerThroughput") ?? undefined;
  const buckets = parseBuckets(property(content, "throughputBuckets") ?? undefined);
  if (!buckets.ok) return buckets;
  const isManual = offer.throughput.kind === "manual";
  const asked = { settings, rate, toAutoscale, toManual };
  const change = isManual ? changeOfManual(asked) : changeOfAutoscale(asked);
  return change.ok ? ok({ ...change.value, buckets: buckets.value }) : change;
}

/** What says which offer it is may be left out, and may not be changed. */
function fixedMemberProblem(body: JsonObject, offer: OfferFacts): string | undefined {
  const fixed = {
    id: offer.rid,
    _rid: offer.rid,
    resource: ownerLink(offer),
    offerResourceId: ownerRid(offer),
    offerVersion: VERSION,
  };
  for (const [name, own] of Object.entries(fixed)) {
    if ((property(body, name) ?? own) !== own) {
      return `The member '${name}' of this offer is '${own}' and cannot be changed.`;
    }
  }
  return undefined;
}

interface Asked {
  readonly settings: JsonValue | undefined;
  readonly rate: JsonValue | undefined;
  readonly toAutoscale: boolean;
  readonly toManual: boolean;
}

function changeOfManual(asked: Asked): Result<ThroughputChange, Refusal> {
  const { settings, rate, toAutoscale, toManual } = asked;
  if (toManual) return no(badRequest(`${TO_MANUAL}: the throughput is manual already.`));
  if (settings !== undefined) {
    return no(
      badRequest(
        `To migrate from manual throughput to autoscale, ${TO_AUTOSCALE} must be supplied and ` +
          "the content must not contain offerAutopilotSettings. Set maxThroughput afterwards.",
      ),
    );
  }
  if (typeof rate !== "number") {
    return no(badRequest("The content of the offer needs a number as offerThroughput."));
  }
  if (toAutoscale) return ok({ kind: "toAutoscale" });
  return ok({ kind: "set", throughput: { kind: "manual", ratePerSecond: rate } });
}

/** The rate beside the settings is where autoscale was when the client looked: it asks nothing. */
function changeOfAutoscale(asked: Asked): Result<ThroughputChange, Refusal> {
  const { settings, toAutoscale, toManual } = asked;
  if (toAutoscale) return no(badRequest(`${TO_AUTOSCALE}: the throughput is autoscale already.`));
  if (settings === undefined) {
    return no(
      badRequest(
        `To migrate from autoscale to manual throughput, ${TO_MANUAL} must be supplied and ` +
          "the content must contain offerAutopilotSettings. Set offerThroughput afterwards.",
      ),
    );
  }
  const throughput = parseAutoscale(settings);
  if (!throughput.ok) return throughput;
  return ok(toManual ? { kind: "toManual" } : { kind: "set", throughput: throughput.value });
}
