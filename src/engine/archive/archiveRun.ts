/**
 * One archive being made, step by step.
 *
 * | phase    | what is done                                 | what comes next              |
 * | -------- | -------------------------------------------- | ---------------------------- |
 * | writing  | what is old goes to files; then the manifest | proving, or the end: empty   |
 * | proving  | every file is read back and compared         | deleting, or the end: kept   |
 * | deleting | items go whose version is in a file          | the end: archived            |
 *
 * A dry run looks on in the first phase, and ends planned.
 *
 * Invariants
 * - Every item is in the container or in an archive that has been proven, at any moment.
 * - The proof is not on record: after a restart the files whose items are still to be deleted are
 *   proven again, before the first deletion.
 * - What was archived stays as it is in the manifest, whatever becomes of the container.
 */

import { MANIFEST_NAME } from "../../archive/archiveFolder.ts";
import type { ArchiveManifest, PartitionFile } from "../../archive/manifest.ts";
import { encodeManifest } from "../../archive/manifest.ts";
import type { FileDamage } from "../../archive/verifyArchive.ts";
import { WHAT_TO_DO } from "../../archive/verifyArchive.ts";
import { assert } from "../../base/assert.ts";
import { counted } from "../../base/wording.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import { addedCounts, firstLeftOut, NOTHING_LEFT_OUT, PlanCount } from "./archiveCounts.ts";
import { forgetArchive, noteArchive, readOwnManifest } from "./archiveNotes.ts";
import type { ArchiveCounts, ArchiveRecord } from "./archiveRecord.ts";
import { NO_ARCHIVE_COUNTS } from "./archiveRecord.ts";
import type { ArchiveSelection } from "./archiveSelection.ts";
import { selectionOf } from "./archiveSelection.ts";
import { FileLedger, removeArchive, removeLedger } from "./fileLedger.ts";
import type { ItemsRead } from "./logicalWalk.ts";
import { itemsOf, LogicalWalk } from "./logicalWalk.ts";
import { newManifest } from "./newManifest.ts";
import type { Written } from "./partitionFiles.ts";
import { writePartitions } from "./partitionFiles.ts";
import { proveFile } from "./proof.ts";
import type { ArchiveSetting } from "./recordedRun.ts";
import { RecordedRun } from "./recordedRun.ts";
import { removeItems } from "./removal.ts";

/** A step lasts about as long, and then others have their turn. */
const SLICE_MS = 200;
/** An archive has as many files at most; the next one has the rest. */
const FILES_MAX = 10_000;
/** Before anything was deleted and its price is known. */
const RU_PER_DELETION = 10;
const PARTLY_MAX = 100;

export class ArchiveRun extends RecordedRun<ArchiveRecord> {
  readonly container: Container;
  readonly #selection: ArchiveSelection;
  readonly #walk: LogicalWalk;
  readonly #plan = new PlanCount();
  #ledger: FileLedger | undefined;
  /** The last EPK that was dealt with. After a restart the walk begins again. */
  #walkedTo: Epk | undefined;
  #hasBegun = false;
  /** True once nothing is left in the folder of the time before the manifest. */
  #isTidy = false;
  #manifest: ArchiveManifest | undefined;
  /** How many files are proven, counted from the first whose items are still to be deleted. */
  #provenFileCount = 0;
  #deletedNow = 0;
  ruPerDeletion: number = RU_PER_DELETION;

  constructor(setting: ArchiveSetting, record: ArchiveRecord, container: Container) {
    super(setting, record);
    this.container = container;
    const selection = selectionOf(record.request, container, setting.limits);
    assert(selection.ok, "what was asked for was read when the job was accepted");
    this.#selection = selection.value;
    this.#walk = new LogicalWalk(setting.store, container);
  }

  /** Items of the files that were proven since the server was started. */
  get provenCount(): number {
    const files = this.#manifest?.files.slice(0, this.#provenFileCount) ?? [];
    return files.reduce((sum, { itemCount }) => sum + itemCount, 0);
  }

  /** Of the file whose items are being deleted. */
  get deletedNow(): number {
    return this.#deletedNow;
  }

  spent(more: Partial<ArchiveCounts>): void {
    this.change({ counts: addedCounts(this.record.counts, more) });
  }

