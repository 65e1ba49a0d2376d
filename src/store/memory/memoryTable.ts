/**
 * Versions kept in memory: in front of the embedded engine until they are absorbed by it, or, as
 * the bottom layer, the whole of a store that is meant to be thrown away.
 *
 * Point lookups and tallies are answered from maps. Terms, log and kept versions are read from the
 * journal frames only when somebody scans: a frame is kept as it was written, outside the garbage
 * collector's heap.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import { encodeNumber } from "../bytes.ts";
import type { RecordVisitor } from "../journal/recordVisitor.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { FrameView } from "../journal/segment.ts";
import type { KeptVersion, StoredItem, Tally, TermEntry } from "../partitionStore.ts";
import { isEnd } from "../partitionStore.ts";
import type { Layer, LayerEntry, LoggedChange, TableName } from "./layer.ts";
import { lsnKey, numberOfKey } from "./layer.ts";
import type { RunsWalk } from "./sortedRuns.ts";
import { SortedRuns } from "./sortedRuns.ts";
import type { TermCursor, TermWalk } from "./termCursor.ts";
import { UnreadTerms } from "./unreadTerms.ts";

/** The tables that are read from the frames when they are asked for; terms can be, in pieces. */
type LateTable = Exclude<TableName, "tallies" | "terms">;

const LATE_TABLES: readonly LateTable[] = ["items", "log", "versions"];

