/**
 * Runs scripts on threads of their own, so that nothing a script does is noticed by anyone else.
 *
 * Always: procedures and triggers have threads of their own, functions others: neither can keep the
 * other waiting. No thread exists before the first script does. Closing ends whatever runs.
 *
 * Not here: lending of threads (`threadLine.ts`), one thread (`scriptWorker.ts`).
 */
import type { Clock, Timer } from "../base/world.ts";
import { messageOf } from "./compiling.ts";
import { batchText, outcomeOf } from "./functionCalls.ts";
import type { FunctionOutcome, ScriptOutcome, ScriptRunner } from "./scriptRunner.ts";
import { seedSource } from "./seeds.ts";
import { ThreadLine } from "./threadLine.ts";

export interface ScriptPoolOptions {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Threads for procedures and triggers; functions have half as many. */
  readonly threadCountMax?: number;
}

/** Enough that some endless loops leave room; a thread that waits costs memory only. */
const THREAD_COUNT_MAX = 8;

export function openScriptPool(options: ScriptPoolOptions): ScriptRunner {
  const { clock, timer, threadCountMax = THREAD_COUNT_MAX } = options;
  const scripts = new ThreadLine(clock, timer, threadCountMax);
  const functions = new ThreadLine(clock, timer, Math.ceil(threadCountMax / 2));
  const nextSeed = seedSource(clock);
  return {
    async run(script, host): Promise<ScriptOutcome> {
      const outcome = await scripts.lend((worker) => worker.run(script, nextSeed(), host));
      if (outcome !== undefined) return outcome;
      const message = messageOf(script, { kind: "stopped" });
      return { kind: "stopped", message, log: "", cpuMs: 0 };
    },
    async callFunctions(batch): Promise<FunctionOutcome> {
      const text = batchText(batch);
      const outcome = await functions.lend((worker) => worker.callFunctions(text, nextSeed()));
      if (outcome !== undefined) return outcomeOf(text, outcome);
      const name = batch.functions[0]?.name ?? "";
      return { kind: "stopped", message: messageOf({ ...batch, name }, { kind: "stopped" }) };
    },
    async close(): Promise<void> {
      await Promise.all([scripts.close(), functions.close()]);
    },
  };
}
