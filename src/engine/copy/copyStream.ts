/**
 * Makes one container a copy of another, and keeps it one.
 *
 * The log of a physical partition names every item that is there, once, by its latest version, and
 * every end. So there is one way of copying, from the first entry to the last and then on: what is
 * there, and what changes, come by the same road. For each entry the item is read *as it is now*,
 * and its copy is made to be that (`copyWriter.ts`). An entry whose version is no longer the latest
 * is passed over, because a later entry has taken its place.
 *
 * Invariants
 * - The source is only read.
 * - A position rises when everything up to it is on disk in the target, and never before.
 * - An item's copy never returns to an older version: the entries of a partition are followed one
 *   step after the other, and each step reads the items anew. Steps of several partitions may be
 *   under way together, because no item is in two of them.
 *
 * Not here: when a job is done with it, and what is recorded of it (`copyRun.ts`).
 */
import type { Lsn } from "../../base/units.ts";
import { lsn, millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { shownKey } from "../../model/copyJob.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { LogEntry, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { isEnd } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey, idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { itemsOfNumbers } from "./copyPlaces.ts";
import type { CopyTally } from "./copyTally.ts";
import type { Refused, Wanted } from "./copyWriter.ts";
import { CopyWriter } from "./copyWriter.ts";
import type { Mapping, Unfit } from "./mapping.ts";
import type { Positions } from "./positions.ts";
import { headsOf, sweptOf } from "./positions.ts";
import type { SetAsideBook } from "./setAside.ts";
import type { SharePace } from "./sharePace.ts";

interface StreamSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Waits, but not longer than until whoever waits has to stop. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Waits by the timer. */
export function streamSettingOf(
  setting: Pick<StreamSetting, "store" | "clock" | "timer">,
): StreamSetting {
  const { store, clock, timer } = setting;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => timer.after(millis(ms), resolve));
  return { store, clock, timer, pause };
}

interface StreamTerms {
  readonly source: Container;
  readonly target: Container;
  readonly mapping: Mapping;
  readonly positions: Positions;
  readonly setAside: SetAsideBook;
  readonly pace: SharePace;
  readonly tally: CopyTally;
  /** Items up to these LSNs were there when the job began; what is later is a change. */
  readonly began: Positions;
  /** True when ends were lost before, and nobody has looked for what they left behind. */
  readonly mustPrune?: boolean | undefined;
}

const STEP_BYTES = 1024 * 1024;
const PAUSE_MS_MAX = 100;
const WATCH_MS = 20;
/** Of how many partitions changes are applied at the same time while writers wait for the end. */
const AT_ONCE = 16;

export class CopyStream {
  readonly #setting: StreamSetting;
  readonly #terms: StreamTerms;
  readonly #writer: CopyWriter;
  /** By what the steps before have found. */
  #bytesPerItem = 1024;
  #ruPerItem = 10;
  #mustPrune: boolean;
  #appliedCount = 0;
  /** Up to where ends had left the logs when they were last looked at. */
  readonly #sweptSeen: Positions;

  constructor(setting: StreamSetting, terms: StreamTerms) {
    this.#setting = setting;
    this.#terms = terms;
    this.#mustPrune = terms.mustPrune === true;
    this.#sweptSeen = sweptOf(terms.source);
    this.#writer = new CopyWriter({ ...setting, ...terms });
  }

  get terms(): StreamTerms {
    return this.#terms;
  }

  /** At most how many changes the source has that are not applied. */
  get lag(): number {
    return this.#behind(headsOf(this.#terms.source));
  }

  /** How many changes were applied since the stream was made, counted like `lag`. */
  get appliedCount(): number {
    return this.#appliedCount;
  }

  /** At most how many of the items that were there when the job began are not copied. */
  get leftCount(): number {
    return this.#behind(this.#terms.began);
  }

  /** True if ends may have left the log before they were applied: `prune` has to be called. */
  get mustPrune(): boolean {
    return this.#mustPrune;
  }

  /**
   * Applies what the source had when this was called. False if it was stopped before that. Steps
   * are paced, unless writers wait for the end: then those of several partitions go together.
   */
  async catchUp(isStopped: () => boolean, isPaced: boolean): Promise<boolean> {
    const { source, target } = this.#terms;
    const goal = headsOf(source);
    for (;;) {
      const behind = this.#partitions().filter((one) => this.#isBehind(one, goal));
      if (behind.length === 0) return true;
      if (isStopped() || source.isDeleted || target.isDeleted) return false;
      const next = isPaced ? await this.#nextInPace(behind, isStopped) : behind.slice(0, AT_ONCE);
      if (next.length === 0) return false;
      await this.#steps(next);
      await this.#setting.timer.soon();
    }
  }

