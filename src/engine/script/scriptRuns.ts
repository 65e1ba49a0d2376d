/**
 * Runs what a script is part of (a procedure, or a write with its triggers) until it is done and
 * nothing it saw has changed meanwhile.
 *
 * The first tries run beside everything else. Who was overtaken waits for others of the same
 * logical partition that were overtaken, too, so that those who try again do not overtake each
 * other; who never finishes never gets so far, and is waited for by nobody. Who was overtaken again
 * and again has the logical partition for itself in the next try, for as long as its tries took
 * before and a little more: then those wait who write there. Each try has the time of a script, all
 * scripts of it together; none begins when that long has passed since the first one.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type {
  RunScript,
  ScriptMessage,
  ScriptOutcome,
  ScriptQuota,
  ScriptRun,
  ScriptRunner,
} from "../../script/scriptRunner.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Container } from "../partition/container.ts";
import type { Standing } from "../partition/waiting.ts";
import type { Worded } from "./scriptOperations.ts";
import { operationsOn } from "./scriptOperations.ts";
import type { TransactionSetting } from "./scriptTransaction.ts";
import { ScriptTransaction } from "./scriptTransaction.ts";

/** Who runs scripts, and how a refusal is put into words for them. */
export interface ScriptSetting {
  readonly runner: ScriptRunner;
  wordsOf(refusal: Refusal): Worded;
}

export interface RunSetting extends TransactionSetting, ScriptSetting {
  readonly lines: Lines;
}

export interface RunTerms {
  /** What it is the run of, by which those that wait for a thread are told apart. */
  readonly script: string;
  readonly caller: Caller;
  /** Has the client gone away? */
  readonly isGone?: (() => boolean) | undefined;
  readonly isLogging: boolean;
  readonly surroundings?: Surroundings | undefined;
}

/** What scripts can learn beside items. */
export interface Surroundings {
  readonly quota: ScriptQuota | undefined;
  /** What `getRequest().getValue` finds, by lower-cased name. */
  readonly requestValues: Readonly<Record<string, string>>;
}

/** One script of a try. */
export interface ScriptCall {
  readonly kind: ScriptRun["kind"];
  readonly name: string;
  readonly body: string;
  readonly args?: ScriptRun["args"];
  /** Of the request that it belongs to. */
  readonly operationType: string;
  readonly requestBody?: string | undefined;
  /** Of a post-trigger. */
  readonly responseBody?: string | undefined;
}

/** What a try can do. */
export interface Attempt {
  readonly transaction: ScriptTransaction;
  /** What it left behind, or why it failed. */
  call(script: ScriptCall): Promise<Result<DoneScript, Refusal>>;
}

export type DoneScript = Extract<ScriptOutcome, { readonly kind: "done" }>;

/** Where the physical partition stands, and what it cost, whatever came of it. */
export interface RunAnswer<T> extends Standing {
  readonly charge: Ru;
  readonly log: string;
  readonly result: Result<T, Refusal>;
}

/** Scripts that take no time could be tried for ever. */
const ATTEMPTS_MAX = 100;
/** After so many tries it runs alone. */
const ATTEMPTS_BESIDE = 3;
/** For so many times what the longest try took, and so long, but never longer than that. */
const ALONE_SHARE = 3;
const ALONE_MS_MIN = 50;
const ALONE_MS_MAX = 150;
const CONTENDED_RETRY_MS = 20;

