/**
 * The commands that a physical partition takes at once. Each command is prepared against the stored
 * versions as the commands before it changed them; it adds its write to the batch, or is refused
 * and adds nothing.
 *
 * What the batch looks up in the store (holders of unique values, the size of a logical partition)
 * is still true at the commit, because nothing else changes the part meanwhile.
 */
import { assert } from "../../base/assert.ts";
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type {
  ItemWrite,
  PartitionStore,
  StoredItem,
  WriteGroup,
} from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Container } from "../partition/container.ts";
import { combinedWrites } from "./combinedWrites.ts";
import { objectOf } from "./itemBody.ts";
import type { WriteCommand } from "./itemCommand.ts";
import { isUniqueTerm } from "./itemTerms.ts";
import type { Prepared, Stamping } from "./prepare.ts";
import { deletionOf, expiryOf, prepare } from "./prepare.ts";

interface BatchSetting {
  readonly container: Container;
  readonly store: PartitionStore;
  readonly limits: Limits;
  readonly part: number;
  /** The head of the part at the beginning of the batch. */
  readonly head: { readonly lsn: Lsn; readonly itemBytes: number };
  readonly stamping: Stamping;
  isLive(item: StoredItem): boolean;
}

interface Transaction {
  readonly writes: ItemWrite[];
  /** By item key: the version that the transaction found. */
  readonly currentBefore: Map<string, StoredItem | undefined>;
}

type Accepted = Exclude<Prepared, { readonly kind: "refused" }>;

export class WriteBatch {
  /**
   * The writes of the batch in order: a group for each command or transaction that was accepted.
   */
  readonly groups: WriteGroup[] = [];
  readonly #setting: BatchSetting;
  /** By item key: the version that the next command on this item finds. */
  readonly #current = new Map<string, StoredItem | undefined>();
  /** By EPK: the bytes by which the batch has made a logical partition grow so far. */
  #growthOf = new Map<Epk, number>();
  #growth = 0;
  /** The writes of the transaction under way, and what is needed to undo them. */
  #transaction: Transaction | undefined;

  constructor(setting: BatchSetting) {
    this.#setting = setting;
  }

  /**
   * Returns the version that the next command on an item finds; an expired version counts as none.
   */
  found(key: string): StoredItem | undefined {
    const item = this.#current.get(key);
    return item !== undefined && this.#setting.isLive(item) ? item : undefined;
  }