  /** Resolves when the job itself has applied what the source has now; false after the time. */
  async isWithin(timeoutMs: number): Promise<boolean> {
    const { clock, pause } = this.#setting;
    const goal = headsOf(this.#terms.source);
    const end = clock.now() + timeoutMs;
    while (this.#partitions().some((one) => this.#isBehind(one, goal))) {
      if (clock.now() >= end) return false;
      await pause(WATCH_MS);
    }
    return true;
  }

  /** True when everything is applied that the source has now. */
  get isCaughtUp(): boolean {
    const goal = headsOf(this.#terms.source);
    return !this.#partitions().some((one) => this.#isBehind(one, goal));
  }

  /**
   * Tries once more what was set aside. What fails again, though everything else is applied, is
   * confirmed.
   */
  async retrySetAside(): Promise<void> {
    const { source, setAside } = this.#terms;
    const entries = setAside.entries;
    const items = await itemsOfNumbers(
      this.#setting.store,
      source,
      entries.map(({ number }) => number),
    );
    for (const entry of entries) {
      const item = items.get(entry.number)?.[0];
      const isLive = item !== undefined && source.ownerOf(epkOfKey(item.key)).isLive(item);
      if (!isLive) {
        setAside.close(entry.number);
        continue;
      }
      const wanted = this.#wantedOf(item, false, true);
      await this.#write([wanted], new Map([[item.number, item]]), true);
    }
  }

  /**
   * Takes away copies of items that are no more. Only needed where the log has lost the ends of
   * these items; looks at everything.
   */
  async prune(isStopped: () => boolean): Promise<boolean> {
    const { store, timer } = this.#setting;
    const { source, target, mapping } = this.#terms;
    const limits = { countMax: 256, bytesMax: STEP_BYTES };
    for (const { part } of target.map.entries) {
      for (let after = 0, isLast = false; !isLast; ) {
        if (isStopped()) return false;
        const page = await store.scanItems(part, after, limits);
        const numbers = page.items.flatMap(({ number }) => mapping.sourceNumberOf(number) ?? []);
        const there = await itemsOfNumbers(store, source, numbers);
        for (const item of page.items) {
          const number = mapping.sourceNumberOf(item.number);
          if (number !== undefined && !there.has(number)) await this.#writer.remove(item);
        }
        after = page.items.at(-1)?.number ?? after;
        isLast = page.isLast;
        await timer.soon();
      }
    }
    this.#mustPrune = false;
    return true;
  }

  /** In the order of their ordinals: the items of one came before those of the next. */
  #partitions(): readonly PhysicalPartition[] {
    const { source } = this.#terms;
    return [...source.partitions.values()].sort((a, b) => a.entry.ordinal - b.entry.ordinal);
  }

  #isBehind({ entry }: PhysicalPartition, goal: Positions): boolean {
    return this.#terms.positions.of(entry.range) < goal.highest(entry.range);
  }

