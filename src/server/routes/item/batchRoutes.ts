/**
 * `POST …/docs` with the batch header: many operations in one request, either as one transaction
 * on one logical partition, or each for itself (bulk). Results go back in the form in which the
 * operations came, JSON or rows; a refusal of all of it is JSON either way.
 */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Ru } from "../../../base/units.ts";
import { ru } from "../../../base/units.ts";
import type { Account } from "../../../engine/account.ts";
import type {
  BatchOperation,
  BatchOutcome,
  BatchResult,
} from "../../../engine/item/itemCommand.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { RoutedKey } from "../../../engine/partition/itemRouting.ts";
import type { BinaryProblem } from "../../../json/binary.ts";
import { decodeBinary, isBinary } from "../../../json/binary.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest, TOO_LARGE_MESSAGE } from "../../../model/refusal.ts";
import { sameKey } from "../../../partition/partitionKeyOf.ts";
import type { Served } from "../../../protocol/answer/answers.ts";
import { itemAnswer, refusalAnswer } from "../../../protocol/answer/answers.ts";
import { WIRE_STATUS } from "../../../protocol/answer/refusal.ts";
import { encodeBatchRows, parseBatchRows } from "../../../protocol/hybridRow/batchRows.ts";
import { isHybridRow } from "../../../protocol/hybridRow/recordIo.ts";
import type { BulkOperation, BulkResult } from "../../../protocol/request/bulk.ts";
import { bulkBody, parseBulk, parseOperations } from "../../../protocol/request/bulk.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { parseKey } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer, WireHeaders } from "../../../protocol/wire/wire.ts";
import { isTrue } from "../../../protocol/wire/wire.ts";
import type { GatewayRequest } from "../gateway.ts";
import { chargeOfRefusal, refuse } from "../gateway.ts";
import { namesTriggers } from "../script/triggeredWrite.ts";
import type { SentBatch } from "./bulkRoutes.ts";
import { answerBulk } from "./bulkRoutes.ts";
import { isReturnMinimal, OUTCOME_STATUS } from "./itemOutcome.ts";
import { sessionProblem } from "./session.ts";

/** What is around an item, or around the value that a patch sets: list, operation, patch, list. */
const WRAPPING_DEPTH = 4;
/** The same where every operation is a row: patch, list. */
const ROW_WRAPPING_DEPTH = 2;
/** Of an operation that was undone because of another one. */
const FAILED_DEPENDENCY = 424;

export async function answerBatch(
  account: Account,
  request: GatewayRequest,
  container: Container,
): Promise<WireAnswer> {
  if (namesTriggers(request.headers)) return refuse(request, NO_TRIGGERS);
  const isRows = isHybridRow(request.body);
  const operations = isRows ? parseRows(account, request.body) : parseJson(account, request.body);
  if (!operations.ok) return refuse(request, operations.error);
  const batch: SentBatch = {
    operations: operations.value,
    encode: isRows ? encodeBatchRows : bulkBody,
  };
  return isTrue(request.headers, HEADER.isBatchAtomic)
    ? answerTransaction(account, request, container, batch)
    : answerBulk(account, request, container, batch);
}

const NO_TRIGGERS: Refusal = badRequest(
  "Triggers cannot run with a batch or bulk request. Name them in requests that write one item.",
);

function parseJson(account: Account, bytes: Buffer): Result<readonly BulkOperation[], Refusal> {
  const body = account.parseBody(bytes, WRAPPING_DEPTH);
  return body.ok ? parseBulk(body.value, account.limits) : body;
}

/** In rows, items may be in the binary form of JSON, as in requests that are about one item. */
function parseRows(account: Account, bytes: Buffer): Result<readonly BulkOperation[], Refusal> {
  const { nestingMax, itemBytesMax } = account.limits;
  const bounds = { depthMax: nestingMax + ROW_WRAPPING_DEPTH, textBytesMax: itemBytesMax };
  const sent = parseBatchRows(bytes, (resource) => {
    if (!isBinary(resource)) return account.parseBody(resource, ROW_WRAPPING_DEPTH);
    const decoded = decodeBinary(resource, bounds);
    return decoded.ok ? decoded : no(binaryRefusal(decoded.error));
  });
  return sent.ok ? parseOperations(sent.value, account.limits) : sent;
}

function binaryRefusal(problem: BinaryProblem): Refusal {
  switch (problem.kind) {
    case "tooLarge":
      return { kind: "tooLarge", message: TOO_LARGE_MESSAGE };
    case "tooDeep":
      return badRequest("The body of the operation is nested too deeply.");
    case "malformed":
      return badRequest(problem.message);
  }
}

async function answerTransaction(
  account: Account,
  request: GatewayRequest,
  container: Container,
  { operations, encode }: SentBatch,
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  if (operations.length === 0) {
    return refuse(request, badRequest("Batch request has no operations."));
  }
  const routed = routeOf(account, container, headers, operations);
  if (!routed.ok) return refuse(request, routed.error);
  const { key, partition } = routed.value;
  // What only writes does not depend on what its sender has seen.
  const reads = operations.some(({ kind }) => kind === "read");
  const problem = reads ? sessionProblem(headers, partition) : undefined;
  if (problem !== undefined) return refuse(request, problem);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);

  const commands: BatchOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const command =
      operation.problem === undefined
        ? account.batchOperation(container, { ...operation, key })
        : no(operation.problem);
    if (!command.ok) {
      const results = resultsOfFailure(operations.length, index, command.error);
      return unsubmitted(request, partition, results[index]!.charge, encode(results));
    }
    commands.push(command.value);
  }
  const outcome = await account.runBatch(container, commands, {
    caller: caller.value,
    consistency: consistency.value,
  });
  const { rangeId, lsn, charge } = outcome;
  const owner = outcome.kind === "rolledBack" ? undefined : container;
  const served: Served = { owner, rangeId, lsn, charge };
  if (outcome.kind === "refused") return refusalAnswer(outcome.refusal, activityId, served);
  const isMinimal = isReturnMinimal(headers);
  const results = outcome.results.map((result, index) =>
    wireResult(result, isMinimal || operations[index]!.isMinimal),
  );
  return itemAnswer(STATUS[outcome.kind], activityId, served, { body: encode(results) });
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

/** One operation was refused before any physical partition had to look at it. */
function resultsOfFailure(
  operationCount: number,
  failedIndex: number,
  refusal: Refusal,
): readonly BulkResult[] {
  const undone: BulkResult = { status: FAILED_DEPENDENCY, charge: ru(0) };
  const { status } = WIRE_STATUS[refusal.kind];
  return new Array<BulkResult>(operationCount)
    .fill(undone)
    .with(failedIndex, { status, refusal, charge: chargeOfRefusal(refusal) });
}

function unsubmitted(
  { activityId }: GatewayRequest,
  { entry, lsn }: RoutedKey["partition"],
  charge: Ru,
  body: Buffer,
): WireAnswer {
  const served: Served = { owner: undefined, rangeId: entry.id, lsn, charge };
  return itemAnswer(STATUS.rolledBack, activityId, served, { body });
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
