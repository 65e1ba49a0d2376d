/**
 * What a durable store can do at present, and why not more: the one place that decides what a
 * failure of the disk means, and that tells of it, once when it begins and once when it ends.
 *
 * A full disk and a read-only one pass. While one lasts, what it refuses is refused at once, and
 * every second it is tried whether it has passed: nobody has to write, or to restart the server.
 * A full disk still takes what makes room, out of the reserve. Any other failure lasts until a
 * restart, because after it nobody knows what the disk holds; so do files that are gone from their
 * place. Nothing is acknowledged that was written to one of those for more than half a second.
 */
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Bottom } from "../bottom.ts";
import type { Disk } from "../disk.ts";
import { faultOf, RESERVE_SPENT, reasonOf, troubleKindOf } from "../faults.ts";
import type { MissingFile } from "../missingFile.ts";
import type { DiskTrouble, Notify, TroubleKind } from "../notice.ts";
import { StoreFault } from "../partitionStore.ts";
import type { Reserve } from "./reserve.ts";

interface HealthSetting {
  readonly timer: Timer;
  readonly disk: Disk;
  readonly bottom: Bottom;
  readonly notify: Notify;
  /** Without it a full disk takes nothing at all. */
  readonly reserve?: Reserve | undefined;
  /** Without it nobody looks whether the files are in their place, or how long a write takes. */
  readonly clock?: Clock | undefined;
  /** Does again what the disk was in the way of; rejects while it still is. */
  retry(): Promise<void>;
  /** Called when an obstacle has passed. */
  onPassed(): void;
}

/** What was being done when something failed. */
export type Doing = Pick<DiskTrouble, "activity" | "file" | "offset">;

interface Obstacle {
  readonly fault: StoreFault;
  readonly trouble: DiskTrouble;
}

const TRY_EVERY: Millis = millis(1000);
/** Absorbing a segment in vain takes a second of processor time, so it is not done that often. */
const RETRY_EVERY: Millis = millis(4000);
/** How old the last look at the files may be when a write is acknowledged. */
const LOOK_EVERY: Millis = millis(500);
/** A write that takes longer than this is worth telling. */
const STALLED_AFTER: Millis = millis(5000);
/** Less than this beside a whole reserve is not worth beginning again with. */
const ROOM_BYTES_MIN = 1024 * 1024;

export class Health {
  readonly #setting: HealthSetting;
  #fault: StoreFault | undefined;
  #obstacle: Obstacle | undefined;
  #cancelTry: (() => void) | undefined;
  #trying: Promise<void> | undefined;
  #cancelLook: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt: Millis | undefined;
  /** Of the write under way. */
  #writeBeganAt: Millis | undefined;
  #stalled: DiskTrouble | undefined;
  readonly #opened: Promise<void>;
  #isClosed = false;

  constructor(setting: HealthSetting) {
    this.#setting = setting;
    this.#scheduleLook();
    this.#opened = this.#fillReserve();
  }

  /** Resolves when it is known whether there is room to begin with. */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** Set once writing has ended for good. */
  get fault(): StoreFault | undefined {
    return this.#fault;
  }

  /** Why nothing that grows is taken at present. */
  get obstacle(): StoreFault | undefined {
    return this.#fault ?? this.#obstacle?.fault;
  }

  get isFull(): boolean {
    return this.#fault === undefined && this.#obstacle?.trouble.kind === "full";
  }

  /** Why a write is not even tried. */
  refusalOf(isShrinking: boolean): StoreFault | undefined {
    return isShrinking && this.isFull ? undefined : this.obstacle;
  }

  /** Decides what a failure means. Resolves with what the callers who met it are told. */
  async meet(error: unknown, doing: Doing): Promise<StoreFault> {
    if (error instanceof StoreFault && error === this.obstacle) return error;
    const missing = await this.#missing();
    const kind = missing === undefined ? troubleKindOf(error) : "lost";
    return this.#begin(kind, doing, error, missing);
  }

  /** Gives room to deletions on a full disk; false when there is none to give. */
  makesRoom(): boolean {
    return this.isFull && this.#setting.reserve?.yieldStep() === true;
  }

  /** What a deletion is told for which there is no room either. */
  deletionRefused(cause: StoreFault): StoreFault {
    return this.isFull ? new StoreFault(RESERVE_SPENT, { cause }) : cause;
  }

