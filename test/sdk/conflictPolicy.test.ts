/**
 * Conflict resolution policies. There is one region and so there are no conflicts; clients get the
 * policy back that they gave, complete, and are told when it makes no sense.
 */
import type { ContainerResponse } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

let count = 0;

function openWith(conflictResolutionPolicy: unknown): Promise<ContainerResponse> {
  const id = `policy-${++count}`;
  const request = { id, partitionKey: { paths: ["/pk"] }, conflictResolutionPolicy };
  return stage.database.containers.create(request as never);
}

const DEFAULT = {
  mode: "LastWriterWins",
  conflictResolutionPath: "/_ts",
  conflictResolutionProcedure: "",
};
const PROCEDURE = "dbs/stage/colls/policy/sprocs/resolve";
const CUSTOM = {
  mode: "Custom",
  conflictResolutionPath: "",
  conflictResolutionProcedure: PROCEDURE,
};

describe("a container", () => {
  const GIVEN: readonly (readonly [rule: string, given: unknown, told: object])[] = [
    ["nothing", undefined, DEFAULT],
    ["null", null, DEFAULT],
    ["an empty policy", {}, DEFAULT],
    ["only the mode", { mode: "LastWriterWins" }, DEFAULT],
    [
      "a path of its own",
      { mode: "LastWriterWins", conflictResolutionPath: "/rank" },
      { ...DEFAULT, conflictResolutionPath: "/rank" },
    ],
    [
      "a path below a property",
      { conflictResolutionPath: "/a/b" },
      { ...DEFAULT, conflictResolutionPath: "/a/b" },
    ],
    ["a procedure", { mode: "Custom", conflictResolutionProcedure: PROCEDURE }, CUSTOM],
    ["no procedure", { mode: "Custom" }, { ...CUSTOM, conflictResolutionProcedure: "" }],
  ];

  test.each(GIVEN)("that is given %s tells all of it", async (_rule, given, told) => {
    const { resource, container } = await openWith(given);
    expect(resource?.conflictResolutionPolicy).toEqual(told);
    const read = await container.read();
    expect(read.resource?.conflictResolutionPolicy).toEqual(told);
    const replaced = await container.replace({ ...read.resource!, defaultTtl: 60 });
    expect(replaced.resource?.conflictResolutionPolicy).toEqual(told);
  });

  const MISTAKES: readonly (readonly [rule: string, given: unknown])[] = [
    ["a mode that does not exist", { mode: "FirstWriterWins" }],
    ["a mode that is a number", { mode: 1 }],
    ["a text", "Custom"],
    ["a path without a slash", { conflictResolutionPath: "rank" }],
    ["a path with a wildcard", { conflictResolutionPath: "/rank/*" }],
    ["a path that is no text", { conflictResolutionPath: 7 }],
    ["a path under Custom", { mode: "Custom", conflictResolutionPath: "/rank" }],
    ["a procedure without Custom", { conflictResolutionProcedure: PROCEDURE }],
  ];

  test.each(MISTAKES)("is not made with %s", async (_rule, given) => {
    const { status, message } = await refusalOf(openWith(given));
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(30);
  });

  test("keeps its policy for good", async () => {
    const { resource, container } = await openWith(undefined);
    for (const conflictResolutionPolicy of [
      CUSTOM,
      { ...DEFAULT, conflictResolutionPath: "/rank" },
    ]) {
      const replace = container.replace({ ...resource!, conflictResolutionPolicy } as never);
      const { status, message } = await refusalOf(replace);
      expect(status).toBe(400);
      expect(message).toContain("conflict resolution policy");
    }
    const custom = await openWith(CUSTOM);
    const { conflictResolutionPolicy: _left, ...without } = custom.resource!;
    expect((await refusalOf(custom.container.replace(without))).status).toBe(400);
    expect((await custom.container.read()).resource).toEqual(custom.resource);
  });
});
