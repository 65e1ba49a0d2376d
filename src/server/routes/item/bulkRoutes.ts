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
import type { Caller } from "../../../model/caller.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { byId } from "../../../partition/partitionMap.ts";
import { sessionHeaders } from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { OperationResult } from "../../../protocol/answer/bulkBody.ts";
import { WIRE_STATUS } from "../../../protocol/answer/refusal.ts";
import type { BulkOperation } from "../../../protocol/request/bulk.ts";
import type { AskedBatch } from "../../../protocol/request/itemsRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOfRefusal, refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";
import { isOldRange, readInEitherTerms } from "./formerTerms.ts";
import { OUTCOME_STATUS } from "./itemOutcome.ts";
import { noteRead } from "./mirroredReads.ts";

/** The status of an operation that was not tried because one before it failed. */
const FAILED_DEPENDENCY = 424;

/** Operations, and how results are written for whoever sent them. */
export interface SentBatch {
  readonly operations: readonly BulkOperation[];
  readonly encode: (results: readonly OperationResult[]) => Buffer;
}

export async function answerBulk(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedBatch,
  { operations, encode }: SentBatch,
): Promise<WireAnswer> {
  const { rangeId, isMinimal, isUntilFailure } = asked;
  // Whoever sorted operations by an old map has to sort them anew; clients know how.
  const isGone = rangeId !== undefined && byId(container.map, rangeId) === undefined;
  if (isGone && !isOldRange(container, rangeId)) {
    return refuse(context, { kind: "rangeGone" });
  }
  const caller = { ...asked.caller, isOfMany: operations.length > 1 };
  const run = (operation: BulkOperation): MaybePromise<BulkOutcome> =>
    outcomeOf(account, context, container, operation, { ...asked, caller });
  const runThem = isUntilFailure ? runUntilOneFails : runAll;
  const outcomes = await runThem(operations, run);
  const results = resultsOf(outcomes, account.limits.pageBytesMax, (index) => {
    return isMinimal || operations[index]!.isMinimal;
  });
  const charge = results.reduce((total, result) => total + result.charge, 0);
  const status = results.every((result) => result.status < 400) ? 200 : 207;
  const latest = latestOf(outcomes);
  return metadataAnswer(status, context.activityId, ru(Math.round(charge * 100) / 100), {
    body: encode(results),
    owner: container,
    headers: latest === undefined ? [] : sessionHeaders(latest),
  });
}

/** What the sender has seen now. Clients send what belongs to one physical partition. */
function latestOf(
  outcomes: readonly BulkOutcome[],
): Pick<ItemOutcome, "rangeId" | "lsn"> | undefined {
  let latest: Pick<ItemOutcome, "rangeId" | "lsn"> | undefined;
  for (const outcome of outcomes) {
    if ("lsn" in outcome && outcome.lsn > (latest?.lsn ?? -1)) latest = outcome;
  }
  return latest;
}

type BulkTerms = Pick<AskedBatch, "key" | "session" | "consistency"> & { readonly caller: Caller };

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
  context: RequestContext,
  container: Container,
  operation: BulkOperation,
  { key: requestKey, session, caller, consistency }: BulkTerms,
): MaybePromise<BulkOutcome> {
  const { problem } = operation;
  if (problem !== undefined) return { kind: "unrouted", refusal: problem };
  const key = operation.key ?? requestKey;
  const { itemIdBytesMax } = account.limits;
  if ("id" in operation && Buffer.byteLength(operation.id) > itemIdBytesMax) {
    return { kind: "unrouted", refusal: { kind: "notFound" } };
  }
  if (operation.kind === "read" && container.former !== undefined) {
    const { id, ifNoneMatch } = operation;
    const terms = { ifNoneMatch, caller, consistency };
    const read = readInEitherTerms(account, context, container, { key, id, session, terms });
    return read.then((one) => (one.ok ? one.value : { kind: "unrouted", refusal: one.error }));
  }
  if (operation.kind === "read") {
    const routed = account.route(container, key);
    if (!routed.ok) return { kind: "unrouted", refusal: routed.error };
    const { partition, epk } = routed.value;
    const behind = sessionProblem(session, partition);
    if (behind !== undefined) return { kind: "unrouted", refusal: behind };
    const { id, ifNoneMatch } = operation;
    const terms = { ifNoneMatch, caller, consistency };
    const reading = partition.read(epk, id, terms);
    if (account.mirroring.active === undefined) return reading;
    return Promise.resolve(reading).then((outcome) => {
      noteRead(account, container, { epk, id, terms, outcome });
      return outcome;
    });
  }
  const { ifMatch, ifNoneMatch } = operation;
  const submitted = account.writeItem(
    container,
    "resource" in operation
      ? { ...operation, key, body: operation.resource }
      : { kind: "delete", id: operation.id, key, ifMatch, ifNoneMatch },
    caller,
    context.program,
  );
  return submitted.ok ? submitted.value : { kind: "unrouted", refusal: submitted.error };
}

/** Items that do not fit into one answer have to be asked for again; clients know how. */
function resultsOf(
  outcomes: readonly BulkOutcome[],
  bytesMax: number,
  isMinimal: (index: number) => boolean,
): readonly OperationResult[] {
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

function resultOf(outcome: BulkOutcome, isMinimal: boolean): OperationResult {
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