  /** Takes note of a stored version, unless the batch already knows a version of the item. */
  learn(key: string, stored: StoredItem | undefined): void {
    if (!this.#current.has(key)) this.#current.set(key, stored);
  }

  knows(key: string): boolean {
    return this.#current.has(key);
  }

  /** What the transaction under way has written so far, in order. */
  get writtenTogether(): readonly ItemWrite[] {
    return this.#transaction?.writes ?? [];
  }

  /** Adds writes that a script prepared on versions that are still the stored ones. */
  async adopt(epk: Epk, group: WriteGroup): Promise<Refusal | undefined> {
    if (group.length === 0) return undefined;
    const growth = growthOf(group, []);
    if (await this.#isTooMuch(epk, growth)) {
      return {
        kind: "logicalPartitionFull",
        bytesMax: this.#setting.limits.logicalPartitionBytesMax,
      };
    }
    const itemLsn = this.#lsnOf(this.groups.length);
    this.groups.push(group);
    this.#growth += growth;
    this.#growthOf.set(epk, (this.#growthOf.get(epk) ?? 0) + growth);
    // Deletes are applied first, because a group may end an item and begin another under the same
    // key.
    for (const write of group) if (write.kind === "delete") this.#become(write.key, undefined);
    for (const write of group) {
      if (write.kind !== "put") continue;
      const { key, number, tag } = write;
      this.#become(key, { key, number, lsn: itemLsn, tag, body: Buffer.from(write.body) });
    }
    return undefined;
  }

  /**
   * Runs `step`, whose writes become one group if it resolves with true and are undone if it
   * resolves with false. No other command may be prepared meanwhile. Resolves with whether a group
   * was added.
   */
  async together(step: () => Promise<boolean>): Promise<boolean> {
    const { growth, growthOf } = { growth: this.#growth, growthOf: new Map(this.#growthOf) };
    const transaction: Transaction = { writes: [], currentBefore: new Map() };
    this.#transaction = transaction;
    const isKept = await step();
    this.#transaction = undefined;
    const group = isKept ? combinedWrites(transaction.writes).map(endOfSeen(transaction)) : [];
    if (group.length > 0) this.groups.push(group);
    if (isKept) return group.length > 0;
    for (const [key, item] of transaction.currentBefore) this.#current.set(key, item);
    this.#growth = growth;
    this.#growthOf = growthOf;
    return false;
  }

  prepare(command: WriteCommand, key: string): MaybePromise<Prepared> {
    const { container, limits, stamping } = this.#setting;
    const before = this.#current.get(key);
    const displaced = this.#displacedBy(command, before);
    const isGone = before !== undefined && !this.#setting.isLive(before);
    // It holds the key, and the command does not find it.
    const inTheWay = isGone ? before : displaced;
    const found = inTheWay === undefined ? before : undefined;
    const result = prepare({ container, limits, stamping }, command, found);
    if (result.kind === "refused") return result;
    const isRenamed = result.ended !== undefined;
    if (isRenamed && this.found(result.write.key) !== undefined)
      return refused({ kind: "idTaken" });
    // What holds the key is cleared in the same commit by the write that takes the key.
    const inPlace = isRenamed ? this.#current.get(result.write.key) : inTheWay;
    const cleared = inPlace === undefined ? [] : [inPlace];
    const uniqueTerms = this.#uniqueTermsOf(result);
    if (uniqueTerms.length === 0) return this.#fit(command, result, cleared);
    return this.#uniqueTermHolders(uniqueTerms, result, displaced).then((holders) =>
      holders === undefined
        ? refused({ kind: "uniqueKeyTaken" })
        : this.#fit(command, result, [...cleared, ...holders]),
    );
  }

  /** The commands of the batch relied on each other's LSNs: the store has to have given these. */
  assertCommitted(lsns: readonly Lsn[]): void {
    const isAsPredicted = lsns.every((given, index) => given === this.#lsnOf(index));
    assert(lsns.length === this.groups.length && isAsPredicted, "a commit has other LSNs");
  }

  /** What the LSN of a group will be; until the commit has given it, a prediction. */
  #lsnOf(index: number): Lsn {
    return lsn(this.#setting.head.lsn + 1 + index);
  }

  /**
   * Accepts a write unless its logical partition would grow beyond its limit. A job that marks an
   * item is let through: in a full partition, marks are what makes room.
   */
  #fit(
    command: WriteCommand,
    result: Accepted,
    cleared: readonly StoredItem[],
  ): MaybePromise<Prepared> {
    const { limits } = this.#setting;
    const { epk } = command;
    // One item may be cleared for two reasons: it holds the id, and it holds a unique value.
    const clearedOnce = [...new Map(cleared.map((item) => [item.number, item])).values()];
    const growth = growthOf(writesOf(result), clearedOnce);
    const decide = (isTooMuch: boolean): Prepared =>
      isTooMuch
        ? refused({ kind: "logicalPartitionFull", bytesMax: limits.logicalPartitionBytesMax })
        : this.#accept(epk, growth, result, clearedOnce);
    const isMark = command.kind === "replace" && command.original !== undefined;
    const isTooMuch = isMark ? false : this.#isTooMuch(epk, growth);
    return isTooMuch instanceof Promise ? isTooMuch.then(decide) : decide(isTooMuch);
  }

  /** Tells whether a growth by `growth` bytes would bring a logical partition beyond its limit. */
  #isTooMuch(epk: Epk, growth: number): MaybePromise<boolean> {
    const { head, store, part, limits } = this.#setting;
    const bytesMax = limits.logicalPartitionBytesMax;
    // While the whole physical partition is within the limit, no logical partition can exceed it.
    if (growth <= 0 || head.itemBytes + this.#growth + growth <= bytesMax) return false;
    const decide = ({ itemBytes }: { readonly itemBytes: number }): boolean =>
      itemBytes + (this.#growthOf.get(epk) ?? 0) + growth > bytesMax;
    const tally = store.tally(part, epk);
    return tally instanceof Promise ? tally.then(decide) : decide(tally);
  }

  /** Adds a write to the batch, so that later commands see the item as this write leaves it. */
  #accept(epk: Epk, growth: number, result: Accepted, cleared: readonly StoredItem[]): Prepared {
    for (const item of cleared) this.#become(item.key, undefined);
    if (result.ended !== undefined) this.#become(result.ended.key, undefined);
    const itemLsn = this.#lsnOf(this.groups.length);
    const writes = [...cleared.map((item) => this.#removalOf(item)), ...writesOf(result)];
    if (this.#transaction === undefined) this.groups.push(writes);
    else this.#transaction.writes.push(...writes);
    this.#growth += growth;
    this.#growthOf.set(epk, (this.#growthOf.get(epk) ?? 0) + growth);
    const { write } = result;
    const { key, number } = write;
    this.#become(
      key,
      write.kind === "put"
        ? { key, number, lsn: itemLsn, tag: write.tag, body: result.body! }
        : undefined,
    );
    return result;
  }

  #become(key: string, item: StoredItem | undefined): void {
    const before = this.#transaction?.currentBefore;
    if (before?.has(key) === false) before.set(key, this.#current.get(key));
    this.#current.set(key, item);
  }

  /**
   * Returns the unique terms that a write needs. A rename does not need those its item already
   * holds.
   */
  #uniqueTermsOf({ write, ended }: Accepted): readonly string[] {
    const { uniqueKeyPolicy } = this.#setting.container.definition;
    if (uniqueKeyPolicy === undefined || write.kind === "delete") return [];
    const taken = write.termsAdded.filter(isUniqueTerm);
    return ended === undefined ? taken : taken.filter((term) => !ended.termsRemoved.includes(term));
  }

  /**
   * Finds the items that hold the unique terms of a write: resolves with `undefined` when a live
   * item does, otherwise with the expired items that have to be cleared first.
   */
  async #uniqueTermHolders(
    uniqueTerms: readonly string[],
    result: Accepted,
    displaced: StoredItem | undefined,
  ): Promise<readonly StoredItem[] | undefined> {
    const { store, part, isLive } = this.#setting;
    const { number } = result.write;
    const expired: StoredItem[] = [];
    for (const term of uniqueTerms) {
      const inBatch = this.#lastWordOn(term);
      if (inBatch === "held") return undefined;
      if (inBatch === "released") continue;
      const range = { min: term, max: `${term}\xff\xff` };
      const scan = { range, countMax: 2, bytesMax: Number.POSITIVE_INFINITY, withItems: true };
      const page = await store.scanTerms(part, scan);
      for (const { item } of page.entries) {
        if (item === undefined || item.number === number) continue;
        if (item.number === displaced?.number) continue;
        // An earlier command of the batch may have written this item since the scan's version.
        if (isLive(this.#current.get(item.key) ?? item)) return undefined;
        expired.push(item);
      }
    }
    return expired;
  }

  /** Tells whether the batch so far has given a unique term to an item or taken it away. */
  #lastWordOn(term: string): "held" | "released" | undefined {
    for (const write of this.#transaction?.writes.toReversed() ?? []) {
      const word = wordOn(term, [write]);
      if (word !== undefined) return word;
    }
    for (const group of this.groups.toReversed()) {
      const word = wordOn(term, group);
      if (word !== undefined) return word;
    }
    return undefined;
  }

  #removalOf(item: StoredItem): ItemWrite {
    const { container, limits, stamping, isLive } = this.#setting;
    const endOf = isLive(item) ? deletionOf : expiryOf;
    return endOf({ container, limits, stamping }, item).write;
  }

  /** The other item of the same key whose place a copy takes. */
  #displacedBy(command: WriteCommand, before: StoredItem | undefined): StoredItem | undefined {
    if (command.kind !== "copy" || command.takesPlace !== true) return undefined;
    if (before === undefined || before.number === command.original.number) return undefined;
    const isOfKey = this.#setting.container.isOfKey(objectOf(before.body), command.key);
    return isOfKey ? before : undefined;
  }
}

