/**
 * Stored procedures, and writes with triggers: which scripts run, with which arguments, and the
 * outcome. Each is one transaction.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import type { ScriptRunner } from "../../script/scriptRunner.ts";
import { etagOf, parseBody, parseObject } from "../item/itemBody.ts";
import type { ItemOutcome, ItemReceipt } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import { PATCH_WRAPPING_DEPTH, routeKey, routeWrite } from "../partition/itemRouting.ts";
import type {
  RunAnswer,
  RunSetting,
  ScriptAttempt,
  ScriptSetting,
  Surroundings,
} from "./scriptRuns.ts";
import { Lines, runUntilTrue } from "./scriptRuns.ts";
import type { ScriptTransaction } from "./scriptTransaction.ts";
import type { Trigger } from "./trigger.ts";
import { checkTrigger, operationNameOf } from "./trigger.ts";

interface ScriptingSetting
  extends ScriptSetting,
    Omit<RunSetting, "container" | "key" | "epk" | "consistency" | "lines"> {}

export interface ProcedureRequest {
  readonly name: string;
  readonly body: string;
  /** The arguments: a list, or any other value that a function can be applied to. */
  readonly args: JsonValue;
  readonly key: PartitionKey | undefined;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly isLogging: boolean;
  readonly surroundings?: Surroundings | undefined;
  /** True when the client has gone away. */
  readonly isGone?: (() => boolean) | undefined;
}

/** The outcome of a procedure: the body that it set as the response, as JSON text. */
export type ProcedureAnswer = RunAnswer<string | undefined>;

export interface TriggeredWrite {
  readonly request: WriteRequest;
  readonly before: Trigger | undefined;
  readonly after: Trigger | undefined;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly isLogging: boolean;
  readonly surroundings?: Surroundings | undefined;
  /** True when the client has gone away. */
  readonly isGone?: (() => boolean) | undefined;
}

export interface TriggeredAnswer {
  readonly outcome: ItemOutcome;
  readonly log: string;
}

export class Scripting {
  readonly #setting: ScriptingSetting;
  readonly #lines = new Lines();

  constructor(setting: ScriptingSetting) {
    this.#setting = setting;
  }

  get runner(): ScriptRunner {
    return this.#setting.runner;
  }

