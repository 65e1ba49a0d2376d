/**
 * The lifecycles of an account: those at work, and those that ended. Each is a record of the
 * catalogue from the moment in which it is accepted, and goes on by itself after a restart.
 *
 * A container belongs to one lifecycle at most, in one role.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import type {
  LifecycleEntry,
  LifecyclePlan,
  LifecycleSettings,
  LifecycleStep,
  UnmovedItem,
} from "../../model/lifecycle.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { LifecycleReport } from "../../statistics/report.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import { planOf } from "./lifecyclePlan.ts";
import type { LifecycleRecord } from "./lifecycleRecord.ts";
import { isLifecycle, newLifecycleRecord } from "./lifecycleRecord.ts";
import { entryOfRecord, entryOfRun, reportOfRun, unmovedOf } from "./lifecycleReport.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import type { LifecycleRunSetting } from "./lifecycleRun.ts";
import { LifecycleRun } from "./lifecycleRun.ts";
import { madePair, pairOf } from "./newPair.ts";
import type { ContainerPair } from "./pairChecks.ts";
import { checksOf } from "./pairChecks.ts";

interface LifecyclesSetting extends LifecycleRunSetting {
  readonly work: BackgroundWork;
  /** Which copy job has to do with a container, as a sentence. */
  copyClaimOf(container: Container): string | undefined;
}

const GIVEN_TTLS_MAX = 20;
const STOPPED =
  "Somebody stopped it. Items that were moved leave hot by their short ttl; all others stay, and " +
  "expire by the ttl of hot, whether or not they are due.";

export class Lifecycles {
  readonly #setting: LifecyclesSetting;
  readonly #runs = new Map<string, LifecycleRun>();
  #count = 0;

  constructor(setting: LifecyclesSetting) {
    this.#setting = setting;
  }

  /** Goes on with those that are on record. Hot containers are guarded when this returns. */
  resume(): void {
    const { book, catalog } = this.#setting;
    for (const record of book.open) {
      if (!isLifecycle(record)) continue;
      const hot = catalog.containerByRid(record.hotRid);
      const warm = catalog.containerByRid(record.warmRid);
      if (hot !== undefined && warm !== undefined) {
        this.#begin(new LifecycleRun(this.#setting, { hot, warm }, record));
      } else {
        this.#endLost(record);
      }
    }
  }

