/**
 * Takes sealed journal segments into the tables. Runs on a thread of its own: writing a segment
 * costs a second of processor time that no request should wait for, and the thread reads the
 * segment from the disk itself, so nothing is copied between threads.
 *
 * One segment is one transaction, its entries sorted: neighbours land on the same pages, which is
 * what makes index writes affordable (measured: five times fewer bytes written per item).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { afterPrefix, encodeNumber } from "../bytes.ts";
import { readSegment, segmentName } from "../journal.ts";
import type { PartHead } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import { decodeHead, encodeHead, visitRecords } from "../record.ts";
import type { Environment } from "./environment.ts";
import { latin1, openEnvironment } from "./environment.ts";
import {
  decodeChange,
  encodeChange,
  encodeItem,
  encodeLease,
  HEAD_TABLE,
  KEY_TABLE,
  LEASE_PREFIX,
  partPrefix,
  prefixOf,
  SEGMENT_KEY,
  tablePrefix,
} from "./keys.ts";

export interface AbsorberPaths {
  readonly journalDirectory: string;
  readonly tablesDirectory: string;
}

export type AbsorberAnswer = { readonly segment: number; readonly problem?: string };

/** What a segment comes to: the last word on every key, and the parts that are gone. */
interface Changes {
  /** `null`: remove the key. */
  readonly entries: Map<string, Buffer | null>;
  readonly heads: Map<number, PartHead>;
  readonly dropped: Set<number>;
}

const NOTHING = Buffer.alloc(0);
const HEAD_VALUE_BYTES = 48;

if (parentPort !== null && workerData?.["orreryAbsorber"] === true) {
  serve(workerData as AbsorberPaths);
}

function serve(paths: AbsorberPaths): void {
  const port = parentPort!;
  const tables = openEnvironment(paths.tablesDirectory);
  port.on("message", (segment: number | "close") => {
    if (segment === "close") {
      void tables.close().then(() => port.close());
      return;
    }
    port.postMessage(answerTo(tables, paths, segment));
  });
}

function answerTo(tables: Environment, paths: AbsorberPaths, segment: number): AbsorberAnswer {
  try {
    const bytes = readFileSync(join(paths.journalDirectory, segmentName(segment)));
    absorb(tables, segment, changesOf(segment, bytes));
    return { segment };
  } catch (error) {
    return { segment, problem: error instanceof Error ? error.message : String(error) };
  }
}

function changesOf(segment: number, bytes: Buffer): Changes {
  const read = readSegment(segment, bytes);
  if (read === undefined) throw new StoreFault(`${segmentName(segment)} is unreadable`);
  const entries = new Map<string, Buffer | null>();
  const heads = new Map<number, PartHead>();
  const dropped = new Set<number>();
  for (const frame of read.frames) {
    visitRecords(frame.bytes, frame.start, frame.end, {
      put(part, item) {
        const number = encodeNumber(item.number);
        entries.set(prefixOf(part, KEY_TABLE) + item.key, latin1(number));
        entries.set(tablePrefix(part, "items") + number, encodeItem(item));
      },
      remove(part, key, number) {
        entries.set(prefixOf(part, KEY_TABLE) + key, null);
        entries.set(tablePrefix(part, "items") + encodeNumber(number), null);
      },
      term(part, term, number, isPresent) {
        const key = tablePrefix(part, "terms") + term + encodeNumber(number);
        entries.set(key, isPresent ? NOTHING : null);
      },
      logged(part, lsn, number, kind, key) {
        entries.set(logKey(part, lsn, number), encodeChange(kind, key));
      },
      unlogged(part, lsn, number) {
        entries.set(logKey(part, lsn, number), null);
      },
      head: (part, head) => heads.set(part, head),
      drop: (part) => dropped.add(part),
      lease: (name, lease) => entries.set(LEASE_PREFIX + name, encodeLease(lease)),
    });
  }
  return { entries, heads, dropped };
}

function absorb(tables: Environment, segment: number, changes: Changes): void {
  const { entries, heads, dropped } = changes;
  const keys = [...entries.keys()].sort();
  const droppedPrefixes = new Set([...dropped].map(partPrefix));
  tables.transactionSync(() => {
    for (const key of keys) {
      if (droppedPrefixes.size > 0 && droppedPrefixes.has(key.slice(0, 4))) continue;
      const value = entries.get(key)!;
      if (value === null) tables.removeSync(latin1(key));
      else tables.putSync(latin1(key), value);
    }
    for (const [part, head] of heads) {
      if (dropped.has(part)) continue;
      sweepDeletions(tables, part, head);
      const value = Buffer.alloc(HEAD_VALUE_BYTES);
      encodeHead(head, value, 0);
      tables.putSync(latin1(prefixOf(part, HEAD_TABLE)), value);
    }
    for (const part of dropped)
      removeRange(tables, partPrefix(part), afterPrefix(partPrefix(part)));
    tables.putSync(latin1(SEGMENT_KEY), latin1(encodeNumber(segment)));
  });
}

/** Takes the deletions out of the log that the head says nobody may ask for any more. */
function sweepDeletions(tables: Environment, part: number, head: PartHead): void {
  const stored = tables.getBinary(latin1(prefixOf(part, HEAD_TABLE)));
  const sweptBefore = stored === undefined ? 0 : decodeHead(stored, 0).sweptLsn;
  if (head.sweptLsn <= sweptBefore) return;
  const prefix = tablePrefix(part, "log");
  const start = latin1(prefix + encodeNumber(sweptBefore));
  const end = latin1(prefix + encodeNumber(head.sweptLsn + 1));
  const swept: Buffer[] = [];
  for (const { key, value } of tables.getRange({ start, end })) {
    if (decodeChange(value).kind === "deleted") swept.push(key);
  }
  for (const key of swept) tables.removeSync(key);
}

function removeRange(tables: Environment, min: string, max: string): void {
  const keys = [...tables.getKeys({ start: latin1(min), end: latin1(max) })];
  for (const key of keys) tables.removeSync(key);
}

function logKey(part: number, lsn: number, number: number): string {
  return tablePrefix(part, "log") + encodeNumber(lsn) + encodeNumber(number);
}
