/** `/offers` and `/offers/{offer}`: the throughput of databases and containers. */
import { no } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import { Database } from "../../../engine/catalog/database.ts";
import type { Offer } from "../../../engine/catalog/offers.ts";
import { findOffer, offersOf, replaceOffer } from "../../../engine/catalog/offers.ts";
import { offerHeaders, pageHeaders } from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import type { OfferFacts } from "../../../protocol/answer/offerBody.ts";
import { offerBody, parseOfferChange } from "../../../protocol/answer/offerBody.ts";
import type { OfferRequest, OffersRequest } from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery, isListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** There is no creating an offer: it comes and goes with its owner. */
export async function answerOffers(
  account: Account,
  context: RequestContext,
  request: OffersRequest,
): Promise<WireAnswer> {
  if (request.operation === "list") return listOffers(account, context, request);
  if (isListQuery(request)) return queryOffers(account, context, request);
  return refuseVerb(context, request);
}

export async function answerOffer(
  account: Account,
  context: RequestContext,
  request: OfferRequest,
): Promise<WireAnswer> {
  if (request.operation === "replace") return putOffer(account, context, request);
  if (request.operation !== "read") return refuseVerb(context, request);
  const offer = findOffer(account.catalog, account, request.path.id);
  if (offer === undefined) return refuse(context, { kind: "notFound" });
  const { etag } = offer.throughput;
  if (isUnchanged(request, etag)) {
    return metadataAnswer(304, context.activityId, CHARGE, { etag });
  }
  return offerAnswer(context, offer);
}

function listOffers(account: Account, context: RequestContext, request: OffersRequest): WireAnswer {
  const numberOf = ({ number }: Offer): number => number;
  const all = offersOf(account.catalog, account);
  const page = pageOfRecords(account, request.page, { name: "Offers", all, numberOf });
  if (!page.ok) return refuse(context, page.error);
  const { records, continuation } = page.value;
  const body = feedBody("", "Offers", records.map(bodyOf));
  const headers = pageHeaders(records.length, continuation);
  return metadataAnswer(200, context.activityId, CHARGE, { body, headers });
}

function queryOffers(
  account: Account,
  context: RequestContext,
  request: OffersRequest,
): Promise<WireAnswer> {
  const offers = offersOf(account.catalog, account);
  const members = offers.map((offer) => ({ number: offer.number, body: bodyOf(offer) }));
  return answerListQuery(account, context, request, { name: "Offers", owner: undefined, members });
}

async function putOffer(
  account: Account,
  context: RequestContext,
  request: OfferRequest,
): Promise<WireAnswer> {
  const { path, migration } = request;
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(context, body.error);
  const replaced = await replaceOffer(account.catalog, account, path.id, (offer) => {
    const unmet = unmetCondition(request, offer.throughput.etag);
    return unmet === undefined
      ? parseOfferChange(body.value, migration, factsOf(offer))
      : no(unmet);
  });
  return replaced.ok ? offerAnswer(context, replaced.value) : refuse(context, replaced.error);
}

function offerAnswer(context: RequestContext, offer: Offer): WireAnswer {
  return metadataAnswer(200, context.activityId, CHARGE, {
    body: Buffer.from(JSON.stringify(bodyOf(offer))),
    etag: offer.throughput.etag,
    headers: offerHeaders({
      isPending: offer.throughput.pending !== undefined,
      rateMin: offer.rateMin,
    }),
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
