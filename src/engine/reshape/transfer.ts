/**
 * Copies what some physical partitions hold into fresh parts of the store, each for a range of
 * keys, while the partitions go on serving.
 *
 * The log of a partition names every item that is there, once, by its latest version, and every
 * deletion. So there is one way of copying, from the first entry to the last: an entry whose
 * version is no longer the latest is passed over, because a later entry has taken its place. A copy
 * that has followed the log to its end, while nothing changes, has everything. Versions keep
 * number, LSN and kind, so sessions, feeds and cursors go on in the new parts as if nothing had
 * happened.
 *
 * Not here: when that end is reached for good, and what is done then (`reshapeAttempt.ts`).
 */
import { assert } from "../../base/assert.ts";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";
import type { AddedEntry } from "../../partition/partitionMap.ts";
import type {
  AdoptedVersion,
  LogEntry,
  PartitionStore,
  StoredItem,
} from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { heldTermsOf, itemTermChange, itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

export interface TransferSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
  readonly epoch: number;
  /** The LSN behind which somebody still has to read the log of these keys. */
  heldFrom?(container: Container, range: EpkRange): Lsn | undefined;
}

/** What is copied in one step, between which other work has the thread. */
const STEP_COUNT_MAX = 256;
const STEP_BYTES = 1024 * 1024;

export class Transfer {
  readonly #setting: TransferSetting;
  readonly #container: Container;
  readonly #sources: readonly PhysicalPartition[];
  readonly #destinations: readonly AddedEntry[];
  readonly #copiedThrough: Map<PhysicalPartition, Lsn>;
  readonly #versionsThrough: Map<PhysicalPartition, Lsn>;
  /** Up to which LSN each log had been swept of ends when the transfer began. */
  readonly #sweptBefore: Map<PhysicalPartition, Lsn>;
  #copiedCount = 0;
  /** How many log entries a step takes, by the size of those before it; few in the first step. */
  #stepCount = 16;

  constructor(
    setting: TransferSetting,
    container: Container,
    sources: readonly PhysicalPartition[],
    destinations: readonly AddedEntry[],
  ) {
    this.#setting = setting;
    this.#container = container;
    this.#sources = sources;
    this.#destinations = destinations;
    this.#copiedThrough = new Map(sources.map((source) => [source, lsn(0)]));
    this.#versionsThrough = new Map(this.#copiedThrough);
    this.#sweptBefore = new Map(sources.map((source) => [source, source.head.sweptLsn]));
  }

  /** How many changes were copied so far; an item that changed meanwhile counts again. */
  get copiedCount(): number {
    return this.#copiedCount;
  }

  /** At most how many changes the sources have that are not copied. */
  get lag(): number {
    let lag = 0;
    for (const source of this.#sources) lag += source.lsn - this.#copiedThrough.get(source)!;
    return lag;
  }

  /** Copies what the sources had when this was called. False when told to stop, even at the end. */
  async catchUp(isStopped: () => boolean): Promise<boolean> {
    for (const source of this.#sources) {
      const end = source.lsn;
      while (this.#copiedThrough.get(source)! < end) {
        if (isStopped() || !(await this.#step(source))) return false;
        await this.#setting.timer.soon();
      }
    }
    return !isStopped();
  }

  /** False if the end of an item that was copied may have left the log: all has to begin again. */
  async #step(source: PhysicalPartition): Promise<boolean> {
    const { store } = this.#setting;
    const { part } = source.entry;
    // Taken before the log is read: an item that the log does not name up to here is no more.
    const sourceLsn = source.lsn;
    const page = await store.readLog(part, this.#copiedThrough.get(source)!, this.#stepCount);
    if (source.head.sweptLsn !== this.#sweptBefore.get(source)) return false;
    const through = page.isLast ? laterOf(sourceLsn, page.entries.at(-1)) : lastOf(page.entries);
    const runs = runsOf(page.entries);
    let bytes = 0;
    for (const [index, run] of runs.entries()) {
      const isLast = index === runs.length - 1;
      bytes += await this.#copy(part, run, isLast ? through : run.at(-1)!.lsn);
    }
    if (this.#container.keepsVersions) await this.#copyVersions(source, through);
    await this.#sweep(source.head.sweptLsn, through);
    this.#copiedThrough.set(source, through);
    this.#copiedCount += page.entries.length;
    const entryBytes = Math.max(1, bytes / Math.max(1, page.entries.length));
    this.#stepCount = Math.ceil(Math.min(STEP_COUNT_MAX, STEP_BYTES / entryBytes));
    return true;
  }

  /** Copies the kept versions up to an LSN as they are. */
  async #copyVersions(source: PhysicalPartition, through: Lsn): Promise<void> {
    const { store, epoch, timer } = this.#setting;
    const limits = { countMax: STEP_COUNT_MAX, bytesMax: STEP_BYTES };
    while (this.#versionsThrough.get(source)! < through) {
      const after = this.#versionsThrough.get(source)!;
      const { versions, isLast } = await store.readVersions(source.entry.part, after, limits);
      const known = versions.filter((version) => version.lsn <= through);
      for (const { part, range } of this.#destinations) {
        const inside = known.filter(({ key }) => contains(range, epkOfKey(key)));
        if (inside.length > 0) await store.adoptVersions(part, epoch, inside);
      }
      const isDone = isLast || known.length < versions.length;
      this.#versionsThrough.set(source, isDone ? through : known.at(-1)!.lsn);
      await timer.soon();
    }
  }

  /**
   * `entries` are about different keys. Every destination takes those in its range in one commit,
   * and has then seen what the source has up to `through`, even if nothing was in its range.
   * Resolves with the bytes that were copied.
   */
  async #copy(part: number, entries: readonly LogEntry[], through: Lsn): Promise<number> {
    const { store, epoch } = this.#setting;
    let bytes = 0;
    const adoptions = this.#destinations.map(async ({ part: destination, range }) => {
      const inside = entries.filter(({ key }) => contains(range, epkOfKey(key)));
      const keys = inside.map(({ key }) => key);
      const present = await store.getMany(destination, keys);
      const items = await store.getMany(part, keys);
      const versions = inside.flatMap(
        (entry, index) => this.#versionOf(entry, items[index], present[index]) ?? [],
      );
      for (const { write } of versions) bytes += write.kind === "put" ? write.body.length : 0;
      await store.adopt(destination, epoch, versions, through);
    });
    await Promise.all(adoptions);
    return bytes;
  }

  /** Sweeps the logs of the destinations of the ends that the log of the source has lost. */
  async #sweep(swept: Lsn, through: Lsn): Promise<void> {
    const { store, epoch } = this.#setting;
    if (swept > through) return;
    for (const { part, range } of this.#destinations) {
      const allowed = this.#sweepable(swept, range);
      const head = (await store.head(part))!;
      if (head.sweptLsn < allowed) await store.sweepLog(part, epoch, allowed);
    }
  }

