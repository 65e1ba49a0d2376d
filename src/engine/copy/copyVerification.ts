/**
 * The verification of a copy: source and target compared item by item, again and again if asked,
 * each time only what changed since. The record of the job keeps the last verdict, and from where
 * the next run goes on, over restarts.
 *
 * Not here: copies whose job has ended (`endedVerifications.ts`).
 */
import type { Lsn, Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import { counted } from "../../base/wording.ts";
import type { Timer } from "../../base/world.ts";
import type { VerificationReport } from "../../model/copyJob.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { ComparedPair } from "../compare/comparedPair.ts";
import { ContainerComparison } from "../compare/comparison.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { DONE } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import type { CopyRecord } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";
import type { CopyStream } from "./copyStream.ts";
import type { CopyWay } from "./copyWay.ts";
import { Positions } from "./positions.ts";
import type { SharePace } from "./sharePace.ts";

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
    this.#run.change({ verified }, verdictText(this.report));
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
    const payment = { pace: run.pace, timer: run.setting.timer, isOver };
    await this.#comparison.run({
      isStopped: isOver,
      pace: (ru) => payForLook({ source, target }, ru, payment),
    });
    this.#held = heads;
    return DONE;
  }
}

/** For the history of the job, which outlives the report. */
function verdictText(report: VerificationReport): string {
  const { state, comparedCount = 0, missingCount = 0, extraCount = 0, differingCount = 0 } = report;
  const compared = counted(comparedCount, "item");
  if (state === "none") return "The verification came to no end.";
  return state === "differs"
    ? `Verified: ${compared} compared, ${missingCount} missing, ${extraCount} too many, ` +
        `${differingCount} that differ.`
    : `Verified: ${compared} compared, no difference.`;
}

interface Payment {
  readonly pace: SharePace;
  readonly timer: Timer;
  isOver(): boolean;
}

/** Both sides pay alike; which partition a page came from makes little difference. */
export async function payForLook(
  { source, target }: Pick<ComparedPair, "source" | "target">,
  ru: number,
  { pace, timer, isOver }: Payment,
): Promise<void> {
  const partitions = [...source.partitions.values(), ...target.partitions.values()];
  for (const partition of partitions) {
    partition.spending.settleLeftOver(ru / partitions.length);
    pace.spend(partition, ru / partitions.length);
  }
  for (;;) {
    const ms = pace.waitFor(partitions);
    if (ms <= 0 || isOver()) return;
    await new Promise<void>((resolve) => {
      timer.after(millis(Math.min(ms, PAUSE_MS_MAX)), resolve);
    });
  }
}

function pairOf(run: CopyRun, { terms }: CopyStream): ComparedPair {
  const { mapping, setAside } = terms;
  return {
    ...copyPair(terms, run.record),
    isExempt: (number) => setAside.has(number),
    isOfOthers: (number) => mapping.sourceNumberOf(number) === undefined,
    caughtUp: () => run.caughtUp(),
  };
}

/** How the copies of a job follow from their originals, on the way that is followed. */
export function copyPair(
  { source, target, mapping }: CopyWay,
  { ordinalShift, request, phase }: CopyRecord,
): Pick<ComparedPair, "source" | "target" | "numberShift" | "keepsStamps" | "copyOf"> {
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
  };
}

function headsOf(container: Container): Positions {
  return new Positions(
    [...container.partitions.values()].map(({ entry, lsn }) => ({ range: entry.range, lsn })),
  );
}
