/**
 * The verification of a copy: source and target compared item by item, again and again if asked,
 * each time only what changed since. The record of the job keeps the last verdict, and from where
 * the next run goes on, over restarts.
 */
import type { Lsn, Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { VerificationReport } from "../../model/copyJob.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { ComparedPair } from "../compare/comparedPair.ts";
import { ContainerComparison } from "../compare/comparison.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { DONE } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import type { CopyRun } from "./copyRun.ts";
import type { CopyStream } from "./copyStream.ts";
import { Positions } from "./positions.ts";

const PAUSE_MS_MAX: Millis = millis(100);

export class CopyVerification {
  readonly #run: CopyRun;
  readonly #work: BackgroundWork;
  readonly #stream: CopyStream;
  readonly #comparison: ContainerComparison;
  /** By container: from where the next run has to read its log. */
  #held: ReadonlyMap<Container, Positions> = new Map();
  #isRunning = false;

  constructor(run: CopyRun, stream: CopyStream, work: BackgroundWork) {
    this.#run = run;
    this.#work = work;
    this.#stream = stream;
    const { verified } = run.record;
    this.#comparison = new ContainerComparison(run.setting, pairOf(run, stream), verified);
    if (verified === undefined) return;
    const { source, target } = stream.terms;
    this.#held = new Map([
      [source, new Positions(verified.positions.source)],
      [target, new Positions(verified.positions.target)],
    ]);
  }

  /** Whether it is about the way that the job follows now. */
  isOf(stream: CopyStream): boolean {
    return this.#stream === stream;
  }

  get report(): VerificationReport {
    return this.#comparison.report;
  }

  /** Begins a run, unless one is under way. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const step = (isStopped: () => boolean): Promise<JobStep<void>> => this.#compare(isStopped);
    this.#work
      .run({ step })
      .then(
        () => this.#note(),
        (defect: unknown) => this.#run.change({}, `The verification failed: ${String(defect)}`),
      )
      .finally(() => {
        this.#isRunning = false;
      });
  }

  /** What was found about another way than the one that is followed now is nobody's. */
  #note(): void {
    if (this.#run.stream !== this.#stream) return;
    const verified = this.#comparison.remembered;
    this.#run.change({ verified }, `Verified: ${this.report.state}.`);
  }

  /**
   * The LSN behind which the next run still has to read the log of these keys. A run that will read
   * everything anyway needs no log of before: one that nobody asks for must not make it grow.
   */
  heldFrom(container: Container, range: EpkRange): Lsn | undefined {
    if (!this.#isRunning && !this.#comparison.canGoOn) return undefined;
    return this.#held.get(container)?.of(range);
  }

  async #compare(isStopped: () => boolean): Promise<JobStep<void>> {
    const run = this.#run;
    const { source, target } = this.#stream.terms;
    const heads = new Map([source, target].map((one) => [one, headsOf(one)]));
    if (this.#held.size === 0) this.#held = heads;
    const isOver = (): boolean => isStopped() || run.hasEnded || run.stream !== this.#stream;
    await this.#comparison.run({
      isStopped: isOver,
      pace: (ru) => this.#pay(ru, isOver),
    });
    this.#held = heads;
    return DONE;
  }

  /** Both sides pay alike; which partition a page came from makes little difference. */
  async #pay(ru: number, isOver: () => boolean): Promise<void> {
    const { pace, setting } = this.#run;
    const { source, target } = this.#stream.terms;
    const partitions = [...source.partitions.values(), ...target.partitions.values()];
    for (const partition of partitions) {
      partition.spending.settleLeftOver(ru / partitions.length);
      pace.spend(partition, ru / partitions.length);
    }
    for (;;) {
      const ms = pace.waitFor(partitions);
      if (ms <= 0 || isOver()) return;
      await new Promise<void>((resolve) => {
        setting.timer.after(millis(Math.min(ms, PAUSE_MS_MAX)), resolve);
      });
    }
  }
}

function pairOf(run: CopyRun, stream: CopyStream): ComparedPair {
  const { source, target, mapping, setAside } = stream.terms;
  const { ordinalShift, request, phase } = run.record;
  const isBack = phase === "switched";
  return {
    source,
    target,
    numberShift: isBack ? 0 : ordinalShift * NUMBERS_PER_PARTITION,
    keepsStamps: isBack || request.ttl === "keep",
    copyOf: (item) => {
      const mapped = mapping.copyOf(item);
      if (mapped.kind !== "copy") return undefined;
      const { epk, key, draft, original } = mapped;
      const { etag, ts } = original;
      return { epk, key, id: draft.id, text: draft.text, etag, ts };
    },
    isExempt: (number) => setAside.has(number),
    isOfOthers: (number) => mapping.sourceNumberOf(number) === undefined,
    caughtUp: () => run.caughtUp(),
  };
}

function headsOf(container: Container): Positions {
  return new Positions(
    [...container.partitions.values()].map(({ entry, lsn }) => ({ range: entry.range, lsn })),
  );
}
