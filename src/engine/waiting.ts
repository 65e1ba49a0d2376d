/**
 * What waits for its turn in a physical partition: one write, or a transaction of several. Each
 * knows what to prepare when its turn comes, and whom to tell what came of it.
 */
import type { MaybePromise } from "../base/result.ts";
import type { Lsn, Ru } from "../base/units.ts";
import type { Caller } from "../model/caller.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Epk } from "../partition/epkRange.ts";
import { etagOf } from "./itemBody.ts";
import type { BatchOperation, BatchOutcome, ItemOutcome, WriteCommand } from "./itemCommand.ts";
import { itemKeyOf } from "./itemKey.ts";
import type { Prepared } from "./prepare.ts";
import type { TransactionTerms } from "./transaction.ts";
import { prepareTransaction } from "./transaction.ts";
import type { WriteBatch } from "./writeBatch.ts";

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
    keys: [key],
    bytes: bytesOf(command),
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
    keys: operations.map(({ epk, id }) => itemKeyOf(epk, id)),
    bytes: operations.reduce((sum, operation) => sum + bytesOf(operation), 0),
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
