/**
 * A data directory that is ours. The lock file stays open, and with it the kernel's lock. Where
 * that is missing, or other machines can see the directory, the file changes every second, which
 * tells others that its holder lives.
 *
 * `isStillHeld` is the fence: a server that was stopped for so long that it was taken for dead, or
 * whose lock was removed by hand, asks it after each write and before each acknowledgement. Whoever
 * takes a directory over puts a lock file of its own in place before it reads anything; so a write
 * that was durable while our file was still in its place is among what the other one reads.
 */
import { fdatasync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { Holder } from "./holder.ts";
import { holderText } from "./holder.ts";
import type { KernelLock } from "./kernelLock.ts";
import type { LockFile } from "./lockFile.ts";
import {
  closeLockFile,
  isAt,
  isAtOnServer,
  isCode,
  LOCK_NAME,
  openDataFile,
  writeText,
} from "./lockFile.ts";

export interface HeldLock {
  readonly directory: string;
  readonly lockFile: LockFile;
  readonly holder: Holder;
  /** The file system belongs to this machine alone. */
  readonly isLocal: boolean;
  readonly kernel: KernelLock | undefined;
  readonly timer: Timer;
}

const BEAT_INTERVAL: Millis = millis(1000);

export class DataLock {
  readonly #held: HeldLock;
  readonly #path: string;
  /** Further files that the kernel keeps for us, by path. */
  readonly #files = new Map<string, LockFile>();
  #beatCount = 0;
  #cancelBeat: (() => void) | undefined;
  #isReleased = false;

  constructor(held: HeldLock) {
    this.#held = held;
    this.#path = join(held.directory, LOCK_NAME);
    if (held.holder.beats) this.#beatLater();
  }

  get directory(): string {
    return this.#held.directory;
  }

  /**
   * False once another server has taken the directory over, or the lock file is no longer where it
   * was: removed, or its directory was removed, moved or replaced. One system call where the file
   * system is local.
   */
  isStillHeld(): boolean {
    if (this.#isReleased) return false;
    const { lockFile, isLocal } = this.#held;
    try {
      return isLocal ? isAt(this.#path, lockFile) : isAtOnServer(this.#path, lockFile);
    } catch (error) {
      // Without a descriptor to spare the server cannot be asked; what is remembered has to do.
      const isOutOfFiles = isCode(error, "EMFILE") || isCode(error, "ENFILE");
      return isOutOfFiles && isAt(this.#path, lockFile);
    }
  }

  /**
   * Takes a file inside the directory as well, if it is there: hard links and mounts lead to it
   * from directories with locks of their own. False when somebody else has it. A file that has
   * taken the place of the one that was held is held instead of it.
   */
  tryHold(name: string): boolean {
    const { kernel, holder, directory } = this.#held;
    if (kernel === undefined || !holder.isKernelHeld) return true;
    const path = join(directory, name);
    const before = this.#files.get(name);
    if (before !== undefined && isAt(path, before)) return true;
    const found = openDataFile(path);
    if (found === undefined) return true;
    if (kernel.tryLock(found.file, false) === false) {
      closeLockFile(found);
      return false;
    }
    if (before !== undefined) closeLockFile(before);
    this.#files.set(name, found);
    return true;
  }

  /** Gives the directory back, unless it is somebody else's by now. */
  release(): void {
    if (this.#isReleased) return;
    this.#cancelBeat?.();
    // As long as our file is locked and in its place, nobody else can put one there.
    if (this.isStillHeld()) rmSync(this.#path, { force: true });
    this.#isReleased = true;
    for (const file of this.#files.values()) closeLockFile(file);
    closeLockFile(this.#held.lockFile);
  }

  #beatLater(): void {
    this.#cancelBeat = this.#held.timer.after(BEAT_INTERVAL, () => {
      this.#beat();
      this.#beatLater();
    });
  }

  /** A beat that fails is not repeated: the next one comes soon, and `isStillHeld` is the fence. */
  #beat(): void {
    const { lockFile, holder, isLocal } = this.#held;
    try {
      writeText(lockFile, holderText(holder, ++this.#beatCount));
    } catch {
      return;
    }
    // Other machines see it only when their server has it.
    if (!isLocal) fdatasync(lockFile.file, () => undefined);
  }
}
