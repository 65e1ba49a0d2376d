/**
 * The copy jobs of an account: those that run, and those that ended. Each is a record of the
 * catalogue from the moment in which it is accepted, and goes on by itself after a restart.
 */

import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import { counted } from "../../base/wording.ts";
import type { CopyJobEntry, CopyStep, SetAsideItem } from "../../model/copyJob.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { CopyReport } from "../../statistics/report.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import { newRecord, sourceFor } from "./acceptance.ts";
import type { CommandTerms } from "./copyCommands.ts";
import { obstacleTo } from "./copyCommands.ts";
import { endedRecord, isOutdated, lostEnd } from "./copyEnding.ts";
import type { MirrorKeeper } from "./copyMirrors.ts";
import { CopyMirrors } from "./copyMirrors.ts";
import type { CopyRecord, CopyRequest } from "./copyRecord.ts";
import { hasSwitched, isCopy } from "./copyRecord.ts";
import { entryOfRecord, entryOfRun, setAsideOf } from "./copyReport.ts";
import type { CopyRunSetting } from "./copyRun.ts";
import { CopyRun } from "./copyRun.ts";
import { CopyVerification } from "./copyVerification.ts";
import { closeOld, cutOver, rememberFormer, switchBack } from "./cutOver.ts";
import { EndedVerifications } from "./endedVerifications.ts";
import { closeWhileFilled } from "./preparing.ts";

interface CopyingSetting extends CopyRunSetting {
  readonly work: BackgroundWork;
  /** Which lifecycle a container belongs to, as a sentence. */
  lifecycleClaimOf(container: Container): string | undefined;
}

const DEADLINE_MS = 2000;
/** After a switch that was given up. */
const TRY_AGAIN_MS = 30_000;
const TOO_MANY = "A hundred jobs wait already. Ask again when some of them have ended.";

export class Copying {
  readonly #setting: CopyingSetting;
  readonly #runs = new Map<string, CopyRun>();
  #count = 0;
  #mirrors: CopyMirrors | undefined;
  readonly #verifications = new WeakMap<CopyRun, CopyVerification>();
  readonly #endedVerifications: EndedVerifications;

  constructor(setting: CopyingSetting) {
    this.#setting = setting;
    this.#endedVerifications = new EndedVerifications(setting);
  }

  /** Says who runs the reads that are mirrored; before anything is resumed. */
  mirrorWith(keeper: MirrorKeeper): void {
    this.#mirrors = new CopyMirrors(keeper);
  }

  /** Goes on with what was accepted before the account was opened. */
  resume(): void {
    const { book, catalog } = this.#setting;
    for (const record of book.open) {
      if (!isCopy(record)) continue;
      const source = catalog.containerByRid(record.sourceRid);
      const target = record.targetRid && catalog.containerByRid(record.targetRid);
      const isTargetGone = record.targetRid !== undefined && target === undefined;
      if (source === undefined || isTargetGone) this.#endLost(record, source ?? target);
      else this.#begin(new CopyRun(this.#setting, record, source, target));
    }
  }

