/**
 * `POST …/docs` with the batch header: many operations in one request, either as one transaction
 * on one logical partition, or each for itself (bulk).
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { ru } from "../../base/units.ts";
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/container.ts";
import type { BatchOperation, BatchOutcome, BatchResult } from "../../engine/itemCommand.ts";
import type { RoutedKey } from "../../engine/itemRouting.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { sameKey } from "../../partition/partitionKeyOf.ts";
import type { Served } from "../../protocol/answers.ts";
import { itemAnswer, refusalAnswer } from "../../protocol/answers.ts";
import type { BulkOperation, BulkResult } from "../../protocol/bulk.ts";
import { bulkBody, parseBulk } from "../../protocol/bulk.ts";
import { parseCaller } from "../../protocol/callerHeaders.ts";
import { parseConsistency } from "../../protocol/consistency.ts";
import { WIRE_STATUS } from "../../protocol/refusal.ts";
import { parseKey } from "../../protocol/requestHeaders.ts";
import type { WireAnswer, WireHeaders } from "../../protocol/wire.ts";
import { isTrue } from "../../protocol/wire.ts";
import { answerBulk } from "./bulkRoutes.ts";
import type { GatewayRequest } from "./gateway.ts";
import { refuse } from "./gateway.ts";
import { isReturnMinimal, OUTCOME_STATUS } from "./itemOutcome.ts";
import { sessionProblem } from "./session.ts";

/** What is around an item, or around the value that a patch sets: list, operation, patch, list. */
const WRAPPING_DEPTH = 4;
/** Of an operation that was undone because of another one. */
const FAILED_DEPENDENCY = 424;

export async function answerBatch(
  account: Account,
  request: GatewayRequest,
  container: Container,
): Promise<WireAnswer> {
  // Some clients write rows in a binary form; what they send is not text at all.
  if (request.body[0] === HYBRID_ROW) return refuse(request, NOT_JSON);
  const body = account.parseBody(request.body, WRAPPING_DEPTH);
  if (!body.ok) return refuse(request, body.error);
  const operations = parseBulk(body.value, account.limits);
  if (!operations.ok) return refuse(request, operations.error);
  if (!isTrue(request.headers, "x-ms-cosmos-batch-atomic")) {
    return answerBulk(account, request, container, operations.value);
  }
  return answerTransaction(account, request, container, operations.value);
}

const HYBRID_ROW = 0x81;
const NOT_JSON: Refusal = badRequest(
  "The batch is in the binary HybridRow form of the .NET client, which is not supported. " +
    "Send operations as JSON.",
);

async function answerTransaction(
  account: Account,
  request: GatewayRequest,
  container: Container,
  operations: readonly BulkOperation[],
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  if (operations.length === 0) return refuse(request, badRequest("The batch has no operations."));
  const routed = routeOf(account, container, headers, operations);
  if (!routed.ok) return refuse(request, routed.error);
  const { key, partition } = routed.value;
  const problem = sessionProblem(headers, partition);
  if (problem !== undefined) return refuse(request, problem);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);

  const commands: BatchOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const command = account.batchOperation(container, { ...operation, key });
    if (!command.ok) return failedAt(request, container, partition, operations, index, command);
    commands.push(command.value);
  }
  const outcome = await account.runBatch(container, commands, {
    caller: caller.value,
    consistency: consistency.value,
  });
  const { rangeId, lsn, charge } = outcome;
  const served: Served = { owner: container, rangeId, lsn, charge };
  if (outcome.kind === "refused") return refusalAnswer(outcome.refusal, activityId, served);
  const isMinimal = isReturnMinimal(headers);
  const results = outcome.results.map((result) => wireResult(result, isMinimal));
  return itemAnswer(STATUS[outcome.kind], activityId, served, { body: bulkBody(results) });
}

const STATUS: Readonly<Record<Exclude<BatchOutcome["kind"], "refused">, number>> = {
  committed: 200,
  rolledBack: 207,
};

/** One key for all of them, in the header; who repeats it says the same. */
function routeOf(
  account: Account,
  container: Container,
  headers: WireHeaders,
  operations: readonly BulkOperation[],
): Result<RoutedKey & { readonly key: PartitionKey }, Refusal> {
  const sent = parseKey(headers);
  if (!sent.ok) return sent;
  const routed = account.route(container, sent.value);
  if (!routed.ok) return routed;
  const key = sent.value!;
  const isSame = operations.every((one) => one.key === undefined || sameKey(one.key, key));
  return isSame ? ok({ ...routed.value, key }) : no(DIFFERENT_KEYS);
}

const DIFFERENT_KEYS: Refusal = badRequest(
  "One or more operations within the batch request have a different partition key value than " +
    "the request.",
);

/** An operation that no physical partition has to look at to say no to. */
function failedAt(
  { activityId }: GatewayRequest,
  container: Container,
  { entry, lsn }: RoutedKey["partition"],
  operations: readonly BulkOperation[],
  failedIndex: number,
  { error: refusal }: { readonly error: Refusal },
): WireAnswer {
  const charge = ru(0);
  const results = operations.map((_operation, index): BulkResult => {
    const status = index === failedIndex ? WIRE_STATUS[refusal.kind].status : FAILED_DEPENDENCY;
    return index === failedIndex ? { status, refusal, charge } : { status, charge };
  });
  const served: Served = { owner: container, rangeId: entry.id, lsn, charge };
  return itemAnswer(STATUS.rolledBack, activityId, served, { body: bulkBody(results) });
}

function wireResult(result: BatchResult, isMinimal: boolean): BulkResult {
  const { charge } = result;
  if (result.kind === "undone") return { status: FAILED_DEPENDENCY, charge };
  if (result.kind === "refused") {
    const { refusal } = result;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge };
  }
  const body = isMinimal && result.kind !== "found" ? undefined : result.body;
  return { status: OUTCOME_STATUS[result.kind], charge, etag: result.etag, body };
}