export async function runUntilTrue<T>(
  setting: RunSetting,
  terms: RunTerms,
  step: (attempt: Attempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T>> {
  const { clock, limits, container, epk } = setting;
  let end = Number.POSITIVE_INFINITY;
  let longestMs = 0;
  const tryBeside = (): Promise<RunAnswer<T> | "overtaken"> =>
    lent(setting, terms, async (run) => {
      // To wait for a thread takes nothing of the time.
      const startedAt = clock.now();
      end = Math.min(end, startedAt + limits.scriptTimeMsMax);
      const came = await attempt(
        setting,
        { ...terms, timeMsMax: limits.scriptTimeMsMax },
        run,
        step,
      );
      longestMs = Math.max(longestMs, clock.now() - startedAt);
      return came;
    });
  const tryAlone = (): Promise<RunAnswer<T> | "overtaken"> =>
    lent(setting, terms, async (run) => {
      const wanted = Math.max(ALONE_MS_MIN, ALONE_SHARE * longestMs);
      const timeMsMax = Math.min(wanted, ALONE_MS_MAX, limits.scriptTimeMsMax);
      const came = await container
        .ownerOf(epk)
        .alone(epk, () => attempt(setting, { ...terms, timeMsMax, isHolder: true }, run, step));
      // It took longer than before: it may not have others wait for that.
      const isTooSlow = came !== "overtaken" && !came.result.ok && isTimeout(came.result.error);
      return isTooSlow ? "overtaken" : came;
    });
  const first = await tryBeside();
  if (first !== "overtaken") return first;
  return setting.lines.wait(`${container.rid} ${epk}`, async () => {
    for (let count = 1; count === 1 || (count < ATTEMPTS_MAX && clock.now() < end); count++) {
      const next = await (count < ATTEMPTS_BESIDE ? tryBeside() : tryAlone());
      if (next !== "overtaken") return next;
    }
    return refusedRun(setting, { kind: "scriptContended", retryAfterMs: CONTENDED_RETRY_MS });
  });
}

const isTimeout = ({ kind }: Refusal): boolean => kind === "scriptTimeout";

async function lent<T>(
  setting: RunSetting,
  { script, isGone = () => false }: RunTerms,
  action: (run: RunScript) => Promise<RunAnswer<T> | "overtaken">,
): Promise<RunAnswer<T> | "overtaken"> {
  const borrower = { owner: setting.container.rid, script, isGone };
  const answer = await setting.runner.lend(borrower, action);
  return answer ?? refusedRun(setting, { kind: "unavailable", message: "The server is closing." });
}

function refusedRun<T>({ container, epk }: RunSetting, refusal: Refusal): RunAnswer<T> {
  const { entry, lsn } = container.ownerOf(epk);
  return { lsn, rangeId: entry.id, charge: ru(0), log: "", result: no(refusal) };
}

async function attempt<T>(
  setting: RunSetting,
  terms: RunTerms & { readonly timeMsMax: number; readonly isHolder?: boolean },
  run: RunScript,
  step: (attempt: Attempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T> | "overtaken"> {
  const transaction = new ScriptTransaction(setting);
  const logs: string[] = [];
  let usedMs = 0;
  const call = async (script: ScriptCall): Promise<Result<DoneScript, Refusal>> => {
    const ruMax = ruMaxOf(setting, transaction);
    const bounds = {
      timeMsMax: leftOf(terms.timeMsMax, usedMs),
      // It must not do less because others wait for it: it is ended then, and told to nobody.
      timeMsMeant: leftOf(setting.limits.scriptTimeMsMax, usedMs),
      ruMax,
    };
    const outcome = await run(
      scriptRunOf(setting, script, { ...terms, ...bounds }),
      operationsOn({ ...setting, transaction, ruMax }),
    );
    usedMs += outcome.cpuMs;
    logs.push(outcome.log);
    return outcome.kind === "done" ? ok(outcome) : no(refusalFor(outcome));
  };
  let result: Result<T, Refusal> | undefined;
  const ended = await transaction.run(
    async () => {
      result = await step({ transaction, call });
      return result.ok;
    },
    {
      caller: terms.caller,
      isHolder: terms.isHolder,
      chargeOf: (hasWritten) =>
        chargeOf({ kind: "script", innerCharges: transaction.charges, hasWritten }),
    },
  );
  const { came, charge, lsn, rangeId } = ended;
  if (came === "overtaken") return "overtaken";
  return {
    lsn,
    rangeId,
    charge,
    log: logs.join(""),
    result: came === "committed" ? result! : no(came),
  };
}

type RunBounds = Pick<ScriptRun, "timeMsMax" | "timeMsMeant" | "ruMax">;

function leftOf(timeMsMax: number, usedMs: number): number {
  return Math.max(1, Math.round(timeMsMax - usedMs));
}

function scriptRunOf(
  { container, limits }: { readonly container: Container; readonly limits: Limits },
  { kind, name, body, args = [], operationType, requestBody, responseBody }: ScriptCall,
  { isLogging, surroundings, timeMsMax, timeMsMeant, ruMax }: RunTerms & RunBounds,
): ScriptRun {
  const values = surroundings?.requestValues ?? {};
  const request: ScriptMessage = { operationType, body: requestBody, values };
  const response: ScriptMessage = { operationType, body: responseBody, values: {} };
  return {
    kind,
    name,
    body,
    args,
    quota: surroundings?.quota,
    request,
    response,
    container: {
      selfLink: `dbs/${container.databaseRid}/colls/${container.rid}/`,
      altLink: `dbs/${container.databaseId}/colls/${container.definition.id}`,
    },
    timeMsMax,
    timeMsMeant,
    ruMax,
    memoryBytesMax: limits.scriptMemoryBytesMax,
    isLogging,
  };
}

/** A script may take what its physical partition gets in the time that a script has. */
function ruMaxOf(
  { limits }: { readonly limits: Limits },
  transaction: ScriptTransaction,
): number | undefined {
  const { purse } = transaction.partition.spending;
  if (!purse.budget.isLimited) return undefined;
  return (purse.ratePerSecond * limits.scriptTimeMsMax) / 1000;
}

function refusalFor(outcome: Exclude<ScriptOutcome, { readonly kind: "done" }>): Refusal {
  const { kind, message, number: errorNumber } = outcome;
  switch (kind) {
    case "outOfTime":
      return { kind: "scriptTimeout", message };
    case "notCompiled":
      return { kind: "scriptNotCompiled", message };
    case "threw":
      // The service's words: clients look for them.
      return {
        kind: "scriptFailed",
        message: `Encountered exception while executing function. Exception = ${message}`,
        errorNumber,
      };
    case "outOfMemory":
      return { kind: "scriptFailed", message };
    case "stopped":
      return { kind: "unavailable", message };
  }
}

/** Those who wait for one another, by what they are about. */
export class Lines {
  readonly #last = new Map<string, Promise<unknown>>();

  async wait<T>(subject: string, turn: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(subject) ?? Promise.resolve()).then(turn, turn);
    this.#last.set(subject, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(subject) === mine) this.#last.delete(subject);
    }
  }
}
