/**
 * What a script does to the items of one logical partition: the script sees its own writes and
 * nobody else does, and in the end all of them are committed under one LSN, or none.
 *
 * A script runs beside the writes of others and makes nobody wait. So the script cannot know
 * whether what it saw is still true when it is done; the physical partition decides that at the
 * commit (`watches.ts`). If something that the script saw has changed, the script runs again
 * (`scriptRuns.ts`).
 */
import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { PartitionStore, StoredItem, WriteGroup } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { SignedCursors } from "../cursor/cursorKey.ts";
import { STAMP_LAG_MS } from "../feed/logTime.ts";
import { etagOf } from "../item/itemBody.ts";
import type { WriteCommand } from "../item/itemCommand.ts";
import { idOfKey, itemKeyOf, itemKeysOf } from "../item/itemKey.ts";
import type { WriteBatch } from "../item/writeBatch.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { RunOutcome } from "../partition/waiting.ts";
import type { Watch } from "../partition/watches.ts";
import type { QueryAnswer, QueryCommand, QuerySetting } from "../query/queryItems.ts";
import { queryItems } from "../query/queryItems.ts";
import { Preview } from "./preview.ts";
import { previewedStore } from "./previewedStore.ts";

const TURN_MS = 4;

export interface TransactionSetting extends Omit<QuerySetting, "store" | "isInner"> {
  readonly store: PartitionStore;
  readonly container: Container;
  readonly key: PartitionKey;
  readonly epk: Epk;
  readonly consistency: Consistency;
}

/** An item as an operation found it or left it. */
export interface ScriptItem {
  readonly body: Buffer | undefined;
  readonly etag: string | undefined;
}

interface SettleTerms {
  readonly caller: Caller;
  /** True when the script holds its logical partition (`alone`). */
  readonly isHolder?: boolean | undefined;
}

export class ScriptTransaction {
  readonly #setting: TransactionSetting;
  readonly partition: PhysicalPartition;
  readonly #batch: WriteBatch;
  readonly #watch: Watch;
  readonly #definition: Container["definition"];
  readonly #stampedAt: number;
  readonly #seenKeys = new Set<string>();
  #hasSeenEverything = false;
  /** The first `#previewedCount` writes of the transaction, as a preview. */
  readonly #preview = new Preview();
  #previewedCount = 0;
  /** The charges of the operations so far, in order. */
  readonly charges: Ru[] = [];

  constructor(setting: TransactionSetting) {
    const { container, epk } = setting;
    this.#setting = setting;
    this.partition = container.ownerOf(epk);
    this.#definition = container.definition;
    // From here on the watch is told of every change.
    this.#watch = this.partition.watches.set(epk);
    this.#stampedAt = setting.clock.wallNow();
    this.#batch = this.partition.newBatch();
    // Whether a unique value is taken depends on items that the script has not named.
    this.#hasSeenEverything = container.definition.uniqueKeyPolicy !== undefined;
  }

  /**
   * Runs a step that reads and writes, then commits its writes if the step resolves with true.
   * Resolves with `"overtaken"` if something that the step saw has changed: then the step has to be
   * run again, in another transaction.
   */
  async run(
    step: () => Promise<boolean>,
    terms: SettleTerms & { chargeOf(hasWritten: boolean): Ru },
  ): Promise<RunOutcome & { readonly charge: Ru }> {
    try {
      const isWanted: { value?: boolean } = {};
      const hasWritten = await this.#batch.together(async () => {
        isWanted.value = await step();
        return isWanted.value;
      });
      const charge = terms.chargeOf(hasWritten);
      const writes = hasWritten ? (this.#batch.groups[0] ?? []) : [];
      const outcome = await this.#settle(writes, charge, terms);
      return { ...outcome, charge };
    } finally {
      this.partition.watches.end(this.#watch);
    }
  }

