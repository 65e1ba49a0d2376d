/**
 * The thread on which user JavaScript runs. It is told what to run, asks for what the script wants
 * done, and tells what came of it.
 *
 * Always: one script or batch at a time; the pool sees to that. An exception that gets out of here
 * ends the thread, and the pool makes another.
 *
 * Not here: who starts and ends it (`scriptWorker.ts`).
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { basename } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { millis } from "../base/units.ts";
import { Interpreter } from "./interpreter.ts";
import type { ScriptStep } from "./scriptSession.ts";
import type { FromThread, ToThread } from "./threadMessages.ts";

/** What most scripts will have: the engine is loaded for them before the first one comes. */
const MEMORY_BYTES_FIRST = 64 * 1024 * 1024;

/**
 * A third of the weight of threads that serve clients. With much less a script would starve beside
 * other busy programs, and its time is counted on the clock.
 */
const NICENESS = 5;

if (parentPort !== null && workerData?.["orreryScripts"] === true) void serve(parentPort);

async function serve(port: MessagePort): Promise<void> {
  const interpreter = new Interpreter({ now: () => millis(performance.now()) });
  const say = (message: FromThread): void => port.postMessage(message);
  const tell = async (step: ScriptStep): Promise<void> => {
    say(step);
    if (step.kind === "operations") return;
    interpreter.end();
    await rest();
  };
  /** Nobody waits now: the time to replace an engine that was spoiled. */
  const rest = async (): Promise<void> => {
    await interpreter.prepare(memoryBytesMax);
    say({ kind: "ready" });
  };
  let memoryBytesMax = MEMORY_BYTES_FIRST;

  const answer = async (message: ToThread): Promise<void> => {
    switch (message.kind) {
      case "run":
        memoryBytesMax = message.script.memoryBytesMax;
        await tell(await interpreter.begin(message.script, message.seed));
        return;
      case "replies":
        await tell(interpreter.resume(message.replies));
        return;
      case "functions": {
        memoryBytesMax = message.batch.memoryBytesMax;
        const outcome = await interpreter.callFunctions(message.batch, message.seed);
        say({ kind: "results", outcome });
        interpreter.prepareFunctions();
        await rest();
        return;
      }
    }
  };

  port.on("message", (message: ToThread) => void answer(message));
  await interpreter.prepare(memoryBytesMax);
  stepBack();
  say({ kind: "ready" });
}

/**
 * Where the system tells a thread its number (Linux), it takes a lower priority than the threads
 * that serve clients. Elsewhere a priority is that of the whole process, and left alone.
 */
function stepBack(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, NICENESS);
  } catch {
    // Not there, or not allowed: scripts then have the weight of everyone else.
  }
}
