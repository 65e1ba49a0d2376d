/**
 * A partition store over the PostgreSQL wire protocol: one PostgreSQL, or an engine that speaks
 * like one. The database keeps what survives and decides the order of commits; this class asks.
 *
 * A part has one writer, who holds its epoch. Its commits are one transaction each, in one round
 * trip.
 */
import { assert } from "../../base/assert.ts";
import type { Lsn } from "../../base/units.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { Notify } from "../notice.ts";
import { EMPTY_HEAD, groupLsn, headAdopting } from "../partHead.ts";
import type {
  Adopted,
  CommitTerms,
  Committed,
  ItemPage,
  KeptVersion,
  Lease,
  LogPage,
  PartHead,
  PartitionStore,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
  WriteGroup,
} from "../partitionStore.ts";
import { Fenced, StoreFault } from "../partitionStore.ts";
import { adoptionChange, commitChange, keptVersionsChange, sweepChange } from "./changes.ts";
import { PartReads } from "./partReads.ts";
import { Reach } from "./reach.ts";
import { bytesOf, headOf } from "./rows.ts";
import { prepareSchema } from "./schemaSteps.ts";
import type { Connect } from "./session.ts";
import { Session } from "./session.ts";
import { Sessions } from "./sessions.ts";
import { REMOVALS, WRITES } from "./statements.ts";
import type { TenureHolder } from "./tenure.ts";
import { Tenure } from "./tenure.ts";
import { Writing } from "./writing.ts";

interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the driver's parameters. */
  readonly url: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly notify: Notify;
  /** Names the server among all that may work on the database. */
  readonly owner: string;
  /** Called when another server has the database; resolves when it is worth asking again. */
  readonly onTaken: (holder: TenureHolder) => Promise<void>;
  /** Called once when another server has taken the database over from this one. */
  readonly onLost?: (() => void) | undefined;
  /** Opens a connection; the driver's, if absent. */
  readonly connect?: Connect | undefined;
}

const CONNECT_MS = 5000;
/** Connections for reading, and as many for writing. */
const SESSIONS_MAX = 6;
/** Rows of a dropped part that one transaction takes away. */
const REMOVED_MAX = 5000;
/** The part to which leases belong. */
const LEASE_PART = 0;

