/**
 * The vector tables of an account: one for each physical partition and indexed path that somebody
 * has searched.
 *
 * A table is made by one walk through the items, and before each search it is brought up to date
 * by following the log, as far as the physical partition has come. It lives in memory only and
 * goes with its physical partition: what a split or merge leaves behind has no tables, and its
 * successors begin without. All tables together have a bound; those that were not searched for a
 * while make room for others, and who finds no room is told so, and looks at the items instead.
 */
import { assert } from "../../base/assert.ts";
import type { Lsn } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { VectorQuestion, VectorRanking } from "../../query/execute/source.ts";
import { packerOf } from "../../query/functions/vector.ts";
import type { VectorPlace } from "../../query/plan/indexView.ts";
import type { LogEntry, PartitionStore } from "../../store/partitionStore.ts";
import { isEnd } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { likelyRankingOf, rankingOf } from "./ranking.ts";
import { Sketches } from "./sketches.ts";
import { isTrusty } from "./trial.ts";
import { VectorTable } from "./vectorTable.ts";

export interface VectorTablesSetting {
  readonly store: Pick<PartitionStore, "scanItems" | "readLog" | "getMany">;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly bytesMax?: number;
  /** Tables of fewer rows are always searched exactly. */
  readonly likelyRowsMin?: number;
}

/** All tables together. */
const BYTES_MAX = 512 * 1024 * 1024;
/** With fewer, comparing all takes a few milliseconds. */
const LIKELY_ROWS_MIN = 20_000;
/** A bit for each of fewer elements says next to nothing, and to compare them takes no time. */
const LIKELY_DIMENSIONS_MIN = 64;
/** A table that was searched so lately does not make room. */
const IDLE_MS = 10_000;
const STEP_LIMITS = { countMax: 64, bytesMax: 512 * 1024 };
const LOG_STEP_COUNT = 64;
/** After so many milliseconds others have a turn. */
const TURN_MS = 4;

export class VectorTables {
  readonly #setting: VectorTablesSetting;
  readonly #bytesMax: number;
  readonly #byPartition = new WeakMap<PhysicalPartition, Map<string, KeptTable>>();
  /** Of all that are held by their physical partitions. */
  readonly #kept = new Set<WeakRef<KeptTable>>();

  constructor(setting: VectorTablesSetting) {
    this.#setting = setting;
    this.#bytesMax = setting.bytesMax ?? BYTES_MAX;
  }

  /** Undefined when there is no room for the vectors. */
  async rank(
    partition: PhysicalPartition,
    question: VectorQuestion,
  ): Promise<VectorRanking | undefined> {
    const kept = this.#tableOf(partition, question.place);
    if (kept === undefined) return undefined;
    const table = await kept.upToDate();
    kept.usedAt = this.#setting.clock.now();
    // What was written since it was made may be more than there is room for.
    if (!this.#makeRoom(kept, 0)) {
      this.#drop(kept);
      return undefined;
    }
    const isLikely = question.mayBeApproximate && question.within === undefined;
    const sketches = isLikely ? await kept.trustySketches(table, question) : undefined;
    if (sketches === undefined) return rankingOf(table, question);
    return likelyRankingOf(table, sketches, question);
  }

  /** Of all tables. */
  get bytes(): number {
    let bytes = 0;
    for (const kept of this.#alive()) bytes += kept.bytes;
    return bytes;
  }

  #tableOf(partition: PhysicalPartition, place: VectorPlace): KeptTable | undefined {
    const tables = this.#byPartition.get(partition) ?? new Map<string, KeptTable>();
    this.#byPartition.set(partition, tables);
    const known = tables.get(nameOf(place));
    if (known !== undefined) return known;
    const bytes = VectorTable.bytesFor(place.dimensions, partition.head.itemCount);
    if (!this.#makeRoom(undefined, bytes)) return undefined;
    const kept = new KeptTable(this.#setting, partition, place);
    tables.set(nameOf(place), kept);
    this.#kept.add(new WeakRef(kept));
    return kept;
  }

  #drop(dropped: KeptTable): void {
    this.#byPartition.get(dropped.partition)?.delete(nameOf(dropped.place));
    for (const reference of this.#kept) {
      if (reference.deref() === dropped) this.#kept.delete(reference);
    }
  }

  /** For so many bytes more; those that were not searched for longest go first. */
  #makeRoom(wanted: KeptTable | undefined, bytes: number): boolean {
    if (bytes > this.#bytesMax) return false;
    const idleSince = this.#setting.clock.now() - IDLE_MS;
    const others = [...this.#alive()].filter((kept) => kept !== wanted);
    const idle = others
      .filter(({ usedAt }) => usedAt < idleSince)
      .sort((a, b) => a.usedAt - b.usedAt);
    while (this.bytes + bytes > this.#bytesMax) {
      const next = idle.shift();
      if (next === undefined) return false;
      this.#drop(next);
    }
    return true;
  }

  *#alive(): Iterable<KeptTable> {
    for (const reference of this.#kept) {
      const kept = reference.deref();
      if (kept === undefined || kept.isOver) this.#kept.delete(reference);
      else yield kept;
    }
  }
}

function nameOf({ segments, elementType, dimensions }: VectorPlace): string {
  return JSON.stringify([segments, elementType, dimensions]);
}

/** One table, and how far it has followed the log. */
class KeptTable {
  readonly partition: PhysicalPartition;
  readonly place: VectorPlace;
  usedAt: number;
  readonly #setting: VectorTablesSetting;
  readonly #pack: ReturnType<typeof packerOf>;
  #table: VectorTable | undefined;
  #sketches: Sketches | undefined;
  /** Of the sketches there are: by metric and direction, whether they are to be trusted. */
  #trials = new Map<string, boolean>();
  #through: Lsn;
  /** One after the other: what has been read of the log is put in before more is read. */
  #following: Promise<unknown> = Promise.resolve();

