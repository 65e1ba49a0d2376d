/**
 * The one owner of an EPK range: every read and write of its items goes through here.
 *
 * Writes wait in an inbox. At its own pace the partition takes all that wait as one batch, checks
 * each against the stored version and the writes of the batch before it, and commits them together;
 * nobody is answered before the commit is durable. That is ordering, group commit and back-pressure
 * in one. While a batch is in flight nothing else of this partition can change the store, so what
 * was checked is still true when it is committed.
 *
 * Not here: which partition owns a key (`partition/partitionMap.ts`), what a write comes to
 * (`prepare.ts`), what it costs (`throughput/charge.ts`).
 */
import { assert } from "../base/assert.ts";
import type { MaybePromise } from "../base/result.ts";
import type { Lsn, Ru } from "../base/units.ts";
import { lsn } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import type { Limits } from "../model/limits.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Epk } from "../partition/epkRange.ts";
import type { PartitionEntry } from "../partition/partitionMap.ts";
import type {
  ItemWrite,
  PartHead,
  PartitionStore,
  StoredItem,
  WriteGroup,
} from "../store/partitionStore.ts";
import { Fenced, StoreFault } from "../store/partitionStore.ts";
import { chargeOf } from "../throughput/charge.ts";
import type { Container } from "./container.ts";
import { etagOf } from "./itemBody.ts";
import type { ItemOutcome, WriteCommand } from "./itemCommand.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "./itemKey.ts";
import { isUniqueTerm } from "./itemTerms.ts";
import type { Prepared } from "./prepare.ts";
import { isSameEtag, prepare } from "./prepare.ts";
import { isExpired } from "./ttl.ts";

/** Item numbers of one physical partition start here times its ordinal, so none occurs twice. */
const NUMBERS_PER_PARTITION = 2 ** 36;
/** A batch this large costs about what an fsync does; longer ones only make the first wait. */
const BATCH_COUNT_MAX = 128;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** What may wait to be written. More than this is told to come back. */
const INBOX_BYTES_MAX = 64 * 1024 * 1024;
const INBOX_RETRY_MS = 100;

export interface PartitionSetting {
  readonly container: Container;
  readonly entry: PartitionEntry;
  readonly epoch: number;
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  /** Never the same text twice in the life of an account. */
  nextEtag(): string;
}

type Accepted = Exclude<Prepared, { readonly kind: "refused" }>;

interface Waiting {
  readonly command: WriteCommand;
  readonly key: string;
  readonly resolve: (outcome: ItemOutcome) => void;
  readonly reject: (defect: unknown) => void;
}

export class PhysicalPartition {
  readonly entry: PartitionEntry;
  readonly #setting: PartitionSetting;
  #head: PartHead;
  #lastNumber = 0;
  #inbox: Waiting[] = [];
  #inboxBytes = 0;
  /** Work that wants the part for itself; none of them throws. */
  #steps: (() => Promise<void>)[] = [];
  #draining: Promise<void> | undefined;

  constructor(setting: PartitionSetting, head: PartHead) {
    this.#setting = setting;
    this.#head = head;
    this.entry = setting.entry;
  }

  /** The latest committed LSN. */
  get lsn(): Lsn {
    return this.#head.lsn;
  }

  get head(): PartHead {
    return this.#head;
  }

