/**
 * The one owner of an EPK range: every read and write of its items goes through here.
 *
 * Writes wait in an inbox. The physical partition takes all waiting writes as one batch, checks
 * each against the stored version and the earlier writes of the batch, and commits them together;
 * no caller is answered before the commit is durable. The batches give ordering, group commit and
 * back-pressure in one. While a batch is in flight nothing else changes this part of the store, so
 * what was checked is still true at the commit.
 *
 * Work that needs the part for itself runs between two batches (`exclusively`). So does the end of
 * a physical partition that was split or merged: writes that wait or come later go to its
 * successors.
 *
 * Not here: which physical partition owns a key (`partition/partitionMap.ts`), what a write comes
 * to (`writeBatch.ts`), what it costs (`throughput/charge.ts`), who pays (`spending.ts`).
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn, Ru } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Caller } from "../../model/caller.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ReadTerms } from "../../model/request/readTerms.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { PartitionEntry } from "../../partition/partitionMap.ts";
import type {
  PartHead,
  PartitionStore,
  StoredItem,
  WriteGroup,
} from "../../store/partitionStore.ts";
import { StoreDamage } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type {
  BatchOperation,
  BatchOutcome,
  ItemOutcome,
  WriteCommand,
} from "../item/itemCommand.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "../item/itemKey.ts";
import type { Deletion, PrepareSetting, Stamping } from "../item/prepare.ts";
import { deletionOf, expiryOf } from "../item/prepare.ts";
import type { TransactionTerms } from "../item/transaction.ts";
import { WriteBatch } from "../item/writeBatch.ts";
import type { Container } from "./container.ts";
import { Inbox } from "./inbox.ts";
import { ItemNumbers } from "./itemNumbers.ts";
import { readOutcome } from "./readOutcome.ts";
import type { Spending } from "./spending.ts";
import { attempted, storeRefusal } from "./storeRefusal.ts";
import type { RunOutcome, Standing, TurnVerdict, Waiting, WaitingRun } from "./waiting.ts";
import {
  ownerGone,
  refusing,
  waitingCommand,
  waitingCopy,
  waitingRun,
  waitingTransaction,
} from "./waiting.ts";
import { Watches } from "./watches.ts";

const INBOX_RETRY_MS = 100;

const THROTTLED_CHARGE = chargeOf({ kind: "throttled" });

interface PartitionSetting {
  readonly container: Container;
  readonly entry: PartitionEntry;
  readonly epoch: number;
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly spending: Spending;
  /** Returns a text that it never returned before in the life of the account. */
  nextEtag(): string;
  /** Called after a commit that left the part larger than a physical partition may be. */
  onOvergrown(partition: PhysicalPartition): void;
}

type SuccessorOf = (epk: Epk) => PhysicalPartition;
type Lead = (outcome: ItemOutcome) => MaybePromise<ItemOutcome>;
const asItCame: Lead = (outcome) => outcome;

export class PhysicalPartition {
  readonly entry: PartitionEntry;
  readonly spending: Spending;
  readonly watches: Watches = new Watches();
  readonly #setting: PartitionSetting;
  #head: PartHead;
  readonly #numbers: ItemNumbers;
  readonly #inbox = new Inbox();
  /** Steps that need the part for themselves; none of them throws. */
  #steps: (() => Promise<void>)[] = [];
  #draining: Promise<void> | undefined;
  /** Set once the successors have taken over, after a split or merge. */
  #successorOf: SuccessorOf | undefined;

  constructor(setting: PartitionSetting, head: PartHead) {
    this.#setting = setting;
    this.#head = head;
    this.entry = setting.entry;
    this.#numbers = new ItemNumbers(setting.entry.ordinal);
    this.spending = setting.spending;
  }

  get container(): Container {
    return this.#setting.container;
  }

  /** The latest committed LSN. */
  get lsn(): Lsn {
    return this.#head.lsn;
  }

  get head(): PartHead {
    return this.#head;
  }

