/**
 * The server watched from outside: what its admin API tells, and what the kernel says of its memory
 * and processor time.
 */

import { cpuMicrosOf, memoryOf } from "../procfs.mjs";
import { DATABASE } from "../requests.mjs";

const BYTES_PER_MEBIBYTE = 1024 * 1024;
const SAMPLE_MS = 500;

/** @typedef {{ at: number, cpuMicros: number | undefined, busySeconds: number, heapBytes: number, ruOf: (container: string) => number, throttledOf: (container: string) => number }} Look */

/**
 * @param {{ port: number, pid: number }} server
 * @returns {Promise<Look>}
 */
export async function lookAt({ port, pid }) {
  const answer = await fetch(`http://127.0.0.1:${port}/_orrery/metrics`);
  const at = performance.now();
  const lines = (await answer.text()).split("\n");
  if (!answer.ok) throw new Error(`no metrics: ${answer.status}`);
  /** @type {(start: string) => number} */
  const sumOf = (start) => {
    const found = lines.filter((line) => line.startsWith(start));
    return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  };
  const labels = (/** @type {string} */ container) => {
    return `{database="${DATABASE}",container="${container}",`;
  };
  return {
    at,
    cpuMicros: cpuMicrosOf(pid),
    busySeconds: sumOf("orrery_event_loop_active_seconds_total "),
    heapBytes: sumOf("orrery_heap_used_bytes "),
    ruOf: (container) => sumOf(`orrery_partition_request_units_total${labels(container)}`),
    throttledOf: (container) =>
      sumOf(`orrery_partition_throttled_requests_total${labels(container)}`),
  };
}

/**
 * What the statistics of a container say was spent in the last five minutes.
 * @param {{ port: number }} server
 * @param {string} container
 * @returns {Promise<number>}
 */
export async function reportedRu({ port }, container) {
  const url = `http://127.0.0.1:${port}/_orrery/v1/containers/${DATABASE}/${container}/report`;
  const answer = await fetch(url);
  /** @type {{ partitions: readonly { lastFiveMinutes: { ru: number } }[] }} */
  const report = JSON.parse(await answer.text());
  if (!answer.ok) throw new Error(`no report: ${answer.status}`);
  return report.partitions.reduce((sum, one) => sum + one.lastFiveMinutes.ru, 0);
}

/** @typedef {{ first: number, last: number, most: number, slopePerMinute: number }} MemoryFigures */

/**
 * Resident memory over time, in MiB; nothing where there is no /proc.
 * @param {number} pid
 * @returns {() => MemoryFigures | undefined} ends the watch
 */
export function watchMemory(pid) {
  const startedAt = performance.now();
  /** @type {{ minute: number, mebibytes: number }[]} */
  const samples = [];
  const look = () => {
    const memory = memoryOf(pid);
    if (memory === undefined) return;
    const minute = (performance.now() - startedAt) / 60_000;
    samples.push({ minute, mebibytes: memory.anonymous / BYTES_PER_MEBIBYTE });
  };
  look();
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    const first = samples[0];
    const last = samples[samples.length - 1];
    if (first === undefined || last === undefined) return undefined;
    const most = Math.max(...samples.map((sample) => sample.mebibytes));
    // A heap grows at first whatever is asked of it; what matters is where that ends.
    const slopePerMinute = slopeOf(samples.slice(samples.length >> 1));
    return { first: first.mebibytes, last: last.mebibytes, most, slopePerMinute };
  };
}

/** By least squares. @param {readonly { minute: number, mebibytes: number }[]} samples */
function slopeOf(samples) {
  const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0) / list.length;
  const minuteMean = mean(samples.map((sample) => sample.minute));
  const sizeMean = mean(samples.map((sample) => sample.mebibytes));
  let above = 0;
  let below = 0;
  for (const { minute, mebibytes } of samples) {
    above += (minute - minuteMean) * (mebibytes - sizeMean);
    below += (minute - minuteMean) ** 2;
  }
  return below === 0 ? 0 : above / below;
}