  noteDeleted(count: number, charge: number): void {
    this.#deletedNow += count;
    this.ruPerDeletion = Math.max(1, charge / count);
    this.progress.note(this.record.counts.deletedCount + this.#deletedNow, 0);
  }

  protected override async phaseStep(): Promise<JobStep<void>> {
    if (this.container.isDeleted) {
      const isSealed = this.record.phase !== "writing";
      if (!isSealed && !this.record.request.isDryRun) await this.#removeFiles();
      const after = isSealed ? " The archive stays." : "";
      await this.end("failed", `The container was deleted.${after}`);
      return DONE;
    }
    const { closedFor } = this.container;
    if (closedFor !== undefined) {
      const why = "message" in closedFor ? closedFor.message : "Clients may not write to it.";
      await this.block(`The container is closed at present. ${why}`);
      return WAITS;
    }
    switch (this.record.phase) {
      case "writing":
        return this.#writeOn();
      case "proving":
        return this.#proveOn();
      case "deleting":
        return this.#isProven ? this.#deleteOn() : this.#proveOn();
    }
  }

  /** Before the first deletion everything goes; after it the archive is all that there is. */
  protected override async cancelled(): Promise<void> {
    if (this.record.phase === "deleting") {
      await noteArchive(this, await this.#readManifest(), "partly");
      await this.end("cancelled", "Somebody cancelled it. The archive stays, and is complete.");
      return;
    }
    const isGone = this.record.request.isDryRun || (await this.#removeFiles());
    await forgetArchive(this);
    const so = isGone
      ? "Nothing was deleted, and no file is left."
      : `Nothing was deleted. What is in ${this.folder.place} is not of this job, and stays.`;
    await this.end("cancelled", `Somebody cancelled it. ${so}`);
  }

  /** False if what is in the folder is somebody else's. */
  #removeFiles(): Promise<boolean> {
    const { archive, phase } = this.record;
    return removeArchive(this.folder, archive, phase !== "writing");
  }

  async #writeOn(): Promise<JobStep<void>> {
    const { clock } = this.setting;
    if (!this.#hasBegun) {
      const opened = await this.#openFolder();
      if (opened !== undefined) return opened;
      this.#beginWalk();
    }
    const end = clock.now() + SLICE_MS;
    while (clock.now() < end && !this.mustStop()) {
      const epk = await this.#nextEpk();
      if (epk === undefined) return this.#sealed();
      await this.#writeFamily(epk);
      this.#walkedTo = epk;
      await this.keepNowAndThen();
    }
    return AGAIN;
  }

  /** What comes next instead, if the walk cannot begin. */
  async #openFolder(): Promise<JobStep<void> | undefined> {
    if (this.record.request.isDryRun) return undefined;
    const opened = await FileLedger.open(this.folder, this.record.archive);
    if (opened.kind === "sealed") return this.#enterProving();
    if (opened.kind === "ledger") {
      this.#ledger = opened.ledger;
      return undefined;
    }
    await this.block(
      `The folder ${this.folder.place} has something else in it. Cancel the job, and name ` +
        "another folder.",
    );
    return WAITS;
  }

