/** A trigger, and whether it may run with an operation. */
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";

export interface Trigger {
  readonly name: string;
  readonly body: string;
  /** As its owner wrote them, in whatever case. */
  readonly type: string;
  readonly operation: string;
}

type Operation = WriteRequest["kind"];

/** For which of its operations a trigger was made that may run with this one. */
const OPERATIONS: Readonly<Record<Operation, readonly string[]>> = {
  create: ["all", "create"],
  // It is one or the other, and nobody knows which before it is done.
  upsert: ["all", "upsert", "create", "replace", "update"],
  replace: ["all", "replace", "update"],
  patch: ["all", "replace", "update"],
  delete: ["all", "delete"],
};

const NAMES: Readonly<Record<Operation, string>> = {
  create: "Create",
  upsert: "Upsert",
  replace: "Replace",
  patch: "Patch",
  delete: "Delete",
};

/** What a script finds it called. */
export function operationNameOf(operation: Operation): string {
  return NAMES[operation];
}

/** `undefined` if it may run. */
export function checkTrigger(
  trigger: Trigger,
  place: "pre" | "post",
  operation: Operation,
): Refusal | undefined {
  if (trigger.type.toLowerCase() !== place) {
    return badRequest(
      `The trigger '${trigger.name}' is a ${trigger.type}-trigger; it cannot run as a ` +
        `${place}-trigger.`,
    );
  }
  if (OPERATIONS[operation].includes(trigger.operation.toLowerCase())) return undefined;
  return badRequest(
    `The trigger '${trigger.name}' is for the operation ${trigger.operation}; this request is ` +
      `the operation ${NAMES[operation]}.`,
  );
}
