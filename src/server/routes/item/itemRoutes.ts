/** `…/colls/{container}/docs` and `…/docs/{id}`: everything about items. */
import type { MaybePromise } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { ItemOutcome } from "../../../engine/item/itemCommand.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { AskedScope } from "../../../model/request/itemScope.ts";
import type { WriteRequest } from "../../../model/request/writeRequest.ts";
import { withCacheBypass } from "../../../protocol/answer/answerHeaders.ts";
import type { Served } from "../../../protocol/answer/answers.ts";
import { itemAnswer, refusalAnswer } from "../../../protocol/answer/answers.ts";
import { withScriptLog } from "../../../protocol/answer/scriptLog.ts";
import type {
  AskedRead,
  AskedWrite,
  ItemRequest,
  ShownItem,
} from "../../../protocol/request/itemRequest.ts";
import type {
  AskedChanges,
  AskedFeed,
  ItemsRequest,
} from "../../../protocol/request/itemsRequest.ts";
import type { AskedQueryPage } from "../../../protocol/request/queryRequest.ts";
import { keyMeantIn } from "../../../protocol/request/sentKey.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import type { TriggeredRequest } from "../script/triggeredWrite.ts";
import { writeWithTriggers } from "../script/triggeredWrite.ts";
import { isOldMeant, sessionProblem, staleProblem } from "../session.ts";
import { answerBatch } from "./batchRoutes.ts";
import { answerChangeFeed } from "./changeFeedRoutes.ts";
import { answerInEitherTerms, answerToOld, readInEitherTerms } from "./formerTerms.ts";
import { OUTCOME_STATUS, shownBody } from "./itemOutcome.ts";
import { noteRead } from "./mirroredReads.ts";
import { answerPlan, answerQuery } from "./queryRoutes.ts";
import { answerReadFeed } from "./readFeedRoutes.ts";

export function answerItem(
  account: Account,
  context: RequestContext,
  request: ItemRequest,
): MaybePromise<WireAnswer> {
  const { path, asked } = request;
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined) return refuse(context, { kind: "ownerNotFound" });
  const stale = staleProblem(request, container);
  if (stale !== undefined) return refuse(context, stale);
  if (!asked.ok) return refuse(context, asked.error);
  const about = asked.value;
  const sent = about.kind === "read" ? about.key : about.write.key;
  const key = keyMeantIn(container.definition.partitionKey, sent, about.isOfOldProgram);
  const answerWith = (id: string): MaybePromise<WireAnswer> =>
    about.kind === "read"
      ? readItem(account, context, container, { asked: about, key, id })
      : answerWrite(account, context, container, about, {
          ...about.write,
          id,
          key,
        } as WriteRequest);
  const id = account.itemIdOf(container, key, path.id);
  if (id === undefined) return refuse(context, { kind: "notFound" });
  const answered = id instanceof Promise ? id.then(answerWith) : answerWith(id);
  return isOldMeant(request, container) ? answerToOld(account, container, key, answered) : answered;
}

export function answerItems(
  account: Account,
  context: RequestContext,
  request: ItemsRequest,
): MaybePromise<WireAnswer> {
  const { path, body } = request;
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined) return refuse(context, { kind: "ownerNotFound" });
  const stale = staleProblem(request, container);
  if (stale !== undefined) return refuse(context, stale);
  if (!request.asked.ok) return refuse(context, request.asked.error);
  const asked = request.asked.value;
  switch (asked.kind) {
    case "readFeed":
    case "changes":
    case "query":
      return answerPage(account, context, container, asked, request);
    case "queryPlan":
      return answerPlan(account, context, container, { ...asked, body });
    case "batch":
    case "write": {
      const isBatch = asked.kind === "batch";
      const answered = isBatch
        ? answerBatch(account, context, container, { ...asked, body })
        : answerWrite(account, context, container, asked, asked.write);
      if (!isOldMeant(request, container)) return answered;
      return answerToOld(account, container, isBatch ? asked.key : asked.write.key, answered);
    }
  }
}

