/**
 * The lock file of a data directory, as a file: drafts of it, who it belongs to, and the steps that
 * put one in its place. Every holder brings a file of its own, complete and locked before it gets
 * the name, so that nobody sees half of one; which file has the name is who has the directory.
 */
import type { BigIntStats } from "node:fs";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { shown, Unusable } from "./reason.ts";

export const LOCK_NAME = "lock";

/** What a server leaves beside its lock that is killed while it asks for it. */
const DRAFT_PREFIX = `${LOCK_NAME}.`;
const DRAFT_AGE_MS_MAX = 60_000;
/** Longer than any text of a holder. */
const TEXT_BYTES_MAX = 4096;

/** An open lock file, or a draft of one. */
export interface LockFile {
  readonly file: number;
  readonly device: bigint;
  readonly inode: bigint;
}

export function createDraft(path: string): LockFile {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
  return opened(openSync(path, flags, 0o600));
}

/**
 * Undefined when nothing has the name. Something there that is no plain file is none of ours, and
 * opening it might wait for ever.
 */
export function openLockFile(path: string, access: "read" | "write"): LockFile | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new Unusable(`${shown(path)} is not a plain file`);
  const flags = access === "write" ? constants.O_RDWR : constants.O_RDONLY;
  try {
    return opened(openSync(path, flags | (constants.O_NOFOLLOW ?? 0)));
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A file of the data that is to be locked as well, wherever a link of its name leads. */
export function openDataFile(path: string): LockFile | undefined {
  try {
    return opened(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

export function closeLockFile({ file }: LockFile): void {
  closeSync(file);
}

export function textOf({ file }: LockFile): string {
  const bytes = Buffer.alloc(TEXT_BYTES_MAX);
  const count = readSync(file, bytes, 0, bytes.length, 0);
  return bytes.toString("utf8", 0, count);
}

export function writeText({ file }: LockFile, text: string): void {
  writeSync(file, text, 0);
}

/** Whether a path leads to this very file. The number of an open file is given to no other. */
export function isAt(path: string, { device, inode }: LockFile): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && found.dev === device && found.ino === inode;
}

/**
 * The same, asked in the way that makes a network file system ask its server instead of remembering
 * what it said last time.
 */
export function isAtOnServer(path: string, { device, inode }: LockFile): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY);
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ESTALE")) return false;
    throw error;
  }
  try {
    const found = fstatSync(file, { bigint: true });
    return found.dev === device && found.ino === inode;
  } finally {
    closeSync(file);
  }
}

/** Gives a draft the name of the lock, unless something has it: of two that come at once, one. */
export function publishDraft(draftPath: string, path: string): "done" | "taken" | "draftGone" {
  try {
    linkSync(draftPath, path);
  } catch (error) {
    if (isCode(error, "EEXIST")) return "taken";
    if (isCode(error, "ENOENT")) return "draftGone";
    throw error;
  }
  rmSync(draftPath, { force: true });
  return "done";
}

/** Gives a draft the name of the lock in place of whatever has it. False when the draft is gone. */
export function replaceByDraft(draftPath: string, path: string): boolean {
  try {
    renameSync(draftPath, path);
    return true;
  } catch (error) {
    if (isCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Removes drafts whose makers were killed, by the times that the file system gives to files. */
export function removeOldDrafts(directory: string, own: LockFile): void {
  const now = Number(fstatSync(own.file, { bigint: true }).mtimeMs);
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true || now - found.mtimeMs < DRAFT_AGE_MS_MAX) continue;
    rmSync(path, { force: true });
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function opened(file: number): LockFile {
  const { dev, ino }: BigIntStats = fstatSync(file, { bigint: true });
  return { file, device: dev, inode: ino };
}
