/**
 * Mirrors of the reads of a source, for as long as its copy has not taken over. What they found is
 * shown with the job; the share is recorded, so that a restart goes on with it.
 */
import type { MirrorReport } from "../../model/copyJob.ts";
import type { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import { hasSwitched } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";

/** Who runs the mirrored reads: the account. */
export interface MirrorKeeper {
  start(terms: {
    readonly source: Container;
    readonly target: Container;
    readonly percent: number;
    readonly numberShift: number;
    caughtUp(timeoutMs: number): Promise<boolean>;
  }): void;
  stop(source: Container): Promise<MirrorReport | undefined>;
  report(source: Container): MirrorReport | undefined;
}

export class CopyMirrors {
  readonly #keeper: MirrorKeeper;
  /** Of mirrors that have ended, as long as their job is at work. */
  readonly #last = new WeakMap<CopyRun, MirrorReport>();

  constructor(keeper: MirrorKeeper) {
    this.#keeper = keeper;
  }

  reportOf(run: CopyRun): MirrorReport | undefined {
    return this.#keeper.report(run.source) ?? this.#last.get(run);
  }

  /** Begins, changes the share, or ends; as the record says. */
  async follow(run: CopyRun): Promise<void> {
    const { source, target, stream, record } = run;
    const isOver = hasSwitched(record) || record.phase === "cancelling" || run.hasEnded;
    if (record.mirrorPercent === 0 || isOver) return this.#end(run);
    if (target === undefined || stream === undefined) return;
    this.#keeper.start({
      source,
      target,
      percent: record.mirrorPercent,
      numberShift: record.ordinalShift * NUMBERS_PER_PARTITION,
      caughtUp: (timeoutMs) => stream.isWithin(timeoutMs),
    });
  }

  async #end(run: CopyRun): Promise<void> {
    if (this.#keeper.report(run.source) === undefined) return;
    const report = await this.#keeper.stop(run.source);
    if (report !== undefined) this.#last.set(run, { ...report, percent: 0 });
  }
}
