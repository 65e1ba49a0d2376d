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
import type { OperationResult } from "../../../protocol/answer/bulkBody.ts";
import { bulkBody } from "../../../protocol/answer/bulkBody.ts";
import { WIRE_STATUS } from "../../../protocol/answer/refusal.ts";
import { encodeBatchRows, parseBatchRows } from "../../../protocol/hybridRow/batchRows.ts";
import { isHybridRow } from "../../../protocol/hybridRow/recordIo.ts";
import type { BulkOperation } from "../../../protocol/request/bulk.ts";
import { parseBulk, parseOperations } from "../../../protocol/request/bulk.ts";
import type { AskedBatch } from "../../../protocol/request/itemsRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOfRefusal, refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";
import type { SentBatch } from "./bulkRoutes.ts";
import { answerBulk } from "./bulkRoutes.ts";
import { OUTCOME_STATUS } from "./itemOutcome.ts";

/**
 * The levels around an item, or around the value that a patch sets: list, operation, patch, list.
 */
const WRAPPING_DEPTH = 4;
/** The levels around such a value where every operation is a row: patch, list. */
const ROW_WRAPPING_DEPTH = 2;
/** The status of an operation that was undone because of another one. */
const FAILED_DEPENDENCY = 424;

export async function answerBatch(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedBatch & { readonly body: Buffer },
): Promise<WireAnswer> {
  const { body, isAtomic } = asked;
  const isRows = isHybridRow(body);
  const operations = isRows ? parseRows(account, body) : parseJson(account, body);
  if (!operations.ok) return refuse(context, operations.error);
  const batch: SentBatch = {
    operations: operations.value,
    encode: isRows ? encodeBatchRows : bulkBody,
  };
  const answerAll = isAtomic ? answerTransaction : answerBulk;
  return answerAll(account, context, container, asked, batch);
}

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
  context: RequestContext,
  container: Container,
  asked: AskedBatch,
  batch: SentBatch,
): Promise<WireAnswer> {
  const { activityId } = context;
  const { caller, consistency } = asked;
  const { encode } = batch;
  if (batch.operations.length === 0) {
    return refuse(context, badRequest("Batch request has no operations."));
  }
  const meant = await operationsMeant(context, container, asked.key, batch.operations);
  if (!meant.ok) return refuse(context, meant.error);
  const { operations } = meant.value;
  const routed = account.route(container, meant.value.key);
  if (!routed.ok) return refuse(context, routed.error);
  const { key, partition } = routed.value;
  // What only writes does not depend on what its sender has seen.
  const reads = operations.some(({ kind }) => kind === "read");
  const problem = reads ? sessionProblem(asked.session, partition) : undefined;
  if (problem !== undefined) return refuse(context, problem);

  const commands: BatchOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const command =
      operation.problem === undefined
        ? account.batchOperation(container, { ...operation, key })
        : no(operation.problem);
    if (!command.ok) {
      const results = resultsOfFailure(operations.length, index, command.error);
      return unsubmitted(context, partition, results[index]!.charge, encode(results));
    }
    commands.push(command.value);
  }
  const outcome = await account.runBatch(container, commands, { caller, consistency });
  const { rangeId, lsn, charge } = outcome;
  const owner = outcome.kind === "rolledBack" ? undefined : container;
  const served: Served = { owner, rangeId, lsn, charge };
  if (outcome.kind === "refused") {
    const movedTo = container.movedToBy(outcome.refusal);
    if (movedTo !== undefined) return answerTransaction(account, context, movedTo, asked, batch);
    return refusalAnswer(outcome.refusal, activityId, served);
  }
  const results = outcome.results.map((result, index) =>
    wireResult(result, asked.isMinimal || operations[index]!.isMinimal),
  );
  return itemAnswer(STATUS[outcome.kind], activityId, served, { body: encode(results) });
}

const STATUS: Readonly<Record<Exclude<BatchOutcome["kind"], "refused">, number>> = {
  committed: 200,
  rolledBack: 207,
};

interface MeantBatch {
  readonly key: PartitionKey | undefined;
  readonly operations: readonly BulkOperation[];
}

/**
 * The request has one key for all operations; an operation that repeats it says the same. It may be
 * one that the container had before.
 */
async function operationsMeant(
  context: RequestContext,
  { former }: Container,
  key: PartitionKey | undefined,
  operations: readonly BulkOperation[],
): Promise<Result<MeantBatch, Refusal>> {
  const isSame =
    key === undefined || operations.every((one) => one.key === undefined || sameKey(one.key, key));
  if (!isSame) return no(DIFFERENT_KEYS);
  const isMalformed = operations.some(({ problem }) => problem !== undefined);
  if (former === undefined || key === undefined || isMalformed) return ok({ key, operations });
  return former.translatedBatch(key, operations, context.program());
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
): readonly OperationResult[] {
  const undone: OperationResult = { status: FAILED_DEPENDENCY, charge: ru(0) };
  const { status } = WIRE_STATUS[refusal.kind];
  return new Array<OperationResult>(operationCount)
    .fill(undone)
    .with(failedIndex, { status, refusal, charge: chargeOfRefusal(refusal) });
}

function unsubmitted(
  { activityId }: RequestContext,
  { entry, lsn }: RoutedKey["partition"],
  charge: Ru,
  body: Buffer,
): WireAnswer {
  const served: Served = { owner: undefined, rangeId: entry.id, lsn, charge };
  return itemAnswer(STATUS.rolledBack, activityId, served, { body });
}

function wireResult(result: BatchResult, isMinimal: boolean): OperationResult {
  const { charge } = result;
  if (result.kind === "undone") return { status: FAILED_DEPENDENCY, charge };
  if (result.kind === "refused") {
    const { refusal } = result;
    return { status: WIRE_STATUS[refusal.kind].status, refusal, charge };
  }
  const body = isMinimal && result.kind !== "found" ? undefined : result.body;
  return { status: OUTCOME_STATUS[result.kind], charge, etag: result.etag, body };
}
