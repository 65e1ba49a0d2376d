/** A procedure is run in the container that the client means, and with a list, or not at all. */
import { expect, test } from "vitest";
import { ok } from "../../../base/result.ts";
import { simulatedScripts } from "../../../engine/script/simulatedScripts.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import { KEY } from "../../../engine/simulatedRequests.fake.ts";
import { HIGH_CALLER } from "../../../model/caller.ts";
import { contextFor } from "../requestContext.fake.ts";
import type { ProcedureCall } from "./procedureRoutes.ts";
import { answerProcedure } from "./procedureRoutes.ts";

test.each([
  { rule: "the container itself", isMeant: true, status: 200, runCount: 1 },
  { rule: "one that it replaced", isMeant: false, status: 400, runCount: 0 },
])("meant for $rule: $status", async ({ isMeant, status, runCount }) => {
  const scripts = simulatedScripts({ p: async () => "1" });
  const { account } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  const call = callWith("", isMeant ? container.rid : "another");
  const answer = await answerProcedure(account, contextFor("x"), container, call);
  expect([answer.status, scripts.runs.length]).toEqual([status, runCount]);
});

test.each<[string, number]>([
  ["", 200],
  ['["a",null]', 200],
  ["null", 200],
  ['{"0":"a","length":1}', 200],
  ['"a"', 400],
  ["0", 400],
  ["false", 400],
  ["undefined", 400],
  ["[x:4]", 400],
])("called with %s: %i", async (body, status) => {
  const scripts = simulatedScripts({ p: async () => "1" });
  const { account } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  const call = callWith(body, undefined);
  const answer = await answerProcedure(account, contextFor("x"), container, call);
  expect(answer.status).toBe(status);
});

function callWith(body: string, intendedRid: string | undefined): ProcedureCall {
  return {
    procedure: { name: "p", body: "p" },
    request: { body: Buffer.from(body), intendedRid },
    call: ok({
      key: [KEY],
      isOfOldProgram: false,
      session: { kind: "none" },
      caller: HIGH_CALLER,
      consistency: "session",
      isLogging: false,
      requestValues: {},
    }),
  };
}
