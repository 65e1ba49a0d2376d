/**
 * Runs scripts on threads of their own, so that a script affects nothing else in the server.
 *
 * Always: procedures and triggers have threads of their own, and functions have others, so neither
 * makes the other wait. No thread is started before the first script runs. Closing ends all that
 * run.
 *
 * Not here: lending of threads (`threadLine.ts`), one thread (`scriptWorker.ts`).
 */
import type { Clock, Timer } from "../base/world.ts";
import { messageOf } from "./compiling.ts";
import { batchText, outcomeOf, pageNumbers } from "./functionCalls.ts";
import type { FunctionOutcome, ScriptRunner } from "./scriptRunner.ts";
import { seedSource } from "./seeds.ts";
import { ThreadLine } from "./threadLine.ts";

interface ScriptPoolOptions {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Number of threads for procedures and triggers; functions have half as many. */
  readonly threadCountMax?: number;
}

/** Enough threads that some endless loops leave room; an idle thread costs memory only. */
const THREAD_COUNT_MAX = 8;

export function openScriptPool(options: ScriptPoolOptions): ScriptRunner {
  const { clock, timer, threadCountMax = THREAD_COUNT_MAX } = options;
  const scripts = new ThreadLine(clock, timer, threadCountMax);
  const functions = new ThreadLine(clock, timer, Math.ceil(threadCountMax / 2));
  const nextSeed = seedSource(clock);
  const numberOf = pageNumbers();
  return {
    lend: (borrower, action) =>
      scripts.lend(borrower, (worker) =>
        action(async (script, host) => {
          // The thread may still be clearing up after the script before.
          await worker.ready();
          return worker.run(script, nextSeed(), host);
        }),
      ),
    async callFunctions(batch): Promise<FunctionOutcome> {
      const text = batchText(batch, numberOf(batch.page));
      const owner = batch.functions.map(({ name, body }) => name + body).join();
      const outcome = await functions.lend({ owner }, (worker) =>
        worker.callFunctions(text, nextSeed()),
      );
      if (outcome !== undefined) return outcomeOf(text, outcome);
      const name = batch.functions[0]?.name ?? "";
      return { kind: "stopped", message: messageOf({ ...batch, name }, { kind: "stopped" }) };
    },
    async close(): Promise<void> {
      await Promise.all([scripts.close(), functions.close()]);
    },
  };
}