export class PostgresStore implements PartitionStore {
  readonly #readers: Sessions;
  readonly #writers: Sessions;
  readonly #reach: Reach;
  readonly #reading: PartReads;
  readonly #writing: Writing;
  readonly #tenure: Tenure;
  #removing: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** Makes the tables if there are none; goes on with the removal of parts that were dropped. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const { url } = options;
    const connect = options.connect ?? (() => Session.open({ url, connectMs: CONNECT_MS }));
    const first = await connect();
    try {
      await prepareSchema(first);
    } finally {
      await first.close();
    }
    const store = new PostgresStore(options, connect);
    try {
      await store.#begin(options.onTaken);
    } catch (error) {
      await store.close();
      throw error;
    }
    const { dropped } = await store.#reading.parts();
    for (const part of dropped) store.#remove(part);
    return store;
  }

  private constructor(options: PostgresOptions, connect: Connect) {
    const { clock, timer, random, notify, owner } = options;
    this.#reach = new Reach(notify);
    const setting = { connect, timer, reach: this.#reach, countMax: SESSIONS_MAX };
    this.#readers = new Sessions(setting);
    this.#writers = new Sessions(setting);
    this.#reading = new PartReads({
      sessions: this.#readers,
      clock,
      timer,
      isHeld: () => this.#tenure.isHeld,
      regain: () => this.#tenure.regain(),
    });
    const ask = this.#reading.ask.bind(this.#reading);
    const { onLost = () => undefined } = options;
    this.#tenure = new Tenure({ owner, clock, timer, ask, onLost });
    this.#writing = new Writing({ sessions: this.#writers, timer, random });
  }

  /** What the database could not do it may do later; nothing ends writing for good. */
  readonly fault: StoreFault | undefined = undefined;

  get obstacle(): StoreFault | undefined {
    return this.#reach.obstacle;
  }

  obstacleOf(): StoreFault | undefined {
    return this.obstacle;
  }

  /** Whether what this server knows may be told: no other server works on the database. */
  get isHeld(): boolean {
    return this.#tenure.isHeld;
  }

  /** Makes sure of that by asking the database; rejects when it is not so. */
  regain(): Promise<void> {
    return this.#tenure.regain();
  }

  /** Nothing waits here: what was committed is in the tables. */
  readonly pressure: number = 0;

  async eased(): Promise<void> {}

  orderTerms(): void {}

  get(part: number, key: string): Promise<StoredItem | undefined> {
    return this.#reading.get(part, key);
  }

  getMany(part: number, keys: readonly string[]): Promise<readonly (StoredItem | undefined)[]> {
    return this.#reading.getMany(part, keys);
  }

  itemsByNumber(part: number, numbers: readonly number[]): Promise<readonly StoredItem[]> {
    return this.#reading.itemsByNumber(part, numbers);
  }

  scanItems(part: number, afterNumber: number, limits: ScanLimits): Promise<ItemPage> {
    return this.#reading.scanItems(part, afterNumber, limits);
  }

  scanTerms(part: number, scan: TermScan): Promise<TermPage> {
    return this.#reading.scanTerms(part, scan);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): Promise<LogPage> {
    return this.#reading.readLog(part, afterLsn, countMax);
  }

  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): Promise<VersionPage> {
    return this.#reading.readVersions(part, afterLsn, limits);
  }

  tally(part: number, family: string): Promise<Tally> {
    return this.#reading.tally(part, family);
  }

  scanTallies(
    part: number,
    scan: Parameters<PartitionStore["scanTallies"]>[1],
  ): Promise<TallyPage> {
    return this.#reading.scanTallies(part, scan);
  }

  head(part: number): Promise<PartHead | undefined> {
    return this.#reading.head(part);
  }

  async parts(): Promise<readonly number[]> {
    return (await this.#reading.parts()).live;
  }

  async claim(part: number, epoch: number): Promise<PartHead> {
    return this.#inTurn(part, async () => {
      const { rows } = await this.#ask(WRITES.claim, [part, epoch]);
      if (rows[0] === undefined) throw new Fenced(`part ${part} is at a later epoch than ${epoch}`);
      return headOf(rows[0]).head;
    });
  }

  async commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    { keepsVersions = false }: CommitTerms = {},
  ): Promise<Committed> {
    return this.#inTurn(part, async () => {
      const head = await this.#writing.change(part, epoch, (author) =>
        commitChange(author, groups, keepsVersions),
      );
      const lsns = groups.map((_, index) => groupLsn(head, groups.length, index));
      return { head, lsns };
    });
  }

  async adopt(
    part: number,
    epoch: number,
    versions: readonly Adopted[],
    throughLsn: Lsn,
  ): Promise<PartHead> {
    return this.#inTurn(part, async () => {
      const before = await this.#ownHead(part, epoch);
      const after = headAdopting(before, versions, throughLsn);
      return this.#writing.change(part, epoch, (author) =>
        adoptionChange(author, versions, before, after),
      );
    });
  }

  async adoptVersions(
    part: number,
    epoch: number,
    versions: readonly KeptVersion[],
  ): Promise<void> {
    await this.#inTurn(part, async () => {
      const head = await this.#ownHead(part, epoch);
      for (const version of versions) {
        assert(version.lsn <= head.lsn, "a kept version is newer than the part that adopts it");
      }
      if (versions.length === 0) return;
      await this.#writing.change(part, epoch, (author) =>
        keptVersionsChange(author, versions, head),
      );
    });
  }

  async sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<PartHead> {
    return this.#inTurn(part, async () => {
      const before = await this.#ownHead(part, epoch);
      if (throughLsn <= before.sweptLsn) return before;
      assert(throughLsn <= before.lsn, "cannot sweep what has not happened");
      return this.#writing.change(part, epoch, (author) => sweepChange(author, throughLsn));
    });
  }

  /**
   * The part is gone when this resolves; its rows go after that, and after a restart if they
   * must.
   */
  async drop(part: number): Promise<void> {
    await this.#inTurn(part, async () => {
      await this.#ask(WRITES.drop, [part]);
    });
    this.#remove(part);
    await this.#removing;
  }

  async acquireLease(
    name: string,
    owner: string,
    nowMs: number,
    durationMs: number,
  ): Promise<Lease | undefined> {
    this.#checkOpen();
    const until = nowMs + durationMs;
    const values = [
      LEASE_PART,
      bytesOf(name),
      bytesOf(owner),
      Math.floor(nowMs),
      Math.floor(until),
    ];
    const { rows } = await this.#ask(WRITES.takeLease, values);
    return rows[0] && { owner, fencingToken: rows[0][0] as number, until };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A database that cannot be reached is free by itself when the time is over.
    await this.#tenure.end().catch(() => undefined);
    await Promise.all([this.#readers.close(), this.#writers.close()]);
    await this.#removing;
  }

  async #begin(onTaken: PostgresOptions["onTaken"]): Promise<void> {
    for (;;) {
      const holder = await this.#tenure.begin();
      if (holder === undefined) return;
      await onTaken(holder);
    }
  }

  /** Statements that come to the same when they are sent twice. */
  #ask(...asked: Parameters<PartReads["ask"]>): ReturnType<PartReads["ask"]> {
    return this.#reading.ask(...asked);
  }

  async #ownHead(part: number, epoch: number): Promise<PartHead> {
    const head = (await this.#reading.head(part)) ?? EMPTY_HEAD;
    if (head.epoch !== epoch) throw new Fenced(`part ${part} is at epoch ${head.epoch}`);
    return head;
  }

  #inTurn<T>(part: number, action: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.#writing.inTurn(part, action);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreFault("The store is closed.");
  }

  /**
   * One part after the other. A removal that the closing store ends goes on after the next start.
   */
  #remove(part: number): void {
    this.#removing = this.#removing.then(async () => {
      try {
        for (const removal of REMOVALS) {
          let count = REMOVED_MAX;
          while (count > 0 && !this.#isClosed) {
            ({ count } = await this.#ask(removal, [part, REMOVED_MAX]));
          }
        }
        if (!this.#isClosed) await this.#ask(WRITES.forgetHead, [part]);
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
      }
    });
  }
}
