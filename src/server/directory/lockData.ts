/**
 * One server for each data directory: takes the lock with the clock, the kernel and the chance of
 * this process. Every command that opens a directory comes through here.
 */
import { join } from "node:path";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import { TABLES_FILE, TABLES_FOLDER } from "../../store/dataLayout.ts";
import { realClock, realRandom, realTimer } from "../surroundings/realWorld.ts";
import type { DataLock } from "./dataLock.ts";
import { DataLocked, lockedBy } from "./dataLocked.ts";
import { findingsOf } from "./findings.ts";
import { ownIdentity } from "./holder.ts";
import { loadKernelLock } from "./kernelLock.ts";
import { isLocalFileSystem } from "./localFileSystem.ts";
import { closeLockFile, LOCK_NAME, openLockFile, textOf } from "./lockFile.ts";
import type { LockWorld } from "./takeLock.ts";
import { takeLock } from "./takeLock.ts";
import { verdictOf } from "./verdict.ts";

/** A process that ends lets go of its files one by one. */
const FILE_PATIENCE: Millis = millis(3000);
const POLL_INTERVAL: Millis = millis(50);

/** Takes the directory, or throws `DataLocked`. Waits a moment for a holder that is about to go. */
export async function lockData(directory: string): Promise<DataLock> {
  const lock = await takeLock(directory, await realLockWorld());
  try {
    await holdTables(lock);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

/** To be called again when the tables of a new directory are there. */
export async function holdTables(lock: DataLock): Promise<void> {
  const startedAt = realClock.now();
  while (!lock.tryHold(join(TABLES_FOLDER, TABLES_FILE))) {
    if (realClock.now() - startedAt >= FILE_PATIENCE) {
      throw new DataLocked(
        `The tables of the data directory ${lock.directory} are in use by another server, which ` +
          "has them under another path or has lost its lock file. Stop that server first.",
      );
    }
    await new Promise<void>((resolve) => realTimer.after(POLL_INTERVAL, resolve));
  }
}

/**
 * For a directory in which nothing can be written, and so no lock be taken: throws `DataLocked` if
 * a server has it, which may be able to write there. Returns what ends the look.
 */
export async function lookAtLock(directory: string): Promise<() => void> {
  const { self, kernel } = await realLockWorld();
  const found = openLockFile(join(directory, LOCK_NAME), "read");
  if (found === undefined) return () => undefined;
  const hasKernelLock = kernel?.tryLock(found.file, true);
  const text = textOf(found);
  const isLocal = isLocalFileSystem(directory);
  const verdict = verdictOf(findingsOf(text, { self, inode: found.inode, hasKernelLock, isLocal }));
  if (verdict === "held") {
    closeLockFile(found);
    throw lockedBy(directory, text, verdict, self);
  }
  return () => closeLockFile(found);
}

async function realLockWorld(): Promise<LockWorld> {
  return {
    self: ownIdentity(),
    nonce: Buffer.from(realRandom.bytes(6)).toString("hex"),
    kernel: await loadKernelLock(),
    isLocal: isLocalFileSystem,
    clock: realClock,
    timer: realTimer,
  };
}
