/**
 * Journal segments that are sealed and wait for the bottom, with their memory tables: absorbed one
 * at a time, oldest first. The bottom has all of a segment before its table is dropped, and its
 * table is dropped before its file is removed.
 *
 * While the disk is in the way nothing is absorbed but for a trial (`retry`): on a full disk the
 * bottom would take the room that is left for deletions.
 */
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { Bottom } from "../bottom.ts";
import type { Journal } from "../journal/journal.ts";
import type { SealedSegment } from "../journal/segment.ts";
import { segmentName } from "../journal/segment.ts";
import type { MemoryTable } from "../memory/memoryTable.ts";
import type { Health } from "./health.ts";

interface Sealed extends SealedSegment {
  readonly table: MemoryTable;
}

interface SealedSetting {
  readonly timer: Timer;
  readonly journal: Journal;
  readonly bottom: Bottom;
  readonly health: () => Health;
  /** Called when the bottom has all of a table, before anything else can happen. */
  onAbsorbed(table: MemoryTable): void;
}

/** Under load the next segment comes sooner: what absorbs is started anew after a lull only. */
const REST_AFTER = millis(1000);

export class SealedSegments {
  readonly #setting: SealedSetting;
  /** Newest first. */
  #sealed: readonly Sealed[] = [];
  /** Absorbed, and not yet removed. */
  readonly #done: number[] = [];
  #absorbing: Promise<void> | undefined;
  #isClosed = false;
  #cancelRest: () => void = () => undefined;

  constructor(setting: SealedSetting) {
    this.#setting = setting;
  }

  push(sealed: Sealed): void {
    this.#sealed = [sealed, ...this.#sealed];
  }

  /** How many wait for the bottom, the one that is being absorbed among them. */
  get count(): number {
    return this.#sealed.length;
  }

  /** Resolves when the segment that is being absorbed is; at once if none is. */
  async absorbed(): Promise<void> {
    await this.#absorbing;
  }

  /** Goes on with the oldest, unless one is under way or the disk is in the way. */
  absorb(): void {
    const health = this.#setting.health();
    if (this.#absorbing !== undefined || this.#isClosed || health.obstacle !== undefined) return;
    const oldest = this.#sealed.at(-1);
    if (oldest === undefined) return;
    this.#cancelRest();
    this.#absorbing = this.#absorbOldest().then(
      () => {
        this.#absorbing = undefined;
        this.absorb();
        this.#restSoon();
      },
      async (error: unknown) => {
        const file = segmentName(oldest.segment);
        await health.meet(error, { activity: "absorbing a segment", file });
        this.#absorbing = undefined;
      },
    );
  }

  /** Waits until fewer than `countMax` wait for the bottom; throws when they cannot get there. */
  async makeRoom(countMax: number): Promise<void> {
    while (this.#sealed.length >= countMax) {
      this.absorb();
      if (this.#absorbing === undefined) break;
      await this.#absorbing;
    }
    const { obstacle } = this.#setting.health();
    if (obstacle !== undefined) throw obstacle;
  }

  /** Absorbs one although the disk was in the way, if one waits; rejects if it still is. */
  async retry(): Promise<void> {
    await this.#absorbing;
    if (!this.#isClosed && (this.#sealed.length > 0 || this.#done.length > 0)) {
      await this.#absorbOldest();
    }
  }

  async absorbAll(): Promise<void> {
    while (this.#sealed.length > 0) await this.#absorbOldest();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRest();
    await this.#absorbing;
  }

  #restSoon(): void {
    if (this.#absorbing !== undefined || this.#isClosed) return;
    const { timer, bottom } = this.#setting;
    this.#cancelRest = timer.after(REST_AFTER, () => {
      if (this.#absorbing === undefined) bottom.rest();
    });
  }

  async #absorbOldest(): Promise<void> {
    const { journal, bottom, onAbsorbed } = this.#setting;
    const oldest = this.#sealed.at(-1);
    if (oldest !== undefined) {
      await bottom.absorb(oldest.segment, oldest.frameEnd);
      this.#sealed = this.#sealed.slice(0, -1);
      onAbsorbed(oldest.table);
      // Tables that were deleted take everything and keep nothing.
      if ((await bottom.missing()) !== undefined) throw new Error("the tables are gone");
      this.#done.push(oldest.segment);
    }
    while (this.#done.length > 0) {
      await journal.remove(this.#done[0]!);
      this.#done.shift();
    }
  }
}