/**
 * Makes a delete keep, as the last version, the one that others could see, not one that only the
 * transaction saw.
 */
function endOfSeen({ currentBefore }: Transaction): (write: ItemWrite) => ItemWrite {
  return (write) => {
    const seen = currentBefore.get(write.key);
    const isOther = write.kind !== "delete" || write.last === undefined;
    return isOther || seen === undefined ? write : { ...write, last: seen.body };
  };
}

function writesOf({ write, ended }: Accepted): WriteGroup {
  return ended === undefined ? [write] : [ended, write];
}

/**
 * Returns the bytes by which writes, and the items that they clear, change their logical partition.
 */
function growthOf(writes: WriteGroup, cleared: readonly StoredItem[]): number {
  let growth = 0;
  for (const write of writes) {
    const after = write.kind === "put" ? write.body.length : 0;
    const before = write.kind === "reterm" ? 0 : (write.before?.bodyBytes ?? 0);
    growth += after - before;
  }
  return cleared.reduce((sum, { body }) => sum - body.length, growth);
}

/**
 * Tells what a group does to a unique term. Within a group one item may release a term that another
 * takes, so an addition decides.
 */
function wordOn(term: string, group: WriteGroup): "held" | "released" | undefined {
  if (group.some((write) => write.kind === "put" && write.termsAdded.includes(term))) return "held";
  return group.some((write) => write.termsRemoved.includes(term)) ? "released" : undefined;
}

function refused(refusal: Refusal): Prepared {
  return { kind: "refused", refusal, charge: chargeOf({ kind: "refused", examinedBytes: 0 }) };
}