/** Frames a bottom layer leaves unread at most; it has to give their memory back some time. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

export class MemoryTable implements Layer {
  readonly #isBottom: boolean;
  readonly #parts = new Map<number, PartTable>();
  readonly #unread: Record<LateTable, { frames: FrameView[]; bytes: number }> = {
    items: { frames: [], bytes: 0 },
    log: { frames: [], bytes: 0 },
    versions: { frames: [], bytes: 0 },
  };
  /** By far the most to read. */
  readonly #unreadTerms = new UnreadTerms({
    term: (part, term, number, isPresent) =>
      this.#part(part).tables.terms.set(term + encodeNumber(number), isPresent),
    drop: (part) => this.#parts.delete(part),
  });
  /** What each of the others wants to know of a frame. */
  readonly #visitors: Readonly<Record<LateTable, RecordVisitor>> = {
    items: {
      put: (part, item) => this.#part(part).tables.items.set(encodeNumber(item.number), true),
      remove: (part, _key, number) =>
        this.#part(part).tables.items.set(encodeNumber(number), false),
      drop: (part) => this.#parts.delete(part),
    },
    log: {
      logged: (part, lsn, number, kind, key) => this.#part(part).log(lsn, number, { kind, key }),
      unlogged: (part, lsn, number) => this.#part(part).log(lsn, number, undefined),
      head: (part, head) => this.#part(part).sweepEnds(head.sweptLsn),
      drop: (part) => this.#parts.delete(part),
    },
    versions: {
      kept: (part, version) => this.#part(part).keep(version),
      head: (part, head) => this.#part(part).sweepVersions(head.sweptLsn),
      drop: (part) => this.#parts.delete(part),
    },
  };

  constructor(options: { readonly isBottom: boolean }) {
    this.#isBottom = options.isBottom;
  }

  /** Takes in the records of one frame. The frame must not be written to afterwards. */
  absorb(bytes: Buffer, start: number, end: number): void {
    visitRecords(bytes, start, end, {
      put: (part, item) => this.#part(part).put(item),
      remove: (part, key, number) => this.#part(part).remove(key, number),
      tally: (part, family, tally) => this.#part(part).tally(family, tally),
      drop: (part) => this.#parts.delete(part),
    });
    const frame = { bytes, start, end };
    this.#unreadTerms.add(frame);
    for (const table of LATE_TABLES) {
      const unread = this.#unread[table];
      unread.frames.push(frame);
      unread.bytes += end - start;
      if (this.#isBottom && unread.bytes > UNREAD_BYTES_MAX) this.#readFrames(table);
    }
  }

  byKey(part: number, key: string): StoredItem | null | undefined {
    return this.#parts.get(part)?.byKey.get(key);
  }

  byNumber(part: number, number: number): StoredItem | null | undefined {
    return this.#parts.get(part)?.byNumber.get(number);
  }

  tally(part: number, family: string): Tally | null | undefined {
    return this.#parts.get(part)?.tallies.get(family);
  }

  *entries(
    part: number,
    table: TableName,
    min: string,
    max: string,
    isReverse: boolean,
  ): Generator<LayerEntry, void, undefined> {
    if (table === "terms") this.#unreadTerms.read(Number.POSITIVE_INFINITY);
    else if (table !== "tallies") this.#readFrames(table);
    const found = this.#parts.get(part);
    if (found === undefined) return;
    for (const { key, isPresent } of found.tables[table].entries(min, max, isReverse)) {
      if (table === "terms" || !isPresent) yield { key, isPresent };
      else if (table === "log") yield { key, isPresent, change: found.changes.get(key) };
      else if (table === "versions") yield { key, isPresent, version: found.versions.get(key) };
      else if (table === "tallies") {
        yield { key, isPresent, tally: found.tallies.get(key) ?? undefined };
      } else yield { key, isPresent, item: found.byNumber.get(numberOfKey(key)) ?? undefined };
    }
  }

  terms(part: number, { range, after, isReverse }: TermWalk): TermCursor {
    this.#unreadTerms.read(Number.POSITIVE_INFINITY);
    const found = this.#parts.get(part);
    if (found === undefined) return NO_TERMS;
    const resume = after && after.term + encodeNumber(after.number);
    const min = resume === undefined || isReverse ? range.min : `${resume}\x00`;
    const max = resume === undefined || !isReverse ? range.max : resume;
    return new RunTerms(found.tables.terms.walk(min, max, isReverse));
  }

  get unreadTermBytes(): number {
    return this.#unreadTerms.bytes;
  }

  /** Puts some of the terms that nobody has read yet in order. */
  orderSomeTerms(bytesMax: number): void {
    this.#unreadTerms.read(bytesMax);
    for (const { tables } of this.#parts.values()) tables.terms.settle();
  }

  /** Whether terms are to be read although nobody asks, to give the memory of frames back. */
  get areTermsOverdue(): boolean {
    return this.#isBottom && this.#unreadTerms.bytes > UNREAD_BYTES_MAX;
  }

  /** Brings one of the ordered tables up to date. The others are left for those who ask. */
  #readFrames(table: LateTable): void {
    const { frames } = this.#unread[table];
    const visitor = this.#visitors[table];
    for (const { bytes, start, end } of frames) visitRecords(bytes, start, end, visitor);
    this.#unread[table] = { frames: [], bytes: 0 };
  }

  #part(part: number): PartTable {
    let found = this.#parts.get(part);
    if (found === undefined) {
      found = new PartTable(this.#isBottom);
      this.#parts.set(part, found);
    }
    return found;
  }
}

const NO_TERMS: TermCursor = { entry: undefined, isPresent: false, advance: () => undefined };

class RunTerms implements TermCursor {
  readonly #walk: RunsWalk;
  #entry: TermEntry | undefined;

  constructor(walk: RunsWalk) {
    this.#walk = walk;
    this.#read();
  }

  get entry(): TermEntry | undefined {
    return this.#entry;
  }

  get isPresent(): boolean {
    return this.#walk.isPresent;
  }

  advance(): void {
    this.#walk.advance();
    this.#read();
  }

  #read(): void {
    const { key } = this.#walk;
    this.#entry =
      key === undefined ? undefined : { term: key.slice(0, -8), number: numberOfKey(key) };
  }
}

/** So much takes a few milliseconds to put in order. */
const UNORDERED_BYTES_MAX = 256 * 1024;

/** Puts the terms of tables in order, a little at a time, unless there is little to do. */
export function orderTerms(tables: readonly MemoryTable[], timer: Timer): MaybePromise<void> {
  const waiting = tables.filter((table) => table.unreadTermBytes > UNORDERED_BYTES_MAX);
  return waiting.length === 0 ? undefined : orderEach(waiting, timer);
}

