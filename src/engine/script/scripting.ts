/**
 * Stored procedures, and writes with triggers: which scripts run, on what, and what comes of it.
 * One transaction each.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Caller } from "../../model/caller.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { ScriptRunner } from "../../script/scriptRunner.ts";
import type { Consistency } from "../../throughput/charge.ts";
import type { Container } from "../container.ts";
import { etagOf } from "../itemBody.ts";
import type { ItemOutcome, ItemReceipt, WriteCommand } from "../itemCommand.ts";
import type { WriteRequest } from "../itemRouting.ts";
import { routeKey, routeWrite } from "../itemRouting.ts";
import type { Attempt, RunAnswer, RunSetting, ScriptSetting } from "./scriptRuns.ts";
import { Lines, runUntilTrue } from "./scriptRuns.ts";
import type { Trigger } from "./trigger.ts";
import { checkTrigger, operationNameOf } from "./trigger.ts";

export interface ScriptingSetting
  extends ScriptSetting,
    Omit<RunSetting, "container" | "key" | "epk" | "consistency" | "lines"> {}

export interface ProcedureRequest {
  readonly name: string;
  readonly body: string;
  readonly args: readonly JsonValue[];
  readonly key: PartitionKey | undefined;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly isLogging: boolean;
}

/** What the response was set to, as JSON text. */
export type ProcedureAnswer = RunAnswer<string | undefined>;

export interface TriggeredWrite {
  readonly request: WriteRequest;
  readonly before: Trigger | undefined;
  readonly after: Trigger | undefined;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly isLogging: boolean;
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
    { name, body, args, key, consistency, ...terms }: ProcedureRequest,
  ): Promise<Result<ProcedureAnswer, Refusal>> {
    const routed = routeKey(container, key, this.#setting.limits);
    if (!routed.ok) return routed;
    const { epk } = routed.value;
    const setting = this.#settingFor(container, { key: key!, epk, consistency });
    const throttled = throttledAnswer<string | undefined>(container, setting, terms.caller);
    if (throttled !== undefined) return ok(throttled);
    const answer = await runUntilTrue<string | undefined>(setting, terms, async ({ call }) => {
      const done = await call({ kind: "procedure", name, body, args });
      return done.ok ? ok(done.value.responseBody) : done;
    });
    return ok(answer);
  }

  /** The write happens together with what its triggers do, or not at all. */
  async writeWithTriggers(
    container: Container,
    write: TriggeredWrite,
  ): Promise<Result<TriggeredAnswer, Refusal>> {
    const { request, before, after, consistency, caller, isLogging } = write;
    for (const [trigger, type] of [
      [before, "pre"],
      [after, "post"],
    ] as const) {
      const problem = trigger && checkTrigger(trigger, type, request.kind);
      if (problem !== undefined) return no(problem);
    }
    // What the trigger makes of the item may not change where it belongs.
    const routed = routeWrite(container, request, this.#setting.limits);
    if (!routed.ok) return routed;
    const { epk } = routed.value.command;
    const key = request.key ?? keyOf(container, routed.value.command);
    if (key === undefined) return no(badRequest("PartitionKey value must be supplied."));
    const setting = this.#settingFor(container, { key, epk, consistency });
    const throttled = throttledAnswer<ItemReceipt>(container, setting, caller);
    const answer =
      throttled ??
      (await runUntilTrue(setting, { caller, isLogging }, (attempt) =>
        writeOnce(setting, attempt, write),
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

/** Turned away before anything is spent on it. */
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

async function writeOnce(
  setting: RunSetting,
  { transaction, call }: Attempt,
  { request, before, after }: TriggeredWrite,
): Promise<Result<ItemReceipt, Refusal>> {
  const operationType = operationNameOf(request.kind);
  const sent = "body" in request ? textOf(request.body) : undefined;
  let body = sent;
  if (before !== undefined) {
    const message = { operationType, body: sent, values: {} };
    const done = await call({ kind: "preTrigger", ...before, request: message });
    if (!done.ok) return done;
    body = done.value.requestBody;
  }
  const changed = body === sent ? request : withBody(request, body);
  const routed = routeWrite(setting.container, changed, setting.limits);
  if (!routed.ok) return routed;
  const { command } = routed.value;
  if (command.epk !== setting.epk) return no({ kind: "keyMismatch" });
  const written = await transaction.write(command);
  if (!written.ok) return written;
  const stored = written.value.body;
  let answered = stored;
  if (after !== undefined) {
    const text = stored?.toString();
    const done = await call({
      kind: "postTrigger",
      ...after,
      request: { operationType, body, values: {} },
      response: { operationType, body: text, values: {} },
    });
    if (!done.ok) return done;
    const { responseBody } = done.value;
    if (responseBody !== undefined && responseBody !== text) answered = Buffer.from(responseBody);
  }
  const kind = stored === undefined ? "deleted" : written.value.isCreated ? "created" : "replaced";
  const standing = { lsn: transaction.partition.lsn, rangeId: transaction.partition.entry.id };
  return ok({
    kind,
    body: answered,
    etag: stored && etagOf(stored),
    charge: transaction.charges.at(-1)!,
    ...standing,
  });
}

function withBody(request: WriteRequest, body: string | undefined): WriteRequest {
  if (!("body" in request) || body === undefined) return request;
  return { ...request, body: Buffer.from(body) };
}

function textOf(body: Buffer | JsonValue): string {
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
}

function keyOf(container: Container, command: WriteCommand): PartitionKey | undefined {
  if (!("draft" in command)) return undefined;
  const key = container.readKey(command.draft.object);
  return key.ok ? key.value : undefined;
}
