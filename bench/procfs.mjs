/**
 * What Linux tells about another process: CPU time of all its threads, and resident memory.
 *
 * Elsewhere there is no /proc and every function answers `undefined`, which is printed as n/a.
 */
import { readFileSync } from "node:fs";

/** Linux reports CPU time to user space in hundredths of a second on every architecture of Node. */
const MICROS_PER_TICK = 10_000;

/**
 * User and system time of the process and all its threads since its start, in microseconds.
 * @param {number} pid
 * @returns {number | undefined}
 */
export function cpuMicrosOf(pid) {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command name may hold spaces and parentheses; the fields start after the last one.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/**
 * Resident memory in bytes. `anonymous` is the process's own; the rest are pages of mapped files,
 * which the kernel takes back when it needs them.
 * @param {number} pid
 * @returns {{ resident: number, anonymous: number } | undefined}
 */
export function memoryOf(pid) {
  const text = readProc(`/proc/${pid}/status`);
  if (text === undefined) return undefined;
  /** @param {string} name */
  const bytesOf = (name) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
  return { resident: bytesOf("VmRSS"), anonymous: bytesOf("RssAnon") };
}

/** @param {string} path */
function readProc(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
