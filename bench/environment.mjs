/** Where a benchmark runs, for whoever reads its figures later. */
import { cpus, loadavg } from "node:os";

/** @typedef {{ node: string, machine: string, loadAverage: number }} Environment */

/** @returns {Environment} as it is now */
export function environmentNow() {
  const cores = cpus();
  const machine = `${cores.length} × ${cores[0]?.model ?? "unknown"}`;
  return { node: process.version, machine, loadAverage: loadavg()[0] };
}
