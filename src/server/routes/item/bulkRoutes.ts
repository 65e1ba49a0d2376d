/**
 * Bulk: many operations in one request that are run each for itself, at the same time; the physical
 * partitions put what comes together into one commit. A client that wants the rest left alone after
 * the first that fails gets them run one after the other.
 */
import type { MaybePromise } from "../../../base/result.ts";
import { ru } from "../../../base/units.ts";
import type { Account } from "../../../engine/account.ts";
import type { ItemOutcome } from "../../../engine/item/itemCommand.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { ReadTerms } from "../../../engine/partition/physicalPartition.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { byId } from "../../../partition/partitionMap.ts";
import { metadataAnswer, sessionTokenOf } from "../../../protocol/answer/answers.ts";
import { WIRE_STATUS } from "../../../protocol/answer/refusal.ts";
import type { BulkOperation, BulkResult } from "../../../protocol/request/bulk.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { parseKey, rangeIdOf } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer, WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";
import type { GatewayRequest } from "../gateway.ts";
import { chargeOfRefusal, refuse } from "../gateway.ts";
import { isReturnMinimal, OUTCOME_STATUS } from "./itemOutcome.ts";
import { sessionProblem } from "./session.ts";

/** Of an operation that was not tried because one before it failed. */
const FAILED_DEPENDENCY = 424;

/** Operations, and how results are written for whoever sent them. */
export interface SentBatch {
  readonly operations: readonly BulkOperation[];
  readonly encode: (results: readonly BulkResult[]) => Buffer;
}

export async function answerBulk(
  account: Account,
  request: GatewayRequest,
  container: Container,
  { operations, encode }: SentBatch,
): Promise<WireAnswer> {
  const { headers } = request;
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
    headers,
    consistency: consistency.value,
    caller: { ...caller.value, isOfMany: operations.length > 1 },
  };
  const run = (operation: BulkOperation): MaybePromise<BulkOutcome> =>
    outcomeOf(account, container, operation, key.value, terms);
  const stops = headerOf(headers, HEADER.continueOnError)?.toLowerCase() === "false";
  const outcomes = await (stops ? runUntilOneFails(operations, run) : runAll(operations, run));
  const isMinimal = isReturnMinimal(headers);
  const results = resultsOf(outcomes, account.limits.pageBytesMax, (index) => {
    return isMinimal || operations[index]!.isMinimal;
  });
  const charge = results.reduce((total, result) => total + result.charge, 0);
  const status = results.every((result) => result.status < 400) ? 200 : 207;
  return metadataAnswer(status, request.activityId, ru(Math.round(charge * 100) / 100), {
    body: encode(results),
    owner: container,
    headers: sessionHeaders(outcomes),
  });
}

/** What the sender has seen now. Clients send what belongs to one physical partition. */
function sessionHeaders(outcomes: readonly BulkOutcome[]): readonly string[] {
  let latest: Pick<ItemOutcome, "rangeId" | "lsn"> | undefined;
  for (const outcome of outcomes) {
    if ("lsn" in outcome && outcome.lsn > (latest?.lsn ?? -1)) latest = outcome;
  }
  return latest === undefined ? [] : [HEADER.sessionToken, sessionTokenOf(latest)];
}

interface BulkTerms extends Omit<ReadTerms, "ifNoneMatch"> {
  readonly headers: WireHeaders;
}

type BulkOutcome =
  | ItemOutcome
  | { readonly kind: "unrouted"; readonly refusal: Refusal }
  | { readonly kind: "untried" };

async function runAll(
  operations: readonly BulkOperation[],
  run: (operation: BulkOperation) => MaybePromise<BulkOutcome>,
): Promise<readonly BulkOutcome[]> {
  const outcomes: MaybePromise<BulkOutcome>[] = [];
  for (const operation of operations) {
    // Writes of one partition keep their order by themselves; a read waits for those before it.
    if (operation.kind === "read") await Promise.all(outcomes);
    outcomes.push(run(operation));
  }
  return Promise.all(outcomes);
}

async function runUntilOneFails(
  operations: readonly BulkOperation[],
  run: (operation: BulkOperation) => MaybePromise<BulkOutcome>,
): Promise<readonly BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  let hasFailed = false;
  for (const operation of operations) {
    const outcome: BulkOutcome = hasFailed ? { kind: "untried" } : await run(operation);
    hasFailed ||= outcome.kind === "refused" || outcome.kind === "unrouted";
    outcomes.push(outcome);
  }
  return outcomes;
}

function outcomeOf(
  account: Account,
  container: Container,
  operation: BulkOperation,
  requestKey: PartitionKey | undefined,
  { headers, caller, consistency }: BulkTerms,
): MaybePromise<BulkOutcome> {
  const { problem } = operation;
  if (problem !== undefined) return { kind: "unrouted", refusal: problem };
  const key = operation.key ?? requestKey;
  const { itemIdBytesMax } = account.limits;
  if ("id" in operation && Buffer.byteLength(operation.id) > itemIdBytesMax) {
    return { kind: "unrouted", refusal: { kind: "notFound" } };
  }
  if (operation.kind === "read") {
    const routed = account.route(container, key);
    if (!routed.ok) return { kind: "unrouted", refusal: routed.error };
    const { partition, epk } = routed.value;
    const behind = sessionProblem(headers, partition);
    if (behind !== undefined) return { kind: "unrouted", refusal: behind };
    return partition.read(epk, operation.id, {
      ifNoneMatch: operation.ifNoneMatch,
      caller,
      consistency,
    });
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

/** Items that do not fit into one answer have to be asked for again; clients know how. */
function resultsOf(
  outcomes: readonly BulkOutcome[],
  bytesMax: number,
  isMinimal: (index: number) => boolean,
): readonly BulkResult[] {
  let bytes = 0;
  return outcomes.map((outcome, index) => {
    const result = resultOf(outcome, isMinimal(index));
    const resultBytes = result.body?.length ?? 0;
    if (outcome.kind !== "found" || bytes + resultBytes <= bytesMax) {
      bytes += resultBytes;
      return result;
    }
    const refusal: Refusal = { kind: "answerTooLarge" };
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge: result.charge };
  });
}

function resultOf(outcome: BulkOutcome, isMinimal: boolean): BulkResult {
  if (outcome.kind === "untried") return { status: FAILED_DEPENDENCY, charge: ru(0) };
  if (outcome.kind === "unrouted") {
    const { refusal } = outcome;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge: chargeOfRefusal(refusal) };
  }
  const { charge } = outcome;
  if (outcome.kind === "refused") {
    const { refusal } = outcome;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge };
  }
  const body = isMinimal && outcome.kind !== "found" ? undefined : outcome.body;
  return { status: OUTCOME_STATUS[outcome.kind], charge, etag: outcome.etag, body };
}
