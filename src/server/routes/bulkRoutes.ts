/**
 * `POST …/docs` with the batch header: many operations in one request. Those that do not claim to
 * be one transaction (bulk) are run each for itself, at the same time; the physical partitions put
 * what belongs together into one commit.
 */
import type { MaybePromise } from "../../base/result.ts";
import { ru } from "../../base/units.ts";
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/container.ts";
import type { ItemOutcome } from "../../engine/itemCommand.ts";
import type { ReadTerms } from "../../engine/physicalPartition.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unsupported } from "../../model/refusal.ts";
import { byId } from "../../partition/partitionMap.ts";
import { metadataAnswer } from "../../protocol/answers.ts";
import type { BulkOperation, BulkResult } from "../../protocol/bulk.ts";
import { bulkBody, parseBulk } from "../../protocol/bulk.ts";
import { parseCaller } from "../../protocol/callerHeaders.ts";
import { parseConsistency } from "../../protocol/consistency.ts";
import { WIRE_STATUS } from "../../protocol/refusal.ts";
import { parseKey, rangeIdOf } from "../../protocol/requestHeaders.ts";
import type { WireAnswer } from "../../protocol/wire.ts";
import { headerOf, isTrue } from "../../protocol/wire.ts";
import type { GatewayRequest } from "./gateway.ts";
import { refuse } from "./gateway.ts";
import { isReturnMinimal, OUTCOME_STATUS } from "./itemOutcome.ts";

/** The list and the operation around an item. */
const WRAPPING_DEPTH = 2;

export async function answerBulk(
  account: Account,
  request: GatewayRequest,
  container: Container,
): Promise<WireAnswer> {
  const { headers } = request;
  if (isTrue(headers, "x-ms-cosmos-batch-atomic")) {
    return refuse(request, unsupported("Transactional batches are not supported yet."));
  }
  if (headerOf(headers, "x-ms-cosmos-batch-continue-on-error")?.toLowerCase() === "false") {
    const message = "Bulk requests that stop at the first error are not supported yet.";
    return refuse(request, unsupported(message));
  }
  const body = account.parseBody(request.body, WRAPPING_DEPTH);
  if (!body.ok) return refuse(request, body.error);
  const operations = parseBulk(body.value, account.limits);
  if (!operations.ok) return refuse(request, operations.error);
  const key = parseKey(headers);
  if (!key.ok) return refuse(request, key.error);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  // Whoever sorted operations by an old map has to sort them anew; clients know how.
  const rangeId = rangeIdOf(headers);
  if (rangeId !== undefined && byId(container.map, rangeId) === undefined) {
    return refuse(request, { kind: "rangeGone" });
  }

  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const terms = {
    consistency: consistency.value,
    caller: { ...caller.value, isOfMany: operations.value.length > 1 },
  };
  const outcomes: MaybePromise<BulkOutcome>[] = [];
  for (const operation of operations.value) {
    // Writes of one partition keep their order by themselves; a read waits for those before it.
    if (operation.kind === "read") await Promise.all(outcomes);
    outcomes.push(outcomeOf(account, container, operation, key.value, terms));
  }
  const isMinimal = isReturnMinimal(headers);
  const results = (await Promise.all(outcomes)).map((outcome) => resultOf(outcome, isMinimal));
  const charge = results.reduce((total, result) => total + result.charge, 0);
  const status = results.every((result) => result.status < 400) ? 200 : 207;
  return metadataAnswer(status, request.activityId, ru(Math.round(charge * 100) / 100), {
    body: bulkBody(results),
    owner: container,
  });
}

type BulkOutcome = ItemOutcome | { readonly kind: "unrouted"; readonly refusal: Refusal };

function outcomeOf(
  account: Account,
  container: Container,
  operation: BulkOperation,
  requestKey: PartitionKey | undefined,
  { caller, consistency }: Omit<ReadTerms, "ifNoneMatch">,
): MaybePromise<BulkOutcome> {
  const key = operation.key ?? requestKey;
  if ("id" in operation && account.itemIdOf(container, key, operation.id) === undefined) {
    return { kind: "unrouted", refusal: { kind: "notFound" } };
  }
  if (operation.kind === "read") {
    const routed = account.route(container, key);
    if (!routed.ok) return { kind: "unrouted", refusal: routed.error };
    const { partition, epk } = routed.value;
    const { ifNoneMatch } = operation;
    return partition.read(epk, operation.id, { ifNoneMatch, caller, consistency });
  }
  const { ifMatch, ifNoneMatch } = operation;
  const submitted = account.writeItem(
    container,
    "resource" in operation
      ? { ...operation, key, body: operation.resource }
      : { kind: "delete", id: operation.id, key, ifMatch, ifNoneMatch },
    caller,
  );
  return submitted.ok ? submitted.value : { kind: "unrouted", refusal: submitted.error };
}

function resultOf(outcome: BulkOutcome, isMinimal: boolean): BulkResult {
  if (outcome.kind === "unrouted") {
    const { refusal } = outcome;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge: ru(0) };
  }
  const { charge } = outcome;
  if (outcome.kind === "refused") {
    const { refusal } = outcome;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge };
  }
  const body = isMinimal && outcome.kind !== "found" ? undefined : outcome.body;
  return { status: OUTCOME_STATUS[outcome.kind], charge, etag: outcome.etag, body };
}
