/**
 * What waits for its turn in a physical partition: one write, a transaction of several, or what a
 * script has come to. Each
 * knows what to prepare when its turn comes, and whom to tell what came of it.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn, Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
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

/** Where the physical partition stands when it answers. */
export interface Standing {
  /** Its latest LSN. */
  readonly lsn: Lsn;
  readonly rangeId: string;
}

/** What a turn came to. Nobody has been told yet: the commit comes in between. */
export interface Verdict {
  readonly charge: Ru;
  /** Does it have an LSN in the commit? */
  readonly hasWritten: boolean;
  tell(standing: Standing, writtenAt: Lsn): void;
}

export interface Waiting {
  readonly epk: Epk;
  readonly caller: Caller;
  /** Of the items that it is about. */
  readonly keys: readonly string[];
  readonly bytes: number;
  /** It only takes items away: a full disk has room for that. */
  readonly isShrinking: boolean;
  /** It was let in before it began, and has done its work. */
  readonly isAdmitted?: true;
  /** It has its logical partition for itself, and need not wait until that is released. */
  readonly isHolder?: boolean | undefined;
  prepare(batch: WriteBatch): MaybePromise<Verdict>;
  refuse(refusal: Refusal, charge: Ru, standing: Standing): void;
  /** With a defect of ours. */
  readonly reject: (defect: unknown) => void;
}

export function waitingCommand(
  command: WriteCommand,
  caller: Caller,
  resolve: (outcome: ItemOutcome) => void,
  reject: (defect: unknown) => void,
): Waiting {
  const key = itemKeyOf(command.epk, command.id);
  const verdictOf = (prepared: Prepared): Verdict => ({
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

/** All operations are about one logical partition, and there is at least one. */
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

/** What a script came to. `"overtaken"`: something it had seen is no longer true. */
export type RunOutcome = Standing & { readonly came: "committed" | "overtaken" | Refusal };

export interface WaitingRun {
  readonly watch: Watch;
  readonly seen: Seen;
  /** May what was prepared still be committed as it is? */
  isFresh(): boolean;
  readonly writes: WriteGroup;
  readonly charge: Ru;
  readonly caller: Caller;
  readonly isHolder?: boolean | undefined;
}

/** Writes that were prepared beside others, to be committed if nothing has changed for them. */
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
        const tell: Verdict["tell"] = (standing) => resolve({ came: "overtaken", ...standing });
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

/** A turn that came to nothing. */
export function refusing(waiting: Waiting, refusal: Refusal, charge: Ru): Verdict {
  const tell: Verdict["tell"] = (standing) => waiting.refuse(refusal, charge, standing);
  return { charge, hasWritten: false, tell };
}

export function ownerGone(waiting: Waiting): Verdict {
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