  /**
   * Logs that are merged were not swept equally far. Where somebody follows them, what the one has
   * lost must not take away what the other still has: whoever follows has seen the ends that are
   * gone. Where versions are kept it is the other way round: readers have to be told that some are
   * gone, and whoever follows finds out that the log was swept (`copyStream.ts`).
   */
  #sweepable(swept: Lsn, range: EpkRange): Lsn {
    if (this.#sources.length === 1 || this.#container.keepsVersions) return swept;
    const held = this.#setting.heldFrom?.(this.#container, range);
    return held !== undefined && held < swept ? held : swept;
  }

  #versionOf(
    { key, number, lsn: entryLsn, kind }: LogEntry,
    item: StoredItem | undefined,
    present: StoredItem | undefined,
  ): AdoptedVersion | undefined {
    const container = this.#container;
    const epk = epkOfKey(key);
    const before = present && { lsn: present.lsn, bodyBytes: present.body.length };
    assert(present === undefined || present.number === number, "a deletion was passed over");
    if (kind === "deleted" || kind === "expired") {
      const termsRemoved = present ? heldTermsOf(container, epk, objectOf(present.body)) : [];
      const write = { kind: "delete", key, number, tag: 0, before, termsRemoved } as const;
      return { lsn: entryLsn, logKind: kind, write };
    }
    if (item === undefined || item.lsn !== entryLsn || item.number !== number) return undefined;
    const object = objectOf(item.body);
    const { removed, added } =
      present === undefined
        ? { removed: [], added: itemTermsOf(container, epk, object).terms }
        : itemTermChange(container, epk, objectOf(present.body), { item: object });
    const { tag, body } = item;
    const terms = { termsAdded: added, termsRemoved: removed };
    const write = { kind: "put", key, number, tag, body, before, ...terms } as const;
    return { lsn: entryLsn, logKind: kind, write };
  }
}

function laterOf(known: Lsn, last: LogEntry | undefined): Lsn {
  return last !== undefined && last.lsn > known ? last.lsn : known;
}

function lastOf(entries: readonly LogEntry[]): Lsn {
  const last = entries.at(-1);
  assert(last !== undefined, "a log that goes on has a next entry");
  return last.lsn;
}

/**
 * The entries in order, cut so that no run has a key or a number twice: an item may have been made
 * again, and a copy job moves an item to another key under the same number.
 */
function runsOf(entries: readonly LogEntry[]): readonly (readonly LogEntry[])[] {
  const runs: LogEntry[][] = [[]];
  const seen = new Set<string | number>();
  for (const entry of entries) {
    if (seen.has(entry.key) || seen.has(entry.number)) {
      runs.push([]);
      seen.clear();
    }
    runs.at(-1)!.push(entry);
    seen.add(entry.key).add(entry.number);
  }
  return runs;
}
