/**
 * The thread on which user JavaScript runs. It receives scripts and batches to run, sends the
 * operations that a script asks for, and sends the outcome.
 *
 * Always: one script or batch runs at a time; the pool sees to that. An exception that is not
 * caught here ends the thread, and the pool starts another.
 *
 * Not here: who starts and ends the thread (`scriptWorker.ts`).
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

/** The memory limit of most scripts; the engine is loaded with it before the first script comes. */
const MEMORY_BYTES_FIRST = 64 * 1024 * 1024;

/**
 * Gives the thread a third of the weight of threads that serve clients. With much less weight a
 * script would starve beside other busy programs, and its time is measured in wall-clock time.
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
  /** Replaces a spoiled engine while nobody waits, and reports that the thread is ready. */
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
 * Takes a lower priority than the threads that serve clients, where the system tells a thread its
 * number (Linux). Elsewhere a priority would apply to the whole process, and is left alone.
 */
function stepBack(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, NICENESS);
  } catch {
    // The file is not there, or the call is not allowed: scripts then have the weight of other
    // threads.
  }
}
