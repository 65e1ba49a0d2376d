/**
 * A transactional batch: operations on items of one logical partition that happen together, under
 * one LSN, or not at all. Each operation sees what the operations before it did. The first refused
 * operation undoes the whole batch.
 */
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Consistency } from "../../model/consistency.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { etagOf } from "./itemBody.ts";
import type { BatchOperation, BatchResult } from "./itemCommand.ts";
import { itemKeyOf } from "./itemKey.ts";
import { isSameEtag } from "./prepare.ts";
import type { WriteBatch } from "./writeBatch.ts";

export interface TransactionTerms {
  readonly consistency: Consistency;
  /**
   * A batch whose answer would hold more bytes of items than this is refused and changes nothing.
   */
  readonly answerBytesMax: number;
}

interface PreparedTransaction {
  readonly kind: "committed" | "rolledBack";
  readonly results: readonly BatchResult[];
  readonly charge: Ru;
  readonly hasWritten: boolean;
}

export async function prepareTransaction(
  batch: WriteBatch,
  operations: readonly BatchOperation[],
  terms: TransactionTerms,
): Promise<PreparedTransaction> {
  const results: BatchResult[] = [];
  const hasWritten = await batch.together(async () => {
    let answerBytes = 0;
    for (const operation of operations) {
      const result = await resultOf(batch, operation, terms.consistency);
      answerBytes += "body" in result ? (result.body?.length ?? 0) : 0;
      const isTooLarge = answerBytes > terms.answerBytesMax;
      results.push(isTooLarge ? tooLarge(result.charge) : result);
      if (isTooLarge || result.kind === "refused") return false;
    }
    return true;
  });
  const charge = chargeOf({ kind: "batch", charges: results.map((result) => result.charge) });
  const isRefused = results.at(-1)?.kind === "refused";
  if (!isRefused) return { kind: "committed", results, charge, hasWritten };
  // Operations before the refused one are charged for their work; those after it were never
  // started.
  const undone = operations.map((_operation, index): BatchResult => {
    const result = results[index];
    if (result === undefined) return { kind: "undone", charge: NOTHING };
    return result.kind === "refused" ? result : { kind: "undone", charge: result.charge };
  });
  return { kind: "rolledBack", results: undone, charge, hasWritten };
}

const NOTHING: Ru = ru(0);

async function resultOf(
  batch: WriteBatch,
  operation: BatchOperation,
  consistency: Consistency,
): Promise<BatchResult> {
  const key = itemKeyOf(operation.epk, operation.id);
  if (operation.kind === "read") {
    return readResult(batch, key, operation.ifNoneMatch, consistency);
  }
  const prepared = await batch.prepare(operation, key);
  if (prepared.kind === "refused") return prepared;
  const { kind, charge, body } = prepared;
  return { kind, charge, body, etag: body && etagOf(body) };
}

function readResult(
  batch: WriteBatch,
  key: string,
  ifNoneMatch: string | undefined,
  consistency: Consistency,
): BatchResult {
  const found = batch.found(key);
  if (found === undefined) {
    const charge = chargeOf({ kind: "readMissing" });
    return { kind: "refused", refusal: { kind: "notFound" }, charge };
  }
  const etag = etagOf(found.body);
  if (ifNoneMatch !== undefined && (ifNoneMatch === "*" || isSameEtag(ifNoneMatch, etag))) {
    return { kind: "unchanged", etag, charge: chargeOf({ kind: "readUnchanged" }) };
  }
  const charge = chargeOf({ kind: "read", bytes: found.body.length }, consistency);
  return { kind: "found", etag, body: found.body, charge };
}

function tooLarge(charge: Ru): BatchResult {
  return { kind: "refused", refusal: { kind: "answerTooLarge" }, charge };
}