  /**
   * Runs a write to the journal. It fails if by now the files are known to be gone from their
   * place, whatever the system said.
   */
  async watching<T>(write: () => Promise<T>): Promise<T> {
    const look = this.#lookIfDue();
    this.#writeBeganAt = this.#setting.clock?.now();
    try {
      const written = await write();
      await look;
      if (this.#fault !== undefined) throw this.#fault;
      return written;
    } finally {
      this.#writeBeganAt = undefined;
      if (this.#stalled !== undefined) this.#end(this.#stalled);
      this.#stalled = undefined;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTry?.();
    this.#cancelLook?.();
    await this.#opened;
    await this.#trying;
    await this.#looking;
  }

  #begin(
    kind: TroubleKind,
    doing: Doing,
    error: unknown,
    missing: MissingFile | undefined,
  ): StoreFault {
    const fault = faultOf(kind, { activity: doing.activity, missing, cause: error });
    if (this.#isClosed) return fault;
    if (this.#fault !== undefined) return this.#fault;
    const reason = missing === undefined ? reasonOf(error) : `nothing of ours at ${missing.path}`;
    const trouble: DiskTrouble = { kind, ...doing, reason };
    if (kind !== "full" && kind !== "readOnly") this.#fault = fault;
    else if (this.#obstacle?.trouble.kind === kind) return this.#obstacle.fault;
    else {
      if (this.#obstacle !== undefined) this.#end(this.#obstacle.trouble);
      this.#obstacle = { fault, trouble };
      this.#scheduleTry(TRY_EVERY);
    }
    this.#setting.notify({ kind: "began", trouble });
    return fault;
  }

  #end(trouble: DiskTrouble): void {
    this.#setting.notify({ kind: "ended", trouble });
  }

  #scheduleTry(delay: Millis): void {
    if (this.#isClosed || this.#fault !== undefined) return;
    this.#cancelTry?.();
    this.#cancelTry = this.#setting.timer.after(delay, () => {
      this.#trying = this.#try();
    });
  }

  /** Has the obstacle passed? Tried with real writes: a system may count free bytes wrongly. */
  async #try(): Promise<void> {
    const obstacle = this.#obstacle;
    if (obstacle === undefined) return;
    let delay = TRY_EVERY;
    try {
      if ((await this.#mayHavePassed(obstacle)) && !this.#isClosed) {
        delay = RETRY_EVERY;
        await this.#setting.retry();
        if (this.#obstacle !== obstacle || this.#isClosed) return;
        this.#obstacle = undefined;
        this.#end(obstacle.trouble);
        this.#setting.onPassed();
        return;
      }
    } catch (error) {
      await this.meet(error, { activity: "absorbing a segment" });
    }
    this.#scheduleTry(delay);
  }

  async #mayHavePassed({ trouble }: Obstacle): Promise<boolean> {
    const { disk, reserve } = this.#setting;
    try {
      if (trouble.kind === "full" && !(await this.#hasRoom())) return false;
      await disk.trial();
      return (await reserve?.fill()) ?? true;
    } catch {
      return false;
    }
  }

  /** For a whole reserve, and for something beside it. */
  async #hasRoom(): Promise<boolean> {
    const { disk, reserve } = this.#setting;
    const free = await disk.freeBytes();
    const lacking = reserve === undefined ? 0 : reserve.bytesMax - reserve.heldBytes;
    return free === undefined || free >= lacking + ROOM_BYTES_MIN;
  }

  /** While nothing is wrong yet. A disk without room for a reserve is a full one. */
  async #fillReserve(): Promise<void> {
    const { reserve } = this.#setting;
    if (reserve === undefined) return;
    if ((await this.#hasRoom()) && (await reserve.fill())) return;
    const error = new Error("no room for the reserve, or next to none beside it");
    this.#begin("full", { activity: "making its reserve" }, error, undefined);
  }

  #scheduleLook(): void {
    if (this.#isClosed || this.#setting.clock === undefined || this.#fault !== undefined) return;
    this.#cancelLook = this.#setting.timer.after(LOOK_EVERY, () => {
      this.#noteStall();
      void this.#look().then(() => this.#scheduleLook());
    });
  }

  #lookIfDue(): Promise<void> | undefined {
    const { clock } = this.#setting;
    if (clock === undefined || this.#fault !== undefined) return undefined;
    const isFresh = this.#lookedAt !== undefined && clock.now() - this.#lookedAt < LOOK_EVERY;
    return isFresh ? undefined : this.#look();
  }

  #look(): Promise<void> {
    const { clock } = this.#setting;
    this.#looking ??= (async () => {
      const beganAt = clock?.now();
      const missing = await this.#missing();
      const activity = "looking for its files";
      if (missing !== undefined) this.#begin("lost", { activity }, undefined, missing);
      this.#lookedAt = beganAt;
      this.#looking = undefined;
    })();
    return this.#looking;
  }

  async #missing(): Promise<MissingFile | undefined> {
    const { disk, bottom } = this.#setting;
    try {
      return (await disk.missing()) ?? (await bottom.missing());
    } catch {
      // A system that cannot be asked has not said that anything is gone.
      return undefined;
    }
  }

  #noteStall(): void {
    const now = this.#setting.clock?.now();
    if (now === undefined || this.#writeBeganAt === undefined || this.#stalled !== undefined)
      return;
    const lastedMs = now - this.#writeBeganAt;
    if (lastedMs < STALLED_AFTER) return;
    const activity = "writing the journal";
    this.#stalled = { kind: "stalled", activity, lastedMs, reason: "a write has not returned" };
    this.#setting.notify({ kind: "began", trouble: this.#stalled });
  }
}
