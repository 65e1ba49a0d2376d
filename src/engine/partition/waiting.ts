/**
 * Work that waits for its turn in a physical partition: one write, a transaction of several, or the
 * writes of a script. Each entry knows how to prepare itself when its turn comes, and how to tell
 * its caller the outcome.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn, Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
import { LOW_CALLER } from "../../model/caller.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { WriteGroup } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { etagOf } from "../item/itemBody.ts";
import type {
  BatchOperation,
  BatchOutcome,
  ItemOutcome,
  WriteCommand,
} from "../item/itemCommand.ts";
import { itemKeyOf, itemKeysOf } from "../item/itemKey.ts";
import type { Prepared } from "../item/prepare.ts";
import type { TransactionTerms } from "../item/transaction.ts";
import { prepareTransaction } from "../item/transaction.ts";
import type { WriteBatch } from "../item/writeBatch.ts";
import type { Seen, Watch } from "./watches.ts";

/** The state of the physical partition when it answers. */
export interface Standing {
  /** The latest LSN of the physical partition. */
  readonly lsn: Lsn;
  readonly rangeId: string;
}

/** The outcome of a turn. `tell` is called after the commit, so the caller does not know it yet. */
export interface TurnVerdict {
  readonly charge: Ru;
  /** True when the turn has added a group, and so an LSN, to the commit. */
  readonly hasWritten: boolean;
  tell(standing: Standing, writtenAt: Lsn): void;
}

export interface Waiting {
  readonly epk: Epk;
  readonly caller: Caller;
  /** Keys of the items that the work is about. */
  readonly keys: readonly string[];
  readonly bytes: number;
  /** True when the work only deletes items, for which even a full disk has room. */
  readonly isShrinking: boolean;
  /** Present when the budget admitted the work before; the work has been done already. */
  readonly isAdmitted?: true;
  /** Present when a copy job writes: containers closed to clients take its writes. */
  readonly isOfJob?: true;
  /**
   * True when the work belongs to the holder of its logical partition, so that it passes the hold.
   */
  readonly isHolder?: boolean | undefined;
  prepare(batch: WriteBatch): MaybePromise<TurnVerdict>;
  refuse(refusal: Refusal, charge: Ru, standing: Standing): void;
  /** Rejects the caller's promise with a defect. */
  readonly reject: (defect: unknown) => void;
}

export function waitingCommand(
  command: WriteCommand,
  caller: Caller,
  resolve: (outcome: ItemOutcome) => void,
  reject: (defect: unknown) => void,
): Waiting {
  const key = itemKeyOf(command.epk, command.id);
  const verdictOf = (prepared: Prepared): TurnVerdict => ({
    charge: prepared.charge,
    hasWritten: prepared.kind !== "refused",
    tell: (standing, itemLsn) => resolve(outcomeOf(prepared, standing, itemLsn)),
  });
  return {
    epk: command.epk,
    caller,
    keys: itemKeysOf(command),
    bytes: bytesOf(command),
    isShrinking: command.kind === "delete",
    prepare(batch) {
      const prepared = batch.prepare(command, key);
      return prepared instanceof Promise ? prepared.then(verdictOf) : verdictOf(prepared);
    },
    refuse: (refusal, charge, standing) =>
      resolve({ kind: "refused", refusal, charge, ...standing }),
    reject,
  };
}

/** What a copy job writes; the job pays by itself. */
export function waitingCopy(
  command: WriteCommand,
  resolve: (outcome: ItemOutcome) => void,
  reject: (defect: unknown) => void,
): Waiting {
  const waiting = waitingCommand(command, LOW_CALLER, resolve, reject);
  return { ...waiting, isAdmitted: true, isOfJob: true };
}

/**
 * Makes a transaction wait. It has at least one operation, and all are on one logical partition.
 */
export function waitingTransaction(
  operations: readonly BatchOperation[],
  terms: TransactionTerms & { readonly caller: Caller },
  resolve: (outcome: BatchOutcome) => void,
  reject: (defect: unknown) => void,
): Waiting {
  return {
    epk: operations[0]!.epk,
    caller: terms.caller,
    keys: operations.flatMap(itemKeysOf),
    bytes: operations.reduce((sum, operation) => sum + bytesOf(operation), 0),
    isShrinking: operations.every(({ kind }) => kind === "delete" || kind === "read"),
    async prepare(batch) {
      const { hasWritten, ...prepared } = await prepareTransaction(batch, operations, terms);
      const { charge } = prepared;
      return { charge, hasWritten, tell: (standing) => resolve({ ...prepared, ...standing }) };
    },
    refuse: (refusal, charge, standing) =>
      resolve({ kind: "refused", refusal, charge, ...standing }),
    reject,
  };
}

/**
 * The outcome of a script's writes. `"overtaken"` means that something the script saw has changed.
 */
export type RunOutcome = Standing & { readonly came: "committed" | "overtaken" | Refusal };

export interface WaitingRun {
  readonly watch: Watch;
  readonly seen: Seen;
  /** True when the prepared writes may still be committed as they are. */
  isFresh(): boolean;
  readonly writes: WriteGroup;
  readonly charge: Ru;
  readonly caller: Caller;
  readonly isHolder?: boolean | undefined;
}

/** Makes writes of a script wait, to be committed if nothing that the script saw has changed. */
export function waitingRun(
  run: WaitingRun,
  resolve: (outcome: RunOutcome) => void,
  reject: (defect: unknown) => void,
): Waiting {
  const { watch, seen, writes, charge, caller } = run;
  return {
    epk: watch.epk,
    caller,
    keys: writes.map(({ key }) => key),
    bytes: writes.reduce((sum, one) => sum + (one.kind === "put" ? one.body.length : 0), 0),
    isShrinking: writes.every(({ kind }) => kind === "delete"),
    isAdmitted: true,
    isHolder: run.isHolder,
    async prepare(batch) {
      if (!run.isFresh() || !watch.holds(seen, batch.groups)) {
        const tell: TurnVerdict["tell"] = (standing) => resolve({ came: "overtaken", ...standing });
        return { charge: ru(0), hasWritten: false, tell };
      }
      const refusal = await batch.adopt(watch.epk, writes);
      const hasWritten = refusal === undefined && writes.length > 0;
      const came = refusal ?? "committed";
      return { charge, hasWritten, tell: (standing) => resolve({ came, ...standing }) };
    },
    refuse: (refusal, _charge, standing) => resolve({ came: refusal, ...standing }),
    reject,
  };
}

/** The verdict of a turn that is refused. */
export function refusing(waiting: Waiting, refusal: Refusal, charge: Ru): TurnVerdict {
  const tell: TurnVerdict["tell"] = (standing) => waiting.refuse(refusal, charge, standing);
  return { charge, hasWritten: false, tell };
}

export function ownerGone(waiting: Waiting): TurnVerdict {
  return refusing(waiting, { kind: "ownerNotFound" }, chargeOf({ kind: "metadata" }));
}

function outcomeOf(prepared: Prepared, standing: Standing, itemLsn: Lsn): ItemOutcome {
  const { lsn, rangeId } = standing;
  if (prepared.kind === "refused") {
    return { kind: "refused", refusal: prepared.refusal, charge: prepared.charge, lsn, rangeId };
  }
  const { kind, charge, body } = prepared;
  return { kind, charge, body, etag: body && etagOf(body), itemLsn, lsn, rangeId };
}

function bytesOf(operation: BatchOperation): number {
  return "draft" in operation ? operation.draft.text.length : 0;
}