  /** Answers at once when the store can. */
  read(epk: Epk, id: string, ifNoneMatch: string | undefined): MaybePromise<ItemOutcome> {
    const { store } = this.#setting;
    const found = store.get(this.entry.part, itemKeyOf(epk, id));
    return found instanceof Promise
      ? found.then((item) => this.#answerRead(item, ifNoneMatch))
      : this.#answerRead(found, ifNoneMatch);
  }

  /** The id of the item called `name`, else that of the item with this number, else `name`. */
  async idByName(epk: Epk, name: string, number: number): Promise<string> {
    const { store } = this.#setting;
    const { part } = this.entry;
    if ((await store.get(part, itemKeyOf(epk, name))) !== undefined) return name;
    const { items } = await store.scanItems(part, number - 1, { countMax: 1, bytesMax: 1 });
    const [item] = items;
    return item?.number === number && epkOfKey(item.key) === epk ? idOfKey(item.key) : name;
  }

  isLive(item: StoredItem): boolean {
    return this.#live(item) !== undefined;
  }

  /** Resolves when the command is durable, or refused. */
  submit(command: WriteCommand): Promise<ItemOutcome> {
    if (this.#inboxBytes > INBOX_BYTES_MAX) {
      const refusal: Refusal = { kind: "throttled", retryAfterMs: INBOX_RETRY_MS };
      return Promise.resolve(this.#refused(refusal, chargeOf({ kind: "throttled" })));
    }
    const key = itemKeyOf(command.epk, command.id);
    return new Promise((resolve, reject) => {
      this.#inbox.push({ command, key, resolve, reject });
      this.#inboxBytes += bytesOf(command);
      this.#draining ??= this.#drain();
    });
  }

  /**
   * Commits what `find` finds to write, between two batches: while it looks, nothing changes. In a
   * deleted container nothing is written. Rejects when the store does.
   */
  commitBetween(find: () => Promise<readonly WriteGroup[]>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#steps.push(async () => {
        try {
          if (!this.#setting.container.isDeleted) await this.#commit(await find());
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when everything that was submitted has been answered. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  #answerRead(found: StoredItem | undefined, ifNoneMatch: string | undefined): ItemOutcome {
    const item = this.#live(found);
    if (item === undefined) {
      return this.#refused({ kind: "notFound" }, chargeOf({ kind: "readMissing" }));
    }
    const etag = etagOf(item.body);
    const answer = { lsn: this.#head.lsn, rangeId: this.entry.id, etag, itemLsn: item.lsn };
    if (ifNoneMatch !== undefined && (ifNoneMatch === "*" || isSameEtag(ifNoneMatch, etag))) {
      return { kind: "unchanged", ...answer, charge: chargeOf({ kind: "readUnchanged" }) };
    }
    const charge = chargeOf({ kind: "read", bytes: item.body.length });
    return { kind: "found", ...answer, charge, body: item.body };
  }

  async #drain(): Promise<void> {
    // Requests that arrived in the same turn of the event loop belong into the same batch.
    await this.#setting.timer.soon();
    while (this.#inbox.length + this.#steps.length > 0) {
      const step = this.#steps.shift();
      if (step !== undefined) await step();
      if (this.#inbox.length === 0) continue;
      const batch = this.#takeBatch();
      try {
        await this.#runBatch(batch);
      } catch (error) {
        this.#fail(batch, error);
      }
    }
    this.#draining = undefined;
  }

  #takeBatch(): readonly Waiting[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#inbox.length && count < BATCH_COUNT_MAX && bytes < BATCH_BYTES_MAX) {
      bytes += bytesOf(this.#inbox[count]!.command);
      count++;
    }
    this.#inboxBytes -= bytes;
    return this.#inbox.splice(0, count);
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    const { container, store } = this.#setting;
    const keys = [...new Set(batch.map(({ key }) => key))];
    const stored = store.getMany(this.entry.part, keys);
    const found = stored instanceof Promise ? await stored : stored;
    const current = new Map(keys.map((key, index) => [key, found[index]]));

    const groups: WriteGroup[] = [];
    const prepared: Prepared[] = [];
    for (const { command, key } of batch) {
      const next = container.isDeleted ? gone() : this.#prepareOne(command, key, current, groups);
      prepared.push(next instanceof Promise ? await next : next);
    }
    await this.#commit(groups);
    let groupIndex = 0;
    const firstLsn = this.#head.lsn - groups.length + 1;
    batch.forEach(({ resolve }, index) => {
      const result = prepared[index]!;
      const itemLsn = lsn(firstLsn + groupIndex);
      if (result.kind !== "refused") groupIndex++;
      resolve(this.#outcomeOf(result, itemLsn));
    });
  }

  async #commit(groups: readonly WriteGroup[]): Promise<void> {
    const { store, epoch } = this.#setting;
    if (!groups.some((group) => group.length > 0)) return;
    await store.commit(this.entry.part, epoch, groups);
    this.#head = (await store.head(this.entry.part))!;
  }

  /** A failing disk is a refusal to its callers; anything else is a defect, and theirs to see. */
  #fail(batch: readonly Waiting[], error: unknown): void {
    const isFault = error instanceof StoreFault || error instanceof Fenced;
    for (const { resolve, reject } of batch) {
      if (!isFault) reject(error);
      else {
        const refusal: Refusal = { kind: "unavailable", message: error.message };
        resolve(this.#refused(refusal, chargeOf({ kind: "metadata" })));
      }
    }
  }

  /** Prepares a command on what the batch has made of the item so far, and adds its write. */
  #prepareOne(
    command: WriteCommand,
    key: string,
    current: Map<string, StoredItem | undefined>,
    groups: WriteGroup[],
  ): MaybePromise<Prepared> {
    const { clock } = this.#setting;
    const stamping = {
      nextNumber: () => this.#nextNumber(),
      nextEtag: this.#setting.nextEtag,
      wallNow: clock.wallNow(),
    };
    const before = current.get(key);
    const expired = before !== undefined && this.#live(before) === undefined ? before : undefined;
    const result = prepare(
      { container: this.#setting.container, limits: this.#setting.limits, stamping },
      command,
      expired === undefined ? before : undefined,
    );
    if (result.kind === "refused") return result;
    // An expired item still holds its place; whoever writes there clears it in the same commit.
    const cleared = expired === undefined ? [] : [expired];
    const uniqueTerms = this.#uniqueTermsOf(result.write);
    if (uniqueTerms.length === 0) return this.#accept(result, key, cleared, current, groups);
    return this.#uniqueTermHolders(uniqueTerms, result, current, groups).then((holders) =>
      holders === undefined
        ? uniqueKeyTaken()
        : this.#accept(result, key, [...cleared, ...holders], current, groups),
    );
  }

  #uniqueTermsOf(write: ItemWrite): readonly string[] {
    const { uniqueKeyPolicy } = this.#setting.container.definition;
    if (uniqueKeyPolicy === undefined || write.kind === "delete") return [];
    return write.termsAdded.filter(isUniqueTerm);
  }

  /** Adds a write to the batch; the commands behind it see the item as it leaves it. */
  #accept(
    result: Accepted,
    key: string,
    cleared: readonly StoredItem[],
    current: Map<string, StoredItem | undefined>,
    groups: WriteGroup[],
  ): Prepared {
    // One item may stand in the way twice, by its id and by a unique value.
    const clearedOnce = [...new Map(cleared.map((item) => [item.number, item])).values()];
    for (const item of clearedOnce) current.set(item.key, undefined);
    groups.push([...clearedOnce.map((item) => this.#removalOf(item)), result.write]);
    const itemLsn = lsn(this.#head.lsn + groups.length);
    const { write } = result;
    current.set(
      key,
      write.kind === "put"
        ? { key, number: write.number, lsn: itemLsn, tag: write.tag, body: result.body! }
        : undefined,
    );
    return result;
  }

  /**
   * Who stands in the way of the unique terms of a write: `undefined` when a live item does,
   * otherwise the expired ones that have to be cleared first.
   */
  async #uniqueTermHolders(
    uniqueTerms: readonly string[],
    result: Accepted,
    current: ReadonlyMap<string, StoredItem | undefined>,
    groups: readonly WriteGroup[],
  ): Promise<readonly StoredItem[] | undefined> {
    const { number } = result.write;
    const expired: StoredItem[] = [];
    for (const term of uniqueTerms) {
      const inBatch = lastWordOn(term, groups);
      if (inBatch === "held") return undefined;
      if (inBatch === "released") continue;
      const range = { min: term, max: `${term}\xff\xff` };
      const scan = { range, countMax: 2, bytesMax: Number.POSITIVE_INFINITY, withItems: true };
      const page = await this.#setting.store.scanTerms(this.entry.part, scan);
      for (const { item } of page.entries) {
        if (item === undefined || item.number === number) continue;
        // An earlier command of the batch may have given the item another life.
        if (this.isLive(current.get(item.key) ?? item)) return undefined;
        expired.push(item);
      }
    }
    return expired;
  }

  #removalOf(expired: StoredItem): WriteGroup[number] {
    const { container, limits } = this.#setting;
    const stamping = { nextNumber: () => 0, nextEtag: () => "", wallNow: 0 };
    const command = { kind: "delete", epk: "" as Epk, id: "" } as const;
    const removal = prepare({ container, limits, stamping }, command, expired);
    assert(removal.kind === "deleted", "a delete without conditions was refused");
    return removal.write;
  }

  #nextNumber(): number {
    const first = this.entry.ordinal * NUMBERS_PER_PARTITION;
    this.#lastNumber = Math.max(this.#lastNumber, this.#head.numberMax, first) + 1;
    return this.#lastNumber;
  }

  #live(item: StoredItem | undefined): StoredItem | undefined {
    const { container, clock } = this.#setting;
    const { defaultTtl } = container.definition;
    if (item === undefined || defaultTtl === undefined) return item;
    return isExpired(item, defaultTtl, clock.wallNow()) ? undefined : item;
  }

  #outcomeOf(prepared: Prepared, itemLsn: Lsn): ItemOutcome {
    if (prepared.kind === "refused") return this.#refused(prepared.refusal, prepared.charge);
    const { kind, charge, body } = prepared;
    const etag = body && etagOf(body);
    return { kind, charge, body, etag, itemLsn, lsn: this.#head.lsn, rangeId: this.entry.id };
  }

  #refused(refusal: Refusal, charge: Ru): ItemOutcome {
    const answer = { lsn: this.#head.lsn, rangeId: this.entry.id };
    return { kind: "refused", refusal, charge, ...answer };
  }
}

/** What the writes of the batch so far have done about a unique term. */
function lastWordOn(term: string, groups: readonly WriteGroup[]): "held" | "released" | undefined {
  for (const write of groups.flat().reverse()) {
    if (write.kind === "put" && write.termsAdded.includes(term)) return "held";
    if (write.termsRemoved.includes(term)) return "released";
  }
  return undefined;
}

function uniqueKeyTaken(): Prepared {
  const charge = chargeOf({ kind: "refused", examinedBytes: 0 });
  return { kind: "refused", refusal: { kind: "uniqueKeyTaken" }, charge };
}

function gone(): Prepared {
  return {
    kind: "refused",
    refusal: { kind: "ownerNotFound" },
    charge: chargeOf({ kind: "metadata" }),
  };
}

function bytesOf(command: WriteCommand): number {
  return "draft" in command ? command.draft.text.length : 0;
}
