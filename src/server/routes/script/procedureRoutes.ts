/** `POST …/sprocs/{id}`: a stored procedure is run. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { Resource } from "../../../engine/catalog/resourceRecords.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { JsonValue } from "../../../json/value.ts";
import { property } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { Served } from "../../../protocol/answer/answers.ts";
import { itemAnswer, refusalAnswer } from "../../../protocol/answer/answers.ts";
import { withScriptLog } from "../../../protocol/answer/scriptLog.ts";
import type { ResourceRequest } from "../../../protocol/request/metadataRequest.ts";
import type { AskedCall } from "../../../protocol/request/procedureCall.ts";
import { keyMeantIn } from "../../../protocol/request/sentKey.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { oldKeyProblem } from "../item/formerTerms.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem, staleProblem } from "../session.ts";
import { surroundingsOf } from "./scriptSurroundings.ts";

/** A procedure that a client has stored, or one of the service's own. */
interface Procedure {
  readonly name: string;
  readonly body: string;
}

/** The procedure that is called, and how. */
export interface ProcedureCall {
  readonly procedure: Procedure;
  readonly call: Result<AskedCall, Refusal>;
  readonly request: Pick<ResourceRequest, "body" | "intendedRid">;
}

/** A procedure that every container has; official clients call it to see whether procedures run. */
const ECHO: Procedure = {
  name: "__.sys.echo",
  body: "function (said) { getContext().getResponse().setBody(said); }",
};

export function procedureOf(resource: Resource | undefined, id: string): Procedure | undefined {
  if (resource === undefined) return id === ECHO.name ? ECHO : undefined;
  const { record } = resource;
  return { name: record.id, body: String(property(record.content, "body")) };
}

export async function answerProcedure(
  account: Account,
  context: RequestContext,
  container: Container,
  { procedure: { name, body }, call, request }: ProcedureCall,
): Promise<WireAnswer> {
  const stale = staleProblem(request, container);
  if (stale !== undefined) return refuse(context, stale);
  const args = argsOf(account, request.body);
  if (!args.ok) return refuse(context, args.error);
  if (!call.ok) return refuse(context, call.error);
  const { caller, consistency, session, isLogging, isOfOldProgram } = call.value;
  const key = keyMeantIn(container.definition.partitionKey, call.value.key, isOfOldProgram);
  const former = await oldKeyProblem(context, container, key, request);
  if (former !== undefined) return refuse(context, former);
  const routed = account.route(container, key);
  if (!routed.ok) return refuse(context, routed.error);
  const problem = sessionProblem(session, routed.value.partition);
  if (problem !== undefined) return refuse(context, problem);

  const ran = await account.runProcedure(container, {
    name,
    body,
    args: args.value,
    key,
    caller,
    consistency,
    isLogging,
    surroundings: surroundingsOf(account, container, call.value),
    isGone: context.isGone,
  });
  if (!ran.ok) return refuse(context, ran.error);
  const { result, log, lsn, rangeId, charge } = ran.value;
  const movedTo = result.ok ? undefined : container.movedToBy(result.error);
  if (movedTo !== undefined) {
    return answerProcedure(account, context, movedTo, { procedure: { name, body }, call, request });
  }
  const served: Served = { owner: container, rangeId, lsn, charge };
  const answer = result.ok
    ? itemAnswer(200, context.activityId, served, { body: Buffer.from(result.value ?? NOTHING) })
    : refusalAnswer(result.error, context.activityId, served);
  return withScriptLog(answer, log);
}

/** The body that clients get from a procedure that says nothing: some cannot read an empty one. */
const NOTHING = '""';

/** Reads the arguments. An object is taken for a list; one without a length is an empty list. */
function argsOf(account: Account, body: Buffer): Result<JsonValue, Refusal> {
  if (body.length === 0) return ok([]);
  const parsed = account.parseBody(body, 1);
  if (!parsed.ok) return no(badRequest(NO_LIST));
  return typeof parsed.value === "object" ? parsed : no(badRequest(NO_LIST));
}

const NO_LIST =
  "The body of a call must be a JSON array with the arguments of the stored procedure, nested no " +
  "deeper than items may be.";
