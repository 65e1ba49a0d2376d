/**
 * How many connections there may be, given how many files the system lets this process have open.
 *
 * A connection is an open file to the system, and so are segments and tables. If clients could use
 * up all of them, the store could not begin its next segment, and writes would fail.
 */
import { readFileSync } from "node:fs";

/** Descriptors that are kept for the store, the log, threads, and what an owner asks for. */
const RESERVED_MIN = 64;
const RESERVED_SHARE = 0.1;
/** Where even that is too much, clients get half. */
const CLIENT_SHARE_MIN = 0.5;

/** `limit` is `undefined` where the system does not tell. */
export function connectionsWithin(wanted: number, limit: number | undefined): number {
  if (limit === undefined) return wanted;
  const reserved = Math.max(RESERVED_MIN, Math.ceil(limit * RESERVED_SHARE));
  const left = Math.max(limit - reserved, Math.floor(limit * CLIENT_SHARE_MIN));
  return Math.max(1, Math.min(wanted, left));
}

/** The limit of this process, on Linux. */
export function descriptorLimit(): number | undefined {
  try {
    return parseLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined; // Another system. What it refuses is logged when it does.
  }
}

export function parseLimit(text: string): number | undefined {
  const found = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
