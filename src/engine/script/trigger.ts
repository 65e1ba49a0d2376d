/** A trigger, and the check whether it may run with an operation. */
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";

export interface Trigger {
  readonly name: string;
  readonly body: string;
  /** The type and operation of the trigger, in the case in which they were sent. */
  readonly type: string;
  readonly operation: string;
}

type Operation = WriteRequest["kind"];

/** By operation: the declared operations of triggers that may run with it. */
const OPERATIONS: Readonly<Record<Operation, readonly string[]>> = {
  create: ["all", "create"],
  // An upsert is a create or a replace, and that is known only when it is done.
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

/** The name of the operation that a script reads. */
export function operationNameOf(operation: Operation): string {
  return NAMES[operation];
}

/** Returns `undefined` if the trigger may run with the operation at this place. */
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