/** A page of items. Where clients may go by another container, it may be one of that. */
function answerPage(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedFeed | AskedChanges | AskedQueryPage,
  request: ItemsRequest,
): Promise<WireAnswer> {
  const { former } = container;
  const { body } = request;
  const answerIn = (one: Container, scope: AskedScope): Promise<WireAnswer> => {
    switch (asked.kind) {
      case "readFeed":
        return answerReadFeed(account, context, one, { ...asked, scope });
      case "changes":
        return answerChangeFeed(account, context, one, { ...asked, scope });
      case "query":
        return answerQuery(account, context, one, { ...asked, scope, body });
    }
  };
  if (former === undefined) return answerIn(container, asked.scope);
  const isResumed =
    asked.kind === "changes" ? asked.from.kind === "etag" : asked.continuation !== undefined;
  const isConfined = asked.kind === "query" && !asked.isFanOutAllowed;
  const page = {
    scope: asked.scope,
    mayBeOfOther: isResumed || isConfined,
    isOldMeant: isOldMeant(request, container),
  };
  return answerInEitherTerms(context, container, former, page, answerIn);
}

/** A read, with the key and the id that it means in the container. */
interface FoundRead {
  readonly asked: AskedRead;
  readonly key: PartitionKey | undefined;
  readonly id: string;
}

/** The busiest path of all: no promise unless the store needs one, and few objects on the way. */
function readItem(
  account: Account,
  context: RequestContext,
  container: Container,
  { asked, key, id }: FoundRead,
): MaybePromise<WireAnswer> {
  if (container.former !== undefined) {
    const { session, terms } = asked;
    const read = readInEitherTerms(account, context, container, { key, id, session, terms });
    return read.then((outcome) =>
      outcome.ok
        ? readAnswer(context, container, asked, outcome.value)
        : refuse(context, outcome.error),
    );
  }
  const routed = account.route(container, key);
  if (!routed.ok) return refuse(context, routed.error);
  const { partition, epk } = routed.value;
  const problem = sessionProblem(asked.session, partition);
  if (problem !== undefined) return refuse(context, problem);
  const outcome = partition.read(epk, id, asked.terms);
  if (outcome instanceof Promise) {
    return outcome.then((value) => {
      noteRead(account, container, { epk, id, terms: asked.terms, outcome: value });
      return readAnswer(context, container, asked, value);
    });
  }
  if (account.mirroring.active !== undefined) {
    noteRead(account, container, { epk, id, terms: asked.terms, outcome });
  }
  return readAnswer(context, container, asked, outcome);
}

function readAnswer(
  context: RequestContext,
  container: Container,
  { shown, isPastCache }: AskedRead,
  outcome: ItemOutcome,
): WireAnswer {
  const answer = outcomeAnswer(context, container, shown, outcome);
  return isPastCache ? withCacheBypass(answer) : answer;
}

/** `request` is what the client asked, with the key and the id that it means in the container. */
function answerWrite(
  account: Account,
  context: RequestContext,
  container: Container,
  { caller, consistency, triggers, shown }: AskedWrite,
  request: WriteRequest,
): MaybePromise<WireAnswer> {
  if (triggers !== undefined) {
    const { isGone } = context;
    const asked = { request, triggers, caller, consistency, isGone };
    return answerTriggered(account, context, container, asked, shown);
  }
  const submitted = account.writeItem(container, request, caller, context.program);
  if (!submitted.ok) return refuse(context, submitted.error);
  return submitted.value.then((outcome) => outcomeAnswer(context, container, shown, outcome));
}

async function answerTriggered(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: TriggeredRequest,
  shown: ShownItem,
): Promise<WireAnswer> {
  const written = await writeWithTriggers(account, container, asked, context.program);
  if (!written.ok) return refuse(context, written.error);
  const { outcome, log } = written.value;
  return withScriptLog(outcomeAnswer(context, container, shown, outcome), log);
}

function outcomeAnswer(
  { activityId }: RequestContext,
  container: Container,
  shown: ShownItem,
  outcome: ItemOutcome,
): WireAnswer {
  const { rangeId, lsn, charge } = outcome;
  const served: Served = { owner: container, rangeId, lsn, charge };
  if (outcome.kind === "refused") return refusalAnswer(outcome.refusal, activityId, served);
  const { etag, itemLsn } = outcome;
  const body = shownBody(shown, outcome);
  return itemAnswer(OUTCOME_STATUS[outcome.kind], activityId, served, { etag, itemLsn, body });
}