  #behind(goal: Positions): number {
    const { positions } = this.#terms;
    let sum = 0;
    for (const { range, lsn: at } of goal.tiles) sum += Math.max(0, at - positions.of(range));
    return sum;
  }

  /**
   * The first physical partition of which the job may read more, when it may write more; none if it
   * was stopped before that. One at a time, because the index takes items best in the order in
   * which they came.
   */
  async #nextInPace(
    behind: readonly PhysicalPartition[],
    isStopped: () => boolean,
  ): Promise<readonly PhysicalPartition[]> {
    const { pace, target } = this.#terms;
    for (;;) {
      const next = behind.find((one) => pace.isFree(one)) ?? behind[0]!;
      const ms = pace.waitFor([next, ...target.partitions.values()]);
      if (ms <= 0) return [next];
      if (isStopped()) return [];
      await this.#setting.pause(Math.min(ms, PAUSE_MS_MAX));
    }
  }

  /** Rejects when all steps have ended, if one of them has failed. */
  async #steps(partitions: readonly PhysicalPartition[]): Promise<void> {
    const steps = await Promise.allSettled(partitions.map((one) => this.#step(one)));
    const failed = steps.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  async #step(partition: PhysicalPartition): Promise<void> {
    const { store } = this.#setting;
    const { source, target, positions, pace, tally } = this.#terms;
    const { map } = source;
    const { part, range } = partition.entry;
    const after = positions.of(range);
    this.#noteSweep(partition, after);
    // Taken before the log is read: the log shows every change up to here.
    const known = partition.lsn;
    const byBytes = Math.ceil(STEP_BYTES / this.#bytesPerItem);
    const all = [partition, ...target.partitions.values()];
    const countMax = Math.min(pace.countFor(all, this.#ruPerItem), byBytes);
    const page = await store.readLog(part, after, countMax);
    const named = page.entries.filter(({ kind }) => !isEnd(kind));
    const items = await store.getMany(
      part,
      named.map(({ key }) => key),
    );
    // A partition that was split or merged meanwhile may have been read when it was gone already.
    if (source.map !== map || source.isDeleted) return;
    const itemOf = new Map(named.map((entry, index) => [entry, items[index]]));
    const read = items.map((item) => item?.body.length ?? 0);
    const readRu = chargeOf({ kind: "feedPage", itemBytes: read });
    partition.spending.settleLeftOver(readRu);
    pace.spend(partition, readRu);
    const writeRuBefore = tally.counts.writeRu;
    await this.#apply(partition, page.entries, itemOf);
    tally.add({ readRu });
    this.#learn(page.entries.length, read, tally.counts.writeRu - writeRuBefore);
    const last = page.entries.at(-1)?.lsn ?? after;
    const reached = page.isLast ? lsn(Math.max(known, last)) : last;
    positions.advance(range, reached);
    this.#appliedCount += reached - after;
  }

  async #apply(
    partition: PhysicalPartition,
    entries: readonly LogEntry[],
    itemOf: ReadonlyMap<LogEntry, StoredItem | undefined>,
  ): Promise<void> {
    const wanted: Wanted[] = [];
    const items = new Map<number, StoredItem>();
    for (const entry of entries) {
      if (isEnd(entry.kind)) {
        this.#terms.setAside.close(entry.number);
        wanted.push({ sourceNumber: entry.number, isFirst: false });
        continue;
      }
      const item = itemOf.get(entry);
      const isLatest = item?.lsn === entry.lsn && item.number === entry.number;
      if (!isLatest) continue;
      // Its end comes as an entry of its own, and later. Until then an older version of its copy,
      // which need not expire, would be there when the item is not.
      if (!partition.isLive(item)) {
        this.#terms.setAside.close(entry.number);
        wanted.push({ sourceNumber: entry.number, isFirst: false });
        continue;
      }
      items.set(item.number, item);
      wanted.push(this.#wantedOf(item, entry.kind === "created", false));
    }
    await this.#write(wanted, items, false);
  }

  /** Items that do not fit are set aside; a copy of a former version goes. */
  #wantedOf(item: StoredItem, isFirst: boolean, isConfirmed: boolean): Wanted {
    const mapped = this.#terms.mapping.copyOf(item);
    const sourceNumber = item.number;
    if (mapped.kind === "copy") return { sourceNumber, copy: mapped, isFirst };
    if (mapped.kind === "unfit") this.#setAside(item, mapped, isConfirmed);
    return { sourceNumber, isFirst: false };
  }

  async #write(
    wanted: readonly Wanted[],
    items: ReadonlyMap<number, StoredItem>,
    isConfirmed: boolean,
  ): Promise<void> {
    const { setAside, began, tally } = this.#terms;
    const refused = await this.#writer.write(wanted);
    const failed = new Map<number, Refused>(refused.map((one) => [one.sourceNumber, one]));
    for (const { sourceNumber, copy } of wanted) {
      const item = items.get(sourceNumber);
      const failure = failed.get(sourceNumber);
      if (item === undefined || copy === undefined) continue;
      if (failure !== undefined) {
        this.#setAside(item, { ...failure, newKey: failure.copy.key }, isConfirmed);
        continue;
      }
      setAside.close(sourceNumber);
      const isThereFirst = item.lsn <= began.highest(pointRange(epkOfKey(item.key)));
      if (isThereFirst) tally.add({ copiedCount: 1, copiedBytes: item.body.length });
      else tally.add({ changeCount: 1, copiedBytes: item.body.length });
    }
  }

  #setAside(item: StoredItem, unfit: Omit<Unfit, "kind">, isConfirmed: boolean): void {
    const { source, setAside } = this.#terms;
    const key = source.readKey(objectOf(item.body));
    setAside.add({
      number: item.number,
      id: idOfKey(item.key),
      key: shownKey(key.ok ? key.value : []),
      newKey: unfit.newKey && shownKey(unfit.newKey),
      lsn: item.lsn,
      code: unfit.code,
      reason: unfit.reason,
      at: this.#setting.clock.wallNow(),
      isConfirmed,
    });
  }

  /**
   * Ends that left the log before the stream was made are of items that were never copied: a log is
   * not swept behind a position. Only a change of the change feed policy does so, and a merge of
   * logs that keep versions.
   */
  #noteSweep({ entry: { range }, head }: PhysicalPartition, after: Lsn): void {
    if (head.sweptLsn <= this.#sweptSeen.of(range)) return;
    this.#sweptSeen.advance(range, head.sweptLsn);
    if (head.sweptLsn > after) this.#mustPrune = true;
  }

  #learn(entryCount: number, read: readonly number[], writeRu: number): void {
    if (entryCount === 0) return;
    const bytes = read.reduce((sum, one) => sum + one, 0);
    this.#bytesPerItem = Math.max(64, bytes / entryCount);
    this.#ruPerItem = Math.max(1, writeRu / entryCount);
  }
}