  /** Answers without a promise when the store can. */
  read(epk: Epk, id: string, terms: ReadTerms): MaybePromise<ItemOutcome> {
    if (this.#successorOf !== undefined) return this.#successorOf(epk).read(epk, id, terms);
    const refusal = this.spending.admit("read", epk, terms.caller);
    if (refusal !== undefined) return this.#refused(refusal, THROTTLED_CHARGE);
    const got = attempted(() => this.#setting.store.get(this.entry.part, itemKeyOf(epk, id)));
    if (!got.ok) return this.#refused(got.error, chargeOf({ kind: "readMissing" }));
    const found = got.value;
    if (found instanceof Promise) {
      return found.then((item) => this.#settleRead(epk, id, item, terms));
    }
    const outcome = readOutcome(this, found, terms);
    this.spending.settleAtOnce("read", epk, outcome.charge, terms.caller);
    return outcome;
  }

  /** The id of the item called `name`, else that of the item with this number, else `name`. */
  async idByName(epk: Epk, name: string, number: number): Promise<string> {
    const { store } = this.#setting;
    const { part } = this.entry;
    if ((await store.get(part, itemKeyOf(epk, name))) !== undefined) return name;
    const { items } = await store.scanItems(part, number - 1, { countMax: 1, bytesMax: 1 });
    if (this.#successorOf !== undefined) {
      return this.#successorOf(epk).idByName(epk, name, number);
    }
    const [item] = items;
    return item?.number === number && epkOfKey(item.key) === epk ? idOfKey(item.key) : name;
  }

  /** True if the item has not expired at `at`, in ms since 1970 (now if absent), or is held. */
  isLive(item: StoredItem, at?: number): boolean {
    const { container, clock } = this.#setting;
    return !container.hasTtl || container.isLive(item, at ?? clock.wallNow());
  }

  /** Refuses, and counts, a write that cannot be served now; `undefined` if it may be submitted. */
  refuseWrite(epk: Epk, caller: Caller): ItemOutcome | undefined {
    if (this.#successorOf !== undefined) return this.#successorOf(epk).refuseWrite(epk, caller);
    const { closedFor } = this.container;
    if (closedFor) return this.#refused(closedFor, chargeOf({ kind: "metadata" }));
    const refusal = this.#inbox.isFull
      ? ({ kind: "throttled", retryAfterMs: INBOX_RETRY_MS } as const)
      : this.spending.admit("write", epk, caller);
    return refusal && this.#refused(refusal, THROTTLED_CHARGE);
  }

  /** Resolves when the command is durable, or refused; with what `lead` makes of that. */
  submit(command: WriteCommand, caller: Caller, lead: Lead = asItCame): Promise<ItemOutcome> {
    const successor = this.#successorOf?.(command.epk);
    if (successor !== undefined) return successor.submit(command, caller, lead);
    const refused = this.refuseWrite(command.epk, caller);
    if (refused !== undefined) return Promise.resolve(lead(refused));
    return new Promise((resolve, reject) => {
      this.#enqueue(waitingCommand(command, caller, (one) => resolve(lead(one)), reject));
    });
  }

  /** Submits what a copy job writes: closed containers take it, and its budget is its own care. */
  submitCopy(command: WriteCommand): Promise<ItemOutcome> {
    const successor = this.#successorOf?.(command.epk);
    if (successor !== undefined) return successor.submitCopy(command);
    return new Promise((resolve, reject) => this.#enqueue(waitingCopy(command, resolve, reject)));
  }

  /** Submits a transaction on one logical partition, all or none. Resolves like `submit`. */
  submitTogether(
    operations: readonly BatchOperation[],
    terms: TransactionTerms & { readonly caller: Caller },
  ): Promise<BatchOutcome> {
    const { epk } = operations[0]!;
    if (this.#successorOf !== undefined) {
      return this.#successorOf(epk).submitTogether(operations, terms);
    }
    const refused = this.refuseWrite(epk, terms.caller);
    if (refused?.kind === "refused") return Promise.resolve(refused);
    return new Promise((resolve, reject) => {
      this.#enqueue(waitingTransaction(operations, terms, resolve, reject));
    });
  }

  /** Submits the writes of a script, all or none; the script was admitted before it began. */
  submitRun(run: WaitingRun): Promise<RunOutcome> {
    const successor = this.#successorOf?.(run.watch.epk);
    if (successor !== undefined) return successor.submitRun(run);
    return new Promise((resolve, reject) => this.#enqueue(waitingRun(run, resolve, reject)));
  }

  /** Makes a batch on the versions of this moment, for the inbox or for a script beside it. */
  newBatch(): WriteBatch {
    const { store } = this.#setting;
    const setting = this.#prepareSetting();
    // All writes of a batch have the same time, however long their preparation takes.
    const isLive = (item: StoredItem): boolean => this.isLive(item, setting.stamping.wallNow);
    const { part } = this.entry;
    return new WriteBatch({ ...setting, store, part, head: this.#head, isLive });
  }

  /**
   * Commits the writes that `find` resolves with, between two batches: nothing changes while `find`
   * runs. Writes nothing in a deleted container or after `retire`. Rejects when the store does.
   */
  commitBetween(find: () => Promise<readonly WriteGroup[]>): Promise<void> {
    return this.exclusively(async () => {
      const isOver = this.#setting.container.isDeleted || this.#successorOf !== undefined;
      if (!isOver) await this.#commit(await find());
    });
  }

  /** Runs a step between two batches; meanwhile only the step itself changes this part. */
  exclusively<T>(step: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#steps.push(() => step().then(resolve, reject));
      this.#draining ??= this.#drain();
    });
  }

  /** Makes the store forget ends and kept versions up to an LSN. Only within `exclusively`. */
  async sweepLog(throughLsn: Lsn): Promise<void> {
    const { store, epoch } = this.#setting;
    this.#head = await store.sweepLog(this.entry.part, epoch, throughLsn);
  }

  /**
   * Holds the logical partition while `action` runs. All other writes to the logical partition wait
   * for `action`, so `action` must end soon, and must not wait for any of these writes.
   */
  async alone<T>(epk: Epk, action: () => Promise<T>): Promise<T> {
    this.#inbox.hold(epk);
    try {
      // The batch in flight may still contain writes to this logical partition.
      await this.exclusively(() => Promise.resolve());
      return await action();
    } finally {
      this.#inbox.release(epk);
      this.#draining ??= this.#drain();
    }
  }

  /** Returns the write that removes an item if the item has expired. */
  expiry(item: StoredItem | undefined): Deletion | undefined {
    if (item === undefined || this.isLive(item)) return undefined;
    return expiryOf(this.#prepareSetting(), item);
  }

  deletion(item: StoredItem): Deletion {
    return deletionOf(this.#prepareSetting(), item);
  }

  /** Passes all keys on to the successors. Only within `exclusively`: no batch may be in flight. */
  retire(successorOf: SuccessorOf): void {
    this.#successorOf = successorOf;
    this.watches.loseAll();
    for (const waiting of this.#inbox.takeAll()) successorOf(waiting.epk).#enqueue(waiting);
  }

  /** Answers the writes of clients that wait, and returns their number; within `exclusively`. */
  refuseWaiting(refusal: Refusal): number {
    const refused = this.#inbox.takeOfClients();
    for (const waiting of refused) waiting.refuse(refusal, THROTTLED_CHARGE, this.#standing);
    return refused.length;
  }

  /** How many writes wait for their turn. */
  get waitingCount(): number {
    return this.#inbox.count;
  }

  get isRetired(): boolean {
    return this.#successorOf !== undefined;
  }

  async settled(): Promise<void> {
    await this.#draining;
  }

  #enqueue(waiting: Waiting): void {
    this.#inbox.push(waiting);
    this.#draining ??= this.#drain();
  }

  #settleRead(
    epk: Epk,
    id: string,
    found: StoredItem | undefined,
    terms: ReadTerms,
  ): MaybePromise<ItemOutcome> {
    // While the store read asynchronously, a split or merge may have retired this physical
    // partition.
    if (this.#successorOf !== undefined) return this.#successorOf(epk).read(epk, id, terms);
    const outcome = readOutcome(this, found, terms);
    this.spending.settle("read", epk, outcome.charge, terms.caller);
    return outcome;
  }

  async #drain(): Promise<void> {
    // Requests that arrived in the same turn of the event loop belong into the same batch.
    await this.#setting.timer.soon();
    while (this.#inbox.count + this.#steps.length > 0) {
      const step = this.#steps.shift();
      if (step !== undefined) await step();
      if (this.#inbox.count === 0) continue;
      await this.#runOrFail(this.#inbox.takeBatch());
    }
    this.#draining = undefined;
  }

  /** Runs a damaged batch again write by write: nothing was committed, and only some need fail. */
  async #runOrFail(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#runBatch(batch);
    } catch (error) {
      if (!(error instanceof StoreDamage) || batch.length === 1) this.#fail(batch, error);
      else for (const one of batch) await this.#runOrFail([one]);
    }
  }

  async #runBatch(waiting: readonly Waiting[]): Promise<void> {
    const { container, store } = this.#setting;
    const keys = [...new Set(waiting.flatMap((one) => one.keys))];
    const stored = store.getMany(this.entry.part, keys);
    const found = stored instanceof Promise ? await stored : stored;
    const batch = this.newBatch();
    for (const [index, key] of keys.entries()) batch.learn(key, found[index]);
    const verdicts: TurnVerdict[] = [];
    for (const one of waiting) {
      const next = container.isDeleted ? ownerGone(one) : this.#take(batch, one);
      verdicts.push(next instanceof Promise ? await next : next);
    }
    const lsns = await this.#commit(batch.groups);
    batch.assertCommitted(lsns);
    const standing = this.#standing;
    let groupCount = 0;
    for (const verdict of verdicts) {
      verdict.tell(standing, verdict.hasWritten ? lsns[groupCount++]! : standing.lsn);
    }
  }

  /** While the disk is full, refuses writes that grow: they would fail the whole commit. */
  #take(batch: WriteBatch, waiting: Waiting): MaybePromise<TurnVerdict> {
    const { container, store } = this.#setting;
    const obstacle = waiting.isShrinking ? undefined : store.obstacleOf(this.entry.part);
    // The container may have been closed while the write waited.
    const refusal = (waiting.isOfJob ? undefined : container.closedFor) ?? storeRefusal(obstacle);
    if (refusal === undefined) return this.#prepare(batch, waiting);
    return refusing(waiting, refusal, chargeOf({ kind: "metadata" }));
  }

  /** Each write pays before the next one asks, so a batch spends little beyond the budget. */
  #prepare(batch: WriteBatch, waiting: Waiting): MaybePromise<TurnVerdict> {
    const { epk, caller } = waiting;
    const refusal = waiting.isAdmitted ? undefined : this.spending.admit("write", epk, caller);
    if (refusal !== undefined) return refusing(waiting, refusal, THROTTLED_CHARGE);
    const settle = (verdict: TurnVerdict): TurnVerdict => {
      if (waiting.isOfJob === true) this.spending.settleLeftOver(verdict.charge);
      else this.spending.settle("write", epk, verdict.charge, caller);
      return verdict;
    };
    const verdict = waiting.prepare(batch);
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  }

  /** Takes over what the commit came to; resolves with the LSNs of the groups. */
  async #commit(groups: readonly WriteGroup[]): Promise<readonly Lsn[]> {
    const { store, epoch, limits, onOvergrown } = this.#setting;
    if (!groups.some((group) => group.length > 0)) return [];
    const { keepsVersions } = this.#setting.container;
    const { head, lsns } = await store.commit(this.entry.part, epoch, groups, { keepsVersions });
    this.watches.note(groups);
    this.#head = head;
    this.#setting.container.guard?.note(groups);
    if (head.itemBytes > limits.physicalPartitionBytesMax) onOvergrown(this);
    return lsns;
  }

  /** A store fault becomes a refusal for all callers; any other error rejects their promises. */
  #fail(batch: readonly Waiting[], error: unknown): void {
    const refusal = storeRefusal(error);
    for (const waiting of batch) {
      if (refusal === undefined) waiting.reject(error);
      else waiting.refuse(refusal, chargeOf({ kind: "metadata" }), this.#standing);
    }
  }

  #prepareSetting(): PrepareSetting {
    const { container, limits } = this.#setting;
    return { container, limits, stamping: this.#stamping() };
  }

  #stamping(): Stamping {
    const { clock, nextEtag, container } = this.#setting;
    const nextNumber = (): number => this.#numbers.next(this.#head, container.record);
    return { nextNumber, nextEtag, wallNow: clock.wallNow() };
  }

  #refused(refusal: Refusal, charge: Ru): ItemOutcome {
    return { kind: "refused", refusal, charge, ...this.#standing };
  }

  get #standing(): Standing {
    return { lsn: this.#head.lsn, rangeId: this.entry.id };
  }
}
