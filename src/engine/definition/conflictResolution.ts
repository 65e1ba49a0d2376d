/**
 * The policy that says which write wins when two regions write the same item. This server has one
 * region, so the policy is checked, stored and returned, but never applied. It is fixed when the
 * container is created.
 */
import { equalValues } from "../../json/compare.ts";
import { member, objectOf, refuse, textOf, wordOf } from "../../json/reading.ts";
import type { JsonValue } from "../../json/value.ts";
import { faultPositionOf } from "./propertyPath.ts";

export type ConflictResolutionPolicy = {
  readonly mode: "LastWriterWins" | "Custom";
  /** Under `LastWriterWins`, the path of the number that decides; empty otherwise. */
  readonly conflictResolutionPath: string;
  /**
   * Under `Custom`, the stored procedure to call; when empty, conflicts stay in the conflict feed.
   */
  readonly conflictResolutionProcedure: string;
};

const TIMESTAMP_PATH = "/_ts";

export function readConflictResolutionPolicy(
  value: JsonValue | undefined,
): ConflictResolutionPolicy {
  const policy = objectOf(value ?? {}, "The conflict resolution policy");
  const mode = wordOf(member(policy, "mode") ?? "LastWriterWins", "The conflict resolution mode", [
    "LastWriterWins",
    "Custom",
  ]);
  const path = textOf(member(policy, "conflictResolutionPath") ?? "", "The conflict path");
  const procedure = textOf(
    member(policy, "conflictResolutionProcedure") ?? "",
    "The conflict procedure",
  );
  if (mode === "LastWriterWins" && procedure !== "") {
    refuse("A conflict resolution procedure goes with the mode 'Custom' only.");
  }
  if (mode === "Custom" && path !== "") {
    refuse("A conflict resolution path goes with the mode 'LastWriterWins' only.");
  }
  if (path !== "" && faultPositionOf(path) !== undefined) {
    refuse(`The conflict resolution path '${path}' must start with '/' and name one property.`);
  }
  return {
    mode,
    conflictResolutionPath: mode === "Custom" ? "" : path || TIMESTAMP_PATH,
    conflictResolutionProcedure: procedure,
  };
}

export function checkConflictResolutionKept(
  previous: ConflictResolutionPolicy,
  next: ConflictResolutionPolicy,
): void {
  if (equalValues(previous, next)) return;
  refuse("The conflict resolution policy of a container cannot be changed.");
}
