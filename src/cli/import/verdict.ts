/**
 * What an answer means for an operation. A conflict is the one that takes thought: the item that is
 * there may be the very one that was sent, when the answer to an earlier try was lost; and where
 * other properties than the id are unique, nothing with this id has to be there at all. In both
 * cases the item is looked at before anything is said.
 */
import type { ImportOperation, Mode, OperationAnswer, Outcome } from "./operation.ts";
import { isSameItem } from "./operation.ts";

export interface Rules {
  readonly mode: Mode;
  readonly hasUniqueKeys: boolean;
}

type Verdict =
  | Outcome
  | { readonly kind: "again"; readonly why: "throttled" | "gone" | "fault" | "look" };

/** How often a server may say of one item that it cannot. */
const FAULT_COUNT_MAX = 5;

/** May note in the operation what has to be done about it next. */
export function verdictOf(
  operation: ImportOperation,
  answer: OperationAnswer,
  rules: Rules,
): Verdict {
  const { status, message } = answer;
  if (status === 429) return { kind: "again", why: "throttled" };
  if (status === 410) return { kind: "again", why: "gone" };
  if (status >= 500 || status === 408 || status === 449) {
    operation.mayBeDone = true;
    if (++operation.faultCount < FAULT_COUNT_MAX) return { kind: "again", why: "fault" };
    return refused(status, message);
  }
  if (operation.conflict !== undefined) return lookedAt(operation, answer, rules);
  if (status === 201) return { kind: "created" };
  if (status >= 200 && status < 300) return { kind: "replaced" };
  return status === 409 ? onConflict(operation, message, rules) : refused(status, message);
}

function onConflict(operation: ImportOperation, message: string, rules: Rules): Verdict {
  const { mode, hasUniqueKeys } = rules;
  if (mode === "skip" && !hasUniqueKeys) return { kind: "skipped" };
  if (mode === "skip" || (mode === "create" && operation.mayBeDone)) {
    operation.conflict = message;
    return { kind: "again", why: "look" };
  }
  return conflicting(mode, message);
}

function lookedAt(operation: ImportOperation, answer: OperationAnswer, { mode }: Rules): Verdict {
  const message = operation.conflict!;
  if (answer.status !== 200) return conflicting(mode, message);
  if (mode === "skip") return { kind: "skipped" };
  const isSame = isSameItem(answer.item, operation.bytes);
  return isSame ? { kind: "present" } : conflicting(mode, message);
}

function conflicting(mode: Mode, message: string): Outcome {
  const advice = mode === "create" ? "; --mode skip lets it be, --mode upsert replaces it" : "";
  return { kind: "refused", reason: `${message.replace(/\.$/, "")} (409${advice})` };
}

function refused(status: number, message: string): Outcome {
  return { kind: "refused", reason: `the server refuses it (${status}): ${message}` };
}