  /** What was counted before a restart is counted again, from files that are there. */
  #beginWalk(): void {
    const { readRu } = this.record.counts;
    this.change({ counts: { ...NO_ARCHIVE_COUNTS, readRu }, leftOut: NOTHING_LEFT_OUT });
    this.#walkedTo = undefined;
    this.#hasBegun = true;
  }

  async #nextEpk(): Promise<Epk | undefined> {
    if ((this.#ledger?.files.length ?? 0) >= FILES_MAX) {
      this.change({}, `The archive has ${FILES_MAX} files. Archive again for the rest.`);
      return undefined;
    }
    const after = this.#walkedTo;
    const { epks } = this.#selection;
    if (epks === undefined) return this.#walk.next(after);
    return epks.find((epk) => after === undefined || epk > after);
  }

  async #writeFamily(epk: Epk): Promise<void> {
    const ledger = this.#ledger;
    const known = ledger?.filesOf(epk) ?? [];
    if (known.length > 0) {
      this.change({ counts: this.#countsWith(known, known.length) });
      return;
    }
    const { store } = this.setting;
    const written = await writePartitions(itemsOf(store, this.container, epk), {
      container: this.container,
      selection: this.#selection,
      epk,
      folder: ledger && this.folder,
      firstNumber: ledger?.nextNumber ?? 1,
      onRead: (read) => this.#noteRead(read),
    });
    if (written.kind === "archived" && ledger !== undefined) await ledger.add(written.files);
    this.change(this.#outcomeOf(written));
  }

  async #noteRead(read: ItemsRead): Promise<void> {
    const { partition, items, charge } = read;
    if (this.record.request.isDryRun && items[0] !== undefined) {
      this.#plan.sample(partition.deletion(items[0]).charge);
    }
    this.spent({ readCount: items.length, readRu: charge });
    this.progress.note(this.record.counts.readCount, 0);
    await this.paced(partition, charge, this.container);
  }

  #outcomeOf(written: Written): Partial<ArchiveRecord> {
    switch (written.kind) {
      case "nothing":
        return {};
      case "leftOut":
        return { leftOut: firstLeftOut(this.record.leftOut, written) };
      case "archived":
        this.#plan.add(written.partitions);
        return { counts: this.#countsWith(written.files, written.partitions.length) };
    }
  }

  #countsWith(files: readonly PartitionFile[], partitionCount: number): ArchiveCounts {
    const total = (figures: readonly number[]): number => figures.reduce((a, b) => a + b, 0);
    return addedCounts(this.record.counts, {
      partitionCount,
      archivedCount: total(files.map(({ itemCount }) => itemCount)),
      rawBytes: total(files.map(({ rawBytes }) => rawBytes)),
      storedBytes: total(files.map(({ storedBytes }) => storedBytes)),
    });
  }

  /** Everything is looked at: the manifest is written, or there is nothing to say in it. */
  async #sealed(): Promise<JobStep<void>> {
    const { request } = this.record;
    if (request.isDryRun) {
      const rate = [...this.container.partitions.values()].reduce(
        (sum, { spending }) => sum + spending.purse.ratePerSecond,
        0,
      );
      const perSecond =
        this.setting.rates?.isLimited === true ? (rate * this.pace.sharePercent) / 100 : undefined;
      this.change({ plan: this.#plan.plan(this.record.counts.readRu, perSecond) });
      await this.end("planned");
      return DONE;
    }
    const ledger = this.#ledger!;
    if (ledger.files.length === 0) {
      await this.#removeFiles();
      await this.end("empty", "No logical partition is to be archived.");
      return DONE;
    }
    await ledger.removeOthers();
    await this.folder.writeText(MANIFEST_NAME, encodeManifest(newManifest(this, ledger.files)));
    return this.#enterProving();
  }

  async #enterProving(): Promise<JobStep<void>> {
    const { totals } = await this.#readManifest();
    const { fileCount, itemCount, rawBytes, storedBytes } = totals;
    // After a crash some were counted that are not there, or were not that are.
    const counts = {
      ...this.record.counts,
      partitionCount: fileCount,
      archivedCount: itemCount,
      rawBytes,
      storedBytes,
    };
    const what = `${counted(itemCount, "item")} of ${counted(fileCount, "logical partition")}`;
    this.change({ phase: "proving", counts }, `Written: ${what}.`);
    this.progress.forget();
    await this.keep();
    this.#manifest = undefined;
    return AGAIN;
  }

  get #isProven(): boolean {
    return this.#manifest !== undefined && this.#provenFileCount >= this.#manifest.files.length;
  }

  async #proveOn(): Promise<JobStep<void>> {
    if (!this.#isTidy) {
      await removeLedger(this.folder);
      this.#isTidy = true;
    }
    const manifest = await this.#readManifest();
    const { deletedFileCount } = this.record;
    const at = Math.max(this.#provenFileCount, deletedFileCount);
    const file = manifest.files[at];
    if (file !== undefined) {
      const damage = await proveFile(this, file);
      if (damage !== undefined) return this.#stopFor(damage);
      this.#provenFileCount = at + 1;
      this.progress.note(this.provenCount, 0);
      return AGAIN;
    }
    // The manifest is a file like the others, and the proof is not complete without it.
    this.#manifest = undefined;
    await this.#readManifest();
    this.#provenFileCount = manifest.files.length;
    if (this.record.phase === "deleting") return AGAIN;
    const isKept = this.record.request.keep;
    await noteArchive(this, manifest, isKept ? "kept" : "proven");
    if (isKept) {
      await this.end("kept");
      return DONE;
    }
    this.change({ phase: "deleting" }, "Every file was read back and is right.");
    this.progress.forget();
    await this.keep();
    return AGAIN;
  }

  async #deleteOn(): Promise<JobStep<void>> {
    const manifest = await this.#readManifest();
    const { deletedFileCount, counts, partly } = this.record;
    const file = manifest.files[deletedFileCount];
    if (file === undefined) {
      await noteArchive(this, manifest, partly.length > 0 ? "partly" : "archived");
      await this.end("archived");
      return DONE;
    }
    this.#deletedNow = 0;
    const removed = await removeItems(this, file);
    if (removed.kind === "damaged") return this.#stopFor(removed.damage);
    const { deletedCount, changedCount, newCount } = removed;
    this.#deletedNow = 0;
    this.change({
      deletedFileCount: deletedFileCount + 1,
      counts: addedCounts(this.record.counts, { deletedCount, changedCount, newCount }),
      ...(removed.partly && { partly: [...partly, removed.partly].slice(0, PARTLY_MAX) }),
    });
    assert(this.record.counts.deletedCount >= counts.deletedCount, "what is deleted stays so");
    await this.keep();
    return AGAIN;
  }

  /** Nothing of the damaged file was deleted, and nothing at all before the first proof. */
  async #stopFor({ message }: FileDamage): Promise<JobStep<void>> {
    const { phase, deletedFileCount } = this.record;
    const so =
      phase === "deleting" && deletedFileCount > 0
        ? "None of its items was deleted."
        : "Nothing was deleted.";
    this.#provenFileCount = this.record.deletedFileCount;
    await this.block(`${message} ${so} ${WHAT_TO_DO} Then resume the job, or cancel it.`);
    return WAITS;
  }

  /** The manifest of the archive, which is the one that this job has written. */
  async #readManifest(): Promise<ArchiveManifest> {
    const known = this.#manifest;
    if (known !== undefined) return known;
    const manifest = await readOwnManifest(this.folder, this.record.archive);
    this.#manifest = manifest;
    return manifest;
  }
}