  /** What would be done; nothing is changed. */
  async plan(request: LifecycleRequest): Promise<Result<LifecyclePlan, Refusal>> {
    const pair = this.#pairOf(request);
    return pair.ok ? ok(await planOf(this.#setting, pair.value, request)) : pair;
  }

  /** Answers when the lifecycle is on disk, with its containers made where they were missing. */
  async start(request: LifecycleRequest): Promise<Result<LifecycleRun, Refusal>> {
    const pair = this.#pairOf(request);
    if (!pair.ok) return pair;
    const problem = problemOf(pair.value, request);
    if (problem !== undefined) return no(badRequest(problem));
    try {
      return await this.#accept(request, pair.value);
    } catch (failure) {
      if (!isStoreFailure(failure)) throw failure;
      return no({ kind: "unavailable", message: failure.message });
    }
  }

  get runs(): readonly LifecycleRun[] {
    return [...this.#runs.values()].filter(({ hasEnded }) => !hasEnded);
  }

  /** Of those that are no longer at work, the latest first. */
  get ended(): readonly LifecycleRecord[] {
    return this.#setting.book.ended.filter(isLifecycle).toReversed();
  }

  find(id: string): LifecycleRun | LifecycleRecord | undefined {
    return this.runs.find((run) => run.id === id) ?? this.ended.find(({ job }) => job.id === id);
  }

  /** Those at work first. */
  async entries(): Promise<readonly LifecycleEntry[]> {
    const running = await Promise.all(this.runs.map((run) => this.entryOf(run)));
    return [...running, ...this.ended.map(entryOfRecord)];
  }

  async entryOf(lifecycle: LifecycleRun | LifecycleRecord): Promise<LifecycleEntry> {
    return lifecycle instanceof LifecycleRun
      ? entryOfRun(this.#setting.store, lifecycle)
      : entryOfRecord(lifecycle);
  }

  unmovedOf(run: LifecycleRun): Promise<readonly UnmovedItem[]> {
    return unmovedOf(this.#setting.store, run);
  }

  /** For the alerts: of the lifecycle that the container belongs to. */
  reportOf(container: Container): LifecycleReport | undefined {
    const run = this.#runOf(container);
    return run && { ...reportOfRun(run), role: run.hot === container ? "hot" : "warm" };
  }

  /** Which lifecycle a container belongs to, as a sentence. */
  claimOf(container: Container): string | undefined {
    const run = this.#runOf(container);
    const role = run?.hot === container ? "hot" : "warm";
    return (
      run &&
      `'${container.definition.id}' is the ${role} container of the lifecycle ${run.id}. Stop ` +
        "that first."
    );
  }

  /** The LSN behind which a lifecycle still has to read the log of these keys. */
  heldFrom(container: Container, range: EpkRange): Lsn | undefined {
    const run = this.#runOf(container);
    return run?.hot === container ? run.follower.positions.of(range) : undefined;
  }

  /** Resolves when what was asked for is on disk. */
  async command(
    run: LifecycleRun,
    step: LifecycleStep,
    change: Partial<LifecycleSettings>,
  ): Promise<Result<void, Refusal>> {
    const { isPaused } = run.record;
    switch (step) {
      case "pause":
        if (isPaused) return no(badRequest("The lifecycle is paused already."));
        await run.change({ isPaused: true }, "Paused.");
        break;
      case "resume":
        if (!isPaused) return no(badRequest("The lifecycle is not paused."));
        await run.change({ isPaused: false }, "Resumed.");
        run.rounds.beginNow();
        break;
      case "run":
        if (isPaused) return no(badRequest("The lifecycle is paused; resume it."));
        run.rounds.beginNow();
        break;
      case "change":
        return this.#change(run, change);
      case "stop":
        await run.end("stopped", STOPPED);
        this.#runs.delete(run.id);
        break;
    }
    return ok(undefined);
  }

  async #change(
    run: LifecycleRun,
    change: Partial<LifecycleSettings>,
  ): Promise<Result<void, Refusal>> {
    const { record } = run;
    const before = record.settings;
    const settings = { ...before, ...change };
    const names = Object.keys(change) as (keyof LifecycleSettings)[];
    const changed = names.filter((name) => before[name] !== settings[name]);
    if (changed.length === 0) return no(badRequest("That changes nothing."));
    const { hot, warm } = record;
    const request = { hot, warm, settings, enableTtl: true, isForced: true };
    const problem = problemOf(
      {
        hot: { container: run.hot, definition: run.hot.definition },
        warm: { container: run.warm, definition: run.warm.definition },
      },
      request,
    );
    if (problem !== undefined) return no(badRequest(problem));
    const isRenamed = before.markProperty !== settings.markProperty;
    const texts = changed.map((name) => `${name} ${String(settings[name] ?? "off")}`);
    await run.change(
      {
        settings,
        movedBefore: run.movedBefore,
        formerMarks: isRenamed
          ? [...new Set([before.markProperty, ...record.formerMarks])]
          : record.formerMarks,
        givenTtls: [...new Set([settings.markTtlSeconds, ...record.givenTtls])].slice(
          0,
          GIVEN_TTLS_MAX,
        ),
      },
      `Changed: ${texts.join(", ")}.`,
    );
    return ok(undefined);
  }

  async #accept(
    request: LifecycleRequest,
    pair: ContainerPair,
  ): Promise<Result<LifecycleRun, Refusal>> {
    const { book, catalog, clock } = this.#setting;
    const setting = { ...this.#setting, claimOf: this.#claimOf };
    const made = await madePair(setting, request, pair);
    if (!made.ok) return made;
    const { hot, warm } = made.value;
    const id = `${catalog.epoch}-l${++this.#count}`;
    const at = { id, startedAt: clock.wallNow() };
    const record = newLifecycleRecord(made.value, request.settings, at);
    const run = new LifecycleRun(this.#setting, made.value, record);
    let isAccepted = false;
    try {
      const accepted = await book.accept(record, () => {
        if (hot.isDeleted || warm.isDeleted) return { kind: "notFound" };
        const claim = this.#claimOf(hot) ?? this.#claimOf(warm);
        if (claim !== undefined) return badRequest(claim);
        // From here on nothing expires, also while the record is on its way to the disk.
        this.#runs.set(run.id, run);
        run.guard();
        return undefined;
      });
      if (!accepted.ok) return accepted;
      isAccepted = true;
    } finally {
      if (!isAccepted && this.#runs.delete(run.id)) run.release();
    }
    this.#begin(run);
    return ok(run);
  }

  #begin(run: LifecycleRun): void {
    this.#runs.set(run.id, run);
    run.guard();
    this.#setting.work
      .run({ step: (isStopped) => run.step(isStopped) })
      .then(({ kind }) => {
        if (kind === "done") this.#runs.delete(run.id);
      })
      // A defect ends the work here, and is told to whoever stops all work.
      .catch((defect: unknown) => {
        run.failure = `The lifecycle stopped working: ${String(defect)}`;
      });
  }

  #pairOf(request: LifecycleRequest): Result<ContainerPair, Refusal> {
    return pairOf({ ...this.#setting, claimOf: this.#claimOf }, request);
  }

  readonly #claimOf = (container: Container): string | undefined =>
    this.claimOf(container) ?? this.#setting.copyClaimOf(container);

  #runOf(container: Container): LifecycleRun | undefined {
    return this.runs.find(({ hot, warm }) => hot === container || warm === container);
  }

  /** One of the containers went while nobody looked; the lifecycle is over. */
  #endLost(record: LifecycleRecord): void {
    const { book, clock } = this.#setting;
    const reason = "A container of the lifecycle is no more.";
    const seconds = Math.max(0, clock.wallNow() - record.job.startedAt) / 1000;
    const job = { ...record.job, outcome: { state: "failed", reason, seconds } } as const;
    // If that fails, the next start does it.
    const ended: LifecycleRecord = { ...record, end: "failed", job };
    book.end(ended, () => undefined).catch(() => undefined);
  }
}

/** What keeps a pair from being one, all of it in one text. */
function problemOf(pair: ContainerPair, request: LifecycleRequest): string | undefined {
  const unmet = checksOf(pair, request).filter(({ isMet }) => !isMet);
  return unmet.length === 0 ? undefined : unmet.map(({ says }) => says).join(" ");
}
