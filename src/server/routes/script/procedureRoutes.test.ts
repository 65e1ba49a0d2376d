/** A procedure is run in the container that the client means, and with a list, or not at all. */
import { expect, test } from "vitest";
import { simulatedScripts } from "../../../engine/script/simulatedScripts.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import { KEY } from "../../../engine/simulatedRequests.fake.ts";
import type { GatewayRequest } from "../gateway.ts";
import { answerProcedure } from "./procedureRoutes.ts";

test.each([
  { rule: "the container itself", isMeant: true, status: 200, runCount: 1 },
  { rule: "one that it replaced", isMeant: false, status: 400, runCount: 0 },
])("meant for $rule: $status", async ({ isMeant, status, runCount }) => {
  const scripts = simulatedScripts({ p: async () => "1" });
  const { account } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  const headers = {
    "x-ms-documentdb-partitionkey": JSON.stringify([KEY]),
    "x-ms-cosmos-intended-collection-rid": isMeant ? container.rid : "another",
  };
  const sent = { method: "POST", headers, activityId: "x", body: Buffer.alloc(0) };
  const request = sent as unknown as GatewayRequest;
  const answer = await answerProcedure(account, request, container, { name: "p", body: "p" });
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
  const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([KEY]) };
  const sent = { method: "POST", headers, activityId: "x", body: Buffer.from(body) };
  const request = sent as unknown as GatewayRequest;
  const answer = await answerProcedure(account, request, container, { name: "p", body: "p" });
  expect(answer.status).toBe(status);
});
