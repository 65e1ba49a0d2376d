/**
 * Runs a procedure, or a write with its triggers, until it is done and nothing that it saw has
 * changed meanwhile.
 *
 * The first try runs beside all other requests. A run that was overtaken waits in line behind other
 * overtaken runs of the same logical partition, so that runs that try again do not overtake each
 * other. A run that never finishes a try never enters the line, so nobody waits for it. After
 * several tries the run holds the logical partition during the next try, for a small multiple of
 * the time its tries took before; other writes there wait that long. All scripts of a try share the
 * time of one script, and no try begins when that time has passed since the first one.
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

/** The runner of scripts, and the function that puts a refusal into words for them. */
export interface ScriptSetting {
  readonly runner: ScriptRunner;
  wordsOf(refusal: Refusal): Worded;
}

export interface RunSetting extends TransactionSetting, ScriptSetting {
  readonly lines: Lines;
}

interface RunTerms {
  /** Names the procedure or triggers; runs that wait for a thread are told apart by it. */
  readonly script: string;
  readonly caller: Caller;
  /** True when the client has gone away. */
  readonly isGone?: (() => boolean) | undefined;
  readonly isLogging: boolean;
  readonly surroundings?: Surroundings | undefined;
}

/** What a script can learn besides items. */
export interface Surroundings {
  readonly quota: ScriptQuota | undefined;
  /** Values for `getRequest().getValue`, by lower-cased name. */
  readonly requestValues: Readonly<Record<string, string>>;
}

/** One script of a try. */
interface ScriptCall {
  readonly kind: ScriptRun["kind"];
  readonly name: string;
  readonly body: string;
  readonly args?: ScriptRun["args"];
  /** The operation of the request that the script belongs to. */
  readonly operationType: string;
  readonly requestBody?: string | undefined;
  /** The answer that a post-trigger sees. */
  readonly responseBody?: string | undefined;
}

/** What the step of a run can use during a try. */
export interface ScriptAttempt {
  readonly transaction: ScriptTransaction;
  /** Runs a script; resolves with its result, or with the refusal that stands for its failure. */
  call(script: ScriptCall): Promise<Result<DoneScript, Refusal>>;
}

type DoneScript = Extract<ScriptOutcome, { readonly kind: "done" }>;

/** The outcome of a run, with its charge and the state of the physical partition in any case. */
export interface RunAnswer<T> extends Standing {
  readonly charge: Ru;
  readonly log: string;
  readonly result: Result<T, Refusal>;
}

/** Number of tries; without it, scripts that take no time could be tried for ever. */
const ATTEMPTS_MAX = 100;
/** Number of tries after which a run holds its logical partition. */
const ATTEMPTS_BESIDE = 3;
/**
 * A run may hold its logical partition for this multiple of its longest try, within these bounds.
 */
const ALONE_SHARE = 3;
const ALONE_MS_MIN = 50;
const ALONE_MS_MAX = 150;
const CONTENDED_RETRY_MS = 20;

export async function runUntilTrue<T>(
  setting: RunSetting,
  terms: RunTerms,
  step: (attempt: ScriptAttempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T>> {
  const { clock, limits, container, epk } = setting;
  let end = Number.POSITIVE_INFINITY;
  let longestMs = 0;
  const tryBeside = (): Promise<RunAnswer<T> | "overtaken"> =>
    lent(setting, terms, async (run) => {
      // Time spent waiting for a thread is not counted.
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
      // The try took longer than those before, and other writes must not wait for it any longer.
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
  step: (attempt: ScriptAttempt) => Promise<Result<T, Refusal>>,
): Promise<RunAnswer<T> | "overtaken"> {
  const transaction = new ScriptTransaction(setting);
  const logs: string[] = [];
  let usedMs = 0;
  const call = async (script: ScriptCall): Promise<Result<DoneScript, Refusal>> => {
    const ruMax = ruMaxOf(setting, transaction);
    const bounds = {
      timeMsMax: leftOf(terms.timeMsMax, usedMs),
      // Near the end of `timeMsMeant` operations are no longer accepted. A script that holds its
      // logical partition must not do less than others: it is stopped early instead, and tried
      // again.
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

/** RU that a script may spend: what its physical partition may spend in the time of a script. */
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
      // These are the words of the service; clients look for them.
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

/** Turns on a subject: an action on it begins when the one before has ended. */
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