  constructor(setting: VectorTablesSetting, partition: PhysicalPartition, place: VectorPlace) {
    this.partition = partition;
    this.place = place;
    this.usedAt = setting.clock.now();
    this.#setting = setting;
    this.#pack = packerOf(place.elementType);
    this.#through = partition.lsn;
  }

  /** Nobody will search it any more. */
  get isOver(): boolean {
    return this.partition.isRetired || this.partition.container.isDeleted;
  }

  /** While it is being made, what it will take. */
  get bytes(): number {
    const expected = VectorTable.bytesFor(this.place.dimensions, this.partition.head.itemCount);
    if (this.#table === undefined) return expected;
    const { bytes, dimensions, rowCount } = this.#table;
    return bytes + (this.#sketches === undefined ? 0 : Sketches.bytesFor(dimensions, rowCount));
  }

  /**
   * Absent when the index is to be exact, or small, or its vectors lie so that sketches miss many
   * of those sought. That is tried once for what was learnt, by whoever asks first.
   */
  async trustySketches(
    table: VectorTable,
    question: VectorQuestion,
  ): Promise<Sketches | undefined> {
    const sketches = this.#sketches;
    if (sketches === undefined) return undefined;
    const trials = this.#trials;
    const name = `${question.metric} ${question.isDescending}`;
    const verdict = trials.get(name) ?? (await isTrusty(table, sketches, question));
    trials.set(name, verdict);
    return verdict ? sketches : undefined;
  }

  upToDate(): Promise<VectorTable> {
    const next = this.#following.then(() => this.#follow());
    // Whoever asked is told; the next one tries again.
    this.#following = next.catch(() => undefined);
    return next;
  }

  async #follow(): Promise<VectorTable> {
    const { head } = this.partition;
    const table = this.#table;
    // Ends that have left the log, or were superseded in it, are not heard of.
    const isBehind = this.#through < head.sweptLsn;
    const isStale = table !== undefined && table.itemCount > 2 * head.itemCount + SPARE_COUNT;
    const current = table === undefined || isBehind || isStale ? await this.#make() : table;
    if (current !== table) this.#sketches = undefined;
    await this.#readLog(current);
    await this.#sketch(current);
    this.#table = current;
    return current;
  }

  /** Anew when the table has grown so much that means are not what they were. */
  async #sketch(table: VectorTable): Promise<void> {
    const { likelyRowsMin = LIKELY_ROWS_MIN, clock } = this.#setting;
    if (!this.place.isApproximate || table.rowCount < likelyRowsMin) return;
    if (table.dimensions < LIKELY_DIMENSIONS_MIN) return;
    if (this.#sketches?.isStale === false) return;
    const sketches = new Sketches(table);
    let turn: number = clock.now();
    let count = 0;
    for (const _ of sketches.learn()) {
      if (++count % SKETCHES_PER_LOOK === 0) turn = await this.#pause(turn);
    }
    this.#sketches = sketches;
    this.#trials = new Map();
  }

  async #make(): Promise<VectorTable> {
    const { store } = this.#setting;
    const { part } = this.partition.entry;
    const table = new VectorTable(this.place.dimensions);
    // What changes while the items are read is in the log.
    this.#through = this.partition.lsn;
    let turn: number = this.#setting.clock.now();
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await store.scanItems(part, after, STEP_LIMITS);
      for (const { number, body } of page.items) table.put(number, this.#vectorIn(body));
      after = page.items.at(-1)?.number ?? after;
      isLast = page.isLast;
      turn = await this.#pause(turn);
    }
    return table;
  }

  async #readLog(table: VectorTable): Promise<void> {
    const { store, clock } = this.#setting;
    const { part } = this.partition.entry;
    let turn: number = clock.now();
    for (;;) {
      // Read before the log is: what the log does not show up to here is not there.
      const known = this.partition.lsn;
      if (this.#through >= known) return;
      const { entries, isLast } = await store.readLog(part, this.#through, LOG_STEP_COUNT);
      await this.#take(table, entries);
      const last = entries.at(-1)?.lsn ?? known;
      assert(isLast || last > this.#through, "a step in the log leads on");
      this.#through = isLast && last < known ? known : last;
      turn = await this.#pause(turn);
    }
  }

  async #take(table: VectorTable, entries: readonly LogEntry[]): Promise<void> {
    const { store } = this.#setting;
    const { part } = this.partition.entry;
    for (const { kind, number } of entries) if (isEnd(kind)) table.remove(number);
    const keys = entries.filter(({ kind }) => !isEnd(kind)).map(({ key }) => key);
    for (const item of await store.getMany(part, keys)) {
      if (item === undefined) continue;
      const row = table.put(item.number, this.#vectorIn(item.body));
      if (row !== undefined) this.#sketches?.put(row);
    }
  }

  #vectorIn(body: Buffer): Float32Array | undefined {
    let value: JsonValue | undefined = objectOf(body);
    for (const name of this.place.segments) {
      value = isObject(value) ? property(value, name) : undefined;
    }
    return this.#pack(value);
  }

  /** When the turn began that is running after it. */
  async #pause(turn: number): Promise<number> {
    const { clock, timer } = this.#setting;
    if (clock.now() - turn < TURN_MS) return turn;
    await timer.soon();
    return clock.now();
  }
}

const SKETCHES_PER_LOOK = 32;
/** Rows that a table may have beyond twice its items before it is made anew. */
const SPARE_COUNT = 1_000;
