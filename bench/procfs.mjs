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
  const fields = fieldsOf(pid);
  return fields && timeIn(fields, 11);
}

/**
 * @param {number} pid
 * @returns {string[] | undefined}
 */
function fieldsOf(pid) {
  const text = readProc(`/proc/${pid}/stat`);
  // The command name may hold spaces and parentheses; the fields start after the last one.
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/**
 * User time stands in one field, system time in the next.
 * @type {(fields: readonly string[], at: number) => number}
 */
function timeIn(fields, at) {
  return (Number(fields[at]) + Number(fields[at + 1])) * MICROS_PER_TICK;
}

/**
 * The same of a process that does its work in others: its own time, that of its children, and of
 * those that have ended.
 * @param {number} pid
 * @returns {number | undefined}
 */
export function cpuMicrosOfFamily(pid) {
  const fields = fieldsOf(pid);
  if (fields === undefined) return undefined;
  const [own, ended] = [timeIn(fields, 11), timeIn(fields, 13)];
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.split(" ").filter(Boolean) ?? [];
  return children.reduce((sum, child) => sum + (cpuMicrosOf(Number(child)) ?? 0), own + ended);
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
