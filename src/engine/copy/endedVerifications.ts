/**
 * Verifications of offline copies, whose jobs end by themselves: both containers are clients' then,
 * and may be compared for as long as both are there. What somebody has written to one of them since
 * is a difference like any other.
 *
 * The verdict is kept in the record of the job. Its outcome stays as it is.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { NextStep, VerificationReport } from "../../model/copyJob.ts";
import type { ComparedPair } from "../compare/comparedPair.ts";
import { ContainerComparison } from "../compare/comparison.ts";
import { rememberedReport } from "../compare/staleness.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { DONE } from "../jobs/job.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import type { CopyRecord } from "./copyRecord.ts";
import { isCopy } from "./copyRecord.ts";
import type { CopyRunSetting } from "./copyRun.ts";
import { copyPair, payForLook } from "./copyVerification.ts";
import type { CopyWay } from "./copyWay.ts";
import { wayOf } from "./copyWay.ts";
import { SharePace } from "./sharePace.ts";

interface EndedSetting extends CopyRunSetting {
  readonly work: BackgroundWork;
}

type Ends = Pick<ComparedPair, "source" | "target">;

const GONE = "One of the two containers is no more, so there is nothing to compare.";
const ENDED = "The job has ended.";

export class EndedVerifications {
  readonly #setting: EndedSetting;
  /** By the id of the job. */
  readonly #running = new Map<string, ContainerComparison>();
  /** Verdicts that are too large for a record: they are shown until the server ends. */
  readonly #large = new Map<string, VerificationReport>();

  constructor(setting: EndedSetting) {
    this.#setting = setting;
  }

  reportOf(record: CopyRecord): VerificationReport {
    const { id } = record.job;
    const running = this.#running.get(id);
    if (running !== undefined) return { ...running.report, state: "running" };
    const { verified } = record;
    if (verified === undefined) return this.#large.get(id) ?? { state: "none" };
    const ends = this.#endsOf(record);
    const { clock } = this.#setting;
    return rememberedReport(verified, ends.ok ? ends.value : undefined, clock.wallNow());
  }

  stepsOf(record: CopyRecord): readonly NextStep[] {
    if (!this.#endsOf(record).ok) return [];
    const about = "compares the source with the copy as they are now, item by item";
    return [{ step: "verify", about }];
  }

  /** Begins to compare, unless that is under way; or says why nothing can be compared. */
  start(record: CopyRecord): Result<void, string> {
    const ends = this.#endsOf(record);
    if (!ends.ok) return ends;
    const way = wayOf(this.#setting, record, ends.value.source, ends.value.target);
    if (!way.ok) return way;
    const { id } = record.job;
    if (this.#running.has(id)) return ok(undefined);
    const { open, ended } = this.#setting.book;
    const pair = pairOf(record, way.value, [...open, ...ended].filter(isCopy));
    const comparison = new ContainerComparison(this.#setting, pair, record.verified);
    this.#running.set(id, comparison);
    const step = (isStopped: () => boolean): Promise<JobStep<void>> =>
      this.#compare(record, pair, comparison, isStopped);
    this.#setting.work
      .run({ step })
      .then(() => this.#keep(record, comparison))
      // A defect is told to whoever stops the work.
      .catch(() => undefined)
      .finally(() => this.#running.delete(id));
    return ok(undefined);
  }

  async #compare(
    { sharePercent }: CopyRecord,
    pair: ComparedPair,
    comparison: ContainerComparison,
    isStopped: () => boolean,
  ): Promise<JobStep<void>> {
    const { clock, timer, rates } = this.#setting;
    const pace = new SharePace(clock, sharePercent, rates?.isLimited === true);
    const payment = { pace, timer, isOver: isStopped };
    await comparison.run({ isStopped, pace: (ru) => payForLook(pair, ru, payment) });
    return DONE;
  }

  async #keep({ job: { id } }: CopyRecord, comparison: ContainerComparison): Promise<void> {
    const verified = comparison.remembered;
    const { report } = comparison;
    // It was cut short, and nothing was found.
    if (report.state === "none") return;
    if (verified === undefined) this.#large.set(id, report);
    else this.#large.delete(id);
    await this.#setting.book.amend(id, (record) => ({ ...record, verified }));
  }

  /** Both containers, or why they are not compared. */
  #endsOf({ end, sourceRid, targetRid }: CopyRecord): Result<Ends, string> {
    if (end !== "copied") return no(ENDED);
    const { catalog } = this.#setting;
    const source = catalog.containerByRid(sourceRid);
    const target = targetRid && catalog.containerByRid(targetRid);
    return source === undefined || target === undefined ? no(GONE) : ok({ source, target });
  }
}

/** Nothing is copied any more, so what differs at both looks does. */
function pairOf(record: CopyRecord, way: CopyWay, known: readonly CopyRecord[]): ComparedPair {
  const { targetRid, hasMadeTarget } = record;
  const setAside = new Set(record.setAside.map(({ number }) => number));
  // Other containers may have been copied into the same one.
  const merged = known.filter((other) => {
    return other.targetRid === targetRid && other.job.id !== record.job.id;
  });
  return {
    ...copyPair(way, record),
    // A container that the job has made had nothing else; what is there besides was written since.
    isOfOthers: (number) =>
      hasMadeTarget
        ? merged.some((other) => isNumberOf(other, number))
        : way.mapping.sourceNumberOf(number) === undefined,
    isExempt: (number) => setAside.has(number),
    caughtUp: () => Promise.resolve(true),
  };
}

/** Whether a number of a target is one of those that were set aside for the copies of a job. */
function isNumberOf({ ordinalShift, ordinalCount }: CopyRecord, number: number): boolean {
  const ordinal = Math.floor(number / NUMBERS_PER_PARTITION);
  return ordinalShift <= ordinal && ordinal < ordinalShift + ordinalCount;
}
