/**
 * The vector tables of an account: one for each physical partition and indexed path that has been
 * searched.
 *
 * A table is made by one walk through the items, and before each search it is brought up to date by
 * following the log up to the LSN of its physical partition. A table is in memory only. After a
 * split or merge the tables of the retired physical partition are dropped, and its successors begin
 * without tables. The bytes of all tables together are bounded; tables that were not searched for a
 * while make room for others. A query whose table finds no room reads the items instead.
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

interface VectorTablesSetting {
  readonly store: Pick<PartitionStore, "scanItems" | "readLog" | "getMany">;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly bytesMax?: number;
  /** A table with fewer rows is always searched exactly. */
  readonly likelyRowsMin?: number;
}

/** Bytes that all tables together may have. */
const BYTES_MAX = 512 * 1024 * 1024;
/** Rows from which sketches are used; comparing fewer takes a few milliseconds. */
const LIKELY_ROWS_MIN = 20_000;
/**
 * Dimensions from which sketches are used: fewer bits say next to nothing, and comparing so few
 * elements is quick.
 */
const LIKELY_DIMENSIONS_MIN = 64;
/** A table that was searched within this time does not make room for others. */
const IDLE_MS = 10_000;
const STEP_LIMITS = { countMax: 64, bytesMax: 512 * 1024 };
const LOG_STEP_COUNT = 64;
/** Milliseconds of work after which other requests have a turn. */
const TURN_MS = 4;

export class VectorTables {
  readonly #setting: VectorTablesSetting;
  readonly #bytesMax: number;
  readonly #byPartition = new WeakMap<PhysicalPartition, Map<string, KeptTable>>();
  /** All tables, each kept alive by its physical partition only. */
  readonly #kept = new Set<WeakRef<KeptTable>>();

  constructor(setting: VectorTablesSetting) {
    this.#setting = setting;
    this.#bytesMax = setting.bytesMax ?? BYTES_MAX;
  }

  /** Ranks the items of a physical partition; undefined when there is no room for their vectors. */
  async rank(
    partition: PhysicalPartition,
    question: VectorQuestion,
  ): Promise<VectorRanking | undefined> {
    const kept = this.#tableOf(partition, question.place);
    if (kept === undefined) return undefined;
    const table = await kept.upToDate();
    kept.usedAt = this.#setting.clock.now();
    // Vectors written since the table was made may need more room than there is.
    if (!this.#makeRoom(kept, 0)) {
      this.#drop(kept);
      return undefined;
    }
    const isLikely = question.mayBeApproximate && question.within === undefined;
    const sketches = isLikely ? await kept.trustySketches(table, question) : undefined;
    if (sketches === undefined) return rankingOf(table, question);
    return likelyRankingOf(table, sketches, question);
  }

  /** Bytes of all tables. */
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

  /**
   * Makes room for `bytes` more by dropping idle tables, those first that were not searched for
   * longest.
   */
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

/** One table, and the LSN up to which it has followed the log. */
class KeptTable {
  readonly partition: PhysicalPartition;
  readonly place: VectorPlace;
  usedAt: number;
  readonly #setting: VectorTablesSetting;
  readonly #pack: ReturnType<typeof packerOf>;
  #table: VectorTable | undefined;
  #sketches: Sketches | undefined;
  /** By metric and direction: whether the current sketches can be trusted. */
  #trials = new Map<string, boolean>();
  #through: Lsn;
  /**
   * The last update under way. Updates run one after the other, because each reads the log from
   * where the one before ended.
   */
  #following: Promise<unknown> = Promise.resolve();

  constructor(setting: VectorTablesSetting, partition: PhysicalPartition, place: VectorPlace) {
    this.partition = partition;
    this.place = place;
    this.usedAt = setting.clock.now();
    this.#setting = setting;
    this.#pack = packerOf(place.elementType);
    this.#through = partition.lsn;
  }

  /** True when no search can use the table any more. */
  get isOver(): boolean {
    return this.partition.isRetired || this.partition.container.isDeleted;
  }

  /** Bytes of the table; while the table is being made, the bytes that it will have. */
  get bytes(): number {
    const expected = VectorTable.bytesFor(this.place.dimensions, this.partition.head.itemCount);
    if (this.#table === undefined) return expected;
    const { bytes, dimensions, rowCount } = this.#table;
    return bytes + (this.#sketches === undefined ? 0 : Sketches.bytesFor(dimensions, rowCount));
  }

  /**
   * Returns the sketches, or undefined when the index must be exact, the table is small, or the
   * sketches miss too many of the nearest vectors. The first search after the sketches were made
   * tries that once.
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
    // The caller of this update learns of its failure; the next update tries again.
    this.#following = next.catch(() => undefined);
    return next;
  }

  async #follow(): Promise<VectorTable> {
    const { head } = this.partition;
    const table = this.#table;
    // Below `sweptLsn` ends are no longer in the log. Superseded ends are not in the log either,
    // which is noticed when the table has many more entries than there are items.
    const isBehind = this.#through < head.sweptLsn;
    const isStale = table !== undefined && table.itemCount > 2 * head.itemCount + SPARE_COUNT;
    const current = table === undefined || isBehind || isStale ? await this.#make() : table;
    if (current !== table) this.#sketches = undefined;
    await this.#readLog(current);
    await this.#sketch(current);
    this.#table = current;
    return current;
  }

  /** Sketches the table again when it has grown so much that its means have changed. */
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
    // Changes while the items are read are in the log after this LSN.
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
      // Read before the log is, so that the log shows every change up to this LSN.
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

  /**
   * Gives other requests a turn if this one began long ago. Returns when the current turn began.
   */
  async #pause(turn: number): Promise<number> {
    const { clock, timer } = this.#setting;
    if (clock.now() - turn < TURN_MS) return turn;
    await timer.soon();
    return clock.now();
  }
}

const SKETCHES_PER_LOOK = 32;
/** Items that a table may have beyond twice those that there are before the table is made again. */
const SPARE_COUNT = 1_000;
