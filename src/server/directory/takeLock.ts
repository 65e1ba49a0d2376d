/**
 * How a data directory gets its one holder.
 *
 * Whoever asks writes a draft of the lock file, locks it with the kernel where that is possible,
 * and then gives it the name `lock`. If the name is taken, `verdict.ts` says whether the holder is
 * still there, and the asker waits for one that is about to go, watches one that can be told by its
 * beats only, replaces one that is gone, or gives up.
 *
 * With the kernel's lock this is exact: a file is replaced only by somebody who has locked it and
 * then found it in its place, so of any number that come at once one gets the directory, and the
 * lock of a running holder cannot be had. Without it, two that replace the same dead holder find
 * out a moment later who was last, and one that was stopped in between finds out before it
 * acknowledges anything (`DataLock.isStillHeld`).
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { HeldLock } from "./dataLock.ts";
import { DataLock } from "./dataLock.ts";
import { DataLocked, lockedBy } from "./dataLocked.ts";
import { findingsOf } from "./findings.ts";
import type { Holder, ProcessIdentity } from "./holder.ts";
import { holderText } from "./holder.ts";
import type { KernelLock } from "./kernelLock.ts";
import type { LockFile } from "./lockFile.ts";
import {
  closeLockFile,
  createDraft,
  isAt,
  LOCK_NAME,
  openLockFile,
  publishDraft,
  removeOldDrafts,
  replaceByDraft,
  textOf,
  writeText,
} from "./lockFile.ts";
import type { LockVerdict } from "./verdict.ts";
import { verdictOf } from "./verdict.ts";

/** What taking a lock depends on besides the directory. */
export interface LockWorld {
  readonly self: ProcessIdentity;
  /** Differs between any two that ask. */
  readonly nonce: string;
  /** Undefined where there is no binding for it. */
  readonly kernel: KernelLock | undefined;
  readonly isLocal: (directory: string) => boolean;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** A killed process is not gone at once, and one that ends closes its store first. */
const HOLDER_PATIENCE: Millis = millis(3000);
/** Five beats: a holder that is busy misses one or two. */
const BEAT_PATIENCE: Millis = millis(5000);
/** What two need who replace a dead holder at once without the kernel's help to see each other. */
const SETTLE_TIME: Millis = millis(100);
const POLL_INTERVAL: Millis = millis(50);
/** Longer than all of these together; only a lock that changes hands all the time takes longer. */
const ASKING_TIME_MAX: Millis = millis(20_000);

export async function takeLock(directory: string, world: LockWorld): Promise<DataLock> {
  const asking = new Asking(directory, world);
  try {
    const held = await asking.run();
    removeOldDrafts(directory, held.lockFile);
    return new DataLock(held);
  } catch (error) {
    asking.giveUp();
    throw error;
  }
}

class Asking {
  readonly #directory: string;
  readonly #path: string;
  readonly #draftPath: string;
  readonly #world: LockWorld;
  readonly #isLocal: boolean;
  readonly #startedAt: Millis;
  #draft: LockFile | undefined;
  #holder: Holder | undefined;
  /** The text of the lock file that is watched, and since when it has been that. */
  #watched: { readonly text: string; readonly since: Millis } | undefined;

  constructor(directory: string, world: LockWorld) {
    this.#directory = directory;
    this.#path = join(directory, LOCK_NAME);
    this.#draftPath = `${this.#path}.${world.self.pid}.${world.nonce}`;
    this.#world = world;
    this.#isLocal = world.isLocal(directory);
    this.#startedAt = world.clock.now();
  }

  async run(): Promise<HeldLock> {
    while (this.#waited() < ASKING_TIME_MAX) {
      const draft = this.#draft ?? this.#makeDraft();
      const published = publishDraft(this.#draftPath, this.#path);
      if (published === "done") return this.#held(draft);
      if (published === "draftGone") this.giveUp();
      else if (await this.#replaced()) return this.#held(draft);
    }
    throw new DataLocked(`The data directory ${this.#directory} keeps changing hands.`);
  }

  giveUp(): void {
    if (this.#draft === undefined) return;
    if (isAt(this.#draftPath, this.#draft)) rmSync(this.#draftPath, { force: true });
    closeLockFile(this.#draft);
    this.#draft = undefined;
  }

  #held(draft: LockFile): HeldLock {
    const { kernel, timer } = this.#world;
    const isLocal = this.#isLocal;
    return {
      directory: this.#directory,
      lockFile: draft,
      holder: this.#holder!,
      isLocal,
      kernel,
      timer,
    };
  }

  #makeDraft(): LockFile {
    const { self, nonce, kernel } = this.#world;
    const draft = createDraft(this.#draftPath);
    this.#draft = draft;
    const isKernelHeld = kernel?.tryLock(draft.file, false) === true;
    const beats = !(isKernelHeld && this.#isLocal);
    this.#holder = { ...self, nonce, isKernelHeld, beats };
    writeText(draft, holderText(this.#holder, 0));
    return draft;
  }

  /** One look at the lock that is there, and the step it calls for. True when it is ours now. */
  async #replaced(): Promise<boolean> {
    const found = openLockFile(this.#path, "write");
    if (found === undefined) return false;
    try {
      const hasKernelLock = this.#lockFound(found);
      // Somebody may have replaced it between our opening it and our locking it.
      if (!isAt(this.#path, found)) return false;
      const text = textOf(found);
      const verdict = this.#judge(text, found, hasKernelLock);
      if (verdict === "free") return await this.#replace(hasKernelLock === true);
      if (verdict !== "watch" && this.#waited() >= HOLDER_PATIENCE) {
        throw lockedBy(this.#directory, text, verdict, this.#world.self);
      }
    } finally {
      closeLockFile(found);
    }
    await this.#pause(POLL_INTERVAL);
    return false;
  }

  #lockFound(found: LockFile): boolean | undefined {
    if (this.#holder?.isKernelHeld !== true) return undefined;
    return this.#world.kernel?.tryLock(found.file, false);
  }

  #judge(text: string, { inode }: LockFile, hasKernelLock: boolean | undefined): LockVerdict {
    const { self } = this.#world;
    const verdict = verdictOf(
      findingsOf(text, { self, inode, hasKernelLock, isLocal: this.#isLocal }),
    );
    return verdict === "watch" ? this.#watchedVerdict(text) : verdict;
  }

  /** A file that changes is held; one that has not changed for long enough is free. */
  #watchedVerdict(text: string): LockVerdict {
    const now = this.#world.clock.now();
    if (this.#watched === undefined) {
      this.#watched = { text, since: now };
      return "watch";
    }
    if (this.#watched.text !== text) return "held";
    return now - this.#watched.since >= BEAT_PATIENCE ? "free" : "watch";
  }

  async #replace(isExact: boolean): Promise<boolean> {
    if (!replaceByDraft(this.#draftPath, this.#path)) {
      this.giveUp();
      return false;
    }
    if (!isExact) await this.#pause(SETTLE_TIME);
    if (isAt(this.#path, this.#draft!)) return true;
    this.giveUp();
    return false;
  }

  #waited(): number {
    return this.#world.clock.now() - this.#startedAt;
  }

  #pause(time: Millis): Promise<void> {
    return new Promise((resolve) => this.#world.timer.after(time, resolve));
  }
}
