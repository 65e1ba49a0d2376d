/**
 * The end of the journal to which frames are appended. A segment that would become too long, or
 * that a failed append has torn, is sealed first, together with the table of what it holds, and
 * waits for the bottom. While too many wait, so do frames: that is the back-pressure.
 */
import type { Journal } from "../journal/journal.ts";
import type { FrameView } from "../journal/segment.ts";
import type { VisibleState } from "../memory/visibleState.ts";
import type { JournalEnd } from "./commitPipeline.ts";
import type { Doing, Health } from "./health.ts";
import type { SealedSegments } from "./sealedSegments.ts";

export interface RollingOptions {
  /** A journal segment is sealed when it reaches this size. */
  readonly segmentBytesMax: number;
  /** Sealed segments that may wait for the bottom before commits wait too. */
  readonly sealedCountMax: number;
}

interface RollingSetting {
  readonly options: RollingOptions;
  readonly journal: Journal;
  readonly state: VisibleState;
  readonly sealed: SealedSegments;
  readonly health: Health;
}

export class RollingJournal implements JournalEnd {
  readonly #setting: RollingSetting;

  constructor(setting: RollingSetting) {
    this.#setting = setting;
  }

  get health(): Health {
    return this.#setting.health;
  }

  async append(frame: FrameView): Promise<void> {
    const { options, journal, sealed, health } = this.#setting;
    const isOver = journal.segmentBytes + frame.bytes.length > options.segmentBytesMax;
    if ((isOver && journal.segmentBytes > 0) || journal.isTorn) {
      // What a full disk still takes is little: it need not wait for the bottom.
      if (!health.isFull) await sealed.makeRoom(options.sealedCountMax);
      await this.#seal();
    }
    await health.watching(() => journal.append(frame));
  }

  doing(): Doing {
    return { activity: "writing the journal", ...this.#setting.journal.place };
  }

  async #seal(): Promise<void> {
    const { journal, state, sealed } = this.#setting;
    const { sealed: segment, closed } = journal.seal();
    sealed.push({ ...segment, table: state.sealActive() });
    sealed.absorb();
    await closed;
  }
}
