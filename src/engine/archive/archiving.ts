/**
 * The archives of an account, and the jobs that make them and restore from them. A job is a record
 * of the catalogue from the moment in which it is accepted, and goes on by itself after a restart.
 */
import type { ArchiveShelf } from "../../archive/archiveFolder.ts";
import { ArchiveFault } from "../../archive/archiveFolder.ts";
import type { PartitionFile } from "../../archive/manifest.ts";
import { readManifest } from "../../archive/verifyArchive.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Random } from "../../base/world.ts";
import type { ArchiveEntry, ArchiveJobEntry, ArchiveStep } from "../../model/archiveJob.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobRecord } from "../jobs/jobRecord.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import {
  archiveSource,
  busyProblem,
  folderProblem,
  newArchiveRecord,
  newRestoreRecord,
  restoreSource,
} from "./acceptance.ts";
import { entryOfManifest, notesIn } from "./archiveNotes.ts";
import type {
  ArchiveRecord,
  ArchiveRequest,
  RestoreRecord,
  RestoreRequest,
} from "./archiveRecord.ts";
import { isArchiveRecord, isRestoreRecord } from "./archiveRecord.ts";
import { entryOfRecord, entryOfRun, obstacleTo } from "./archiveReport.ts";
import { ArchiveRun } from "./archiveRun.ts";
import type { ArchiveSetting } from "./recordedRun.ts";
import { RestoreRun } from "./restoreRun.ts";

interface ArchivingSetting extends Omit<ArchiveSetting, "shelf"> {
  readonly work: BackgroundWork;
  readonly random: Random;
  /** Absent where nothing is kept on disk. */
  readonly archives?: ArchiveShelf | undefined;
}

const ID_BYTES = 16;
const TOO_MANY = "A hundred jobs wait already. Ask again when some of them have ended.";
const NO_PLACE = badRequest(
  "This server has no place for archives: it keeps nothing on disk (--memory). Start it with " +
    "--archives <directory>.",
);

type Run = ArchiveRun | RestoreRun;

/** An archive in full. */
interface ArchiveContents {
  readonly archive: ArchiveEntry;
  readonly files: readonly PartitionFile[];
}

export class Archiving {
  readonly #setting: ArchivingSetting;
  readonly #runs = new Map<string, Run>();
  #count = 0;

  constructor(setting: ArchivingSetting) {
    this.#setting = setting;
  }

  /** Where archives are; undefined where there is no place for them. */
  get place(): string | undefined {
    return this.#setting.archives?.place;
  }

  /** Goes on with what was accepted before the account was opened. */
  resume(): void {
    const { book, catalog } = this.#setting;
    const setting = this.#runSetting;
    if (setting === undefined) return;
    for (const record of book.open) {
      const isOwn = isArchiveRecord(record) || isRestoreRecord(record);
      if (!isOwn) continue;
      const rid = record.containerRid;
      const container = rid === undefined ? undefined : catalog.containerByRid(rid);
      if (rid !== undefined && container === undefined) this.#endLost(record);
      else if (isRestoreRecord(record)) this.#begin(new RestoreRun(setting, record, container));
      else this.#begin(new ArchiveRun(setting, record, container!));
    }
  }

