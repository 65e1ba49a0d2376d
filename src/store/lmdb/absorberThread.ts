/**
 * The absorber's thread as the reading one sees it: started by a question, one at a time, and ended
 * when it is told to rest, because an idle one keeps the memory of the largest segment it had.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { SealedSegment } from "../journal/segment.ts";
import type { AbsorberAnswer, AbsorberPaths } from "./absorber.ts";

export class AbsorberThread {
  readonly #paths: AbsorberPaths;
  #worker: Worker | undefined;
  #ending: Promise<unknown> = Promise.resolve();

  constructor(paths: AbsorberPaths) {
    this.#paths = paths;
  }

  /** Rejects when the thread ends without an answer; the next question starts another. */
  ask(sealed: SealedSegment): Promise<AbsorberAnswer> {
    this.#worker ??= startWorker(this.#paths);
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off("message", onAnswer);
        worker.off("error", onError);
        // An idle thread must not keep the process alive.
        worker.unref();
      };
      const onAnswer = (answer: AbsorberAnswer): void => {
        settle();
        resolve(answer);
      };
      const onError = (error: Error): void => {
        settle();
        this.#worker = undefined;
        reject(error);
      };
      worker.ref();
      worker.on("message", onAnswer);
      worker.on("error", onError);
      worker.postMessage(sealed);
    });
  }

  /** Ends the thread, not while there is a question; the next one starts another. */
  rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    this.#ending = Promise.all([this.#ending, ended]);
    // Waiting for its end must keep the process alive, or nothing after it would happen.
    worker.ref();
    worker.postMessage("close");
  }

  async close(): Promise<void> {
    this.rest();
    await this.#ending;
  }
}

/** Megabytes for what is short-lived; with what a thread has by default, three times as much. */
const YOUNG_MEGABYTES_MAX = 12;

/** Built, the thread's file lies beside the bundle; from the sources, it is in the last build. */
function startWorker(paths: AbsorberPaths): Worker {
  const beside = new URL("./absorber.js", import.meta.url);
  const url = existsSync(fileURLToPath(beside))
    ? beside
    : new URL("../../../dist/absorber.js", import.meta.url);
  return new Worker(url, {
    workerData: { ...paths, orreryAbsorber: true },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX },
  });
}