async function orderEach(tables: readonly MemoryTable[], timer: Timer): Promise<void> {
  for (const table of tables) await orderTermsOf(table, timer);
}

/** Others have their turns meanwhile. */
export async function orderTermsOf(table: MemoryTable, timer: Timer): Promise<void> {
  while (table.unreadTermBytes > 0) {
    table.orderSomeTerms(UNORDERED_BYTES_MAX);
    await timer.soon();
  }
}

class PartTable {
  readonly byKey = new Map<string, StoredItem | null>();
  readonly byNumber = new Map<number, StoredItem | null>();
  readonly changes = new Map<string, LoggedChange>();
  readonly versions = new Map<string, KeptVersion>();
  readonly tallies = new Map<string, Tally | null>();
  readonly tables: Readonly<Record<TableName, SortedRuns>>;
  readonly #isBottom: boolean;
  /** The two are read from the frames at different times. */
  #endsSweptLsn = 0;
  #versionsSweptLsn = 0;

  constructor(isBottom: boolean) {
    this.#isBottom = isBottom;
    this.tables = {
      items: new SortedRuns(isBottom),
      terms: new SortedRuns(isBottom),
      log: new SortedRuns(isBottom),
      versions: new SortedRuns(isBottom),
      tallies: new SortedRuns(isBottom),
    };
  }

  put(item: StoredItem): void {
    // A view would keep the whole frame alive for as long as one item of it lives.
    const kept = this.#isBottom ? { ...item, body: Buffer.from(item.body) } : item;
    this.byKey.set(item.key, kept);
    this.byNumber.set(item.number, kept);
  }

  remove(key: string, number: number): void {
    if (this.#isBottom) {
      this.byKey.delete(key);
      this.byNumber.delete(number);
    } else {
      this.byKey.set(key, null);
      this.byNumber.set(number, null);
    }
  }

  /** The order of families changes only when one comes or goes. */
  tally(family: string, tally: Tally): void {
    const isPresent = tally.itemCount > 0;
    const before = this.tallies.get(family);
    if (isPresent) this.tallies.set(family, tally);
    else if (this.#isBottom) this.tallies.delete(family);
    else this.tallies.set(family, null);
    if (before === undefined || (before !== null) !== isPresent) {
      this.tables.tallies.set(family, isPresent);
    }
  }

  log(lsn: Lsn, number: number, change: LoggedChange | undefined): void {
    const key = lsnKey(lsn, number);
    if (change === undefined) this.changes.delete(key);
    else this.changes.set(key, change);
    this.tables.log.set(key, change !== undefined);
  }

  keep(version: KeptVersion): void {
    const key = lsnKey(version.lsn, version.number);
    const { body } = version;
    this.versions.set(key, this.#isBottom ? { ...version, body: Buffer.from(body) } : version);
    this.tables.versions.set(key, true);
  }

  /** Only a bottom gives memory back: above one, readers are told what has been swept. */
  sweepEnds(throughLsn: Lsn): void {
    if (!this.#isBottom || throughLsn <= this.#endsSweptLsn) return;
    this.#endsSweptLsn = throughLsn;
    const end = encodeNumber(throughLsn + 1);
    for (const { key, isPresent } of [...this.tables.log.entries("", end, false)]) {
      const change = isPresent ? this.changes.get(key) : undefined;
      if (change === undefined || !isEnd(change.kind)) continue;
      this.changes.delete(key);
      this.tables.log.set(key, false);
    }
  }

  /** As `sweepEnds`, for kept versions. None is ever kept at or below an LSN that was swept. */
  sweepVersions(throughLsn: Lsn): void {
    if (!this.#isBottom || throughLsn <= this.#versionsSweptLsn) return;
    const start = encodeNumber(this.#versionsSweptLsn + 1);
    const end = encodeNumber(throughLsn + 1);
    this.#versionsSweptLsn = throughLsn;
    for (const { key } of [...this.tables.versions.entries(start, end, false)]) {
      this.versions.delete(key);
      this.tables.versions.set(key, false);
    }
  }
}
