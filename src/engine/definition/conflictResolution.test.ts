/** Which conflict policies are taken, and what is filled in. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { checkConflictResolutionKept, readConflictResolutionPolicy } from "./conflictResolution.ts";

/** What is sent, and the mode, path and procedure it means. */
const TAKEN: readonly (readonly [JsonObject | undefined, string, string, string])[] = [
  [undefined, "LastWriterWins", "/_ts", ""],
  [{}, "LastWriterWins", "/_ts", ""],
  [{ conflictResolutionPath: "" }, "LastWriterWins", "/_ts", ""],
  [{ mode: "LastWriterWins", conflictResolutionPath: "/a/b" }, "LastWriterWins", "/a/b", ""],
  [{ mode: "Custom" }, "Custom", "", ""],
  [{ mode: "Custom", conflictResolutionProcedure: "dbs/d/x" }, "Custom", "", "dbs/d/x"],
];

const REFUSED: readonly (readonly [rule: string, policy: JsonValue, told: string])[] = [
  ["a policy is an object", "Custom", "must be an object"],
  ["there are two modes", { mode: "FirstWriterWins" }, "LastWriterWins, Custom"],
  ["a procedure is for Custom", { conflictResolutionProcedure: "x" }, "'Custom' only"],
  [
    "a path is for LastWriterWins",
    { mode: "Custom", conflictResolutionPath: "/a" },
    "'LastWriterWins' only",
  ],
  ["a path starts with a slash", { conflictResolutionPath: "a" }, "must start with '/'"],
];

describe("conflict resolution", () => {
  test.each(TAKEN)("%j means %s, path '%s', procedure '%s'", (sent, mode, path, procedure) => {
    expect(readConflictResolutionPolicy(sent)).toEqual({
      mode,
      conflictResolutionPath: path,
      conflictResolutionProcedure: procedure,
    });
  });

  test.each(REFUSED)("refused: %s", (_, policy, told) => {
    expect(() => readConflictResolutionPolicy(policy)).toThrow(told);
  });

  test("a policy stays as it is", () => {
    const [usual, ranked] = [{}, { conflictResolutionPath: "/rank" }].map((sent) =>
      readConflictResolutionPolicy(sent),
    );
    expect(() => checkConflictResolutionKept(ranked!, ranked!)).not.toThrow();
    expect(() => checkConflictResolutionKept(ranked!, usual!)).toThrow("cannot be changed");
  });
});
