/**
 * One thread that runs scripts, seen from outside.
 *
 * Always: one run at a time. A thread that does not answer in time is ended, whatever it is doing,
 * and is not used again (`isLost`). A run ends only when the operation that the host performs is
 * done, so no operation is under way after the outcome.
 *
 * Not here: how many threads there are and who gets one (`threadLine.ts`).
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { millis } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import { messageOf } from "./compiling.ts";
import type { BatchText, OutcomeText } from "./functionCalls.ts";
import type {
  ScriptHost,
  ScriptOperation,
  ScriptOutcome,
  ScriptReply,
  ScriptRun,
} from "./scriptRunner.ts";
import type { Seed } from "./scriptSession.ts";
import type { FromThread, ToThread } from "./threadMessages.ts";

/**
 * When its time is over the sandbox ends a script; this many milliseconds later the thread is
 * ended.
 */
const GRACE_MS = 250;

/** The thread's own heap holds replies and outcomes only; scripts use the memory of the sandbox. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Why a thread is gone. A defect is thrown to the caller that waits for the thread. */
type Loss =
  | { readonly kind: "outOfTime" | "outOfMemory" | "stopped" }
  | { readonly kind: "defect"; readonly error: Error };

type Answer = FromThread | { readonly kind: "lost"; readonly loss: Loss };

export class ScriptWorker {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #loss: Loss | undefined;
  #onAnswer: ((answer: Answer) => void) | undefined;
  #isReady = false;
  #onReady: (() => void) | undefined;

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock;
    this.#timer = timer;
    this.#worker = startThread();
    this.#worker.on("message", (message: FromThread) => this.#hear(message));
    this.#worker.on("error", (error) => this.#lose(lossOf(error)));
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    void this.#exited.then(() =>
      this.#lose({ kind: "defect", error: new Error("a script thread ended by itself") }),
    );
  }

  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  /**
   * Resolves when the thread can be given work, or is lost. Rejects when the thread could not
   * start.
   */
  async ready(): Promise<void> {
    if (!this.#isReady && this.#loss === undefined) {
      await new Promise<void>((resolve) => {
        this.#onReady = resolve;
      });
    }
    this.#worker.unref();
    if (this.#loss?.kind === "defect") throw this.#loss.error;
  }

  async run(script: ScriptRun, seed: Seed, host: ScriptHost): Promise<ScriptOutcome> {
    const startedAt = this.#clock.now();
    const answer = await this.#watched(script.timeMsMax, async () => {
      let said = await this.#ask({ kind: "run", script, seed });
      while (said.kind === "operations") said = await this.#serve(said.operations, host);
      return said;
    });
    if (answer.kind === "outcome") return answer.outcome;
    const kind = kindOf(answer);
    const cpuMs = this.#clock.now() - startedAt;
    return { kind, message: messageOf(script, { kind }), log: "", cpuMs };
  }

  async callFunctions(batch: BatchText, seed: Seed): Promise<OutcomeText> {
    const answer = await this.#watched(batch.timeMsMax, () =>
      this.#ask({ kind: "functions", batch, seed }),
    );
    if (answer.kind === "results") return answer.outcome;
    const kind = kindOf(answer);
    const name = batch.functions.map((each) => each.name).join("', '");
    return { kind, message: messageOf({ ...batch, name }, { kind }) };
  }

  /** Ends the thread at once; a run on it ends with "stopped". */
  async end(): Promise<void> {
    // The process must stay alive while the end of the thread is awaited.
    this.#worker.ref();
    this.#lose({ kind: "stopped" });
    await this.#exited;
  }

  /** Performs the operations of a script in order, and sends the replies to the script. */
  async #serve(operations: readonly ScriptOperation[], host: ScriptHost): Promise<Answer> {
    const replies: ScriptReply[] = [];
    for (const operation of operations) {
      if (this.#loss !== undefined) return { kind: "lost", loss: this.#loss };
      replies.push(await host.perform(operation));
    }
    return this.#ask({ kind: "replies", replies });
  }

  async #watched(timeMsMax: number, action: () => Promise<Answer>): Promise<Answer> {
    // Until the thread is ready again a caller may wait for it, so it keeps the process alive.
    this.#worker.ref();
    this.#isReady = false;
    const patience = millis(timeMsMax + GRACE_MS);
    const calm = this.#timer.after(patience, () => this.#lose({ kind: "outOfTime" }));
    try {
      return await action();
    } catch (error) {
      // The host failed, so the script would wait for a reply that never comes.
      this.#lose({ kind: "stopped" });
      throw error;
    } finally {
      calm();
    }
  }

  #ask(message: ToThread): Promise<Answer> {
    if (this.#loss === undefined) this.#worker.postMessage(message);
    return this.#answer();
  }

  #answer(): Promise<Answer> {
    if (this.#loss !== undefined) return Promise.resolve({ kind: "lost", loss: this.#loss });
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
    });
  }

  #hear(answer: Answer): void {
    if (answer.kind === "ready" || answer.kind === "lost") {
      this.#isReady = true;
      this.#onReady?.();
    }
    if (answer.kind === "ready") return;
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(answer);
  }

  #lose(loss: Loss): void {
    if (this.#loss !== undefined) return;
    this.#loss = loss;
    void this.#worker.terminate();
    this.#hear({ kind: "lost", loss });
  }
}

function kindOf(answer: Answer): "outOfTime" | "outOfMemory" | "stopped" {
  if (answer.kind !== "lost") throw new Error(`a script thread said ${answer.kind} out of turn`);
  if (answer.loss.kind === "defect") throw answer.loss.error;
  return answer.loss.kind;
}

function lossOf(error: Error): Loss {
  const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isMemory ? { kind: "outOfMemory" } : { kind: "defect", error };
}

/**
 * Starts the thread. Its file lies beside the bundle or, when running from the sources, in the last
 * build.
 */
function startThread(): Worker {
  const beside = new URL("./scriptThread.js", import.meta.url);
  const url = existsSync(fileURLToPath(beside))
    ? beside
    : new URL("../../dist/scriptThread.js", import.meta.url);
  return new Worker(url, {
    workerData: { orreryScripts: true },
    resourceLimits: RESOURCE_LIMITS,
    // The thread gets nothing of the process's environment.
    env: {},
    execArgv: [],
  });
}