  /** Answers when the job is on disk. */
  async start(request: CopyRequest): Promise<Result<CopyRun | CopyRecord, Refusal>> {
    const { book, catalog, clock } = this.#setting;
    const known = this.#byToken(request.token);
    if (known !== undefined) return ok(known);
    const source = sourceFor(catalog, request, book.open.filter(isCopy), this.#setting);
    if (!source.ok) return source;
    const id = `${catalog.epoch}-c${++this.#count}`;
    const record = newRecord(request, source.value, { id, startedAt: clock.wallNow() });
    try {
      const accepted = await book.accept(record, (isFull) => {
        if (source.value.isDeleted) return { kind: "notFound" };
        // Another job may have been accepted since the first look.
        const again = sourceFor(catalog, request, book.open.filter(isCopy), this.#setting);
        if (!again.ok) return again.error;
        return isFull ? { kind: "unavailable", message: TOO_MANY } : undefined;
      });
      const same = accepted.ok ? undefined : this.#byToken(request.token);
      if (!accepted.ok) return same === undefined ? accepted : ok(same);
    } catch (failure) {
      if (!isStoreFailure(failure)) throw failure;
      return no({ kind: "unavailable", message: failure.message });
    }
    const run = new CopyRun(this.#setting, record, source.value, undefined);
    this.#begin(run);
    return ok(run);
  }

  get runs(): readonly CopyRun[] {
    return [...this.#runs.values()].filter((run) => !run.hasEnded);
  }

  /** Of jobs that are no longer at work, the latest first. */
  get ended(): readonly CopyRecord[] {
    return this.#setting.book.ended.filter(isCopy).toReversed();
  }

  find(id: string): CopyRun | CopyRecord | undefined {
    return this.runs.find((run) => run.id === id) ?? this.ended.find(({ job }) => job.id === id);
  }

  /**
   * Those under way first; then those that ended, the latest first. Of dry runs from one source to
   * one target the last is shown, unless there was a job since.
   */
  get entries(): readonly CopyJobEntry[] {
    const known = this.#known;
    const running = this.runs.map((run) => this.#entryOfRun(run, known));
    const shown = this.runs.map(({ record }) => record);
    const underWayCount = shown.length;
    for (const record of this.ended) {
      if (!shown.some((later) => isOutdated(record, later))) shown.push(record);
    }
    return [...running, ...shown.slice(underWayCount).map((one) => this.#entryOfEnded(one))];
  }

  entryOf(job: CopyRun | CopyRecord): CopyJobEntry {
    return job instanceof CopyRun && !job.hasEnded
      ? this.#entryOfRun(job, this.#known)
      : this.#entryOfEnded(job instanceof CopyRun ? job.record : job);
  }

  /** Of a job that has ended; see `endedVerifications.ts` for the one thing that can be asked. */
  commandEnded(record: CopyRecord, command: CopyStep): Result<void, Refusal> {
    const started =
      command === "verify" ? this.#endedVerifications.start(record) : no("The job has ended.");
    return started.ok ? started : no(badRequest(started.error));
  }

  /** What a job could not copy, with the items as they are now, as far as they are still there. */
  setAsideOf(job: CopyRun | CopyRecord): Promise<readonly SetAsideItem[]> {
    const { store, catalog } = this.#setting;
    const record = job instanceof CopyRun ? job.record : job;
    // After the switch it is the way back that could not have everything.
    const readRid = record.cutOver === undefined ? record.sourceRid : record.targetRid;
    const read = readRid === undefined ? undefined : catalog.containerByRid(readRid);
    return setAsideOf(store, record, read);
  }

  /** Which job reads from a container or writes to it, as a sentence. */
  claimOf(container: Container): string | undefined {
    const { databaseId, definition } = container;
    const busy = this.runs.find(({ source, target, record }) => {
      const asked = record.request.target;
      const isNamed = asked.database === databaseId && asked.container === definition.id;
      return source === container || target === container || isNamed;
    });
    return (
      busy &&
      `'${definition.id}' belongs to the copy job ${busy.id}. Wait until that has ended, or ` +
        "cancel it."
    );
  }

  /** Of the jobs that read from a container or write to it. */
  reportsOf(container: Container): readonly CopyReport[] {
    const own = this.runs.filter(
      ({ source, target }) => source === container || target === container,
    );
    return own.map((run) => ({
      id: run.id,
      movedAt: run.movedAt,
      isPaused: run.record.isPaused,
      ...(run.record.blockedFor !== undefined && { stoppedFor: run.record.blockedFor }),
      lagCount: run.stream?.lag ?? 0,
    }));
  }

  /** Resolves when the job has done what was asked of it, or has recorded that it will. */
  async command(
    run: CopyRun,
    command: CopyStep,
    terms: CommandTerms,
  ): Promise<Result<void, Refusal>> {
    const obstacle = obstacleTo(run, command, terms);
    if (obstacle !== undefined) return no(badRequest(obstacle));
    const isStopping = command === "cancel" || command === "pause";
    if (isStopping && run.hold !== undefined) run.hold.isRevoked = true;
    switch (command) {
      case "cutOver":
      case "revert":
        return this.#switch(run, command, terms);
      // A phase is left in turn with the steps of the job; everything else holds at once.
      case "cancel":
      case "complete":
        return run.inTurn(() => this.#change(run, command, terms));
      default:
        return this.#change(run, command, terms);
    }
  }

  /** The LSN behind which some job still has to read the log of these keys. */
  heldFrom(container: Container, range: EpkRange): Lsn | undefined {
    let lowest: Lsn | undefined;
    const hold = (at: Lsn | undefined): void => {
      if (at !== undefined && (lowest === undefined || at < lowest)) lowest = at;
    };
    for (const run of this.runs) {
      hold(this.#knownVerification(run)?.heldFrom(container, range));
      const terms = run.stream?.terms;
      if (terms?.source === container) hold(terms.positions.of(range));
    }
    return lowest;
  }

  #begin(run: CopyRun): void {
    this.#runs.set(run.id, run);
    const { source, target } = run;
    if (target !== undefined && hasSwitched(run.record)) {
      closeOld(run, source, target);
      rememberFormer(run, source, target);
    } else if (target !== undefined) {
      closeWhileFilled(run.id, target);
      void this.#mirrors?.follow(run);
    }
    // A verdict of before is shown, and the logs are kept from where its next run goes on.
    if (run.record.verified !== undefined) this.#verificationOf(run);
    const step = async (isStopped: () => boolean): ReturnType<CopyRun["step"]> => {
      const next = await run.step(isStopped);
      if (next.kind === "waits") await this.#cutOverByItself(run);
      return next;
    };
    this.#setting.work
      .run({ step })
      // A defect ends the job here, and is told to whoever stops the work.
      .catch((defect: unknown) => run.end("failed", String(defect)))
      .catch(() => undefined)
      .then(async () => {
        if (!run.hasEnded) return;
        this.#runs.delete(run.id);
        await this.#mirrors?.follow(run);
      })
      .catch(() => undefined);
  }

  async #change(
    run: CopyRun,
    command: CopyStep,
    terms: CommandTerms,
  ): Promise<Result<void, Refusal>> {
    const obstacle = obstacleTo(run, command, terms);
    if (obstacle !== undefined) return no(badRequest(obstacle));
    switch (command) {
      case "pause":
        run.change({ isPaused: true }, "Paused.");
        run.forgetPace();
        break;
      case "resume":
        run.change({ isPaused: false, blockedFor: undefined }, "Resumed.");
        run.forgetPace();
        break;
      case "throttle":
        run.change(
          { sharePercent: terms.sharePercent! },
          `The share is ${terms.sharePercent} % of the rates now.`,
        );
        run.forgetPace();
        break;
      case "verify":
        this.#verificationOf(run)?.start();
        break;
      case "mirror":
        run.change(
          { mirrorPercent: terms.percent! },
          `${terms.percent} % of the reads are mirrored.`,
        );
        await this.#mirrors?.follow(run);
        break;
      case "cancel":
        run.change(
          { phase: "cancelling", dropsTarget: terms.dropTarget === true },
          "Somebody cancelled the job.",
        );
        break;
      case "complete":
        run.change(
          { phase: "completing", keepsOld: terms.keepOld === true },
          "Somebody completed the job.",
        );
        break;
      default:
    }
    await run.keep();
    return ok(undefined);
  }

  async #switch(
    run: CopyRun,
    command: "cutOver" | "revert",
    terms: CommandTerms,
  ): Promise<Result<void, Refusal>> {
    const { deadlineMs = DEADLINE_MS } = terms;
    return run.inTurn(async () => {
      const isUnverified = command === "cutOver" && terms.isForced !== true;
      const obstacle =
        obstacleTo(run, command, terms) ?? (isUnverified ? this.#gate(run) : undefined);
      if (obstacle !== undefined) return no(badRequest(obstacle));
      const act = command === "cutOver" ? cutOver : switchBack;
      const done = await act(run, { deadlineMs });
      if (!done.ok) return done;
      await this.#mirrors?.follow(run);
      return ok(undefined);
    });
  }

  /** Why the copy may not take over yet, unless somebody insists. */
  #gate(run: CopyRun): string | undefined {
    const { state } = this.#verificationOf(run)?.report ?? { state: "none" };
    if (state === "differs") return "The verification found differences; see the job.";
    if (state !== "fresh") {
      return `The copy has to be verified first (it is: ${state}), or the switch to be forced.`;
    }
    const { count } = run.setAside;
    return count === 0
      ? undefined
      : `${counted(count, "item")} set aside and without a copy. Mend what is in the way, or ` +
          "force the switch.";
  }

  /** A verdict about the way forth says nothing about the way back. */
  #knownVerification(run: CopyRun): CopyVerification | undefined {
    const known = this.#verifications.get(run);
    return run.stream !== undefined && known?.isOf(run.stream) === true ? known : undefined;
  }

  /** Of the way that the job follows now. */
  #verificationOf(run: CopyRun): CopyVerification | undefined {
    const { stream } = run;
    const known = this.#knownVerification(run);
    if (stream === undefined || known !== undefined) return known;
    const made = new CopyVerification(run, stream, this.#setting.work);
    this.#verifications.set(run, made);
    return made;
  }

  /** Verifies, and takes over when that has found nothing; if the job was so asked for. */
  async #cutOverByItself(run: CopyRun): Promise<void> {
    const { phase, request } = run.record;
    if (request.cutOver !== "automatic" || phase !== "ready" || run.isAtRest) return;
    const verification = this.#verificationOf(run)!;
    const { state } = verification.report;
    if (state === "running") return;
    if (state === "differs") return run.block("The verification found differences.");
    if (state !== "fresh") return verification.start();
    const { clock } = this.#setting;
    if (clock.now() < run.nextTryAt) return;
    run.nextTryAt = clock.now() + TRY_AGAIN_MS;
    await this.command(run, "cutOver", {});
  }

  #entryOfRun(run: CopyRun, known: readonly CopyRecord[]): CopyJobEntry {
    const mirror = this.#mirrors?.reportOf(run);
    const verification = this.#knownVerification(run)?.report;
    const verified = verification && { verification };
    return { ...entryOfRun(run, known), ...verified, ...(mirror && { mirror }) };
  }

  #entryOfEnded(record: CopyRecord): CopyJobEntry {
    return {
      ...entryOfRecord(record),
      verification: this.#endedVerifications.reportOf(record),
      nextSteps: this.#endedVerifications.stepsOf(record),
    };
  }

  get #known(): readonly CopyRecord[] {
    return [...this.runs.map(({ record }) => record), ...this.ended];
  }

  #byToken(token: string | undefined): CopyRun | CopyRecord | undefined {
    if (token === undefined) return undefined;
    const isSame = ({ request }: CopyRecord): boolean => request.token === token;
    return this.runs.find(({ record }) => isSame(record)) ?? this.ended.find(isSame);
  }

  /** One of the containers went while nobody looked; the job is over. */
  #endLost(record: CopyRecord, present: Container | undefined): void {
    const { end, reason } = lostEnd(record);
    if (present === undefined) {
      const at = this.#setting.clock.wallNow();
      const ended = endedRecord(record, { at, end, reason });
      this.#setting.book.end(ended, () => undefined).catch(() => undefined);
      return;
    }
    const run = new CopyRun(this.#setting, record, present, undefined);
    this.#runs.set(run.id, run);
    run
      .end(end, reason)
      .catch(() => undefined)
      .finally(() => this.#runs.delete(run.id));
  }
}
