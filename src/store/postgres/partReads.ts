/**
 * What is read of a part: one statement for each question, so that each sees one state. A
 * connection that breaks under a question is replaced and the question asked again, for a while.
 */

import { growingWait, pause } from "../../base/retry.ts";
import type { Lsn } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type {
  ItemPage,
  LogEntry,
  LogPage,
  PartHead,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermEntry,
  TermPage,
  TermScan,
  VersionPage,
} from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import { NO_ITEMS } from "../tallies.ts";
import { byteaArray, int8Array } from "./binaryArrays.ts";
import { unreachable } from "./reach.ts";
import {
  bytesOf,
  headOf,
  itemOf,
  logEntryOf,
  pagedItemOf,
  tallyOf,
  textOf,
  versionOf,
} from "./rows.ts";
import type { Session, SqlAnswer, SqlRow, SqlValue } from "./session.ts";
import { isCollision, isLoss } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { Statement } from "./statements.ts";
import { ALL_PARTS, READS } from "./statements.ts";

interface PartReadsSetting {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly timer: Timer;
  /** True while what was read may be told. */
  isHeld(): boolean;
  /** Rejects when it must not be told. */
  regain(): Promise<void>;
}

/** How long a read tries to reach a server that does not answer. */
const PATIENCE_MS = 3000;
/** Items have up to 2 MB, and a page of few bytes may be asked for with many entries. */
const ITEMS_AT_ONCE = 32;
const PAUSE_MS = { min: 20, max: 500 };

/** No entry has these numbers: with them a range begins before, or ends behind, all of a term. */
const BEFORE_ALL = -1;

export class PartReads {
  readonly #setting: PartReadsSetting;

  constructor(setting: PartReadsSetting) {
    this.#setting = setting;
  }

  async head(part: number): Promise<PartHead | undefined> {
    const [row] = await this.#rows(READS.head, [part]);
    return row && headOf(row).head;
  }

  async parts(): Promise<{
    readonly live: readonly number[];
    readonly dropped: readonly number[];
  }> {
    const rows = await this.#rows(ALL_PARTS, []);
    const those = (isDropped: boolean): readonly number[] =>
      rows.filter((row) => row[1] === isDropped).map((row) => row[0] as number);
    return { live: those(false), dropped: those(true) };
  }

  async get(part: number, key: string): Promise<StoredItem | undefined> {
    const [row] = await this.#rows(READS.get, [part, bytesOf(key)]);
    return row && itemOf(row);
  }

  async getMany(
    part: number,
    keys: readonly string[],
  ): Promise<readonly (StoredItem | undefined)[]> {
    if (keys.length === 0) return [];
    if (keys.length === 1) return [await this.get(part, keys[0]!)];
    const rows = await this.#rows(READS.getMany, [part, byteaArray(keys)]);
    const items = new Map(rows.map(itemOf).map((item) => [item.key, item]));
    return keys.map((key) => items.get(key));
  }

  async itemsByNumber(part: number, numbers: readonly number[]): Promise<readonly StoredItem[]> {
    if (numbers.length === 0) return [];
    const rows = await this.#rows(READS.byNumber, [part, int8Array(numbers)]);
    const items = new Map(rows.map(itemOf).map((item) => [item.number, item]));
    return numbers.flatMap((number) => items.get(number) ?? []);
  }

  async scanItems(part: number, afterNumber: number, limits: ScanLimits): Promise<ItemPage> {
    const rows = await this.#rows(READS.items, [part, afterNumber, ...bounds(limits)]);
    const page = cut(rows, limits.countMax, 4);
    return { items: page.rows.map(pagedItemOf), isLast: page.isLast };
  }

  async scanTerms(part: number, scan: TermScan): Promise<TermPage> {
    const { range, after, isReverse = false, countMax, withItems } = scan;
    const { term, number } = after ?? {
      term: isReverse ? range.max : range.min,
      number: BEFORE_ALL,
    };
    const min = bytesOf(isReverse ? range.min : term);
    const max = bytesOf(isReverse ? term : range.max);
    const statement = isReverse ? READS.termsReverse : READS.terms;
    const rows = await this.#rows(statement, [part, min, number, max, countMax + 1]);
    const entries = rows
      .slice(0, countMax)
      .map(([name, of]) => ({ term: textOf(name), number: of as number }));
    const page = { entries, isLast: rows.length <= countMax };
    return withItems ? this.#withItems(part, page, scan) : page;
  }

  /** Entries of one LSN are never cut apart: what a full page cuts off is fetched behind it. */
  async readLog(part: number, afterLsn: Lsn, countMax: number): Promise<LogPage> {
    const rows = await this.#rows(READS.log, [part, afterLsn, countMax + 1]);
    const entries: LogEntry[] = rows.slice(0, countMax).map(logEntryOf);
    const last = entries.at(-1);
    const next = rows[countMax];
    if (next === undefined || last === undefined) return { entries, isLast: next === undefined };
    if (next[0] !== last.lsn) return { entries, isLast: false };
    const rest = await this.#rows(READS.logRest, [part, last.lsn, last.number]);
    entries.push(...rest.map(logEntryOf).sort((a, b) => a.number - b.number));
    return { entries, isLast: false };
  }

