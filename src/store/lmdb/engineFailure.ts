/**
 * What a failure of the embedded engine is in the system's words. The engine gives the system's
 * number; and of a write that the system cut short, which is what a full disk does to one that
 * does not fit, it says that the device failed. So whether there is room is looked at as well.
 */
import { statfsSync } from "node:fs";
import { constants } from "node:os";

/** More than this is free on a disk that is not full: the engine writes half of it at a time. */
const FULL_BYTES_MAX = 8 * 1024 * 1024;

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [number, name]),
);

/**
 * Of some failures the engine writes to standard error itself, and does not end the line: what is
 * written there next would be taken for a part of it.
 */
export function hasLeftOpenLine(error: unknown): boolean {
  return error instanceof Error && error.message.includes(": Attempting to write page");
}

/** `freeBytes` is what is free now, asked for at once: room may come back at any moment. */
export function failureCodeOf(
  error: unknown,
  directory: string,
  freeBytes: (directory: string) => number = freeBytesOn,
): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  const code = typeof error.code === "number" ? NAMES.get(error.code) : error.code;
  if (typeof code !== "string") return undefined;
  return code === "EIO" && freeBytes(directory) < FULL_BYTES_MAX ? "ENOSPC" : code;
}

function freeBytesOn(directory: string): number {
  try {
    const { bsize, bavail } = statfsSync(directory);
    return bsize * bavail;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
