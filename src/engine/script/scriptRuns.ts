/**
 * Runs what a script is part of (a procedure, or a write with its triggers) until it is done and
 * nothing it saw has changed meanwhile.
 *
 * The first try runs beside everything else. Who was overtaken waits for others of the same logical
 * partition that were overtaken, too, so that those who try again do not overtake each other; who
 * never finishes never gets so far, and is waited for by nobody. Each try has the time of a script,
 * all scripts of it together; none begins when that long has passed since the first one.
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
  ScriptRun,
  ScriptRunner,
} from "../../script/scriptRunner.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Container } from "../container.ts";
import type { Standing } from "../waiting.ts";
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
  readonly caller: Caller;
  readonly isLogging: boolean;
}

/** One script of a try. */
export interface ScriptCall {
  readonly kind: ScriptRun["kind"];
  readonly name: string;
  readonly body: string;
  readonly args?: ScriptRun["args"];
  readonly request?: ScriptMessage | undefined;
  readonly response?: ScriptMessage | undefined;
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
const CONTENDED_RETRY_MS = 20;

export async function runUntilTrue<T>(
  setting: RunSetting,
  terms: RunTerms,
  step: (attempt: Attempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T>> {
  const { clock, limits, container, epk } = setting;
  let end = Number.POSITIVE_INFINITY;
  const tryOnce = (): Promise<RunAnswer<T> | "overtaken"> =>
    lent(setting, (run) => {
      // To wait for a thread takes nothing of the time.
      end = Math.min(end, clock.now() + limits.scriptTimeMsMax);
      return attempt(setting, terms, run, step);
    });
  const first = await tryOnce();
  if (first !== "overtaken") return first;
  return setting.lines.wait(`${container.rid} ${epk}`, async () => {
    for (let count = 1; count === 1 || (count < ATTEMPTS_MAX && clock.now() < end); count++) {
      const next = await tryOnce();
      if (next !== "overtaken") return next;
    }
    return refusedRun(setting, { kind: "scriptContended", retryAfterMs: CONTENDED_RETRY_MS });
  });
}

async function lent<T>(
  setting: RunSetting,
  action: (run: RunScript) => Promise<RunAnswer<T> | "overtaken">,
): Promise<RunAnswer<T> | "overtaken"> {
  const answer = await setting.runner.lend(setting.container.rid, action);
  return answer ?? refusedRun(setting, { kind: "unavailable", message: "The server is closing." });
}

function refusedRun<T>({ container, epk }: RunSetting, refusal: Refusal): RunAnswer<T> {
  const { entry, lsn } = container.ownerOf(epk);
  return { lsn, rangeId: entry.id, charge: ru(0), log: "", result: no(refusal) };
}

async function attempt<T>(
  setting: RunSetting,
  terms: RunTerms,
  run: RunScript,
  step: (attempt: Attempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T> | "overtaken"> {
  const transaction = new ScriptTransaction(setting);
  const logs: string[] = [];
  let timeMsLeft = setting.limits.scriptTimeMsMax;
  const call = async (script: ScriptCall): Promise<Result<DoneScript, Refusal>> => {
    const outcome = await run(
      scriptRunOf(setting, script, { isLogging: terms.isLogging, timeMsMax: timeMsLeft }),
      operationsOn({ ...setting, transaction, ruMax: ruMaxOf(setting, transaction) }),
    );
    timeMsLeft -= outcome.cpuMs;
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

function scriptRunOf(
  { container, limits }: { readonly container: Container; readonly limits: Limits },
  script: ScriptCall,
  { isLogging, timeMsMax }: { readonly isLogging: boolean; readonly timeMsMax: number },
): ScriptRun {
  return {
    args: [],
    ...script,
    container: {
      selfLink: `dbs/${container.databaseRid}/colls/${container.rid}/`,
      altLink: `dbs/${container.databaseId}/colls/${container.definition.id}`,
    },
    timeMsMax: Math.max(1, Math.round(timeMsMax)),
    memoryBytesMax: limits.scriptMemoryBytesMax,
    isLogging,
  };
}

/** A script may take what its physical partition gets in the time that a script has. */
function ruMaxOf({ limits }: { readonly limits: Limits }, transaction: ScriptTransaction): number {
  const { purse } = transaction.partition.spending;
  if (!purse.budget.isLimited) return Number.POSITIVE_INFINITY;
  return (purse.ratePerSecond * limits.scriptTimeMsMax) / 1000;
}

function refusalFor(outcome: Exclude<ScriptOutcome, { readonly kind: "done" }>): Refusal {
  const { kind, message } = outcome;
  switch (kind) {
    case "outOfTime":
      return { kind: "scriptTimeout", message };
    case "notCompiled":
      return { kind: "scriptNotCompiled", message };
    case "threw":
      // The service's words: clients look for them.
      return {
        kind: "scriptFailed",
        message: `Encountered exception while executing Javascript. Exception = ${message}`,
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
