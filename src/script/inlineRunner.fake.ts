/**
 * Runs scripts on the caller's own thread, in the same sandbox, but without a thread that could be
 * ended when the deadline has no effect. For tests, which bring their own scripts.
 *
 * Always: runs are taken one after the other.
 */
import type { Clock } from "../base/world.ts";
import { messageOf } from "./compiling.ts";
import { batchText, outcomeOf, pageNumbers } from "./functionCalls.ts";
import { Interpreter } from "./interpreter.ts";
import type {
  FunctionBatch,
  FunctionOutcome,
  ScriptHost,
  ScriptOutcome,
  ScriptReply,
  ScriptRun,
  ScriptRunner,
} from "./scriptRunner.ts";
import { seedSource } from "./seeds.ts";

export function inlineRunner(clock: Clock): ScriptRunner {
  const interpreter = new Interpreter(clock);
  const nextSeed = seedSource(clock);
  const numberOf = pageNumbers();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const turn = last.then(action);
    last = turn.catch(() => undefined);
    return turn;
  };

  const stopped = (script: ScriptRun): ScriptOutcome => {
    const message = messageOf(script, { kind: "stopped" });
    return { kind: "stopped", message, log: "", cpuMs: 0 };
  };

  const runNow = async (script: ScriptRun, host: ScriptHost): Promise<ScriptOutcome> => {
    if (isClosed) return stopped(script);
    try {
      let step = await interpreter.begin(script, nextSeed());
      while (step.kind === "operations") {
        const replies: ScriptReply[] = [];
        for (const operation of step.operations) replies.push(await host.perform(operation));
        if (isClosed) return stopped(script);
        step = interpreter.resume(replies);
      }
      return step.outcome;
    } finally {
      interpreter.end();
    }
  };

  const callNow = async (batch: FunctionBatch): Promise<FunctionOutcome> => {
    const text = batchText(batch, numberOf(batch.page));
    const name = batch.functions[0]?.name ?? "";
    if (isClosed) {
      return { kind: "stopped", message: messageOf({ ...batch, name }, { kind: "stopped" }) };
    }
    return outcomeOf(text, await interpreter.callFunctions(text, nextSeed()));
  };

  return {
    lend: (_borrower, action) => inTurn(() => action(runNow)),
    callFunctions: (batch) => inTurn(() => callNow(batch)),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