  /** Reads an item as the transaction sees it. */
  async read(id: string, ifNoneMatch?: string): Promise<Result<ScriptItem, Refusal>> {
    const key = itemKeyOf(this.#setting.epk, id);
    await this.#learn(key);
    const found = this.#batch.found(key);
    if (found === undefined) {
      this.charges.push(chargeOf({ kind: "readMissing" }));
      return no({ kind: "notFound" });
    }
    const etag = etagOf(found.body);
    if (ifNoneMatch !== undefined && ifNoneMatch === etag) {
      this.charges.push(chargeOf({ kind: "readUnchanged" }));
      return ok({ body: undefined, etag });
    }
    const { consistency } = this.#setting;
    this.charges.push(chargeOf({ kind: "read", bytes: found.body.length }, consistency));
    return ok({ body: found.body, etag });
  }

  /** Returns the body that an item has now, if there is one; such a read is not charged. */
  async bodyOf(id: string): Promise<Buffer | undefined> {
    const key = itemKeyOf(this.#setting.epk, id);
    await this.#learn(key);
    return this.#batch.found(key)?.body;
  }

  async write(
    command: WriteCommand,
  ): Promise<Result<ScriptItem & { readonly isCreated: boolean }, Refusal>> {
    assert(command.epk === this.#setting.epk, "a script writes to a partition that is not its own");
    const key = itemKeyOf(command.epk, command.id);
    for (const one of itemKeysOf(command)) await this.#learn(one);
    const prepared = await this.#batch.prepare(command, key);
    this.charges.push(prepared.charge);
    if (prepared.kind === "refused") return no(prepared.refusal);
    const { body } = prepared;
    return ok({ body, etag: body && etagOf(body), isCreated: prepared.kind === "created" });
  }

  /** Queries the logical partition, with the writes of the transaction among its items. */
  async query(
    command: Pick<QueryCommand, "text" | "continuation" | "countMax"> & {
      readonly parameters: ReadonlyMap<string, JsonValue>;
      readonly parameterNames: ReadonlySet<string>;
    },
  ): Promise<Result<QueryAnswer, Refusal>> {
    const { epk, container, store, consistency } = this.#setting;
    this.#hasSeenEverything = true;
    await this.#previewAll();
    const preview = previewedStore(store, this.#preview);
    const answer = await queryItems(
      { ...this.#setting, store: preview, isInner: true },
      container,
      {
        ...command,
        scope: { kind: "key", range: pointRange(epk) },
        isFanOutAllowed: true,
        consistency,
      },
    );
    if (answer.ok) this.charges.push(answer.value.charge);
    return answer;
  }

  /** Signs the places at which scripts stop reading this logical partition. */
  placesOf(about: string): SignedCursors {
    const { cursorKey, container, epk } = this.#setting;
    return cursorKey.cursorsOf(() => ({
      kind: "scriptPlace",
      owner: container.rid,
      about: [about],
      scope: { by: "key", range: pointRange(epk) },
    }));
  }

  /** Returns the id of the item that a link names by id or by rid. */
  async idOf(name: string): Promise<string> {
    const { container, epk } = this.#setting;
    const number = container.itemNumberIn(name);
    if (number === undefined) return name;
    await this.#previewAll();
    const own = this.#preview.byNumber(number);
    return own === undefined ? this.partition.idByName(epk, name, number) : idOfKey(own.key);
  }

  /**
   * Brings the preview up to date, with turns for other requests: there may be thousands of writes.
   */
  async #previewAll(): Promise<void> {
    const { clock, timer } = this.#setting;
    const writes = this.#batch.writtenTogether;
    let turnedAt = clock.now();
    while (this.#previewedCount < writes.length) {
      this.#preview.add(writes[this.#previewedCount++]!);
      if (clock.now() - turnedAt <= TURN_MS) continue;
      this.#preview.settle();
      await timer.soon();
      turnedAt = clock.now();
    }
  }

  async #learn(key: string): Promise<void> {
    this.#seenKeys.add(key);
    if (this.#batch.knows(key)) return;
    const stored: StoredItem | undefined = await this.#setting.store.get(
      this.partition.entry.part,
      key,
    );
    this.#batch.learn(key, stored);
  }

  /**
   * Submits the writes, even if there are none: the physical partition then still checks that all
   * that the script saw was true at one moment.
   */
  async #settle(
    writes: WriteGroup,
    charge: Ru,
    { caller, isHolder }: SettleTerms,
  ): Promise<RunOutcome> {
    const { container, clock } = this.#setting;
    return this.partition.submitRun({
      watch: this.#watch,
      seen: { keys: this.#seenKeys, isEverything: this.#hasSeenEverything },
      // Under another definition the items have other terms, and stamps must not lag too far
      // behind.
      isFresh: () =>
        container.definition === this.#definition &&
        clock.wallNow() - this.#stampedAt <= STAMP_LAG_MS,
      writes,
      charge,
      caller,
      isHolder,
    });
  }
}
