/**
 * The embedded engine as the bottom of a store: reads on this thread, absorption on another.
 *
 * The reading thread keeps one read transaction and renews it when a segment has been absorbed;
 * until then it sees the state before, and the sealed memory table above it says the same things
 * anew. There is no moment at which a reader sees half a segment.
 *
 * The engine keeps no checksums. Pages are compared with theirs before it opens the file
 * (`securing.ts`), items whenever they are read (`seal.ts`), and what damage has taken is refused
 * and not taken for absent (`lostRanges.ts`).
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { assert } from "../../base/assert.ts";
import type { Bottom } from "../bottom.ts";
import { afterPrefix, decodeNumber, encodeNumber } from "../bytes.ts";
import { TABLES_FILE } from "../dataLayout.ts";
import type { Layer, LayerEntry, TableName } from "../memory/layer.ts";
import type { TermCursor, TermWalk } from "../memory/termCursor.ts";
import type { MissingFile } from "../missingFile.ts";
import { missingAt } from "../missingFile.ts";
import { decodeHead } from "../partHead.ts";
import type { Lease, PartHead, StoredItem, Tally } from "../partitionStore.ts";
import { StoreDamage, StoreFault } from "../partitionStore.ts";
import { talliesOf } from "../tallies.ts";
import type { AbsorberPaths } from "./absorber.ts";
import { AbsorberThread } from "./absorberThread.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import { ItemCache } from "./itemCache.ts";
import {
  decodeChange,
  decodeItem,
  decodeLease,
  decodeTally,
  decodeVersion,
  encodeTally,
  FORMAT,
  FORMAT_KEY,
  HEAD_TABLE,
  KEY_TABLE,
  LATE_TERMS_TABLE,
  LEASE_PREFIX,
  LOST_PREFIX,
  PARTS_END,
  PREFIX_BYTES,
  partOfKey,
  prefixOf,
  SEGMENT_KEY,
  tablePrefix,
  UNSEALED_FORMATS,
  UNTALLIED_FORMAT,
} from "./keys.ts";
import type { LostRange } from "./lostRanges.ts";
import { decodeLost, isFatal, lostText, refuseLost } from "./lostRanges.ts";
import { isWhole, placeOf, SEAL_BYTES, sealed, unsealed } from "./seal.ts";
import type { TablesWatcher } from "./securing.ts";
import { convertTables, NO_WATCHER, secureTables, sumAnew } from "./securing.ts";
import { draftFolder, syncFolder } from "./tablesFolder.ts";
import { TermReads } from "./termReads.ts";

/** Places that are told of; whoever has more will not read on. */
const TOLD_COUNT_MAX = 1000;

