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
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { parseKeyIn } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { isTrue } from "../../../protocol/wire/wire.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse } from "../gateway.ts";
import { sessionProblem, staleProblem } from "../item/session.ts";
import { withScriptLog } from "./scriptLog.ts";
import { surroundingsOf } from "./scriptSurroundings.ts";

/** One that a client has stored, or one of the service's own. */
export interface Procedure {
  readonly name: string;
  readonly body: string;
}

/** Every container has it; official clients call it to see whether procedures run. */
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
  request: GatewayRequest,
  container: Container,
  { name, body }: Procedure,
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  const stale = staleProblem(headers, container);
  if (stale !== undefined) return refuse(request, stale);
  const args = argsOf(account, request.body);
  if (!args.ok) return refuse(request, args.error);
  const key = parseKeyIn(headers, container.definition.partitionKey);
  if (!key.ok) return refuse(request, key.error);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const routed = account.route(container, key.value);
  if (!routed.ok) return refuse(request, routed.error);
  const problem = sessionProblem(headers, routed.value.partition);
  if (problem !== undefined) return refuse(request, problem);

  const ran = await account.runProcedure(container, {
    name,
    body,
    args: args.value,
    key: key.value,
    caller: caller.value,
    consistency: consistency.value,
    isLogging: isTrue(headers, HEADER.scriptLogging),
    surroundings: surroundingsOf(account, container, headers),
    isGone: request.isGone,
  });
  if (!ran.ok) return refuse(request, ran.error);
  const { result, log, lsn, rangeId, charge } = ran.value;
  const served: Served = { owner: container, rangeId, lsn, charge };
  const answer = result.ok
    ? itemAnswer(200, activityId, served, { body: Buffer.from(result.value ?? NOTHING) })
    : refusalAnswer(result.error, activityId, served);
  return withScriptLog(answer, log);
}

/** What clients get from a procedure that says nothing: some cannot read an empty body. */
const NOTHING = '""';

/** A list of arguments. An object is one if it looks like one, and is none otherwise. */
function argsOf(account: Account, body: Buffer): Result<JsonValue, Refusal> {
  if (body.length === 0) return ok([]);
  const parsed = account.parseBody(body, 1);
  if (!parsed.ok) return no(badRequest(NO_LIST));
  return typeof parsed.value === "object" ? parsed : no(badRequest(NO_LIST));
}

const NO_LIST =
  "The body of a call must be a JSON array with the arguments of the stored procedure, nested no " +
  "deeper than items may be.";
