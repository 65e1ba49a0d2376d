/**
 * The embedded engine as the bottom of a store: reads on this thread, absorption on another.
 *
 * The reading thread keeps one read transaction and renews it when a segment has been absorbed;
 * until then it sees the state before, and the sealed memory table above it says the same things
 * anew. There is no moment at which a reader sees half a segment.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import type { Bottom } from "../bottom.ts";
import { afterPrefix, decodeNumber, encodeNumber } from "../bytes.ts";
import type { SealedSegment } from "../journal.ts";
import type { Layer, LayerEntry, TableName } from "../layer.ts";
import { decodeHead } from "../partHead.ts";
import type { Lease, PartHead, StoredItem, Tally } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import { talliesOf } from "../tallies.ts";
import type { AbsorberAnswer, AbsorberPaths } from "./absorber.ts";
import type { Environment } from "./environment.ts";
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
  LEASE_PREFIX,
  PARTS_END,
  PREFIX_BYTES,
  partOfKey,
  prefixOf,
  SEGMENT_KEY,
  tablePrefix,
  UNTALLIED_FORMAT,
} from "./keys.ts";
import { termEntries } from "./termBlocks.ts";

/** What of the tables is kept in memory. The operating system caches the rest. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;

export class LmdbBottom implements Bottom, Layer {
  readonly #paths: AbsorberPaths;
  readonly #tables: Environment;
  readonly #cache = new ItemCache(CACHE_BYTES_MAX);
  /** As it was when the tables were opened, which is when the journal asks. */
  readonly absorbedFrame: number;
  #absorbedSegment: number;
  #lacksTallies: boolean;
  #worker: Worker | undefined;

  /** Tables that are `opened` already are only read: nothing is made, nothing absorbed. */
  constructor(paths: AbsorberPaths, opened?: Environment) {
    this.#paths = paths;
    const isNew = opened === undefined && !existsSync(paths.tablesDirectory);
    if (isNew) mkdirSync(paths.tablesDirectory, { recursive: true, mode: 0o700 });
    this.#tables = opened ?? openEnvironment(paths.tablesDirectory);
    this.#lacksTallies = this.#checkFormat(isNew);
    // Segments are deleted because their content is here: the names must be as durable as that.
    if (isNew) syncNames(paths.tablesDirectory);
    const segment = this.#tables.getBinary(SEGMENT_KEY);
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
        heads.set(partOfKey(key), decodeHead(value, 0));
      }
      start = afterPrefix(key.slice(0, 4));
    }
  }

  leases(): ReadonlyMap<string, Lease> {
    const leases = new Map<string, Lease>();
    const range = { start: LEASE_PREFIX, end: afterPrefix(LEASE_PREFIX) };
    for (const { key, value } of this.#tables.getRange(range)) {
      leases.set(key.slice(LEASE_PREFIX.length), decodeLease(value));
    }
    return leases;
  }

  byKey(part: number, key: string): StoredItem | undefined {
    const place = prefixOf(part, KEY_TABLE) + key;
    const cached = this.#cache.get(place);
    if (cached !== undefined) return cached;
    // The fast form lends its buffer until the next call, which is long enough for a number.
    const number = this.#tables.getBinaryFast(place);
    const item = number && this.byNumber(part, numberIn(number, 0));
    return item && this.#cache.put(place, item);
  }

  byNumber(part: number, number: number): StoredItem | undefined {
    const value = this.#tables.getBinary(tablePrefix(part, "items") + encodeNumber(number));
    return value && decodeItem(number, value);
  }

  tally(part: number, family: string): Tally | undefined {
    const value = this.#tables.getBinaryFast(tablePrefix(part, "tallies") + family);
    return value && decodeTally(value);
  }

  *entries(
    part: number,
    table: TableName,
    min: string,
    max: string,
    isReverse: boolean,
  ): Generator<LayerEntry, void, undefined> {
    if (table === "terms") {
      for (const key of termEntries(this.#tables, part, { min, max }, isReverse)) {
        yield { key, isPresent: true };
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
      if (table === "log") yield { key: text, isPresent: true, change: decodeChange(value) };
      else if (table === "versions") {
        yield { key: text, isPresent: true, version: decodeVersion(text, value) };
      } else if (table === "tallies") {
        yield { key: text, isPresent: true, tally: decodeTally(value) };
      } else yield { key: text, isPresent: true, item: decodeItem(decodeNumber(text, 0), value) };
    }
  }

  async absorb(segment: number, frameEnd: number): Promise<void> {
    assert(segment > this.#absorbedSegment, `segment ${segment} is already absorbed`);
    const { problem, isDiskFull } = await this.#ask({ segment, frameEnd });
    if (problem !== undefined) {
      const fault = new StoreFault(`absorbing segment ${segment}: ${problem}`);
      throw isDiskFull === true ? Object.assign(fault, { code: "ENOSPC" }) : fault;
    }
    this.#absorbedSegment = segment;
    this.#tables.resetReadTxn();
    this.#cache.clear();
  }

  async countTallies(): Promise<void> {
    const parts = this.heads().keys();
    this.#tables.transactionSync(() => {
      for (const part of parts) {
        for (const [family, tally] of talliesOf(this.#itemsOf(part))) {
          this.#tables.putSync(tablePrefix(part, "tallies") + family, encodeTally(tally));
        }
      }
      this.#tables.putSync(FORMAT_KEY, Buffer.from(FORMAT));
    });
    this.#tables.resetReadTxn();
    this.#lacksTallies = false;
  }

  /** For a backup: as of one absorbed segment. The engine copies on a thread of its own. */
  copyTo(directory: string): Promise<void> {
    return this.#tables.backup(directory, false);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) {
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      // Waiting for its end must keep the process alive, or nothing after it would happen.
      worker.ref();
      worker.postMessage("close");
      await ended;
    }
    await this.#tables.close();
  }

  *#itemsOf(part: number): Generator<StoredItem, void, undefined> {
    const start = tablePrefix(part, "items");
    for (const { key, value } of this.#tables.getRange({ start, end: afterPrefix(start) })) {
      yield decodeItem(decodeNumber(key, PREFIX_BYTES), value);
    }
  }

  /**
   * True when the tables are older than tallies. Tables without a format are as old: today's are
   * given theirs as soon as they are made.
   */
  #checkFormat(isNew: boolean): boolean {
    if (isNew) this.#tables.putSync(FORMAT_KEY, Buffer.from(FORMAT));
    const format = this.#tables.getBinary(FORMAT_KEY)?.toString() ?? UNTALLIED_FORMAT;
    if (format !== FORMAT && format !== UNTALLIED_FORMAT) {
      throw new StoreFault(
        `${this.#paths.tablesDirectory} has format ${format}; this version reads ${FORMAT}. Open ` +
          "it with the version that wrote it.",
      );
    }
    return format === UNTALLIED_FORMAT;
  }

  #ask(sealed: SealedSegment): Promise<AbsorberAnswer> {
    this.#worker ??= startWorker(this.#paths);
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off("message", onAnswer);
        worker.off("error", onError);
        // An idle thread must not keep the process alive.
        worker.unref();
      };
      const onAnswer = (answer: AbsorberAnswer): void => {
        settle();
        resolve(answer);
      };
      const onError = (error: Error): void => {
        settle();
        this.#worker = undefined;
        reject(error);
      };
      worker.ref();
      worker.on("message", onAnswer);
      worker.on("error", onError);
      worker.postMessage(sealed);
    });
  }
}

/** Windows cannot sync a directory. */
function syncNames(directory: string): void {
  if (process.platform === "win32") return;
  for (const path of [directory, dirname(directory)]) {
    const file = openSync(path, "r");
    fsyncSync(file);
    closeSync(file);
  }
}

function numberIn(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4);
}

/** Built, the thread's file lies beside the bundle; from the sources, it is in the last build. */
function startWorker(paths: AbsorberPaths): Worker {
  const beside = new URL("./absorber.js", import.meta.url);
  const url = existsSync(fileURLToPath(beside))
    ? beside
    : new URL("../../../dist/absorber.js", import.meta.url);
  return new Worker(url, { workerData: { ...paths, orreryAbsorber: true } });
}