/** What of the tables is kept in memory. The operating system caches the rest. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;

export class LmdbBottom implements Bottom, Layer {
  readonly #absorber: AbsorberThread;
  /** Where the file of the tables has to be. */
  readonly #path: string;
  readonly #tables: LmdbEnvironment;
  readonly #cache = new ItemCache(CACHE_BYTES_MAX);
  readonly #termReads: TermReads;
  /** As it was when the tables were opened, which is when the journal asks. */
  readonly absorbedFrame: number;
  /** False of tables of a former format, whose values carry no checksums. */
  readonly isSealed: boolean;
  readonly #watcher: TablesWatcher;
  readonly #lost: readonly LostRange[];
  readonly #toldDamage = new Set<string>();
  #absorbedSegment: number;
  #lacksTallies: boolean;
  /** A descriptor of the file that the engine has open, by which it is known again. */
  #file: number | undefined;

  /** Verifies the tables, mends or converts them if they need it, and opens them. */
  static async open(
    paths: AbsorberPaths,
    watcher: TablesWatcher = NO_WATCHER,
  ): Promise<LmdbBottom> {
    const { tablesDirectory } = paths;
    await secureTables(tablesDirectory, watcher);
    if (!existsSync(tablesDirectory)) await makeTables(tablesDirectory);
    const tables = openEnvironment(tablesDirectory);
    const format = formatOf(tables);
    const isFormer = UNSEALED_FORMATS[format] !== undefined;
    if (isFormer) await convertTables(tablesDirectory, tables, format, watcher);
    const current = isFormer ? openEnvironment(tablesDirectory) : tables;
    const bottom = new LmdbBottom(paths, current, watcher);
    bottom.#file = openSync(bottom.#path, "r");
    return bottom;
  }

  /** Tables that are only read: nothing is made or absorbed, a former format stays as it is. */
  static reading(tablesDirectory: string, tables: LmdbEnvironment): LmdbBottom {
    return new LmdbBottom({ journalDirectory: "", tablesDirectory }, tables, NO_WATCHER);
  }

  private constructor(paths: AbsorberPaths, tables: LmdbEnvironment, watcher: TablesWatcher) {
    this.#absorber = new AbsorberThread(paths);
    this.#path = join(paths.tablesDirectory, TABLES_FILE);
    this.#tables = tables;
    this.#termReads = new TermReads(tables);
    this.#watcher = watcher;
    const format = formatOf(tables);
    this.isSealed = UNSEALED_FORMATS[format] === undefined;
    const current = UNSEALED_FORMATS[format] ?? format;
    if (current !== FORMAT && current !== UNTALLIED_FORMAT) {
      throw new StoreFault(
        `${paths.tablesDirectory} has format ${format}; this version reads ${FORMAT}. Open it ` +
          "with the version that wrote it.",
      );
    }
    this.#lacksTallies = current === UNTALLIED_FORMAT;
    this.#lost = this.#lostRanges();
    for (const range of this.#lost) watcher.onDamage(`damage has taken ${lostText(range)}`);
    const segment = this.#getBinary(SEGMENT_KEY);
    this.#absorbedSegment = segment === undefined ? 0 : numberIn(segment, 0);
    this.absorbedFrame = segment === undefined ? 0 : numberIn(segment, 8);
  }

  get absorbedSegment(): number {
    return this.#absorbedSegment;
  }

  get lacksTallies(): boolean {
    return this.#lacksTallies;
  }

  /**
   * One small read per part: heads are spread over the key space, each at the start of its part,
   * so the walk jumps from part to part.
   */
  heads(): ReadonlyMap<number, PartHead> {
    const heads = new Map<number, PartHead>();
    let start = "\x00";
    for (;;) {
      // The last part there can be has its head behind that mark, and what is not a part as well.
      const end = `${PARTS_END}${String.fromCharCode(HEAD_TABLE + 1)}`;
      const [next] = start < end ? this.#tables.getRange({ start, end, limit: 1 }) : [];
      if (next === undefined) return heads;
      const { key, value } = next;
      if (key.charCodeAt(PREFIX_BYTES - 1) === HEAD_TABLE) {
        heads.set(partOfKey(key), decodeHead(this.#opened(key, value), 0));
      }
      start = afterPrefix(key.slice(0, 4));
    }
  }

  leases(): ReadonlyMap<string, Lease> {
    const leases = new Map<string, Lease>();
    const range = { start: LEASE_PREFIX, end: afterPrefix(LEASE_PREFIX) };
    for (const { key, value } of this.#tables.getRange(range)) {
      leases.set(key.slice(LEASE_PREFIX.length), decodeLease(this.#opened(key, value)));
    }
    return leases;
  }

  byKey(part: number, key: string): StoredItem | undefined {
    const place = prefixOf(part, KEY_TABLE) + key;
    const cached = this.#cache.get(place);
    if (cached !== undefined) return cached;
    this.#refuseLost(place);
    // The fast form lends its buffer until the next call, which is long enough for a number. Its
    // checksum need not be looked at: the item that it leads to says what its key is.
    const bytes = this.#tables.getBinaryFast(place);
    if (bytes === undefined) return undefined;
    const number = numberIn(bytes, 0);
    const item = this.#itemAt(tablePrefix(part, "items") + encodeNumber(number), number);
    if (item?.key !== key) {
      throw this.#damage(`${placeOf(place)} leads to item ${number}, which is another or none`);
    }
    return this.#cache.put(place, item);
  }

  byNumber(part: number, number: number): StoredItem | undefined {
    const place = tablePrefix(part, "items") + encodeNumber(number);
    const cached = this.#cache.get(place);
    if (cached !== undefined) return cached;
    const item = this.#itemAt(place, number);
    return item && this.#cache.put(place, item);
  }

  #itemAt(place: string, number: number): StoredItem | undefined {
    const value = this.#getBinary(place);
    return value && decodeItem(number, value);
  }

  tally(part: number, family: string): Tally | undefined {
    const value = this.#getBinary(tablePrefix(part, "tallies") + family);
    return value && decodeTally(value);
  }

  *entries(
    part: number,
    table: TableName,
    min: string,
    max: string,
    isReverse: boolean,
  ): Generator<LayerEntry, void, undefined> {
    if (this.#lost.length > 0) this.#refuseLostEntries(part, table, min, max);
    if (table === "terms") {
      const walk = this.terms(part, { range: { min, max }, isReverse });
      for (let { entry } = walk; entry !== undefined; { entry } = walk) {
        yield { key: entry.term + encodeNumber(entry.number), isPresent: true };
        walk.advance();
      }
      return;
    }
    const prefix = tablePrefix(part, table);
    const low = prefix + min;
    const high = prefix + max;
    // Backwards, the engine includes the upper bound and excludes the lower one: the opposite of
    // what is asked for. The one is stepped over, the other watched for.
    const range = isReverse
      ? { start: high, end: prefix, reverse: true }
      : { start: low, end: high };
    const isOver = (key: string): boolean => isReverse && key < low;
    for (const { key, value } of this.#tables.getRange(range)) {
      if (isReverse && key === high) continue;
      if (isOver(key)) return;
      const text = key.slice(PREFIX_BYTES);
      const content = this.#opened(key, value);
      if (table === "log") yield { key: text, isPresent: true, change: decodeChange(content) };
      else if (table === "versions") {
        yield { key: text, isPresent: true, version: decodeVersion(text, content) };
      } else if (table === "tallies") {
        yield { key: text, isPresent: true, tally: decodeTally(content) };
      } else yield { key: text, isPresent: true, item: decodeItem(decodeNumber(text, 0), content) };
    }
  }

  terms(part: number, walk: TermWalk): TermCursor {
    const { min, max } = walk.range;
    if (this.#lost.length > 0) this.#refuseLostEntries(part, "terms", min, max);
    return this.#termReads.walk(part, walk);
  }

  async absorb(segment: number, frameEnd: number): Promise<void> {
    assert(segment > this.#absorbedSegment, `segment ${segment} is already absorbed`);
    const { problem, code } = await this.#absorber.ask({ segment, frameEnd });
    if (problem !== undefined) {
      throw Object.assign(new StoreFault(`absorbing segment ${segment}: ${problem}`), { code });
    }
    this.#absorbedSegment = segment;
    this.#tables.resetReadTxn();
    this.#cache.clear();
    this.#termReads.forget();
  }

  rest(): void {
    this.#absorber.rest();
  }

  async countTallies(): Promise<void> {
    const parts = this.heads().keys();
    this.#tables.transactionSync(() => {
      for (const part of parts) {
        for (const [family, tally] of talliesOf(this.#itemsOf(part))) {
          const key = tablePrefix(part, "tallies") + family;
          this.#tables.putSync(key, sealed(key, encodeTally(tally)));
        }
      }
      this.#tables.putSync(FORMAT_KEY, sealed(FORMAT_KEY, Buffer.from(FORMAT)));
    });
    this.#tables.resetReadTxn();
    this.#lacksTallies = false;
  }

  /** For a backup: as of one absorbed segment. The engine copies on a thread of its own. */
  copyTo(directory: string): Promise<void> {
    return this.#tables.backup(directory, false);
  }

  async missing(): Promise<MissingFile | undefined> {
    if (this.#file === undefined) return undefined;
    const missing = await missingAt(this.#path, this.#file, "the file of the tables");
    return this.#file === undefined ? undefined : missing;
  }

  async close(): Promise<void> {
    await this.#absorber.close();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    await this.#tables.close();
  }

  *#itemsOf(part: number): Generator<StoredItem, void, undefined> {
    const start = tablePrefix(part, "items");
    for (const { key, value } of this.#tables.getRange({ start, end: afterPrefix(start) })) {
      yield decodeItem(decodeNumber(key, PREFIX_BYTES), this.#opened(key, value));
    }
  }

  /** A value by its key, without its checksum. */
  #getBinary(key: string): Buffer | undefined {
    const value = this.#tables.getBinary(key);
    if (value !== undefined) return this.#opened(key, value);
    this.#refuseLost(key);
    return undefined;
  }

  #opened(key: string, value: Buffer): Buffer {
    if (!this.isSealed) return value;
    if (isWhole(key, value)) return value.subarray(0, value.length - SEAL_BYTES);
    throw this.#damage(`${placeOf(key)} is damaged: it does not have the checksum it was given`);
  }

  #refuseLost(key: string): void {
    if (this.#lost.length > 0) refuseLost(this.#lost, { min: key, max: `${key}\x00` });
  }

  /** Terms lie in two tables, and a block that begins before the range may reach into it. */
  #refuseLostEntries(part: number, table: TableName, min: string, max: string): void {
    const prefix = tablePrefix(part, table);
    refuseLost(this.#lost, { min: prefix + min, max: prefix + max });
    if (table !== "terms") return;
    const late = prefixOf(part, LATE_TERMS_TABLE);
    refuseLost(this.#lost, { min: late + min, max: late + max });
    const [before] = this.#tables.getKeys({
      start: prefix + min,
      end: prefix,
      reverse: true,
      limit: 1,
    });
    refuseLost(this.#lost, { min: before ?? prefix, max: prefix + max });
  }

  #lostRanges(): readonly LostRange[] {
    const lost: LostRange[] = [];
    const range = { start: LOST_PREFIX, end: afterPrefix(LOST_PREFIX) };
    for (const { key, value } of this.#tables.getRange(range)) {
      lost.push(decodeLost(this.#opened(key, value)));
    }
    const fatal = lost.find(isFatal);
    if (fatal !== undefined) throw new StoreDamage(`damage has taken ${lostText(fatal)}`);
    return lost;
  }

  /** Told once for each place, and thrown every time. */
  #damage(text: string): StoreDamage {
    if (!this.#toldDamage.has(text) && this.#toldDamage.size < TOLD_COUNT_MAX) {
      this.#toldDamage.add(text);
      this.#watcher.onDamage(text);
    }
    return new StoreDamage(text);
  }
}

/**
 * New tables are made under another name and get theirs when all of them is durable: on a file that
 * a power cut tore while it was being made, the engine would end the process at every start.
 */
async function makeTables(directory: string): Promise<void> {
  const draft = draftFolder(directory);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const tables = openEnvironment(draft);
  tables.putSync(FORMAT_KEY, sealed(FORMAT_KEY, Buffer.from(FORMAT)));
  await tables.close();
  sumAnew(draft);
  renameSync(draft, directory);
  // Segments are deleted because their content is here: the name must be as durable as that.
  syncFolder(dirname(directory));
}

/** Tables without a format are of the first. */
function formatOf(tables: LmdbEnvironment): string {
  const value = tables.getBinary(FORMAT_KEY);
  if (value === undefined) return "1";
  return isWhole(FORMAT_KEY, value) ? unsealed(FORMAT_KEY, value).toString() : value.toString();
}

function numberIn(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4);
}
