/**
 * One restore at work: every file that is needed is read whole, and only then the first item is
 * written.
 *
 * | phase     | what is done                                           | what comes next   |
 * | --------- | ------------------------------------------------------ | ----------------- |
 * | verifying | files are compared with the manifest; then a container | restoring         |
 * |           | is made and numbers are set aside, if need be          |                   |
 * | restoring | items are written that are not there                   | the end: restored |
 *
 * Invariants
 * - An item is written once: what is there already, and equal, is only counted. So a restore may be
 *   repeated, and goes on after a crash with the file that it was at.
 * - The proof is not on record: after a restart the files that are left are read whole again.
 */

import { ArchiveFault } from "../../archive/archiveFolder.ts";
import type { ArchiveManifest, PartitionFile } from "../../archive/manifest.ts";
import { verifyFile, WHAT_TO_DO } from "../../archive/verifyArchive.ts";
import { counted } from "../../base/wording.ts";
import { canonicalText } from "../../json/canonical.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Reservation } from "../catalog/handover.ts";
import { ordinalsUsed } from "../copy/copyTerms.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import { readOwnManifest } from "./archiveNotes.ts";
import type { RestoreCounts, RestoreRecord, RestoreRequest } from "./archiveRecord.ts";
import type { ArchiveSetting } from "./recordedRun.ts";
import { RecordedRun, RunInterrupted } from "./recordedRun.ts";
import { restoreFile } from "./restoreFile.ts";

const CONFLICTS_MAX = 100;

export class RestoreRun extends RecordedRun<RestoreRecord> {
  #container: Container | undefined;
  #manifest: ArchiveManifest | undefined;
  #verifiedFileCount = 0;
  #writtenNow = 0;

  constructor(setting: ArchiveSetting, record: RestoreRecord, container: Container | undefined) {
    super(setting, record);
    this.#container = container;
  }

  get container(): Container | undefined {
    return this.#container;
  }

  /** Items of the file that is being restored which are dealt with. */
  get writtenNow(): number {
    return this.#writtenNow;
  }

  noteWritten(count: number): void {
    this.#writtenNow += count;
    this.progress.note(this.doneCount + this.#writtenNow, 0);
  }

  get doneCount(): number {
    const { restoredCount, presentCount, replacedCount, conflictCount } = this.record.counts;
    return restoredCount + presentCount + replacedCount + conflictCount;
  }

  protected override async phaseStep(): Promise<JobStep<void>> {
    const target = this.#container;
    if (target?.isDeleted === true) {
      await this.end("failed", "The container was deleted.");
      return DONE;
    }
    if (target?.closedFor !== undefined) {
      const { closedFor } = target;
      const why = "message" in closedFor ? closedFor.message : "Clients may not write to it.";
      await this.block(`The container is closed at present. ${why}`);
      return WAITS;
    }
    const files = chosen((await this.#readManifest()).files, this.record.request.keys);
    const from = Math.max(this.#verifiedFileCount, this.record.restoredFileCount);
    const unread = files[from];
    if (unread !== undefined) {
      await this.#verify(unread);
      this.#verifiedFileCount = from + 1;
      return AGAIN;
    }
    if (this.record.phase === "verifying") return this.#prepare(files);
    return this.#restoreOn(files);
  }

  protected override async cancelled(): Promise<void> {
    const so = this.doneCount === 0 ? "Nothing was written." : "What was restored stays.";
    await this.end("cancelled", `Somebody cancelled it. ${so}`);
  }

  async #verify(file: PartitionFile): Promise<void> {
    const onLines = async (): Promise<void> => {
      if (this.mustStop()) throw new RunInterrupted();
      await this.setting.timer.soon();
    };
    const damage = await verifyFile(this.folder, file, { onLines });
    if (damage === undefined) return;
    const so = this.doneCount === 0 ? "Nothing was written." : "None of its items was written.";
    throw new ArchiveFault(
      `${damage.message} ${so} ${WHAT_TO_DO} Then resume the job; or cancel it, and restore the ` +
        "other keys by name.",
    );
  }

  /** Everything is read: the container is made, and numbers are set aside, if need be. */
  async #prepare(files: readonly PartitionFile[]): Promise<JobStep<void>> {
    const container = this.#container ?? (await this.#makeContainer());
    if (container === undefined) return DONE;
    this.#container = container;
    const what = counted(files.length, "file");
    const restoring = { phase: "restoring", containerRid: container.rid } as const;
    this.change(restoring, `Read whole: ${what}, as the manifest says.`);
    const { defaultTtl } = container.definition;
    if (defaultTtl !== undefined && defaultTtl > 0) {
      const from = this.record.request.keepTimestamps ? "after their time stamps" : "from now";
      this.change({}, `The container lets items expire ${defaultTtl} seconds ${from}.`);
    }
    if (this.record.request.keepTimestamps) await this.#reserve(container);
    else await this.keep();
    return AGAIN;
  }

  async #makeContainer(): Promise<Container | undefined> {
    const { request } = this.record;
    const { catalog, limits } = this.setting;
    const { database: databaseName, container: name } = request.container;
    const database = catalog.database(databaseName);
    if (database === undefined) {
      await this.end("failed", `The database '${databaseName}' is not there.`);
      return undefined;
    }
    const present = database.containers.get(name);
    const { definition: archived } = await this.#readManifest();
    const { defaultTtl: _, ...lasting } = archived;
    const body = { ...(request.ttl === "keep" ? archived : lasting), id: name };
    const definition = parseContainerDefinition(body, undefined, limits);
    if (!definition.ok) {
      await this.end("failed", `The container cannot be made: ${definition.error}`);
      return undefined;
    }
    // A crash may have come right after it was made.
    if (present !== undefined) {
      const own = canonicalText([...present.definition.partitionKey.paths]);
      if (own === canonicalText([...definition.value.partitionKey.paths])) return present;
      await this.end("failed", `Somebody has made the container '${name}' meanwhile.`);
      return undefined;
    }
    const made = await catalog.createContainer(database, definition.value, {
      throughput: undefined,
    });
    if (made.ok) return made.value;
    const why = "message" in made.error ? made.error.message : made.error.kind;
    await this.end("failed", `The container cannot be made: ${why}`);
    return undefined;
  }

  /** Items that keep their stamps have numbers of their own, below those of new items. */
  async #reserve(container: Container): Promise<void> {
    const { catalog, book } = this.setting;
    // Chosen when no split can come in between, which would take the same ones.
    const reservation = (): Reservation => {
      const firstOrdinal = ordinalsUsed(container);
      this.change({ firstOrdinal });
      return { container, firstOwnOrdinal: firstOrdinal + 1 };
    };
    await catalog.reserve(reservation, () => book.updating(this.record));
  }

