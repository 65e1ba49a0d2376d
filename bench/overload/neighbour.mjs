/**
 * The neighbour: a light, steady load of point reads on a container of its own, in a thread of its
 * own, so that its times are not those of the busy client beside it.
 *
 * As a module it starts that thread; as a thread it asks until it is told to tell.
 */
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Line } from "./line.mjs";
import { Asking } from "./requests.mjs";

const ASKS_PER_SECOND = 100;
const LINE_COUNT = 4;

/** @typedef {{ times: number[], refusedCount: number, lateCount: number }} Heard */

/**
 * @param {import("./requests.mjs").Target & { container: string, itemCount: number }} about
 * @returns {Promise<{ hear: () => Promise<Heard>, end: () => Promise<unknown> }>}
 */
export async function startNeighbour(about) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: about });
  const broken = new Promise((_, reject) => worker.once("error", reject));
  // It may break while nobody listens; whoever asks next will hear of it.
  broken.catch(() => {});
  const message = () =>
    Promise.race([broken, new Promise((resolve) => worker.once("message", resolve))]);
  await message();
  return {
    /** What was heard since the last time. */
    hear: () => {
      worker.postMessage("tell");
      return message();
    },
    end: () => worker.terminate(),
  };
}

if (!isMainThread && parentPort !== null) {
  const asking = new Asking(workerData);
  const free = Array.from({ length: LINE_COUNT }, () => new Line(workerData.port));
  /** @type {Heard} */
  let heard = { times: [], refusedCount: 0, lateCount: 0 };
  const ask = async () => {
    const kept = free.pop();
    const line = kept?.isClosed ? new Line(workerData.port) : kept;
    if (line === undefined) {
      heard.lateCount += 1;
      return;
    }
    const request = asking.read();
    const startedAt = performance.now();
    const { status } = await line.ask(request);
    heard.times.push(performance.now() - startedAt);
    if (status !== 200) heard.refusedCount += 1;
    free.push(line);
  };
  setInterval(ask, 1000 / ASKS_PER_SECOND);
  parentPort.on("message", () => {
    parentPort?.postMessage(heard);
    heard = { times: [], refusedCount: 0, lateCount: 0 };
  });
  parentPort.postMessage("ready");
}