  async readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): Promise<VersionPage> {
    const rows = await this.#rows(READS.versions, [part, afterLsn, ...bounds(limits)]);
    const page = cut(rows, limits.countMax, 6);
    const versions = page.rows.map(versionOf);
    const last = versions.at(-1);
    if (page.isLast || last === undefined) return { versions, isLast: page.isLast };
    if (page.next?.[0] === last.lsn) {
      const rest = await this.#rows(READS.versionsRest, [part, last.lsn, last.number]);
      versions.push(...rest.map(versionOf));
      const behind = await this.#rows(READS.versions, [part, last.lsn, 1, 1]);
      return { versions, isLast: behind.length === 0 };
    }
    return { versions, isLast: false };
  }

  async tally(part: number, family: string): Promise<Tally> {
    const [row] = await this.#rows(READS.tally, [part, bytesOf(family)]);
    if (row === undefined) return NO_ITEMS;
    return { itemCount: row[0] as number, itemBytes: row[1] as number };
  }

  async scanTallies(
    part: number,
    {
      range,
      after,
      countMax,
    }: {
      readonly range: { readonly min: string; readonly max: string };
      readonly after?: string | undefined;
      readonly countMax: number;
    },
  ): Promise<TallyPage> {
    const begin = bytesOf(range.min);
    const statement = after === undefined ? READS.talliesFirst : READS.tallies;
    const behind = after === undefined ? [] : [bytesOf(after)];
    const rows = await this.#rows(statement, [
      part,
      begin,
      ...behind,
      bytesOf(range.max),
      countMax + 1,
    ]);
    return { tallies: rows.slice(0, countMax).map(tallyOf), isLast: rows.length <= countMax };
  }

  /**
   * A page ends with the item that reaches the bytes. An entry whose item has gone is gone, too.
   */
  async #withItems(part: number, page: TermPage, { bytesMax }: TermScan): Promise<TermPage> {
    const entries: TermEntry[] = [];
    let bytes = 0;
    for (let at = 0; at < page.entries.length; at += ITEMS_AT_ONCE) {
      const some = page.entries.slice(at, at + ITEMS_AT_ONCE);
      const numbers = [...new Set(some.map(({ number }) => number))];
      const found = await this.itemsByNumber(part, numbers);
      const items = new Map(found.map((item) => [item.number, item]));
      for (const [index, entry] of some.entries()) {
        const item = items.get(entry.number);
        if (item === undefined) continue;
        entries.push({ ...entry, item });
        bytes += item.body.length;
        const hasMore = at + index < page.entries.length - 1;
        if (bytes >= bytesMax && hasMore) return { entries, isLast: false };
      }
    }
    return { entries, isLast: page.isLast };
  }

  async #rows(statement: Statement, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const { rows } = await this.ask(statement, values);
    if (!this.#setting.isHeld()) await this.#setting.regain();
    return rows;
  }

  /** Asks on one of the shared connections, again where the connection broke. */
  async ask(statement: Statement, values: readonly SqlValue[]): Promise<SqlAnswer> {
    const { sessions, clock, timer } = this.#setting;
    const giveUpAt = clock.now() + PATIENCE_MS;
    for (let failureCount = 1; ; failureCount++) {
      try {
        const session: Session = await sessions.share();
        return await session.ask({ statement, values });
      } catch (error) {
        if (error instanceof StoreFault) throw error;
        if (!isLoss(error) && !isCollision(error)) throw refused(error);
        if (clock.now() >= giveUpAt) throw unreachable(error);
        await pause(timer, growingWait(failureCount, PAUSE_MS));
      }
    }
  }
}

/** What the server says of a statement of ours; users cannot bring it about. */
export function refused(cause: unknown): StoreFault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreFault(`The database refused a statement of the server: ${reason}`, { cause });
}

function bounds({ countMax, bytesMax }: ScanLimits): readonly number[] {
  return [countMax + 1, Math.min(bytesMax, Number.MAX_SAFE_INTEGER)];
}

interface CutPage {
  readonly rows: readonly SqlRow[];
  /** The first row behind the page. */
  readonly next: SqlRow | undefined;
  readonly isLast: boolean;
}

/** A page of rows with bodies in the last column: a row without one is the first behind it. */
function cut(rows: readonly SqlRow[], countMax: number, body: number): CutPage {
  const end = Math.min(countMax, rows.findIndex((row) => row[body] === null) >>> 0);
  const next = rows[end];
  return { rows: rows.slice(0, end), next, isLast: next === undefined };
}