  async #restoreOn(files: readonly PartitionFile[]): Promise<JobStep<void>> {
    const { restoredFileCount, firstOrdinal } = this.record;
    const file = files[restoredFileCount];
    if (file === undefined) {
      await this.end("restored");
      return DONE;
    }
    const all = (await this.#readManifest()).files;
    const before = all.slice(0, all.indexOf(file));
    const ahead = before.reduce((sum, { itemCount }) => sum + itemCount, 0);
    this.#writtenNow = 0;
    const firstNumber =
      firstOrdinal === undefined ? undefined : firstOrdinal * NUMBERS_PER_PARTITION + 1 + ahead;
    const restored = await restoreFile(this, this.#container!, file, firstNumber);
    if (restored.kind === "damaged") {
      throw new ArchiveFault(`${restored.damage.message} ${WHAT_TO_DO} Then resume the job.`);
    }
    this.#writtenNow = 0;
    const { conflicts } = this.record;
    this.change({
      restoredFileCount: restoredFileCount + 1,
      counts: added(this.record.counts, restored.counts),
      conflicts: [...conflicts, ...restored.conflicts].slice(0, CONFLICTS_MAX),
    });
    await this.keep();
    return AGAIN;
  }

  async #readManifest(): Promise<ArchiveManifest> {
    this.#manifest ??= await readOwnManifest(this.folder, this.record.archive);
    return this.#manifest;
  }
}

/** The files with certain keys, in the order of the manifest. */
export function chosen(
  files: readonly PartitionFile[],
  keys: RestoreRequest["keys"],
): readonly PartitionFile[] {
  if (keys === undefined) return files;
  const texts = new Set(keys.map(keyText));
  return files.filter(({ key }) => texts.has(keyText(key)));
}

/** A key may be given as an array, or as its only component. */
export function keyText(key: JsonValue): string {
  return canonicalText(Array.isArray(key) ? key : [key]);
}

function added(counts: RestoreCounts, more: RestoreCounts): RestoreCounts {
  const names = Object.keys(counts) as (keyof RestoreCounts)[];
  const sums = names.map((name) => [name, counts[name] + more[name]] as const);
  return Object.fromEntries(sums) as unknown as RestoreCounts;
}
