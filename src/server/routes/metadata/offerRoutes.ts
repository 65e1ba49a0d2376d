/** `/offers` and `/offers/{offer}`: the throughput of databases and containers. */
import { no } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import { Database } from "../../../engine/catalog/database.ts";
import type { Offer } from "../../../engine/catalog/offers.ts";
import { findOffer, offersOf, replaceOffer } from "../../../engine/catalog/offers.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import type { OfferFacts } from "../../../protocol/answer/offerBody.ts";
import { offerBody, parseOfferChange } from "../../../protocol/answer/offerBody.ts";
import { isQuestion, purposeOf } from "../../../protocol/request/purpose.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** There is no creating an offer: it comes and goes with its owner. */
export async function answerOffers(account: Account, request: GatewayRequest): Promise<WireAnswer> {
  if (request.method === "GET") return listOffers(account, request);
  const isQuery = request.method === "POST" && isQuestion(purposeOf(request.headers));
  return isQuery ? queryOffers(account, request) : refuseMethod(request);
}

export async function answerOffer(
  account: Account,
  request: GatewayRequest,
  rid: string,
): Promise<WireAnswer> {
  if (request.method === "PUT") return putOffer(account, request, rid);
  if (request.method !== "GET") return refuseMethod(request);
  const offer = findOffer(account.catalog, account, rid);
  if (offer === undefined) return refuse(request, { kind: "notFound" });
  const { etag } = offer.throughput;
  if (isUnchanged(request.headers, etag)) {
    return metadataAnswer(304, request.activityId, CHARGE, { etag });
  }
  return offerAnswer(request, offer);
}

function listOffers(account: Account, request: GatewayRequest): WireAnswer {
  const numberOf = ({ number }: Offer): number => number;
  const all = offersOf(account.catalog, account);
  const page = pageOfRecords(account, request.headers, { name: "Offers", all, numberOf });
  if (!page.ok) return refuse(request, page.error);
  const { records, continuation } = page.value;
  const body = feedBody("", "Offers", records.map(bodyOf));
  const headers = [HEADER.itemCount, String(records.length)];
  if (continuation !== undefined) headers.push(HEADER.continuation, continuation);
  return metadataAnswer(200, request.activityId, CHARGE, { body, headers });
}

function queryOffers(account: Account, request: GatewayRequest): Promise<WireAnswer> {
  const offers = offersOf(account.catalog, account);
  const members = offers.map((offer) => ({ number: offer.number, body: bodyOf(offer) }));
  return answerListQuery(account, request, { name: "Offers", owner: undefined, members });
}

async function putOffer(
  account: Account,
  request: GatewayRequest,
  rid: string,
): Promise<WireAnswer> {
  const { headers } = request;
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const replaced = await replaceOffer(account.catalog, account, rid, (offer) => {
    const unmet = unmetCondition(headers, offer.throughput.etag);
    return unmet === undefined ? parseOfferChange(body.value, headers, factsOf(offer)) : no(unmet);
  });
  return replaced.ok ? offerAnswer(request, replaced.value) : refuse(request, replaced.error);
}

/** Whoever waits for a pending change reads the offer until the header says that it is none. */
function offerAnswer(request: GatewayRequest, offer: Offer): WireAnswer {
  return metadataAnswer(200, request.activityId, CHARGE, {
    body: Buffer.from(JSON.stringify(bodyOf(offer))),
    etag: offer.throughput.etag,
    headers: [
      HEADER.offerReplacePending,
      String(offer.throughput.pending !== undefined),
      HEADER.minThroughput,
      String(offer.rateMin),
    ],
  });
}

function bodyOf(offer: Offer): ReturnType<typeof offerBody> {
  return offerBody(factsOf(offer));
}

function factsOf({ rid, owner, throughput, storedBytes, rateNow }: Offer): OfferFacts {
  const rids =
    owner instanceof Database
      ? { databaseRid: owner.rid }
      : { databaseRid: owner.databaseRid, containerRid: owner.rid };
  return { rid, owner: rids, throughput, storedBytes, rateNow };
}