  /** Answers when the job is on disk. */
  async start(request: ArchiveRequest): Promise<Result<ArchiveJobEntry, Refusal>> {
    const { catalog, clock, random } = this.#setting;
    const setting = this.#runSetting;
    if (setting === undefined) return no(NO_PLACE);
    const misnamed = folderProblem(request.folder);
    if (misnamed !== undefined) return no(badRequest(misnamed));
    const source = await archiveSource(this.#accepting(setting.shelf), request);
    if (!source.ok) return source;
    const archive = Buffer.from(random.bytes(ID_BYTES)).toString("hex");
    const id = `${catalog.epoch}-a${++this.#count}`;
    const made = { id, archive, startedAt: clock.wallNow() };
    const record = newArchiveRecord(request, source.value, made);
    return this.#accept(record, source.value, () => new ArchiveRun(setting, record, source.value));
  }

  /** Answers when the job is on disk. */
  async restore(request: RestoreRequest): Promise<Result<ArchiveJobEntry, Refusal>> {
    const { catalog, clock } = this.#setting;
    const setting = this.#runSetting;
    if (setting === undefined) return no(NO_PLACE);
    const misnamed = folderProblem(request.folder);
    if (misnamed !== undefined) return no(badRequest(misnamed));
    const source = await restoreSource(this.#accepting(setting.shelf), request);
    if (!source.ok) return source;
    const id = `${catalog.epoch}-a${++this.#count}`;
    const { container } = source.value;
    const record = newRestoreRecord(request, source.value, { id, startedAt: clock.wallNow() });
    return this.#accept(record, container, () => new RestoreRun(setting, record, container));
  }

  get runs(): readonly Run[] {
    return [...this.#runs.values()].filter((run) => !run.hasEnded);
  }

  /** Those under way first; then those that ended, the latest first. */
  get entries(): readonly ArchiveJobEntry[] {
    return [...this.runs.map(entryOfRun), ...this.#ended.map(entryOfRecord)];
  }

  entry(id: string): ArchiveJobEntry | undefined {
    const run = this.runs.find((one) => one.id === id);
    if (run !== undefined) return entryOfRun(run);
    const ended = this.#ended.find(({ job }) => job.id === id);
    return ended && entryOfRecord(ended);
  }

  /** Resolves when what was asked is on disk; the job may have to finish a page first. */
  async command(
    id: string,
    step: ArchiveStep,
    sharePercent: number | undefined,
  ): Promise<Result<ArchiveJobEntry, Refusal>> {
    const run = this.runs.find((one) => one.id === id);
    if (run === undefined) {
      const ended = this.entry(id);
      return no(ended === undefined ? { kind: "notFound" } : badRequest("The job has ended."));
    }
    const obstacle = obstacleTo(run.record, step);
    if (obstacle !== undefined) return no(badRequest(obstacle));
    switch (step) {
      case "pause":
        run.change({ isPaused: true }, "Paused.");
        break;
      case "resume":
        run.change({ isPaused: false, blockedFor: undefined }, "Resumed.");
        run.progress.forget();
        break;
      case "cancel":
        run.change({ isCancelled: true }, "Somebody cancelled the job.");
        break;
      case "throttle":
        run.change({ sharePercent: sharePercent! }, `The share is ${sharePercent} % now.`);
        break;
    }
    await run.keep();
    return ok(entryOfRun(run));
  }

  /** What is known of archives without a look at the disk, the latest first. */
  get noted(): readonly ArchiveEntry[] {
    const entries = notesIn(this.#setting.book).map(({ entry }) => entry);
    return entries.sort((a, b) => b.madeAt - a.madeAt);
  }

  /** All archives that were made here, and those that lie here; with what the disk says of them. */
  async list(): Promise<Result<readonly ArchiveEntry[], Refusal>> {
    const shelf = this.#setting.archives;
    if (shelf === undefined) return ok(this.noted);
    return guarded(async () => {
      const noted = this.noted;
      const names = await shelf.folderNames();
      const known = new Set(noted.map(({ folder }) => folder));
      const atWork = new Set(this.runs.map(({ record }) => record.folder));
      const seen = await Promise.all(noted.map((entry) => this.#looked(shelf, entry)));
      const others = names.filter((name) => !known.has(name) && !atWork.has(name));
      const found: ArchiveEntry[] = [];
      for (const name of others) {
        const read = await readManifest(shelf.folder(name));
        if (read.kind === "manifest") found.push(entryOfManifest(read.manifest, name, "found"));
      }
      return [...seen, ...found];
    });
  }

  /** One archive with its files. */
  async contents(name: string): Promise<Result<ArchiveContents, Refusal>> {
    const shelf = this.#setting.archives;
    if (shelf === undefined) return no(NO_PLACE);
    const misnamed = folderProblem(name);
    if (misnamed !== undefined) return no(badRequest(misnamed));
    const read = await guarded(() => readManifest(shelf.folder(name)));
    if (!read.ok) return read;
    const noted = this.noted.find(({ folder }) => folder === name);
    if (read.value.kind === "manifest") {
      const { manifest } = read.value;
      const archive = noted ?? entryOfManifest(manifest, name, "found");
      return ok({ archive, files: manifest.files });
    }
    if (noted === undefined) return no({ kind: "notFound" });
    return no(badRequest(read.value.damage.message));
  }

  async #looked(shelf: ArchiveShelf, entry: ArchiveEntry): Promise<ArchiveEntry> {
    const read = await readManifest(shelf.folder(entry.folder));
    if (read.kind === "manifest" && read.manifest.archive === entry.archive) return entry;
    const isMissing = read.kind === "damaged" && read.damage.what === "missing";
    return { ...entry, state: isMissing ? "missing" : "damaged" };
  }

  get #ended(): readonly (ArchiveRecord | RestoreRecord)[] {
    const isOwn = (record: JobRecord): record is ArchiveRecord | RestoreRecord =>
      isArchiveRecord(record) || isRestoreRecord(record);
    return this.#setting.book.ended.filter(isOwn).toReversed();
  }

  get #runSetting(): ArchiveSetting | undefined {
    const { archives: shelf } = this.#setting;
    return shelf && { ...this.#setting, shelf };
  }

  #accepting(shelf: ArchiveShelf): Parameters<typeof archiveSource>[0] {
    const { catalog, limits, clock } = this.#setting;
    return { catalog, limits, shelf, wallNow: clock.wallNow(), busy: this.#busy };
  }

  /** Jobs that are accepted and have not ended, whether or not they have begun. */
  get #busy(): Parameters<typeof archiveSource>[0]["busy"] {
    const { book } = this.#setting;
    return book.open.flatMap((record) => {
      if (!isArchiveRecord(record) && !isRestoreRecord(record)) return [];
      const { id } = record.job;
      const { containerRid: rid, folder, request } = this.#runs.get(id)?.record ?? record;
      return [{ id, rid, folder, name: request.container }];
    });
  }

  async #accept(
    record: ArchiveRecord | RestoreRecord,
    container: Container | undefined,
    makeRun: () => Run,
  ): Promise<Result<ArchiveJobEntry, Refusal>> {
    try {
      const accepted = await this.#setting.book.accept(record, (isFull) => {
        if (container?.isDeleted === true) return { kind: "notFound" };
        // Another one may have been accepted since the first look.
        const problem = busyProblem({ busy: this.#busy }, record.request, container);
        if (problem !== undefined) return badRequest(problem);
        return isFull ? { kind: "unavailable", message: TOO_MANY } : undefined;
      });
      if (!accepted.ok) return accepted;
    } catch (failure) {
      if (!isStoreFailure(failure)) throw failure;
      return no({ kind: "unavailable", message: failure.message });
    }
    const run = makeRun();
    this.#begin(run);
    return ok(entryOfRun(run));
  }

  #begin(run: Run): void {
    this.#runs.set(run.id, run);
    this.#setting.work
      .run({ step: (isStopped) => run.step(isStopped) })
      // A defect ends the job here, and is told to whoever stops the work.
      .catch((defect: unknown) => run.end("failed", String(defect)))
      .catch(() => undefined)
      .finally(() => {
        if (run.hasEnded) this.#runs.delete(run.id);
      });
  }

  /** The container went while nobody looked; files that are there stay. */
  #endLost(record: ArchiveRecord | RestoreRecord): void {
    const { clock, book } = this.#setting;
    const seconds = Math.max(0, clock.wallNow() - record.job.startedAt) / 1000;
    const reason = "The container of the job is no more. Its files stay.";
    const outcome = { state: "failed", reason, seconds } as const;
    const ended = { ...record, end: "failed" as const, job: { ...record.job, outcome } };
    book.end(ended, () => undefined).catch(() => undefined);
  }
}

async function guarded<T>(action: () => Promise<T>): Promise<Result<T, Refusal>> {
  try {
    return ok(await action());
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    return no(badRequest(error.message));
  }
}