  async runProcedure(
    container: Container,
    { name, body, args, key, consistency, ...rest }: ProcedureRequest,
  ): Promise<Result<ProcedureAnswer, Refusal>> {
    const terms = { ...rest, script: `procedure ${name}` };
    const routed = routeKey(container, key, this.#setting.limits);
    if (!routed.ok) return routed;
    const { epk } = routed.value;
    const setting = this.#settingFor(container, { key: key!, epk, consistency });
    const throttled = throttledAnswer<string | undefined>(container, setting, terms.caller);
    if (throttled !== undefined) return ok(throttled);
    const answer = await runUntilTrue<string | undefined>(setting, terms, async ({ call }) => {
      const operationType = "Execute";
      const done = await call({ kind: "procedure", name, body, args, operationType });
      return done.ok ? ok(done.value.responseBody) : done;
    });
    return ok(answer);
  }

  /** Writes an item together with everything that its triggers do, or does nothing. */
  async writeWithTriggers(
    container: Container,
    write: TriggeredWrite,
  ): Promise<Result<TriggeredAnswer, Refusal>> {
    const { request, before, after, consistency, caller } = write;
    for (const [trigger, type] of [
      [before, "pre"],
      [after, "post"],
    ] as const) {
      const problem = trigger && checkTrigger(trigger, type, request.kind);
      if (problem !== undefined) return no(problem);
    }
    const { limits } = this.#setting;
    const sent = sentOf(request, limits);
    if (!sent.ok) return sent;
    // A trigger may change anything in the item except its partition key.
    const key = request.key ?? keyOf(container, sent.value);
    const routed = routeKey(container, key, limits);
    if (!routed.ok) return routed;
    const setting = this.#settingFor(container, { key: key!, epk: routed.value.epk, consistency });
    const throttled = throttledAnswer<ItemReceipt>(container, setting, caller);
    const script = `triggers ${before?.name ?? ""} ${after?.name ?? ""}`;
    const answer =
      throttled ??
      (await runUntilTrue(setting, { ...write, script }, (attempt) =>
        writeOnce(setting, attempt, { ...write, sent: sent.value }),
      ));
    const { lsn, rangeId, charge, log, result } = answer;
    const outcome: ItemOutcome = result.ok
      ? { ...result.value, lsn, rangeId, charge, itemLsn: lsn }
      : { kind: "refused", refusal: result.error, lsn, rangeId, charge };
    return ok({ outcome, log });
  }

  #settingFor(
    container: Container,
    place: Pick<RunSetting, "key" | "epk" | "consistency">,
  ): RunSetting {
    return { ...this.#setting, ...place, container, lines: this.#lines };
  }
}

/** Refuses a run while the budget is empty, before any work is done. */
function throttledAnswer<T>(
  container: Container,
  { epk }: RunSetting,
  caller: Caller,
): RunAnswer<T> | undefined {
  const refused = container.ownerOf(epk).refuseWrite(epk, caller);
  if (refused?.kind !== "refused") return undefined;
  const { lsn, rangeId, charge, refusal } = refused;
  return { lsn, rangeId, charge, log: "", result: no(refusal) };
}

interface SentWrite extends TriggeredWrite {
  /** The parsed body that the client sent; undefined for a delete. */
  readonly sent: JsonValue | undefined;
}

async function writeOnce(
  setting: RunSetting,
  { transaction, call }: ScriptAttempt,
  { request, sent, before, after }: SentWrite,
): Promise<Result<ItemReceipt, Refusal>> {
  const operationType = operationNameOf(request.kind);
  const shown = await shownOf(transaction, request, sent);
  let body = shown;
  if (before !== undefined) {
    const { name, body: text } = before;
    const kind = "preTrigger";
    const done = await call({ kind, name, body: text, operationType, requestBody: shown });
    if (!done.ok) return done;
    body = done.value.requestBody;
  }
  const changed = body === shown ? request : withBody(request, body);
  const routed = routeWrite(setting.container, changed, setting.limits);
  if (!routed.ok) return routed;
  const { command } = routed.value;
  if (command.epk !== setting.epk) return no({ kind: "keyMismatch" });
  const written = await transaction.write(command);
  if (!written.ok) return written;
  let stored = written.value.body;
  let answered = stored;
  if (after !== undefined) {
    const done = await call({
      kind: "postTrigger",
      name: after.name,
      body: after.body,
      operationType,
      requestBody: body,
      responseBody: stored?.toString(),
    });
    if (!done.ok) return done;
    // The trigger may have written the item again. If it deleted the item, the answer keeps the
    // version before.
    const id = "draft" in command ? command.draft.id : command.id;
    stored &&= (await transaction.bodyOf(id)) ?? stored;
    const { responseBody } = done.value;
    answered = responseBody === undefined ? stored : Buffer.from(responseBody);
  }
  const { isCreated } = written.value;
  const kind = stored === undefined ? "deleted" : isCreated ? "created" : "replaced";
  const standing = { lsn: transaction.partition.lsn, rangeId: transaction.partition.entry.id };
  return ok({
    kind,
    body: stored && answered,
    etag: stored && etagOf(stored),
    charge: transaction.charges.at(-1)!,
    ...standing,
  });
}

/**
 * Returns the body that triggers see, as with the service: for a delete the item that is to be
 * deleted, for a replace the new version with the self link of the stored item.
 */
async function shownOf(
  transaction: ScriptTransaction,
  request: WriteRequest,
  sent: JsonValue | undefined,
): Promise<string | undefined> {
  if (request.kind === "delete") return (await transaction.bodyOf(request.id))?.toString();
  if (request.kind !== "replace" || sent === undefined || !isObject(sent)) {
    return JSON.stringify(sent);
  }
  const stored = await transaction.bodyOf(request.id);
  if (stored === undefined) return JSON.stringify(sent);
  const { _self } = JSON.parse(stored.toString()) as { readonly _self: string };
  return JSON.stringify({ ...sent, _self });
}

function withBody(request: WriteRequest, body: string | undefined): WriteRequest {
  if (!("body" in request) || body === undefined) return request;
  return { ...request, body: Buffer.from(body) };
}

/** Parses the body of the request. The item may lack an id: a trigger may add it. */
function sentOf(request: WriteRequest, limits: Limits): Result<JsonValue | undefined, Refusal> {
  if (!("body" in request)) return ok(undefined);
  const { body } = request;
  if (!Buffer.isBuffer(body)) return ok(body);
  return request.kind === "patch"
    ? parseBody(body, limits, PATCH_WRAPPING_DEPTH)
    : parseObject(body, limits);
}

function keyOf(container: Container, sent: JsonValue | undefined): PartitionKey | undefined {
  if (sent === undefined || !isObject(sent)) return undefined;
  const key = container.readKey(sent);
  return key.ok ? key.value : undefined;
}
