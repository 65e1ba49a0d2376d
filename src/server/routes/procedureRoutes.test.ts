/** A procedure is run in the container that the client means, or not at all. */
import { expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { simulatedScripts } from "../../engine/script/simulatedScripts.ts";
import { containerIn, databaseIn, simulatedAccount } from "../../engine/simulatedAccount.ts";
import { KEY } from "../../engine/simulatedRequests.ts";
import type { GatewayRequest } from "./gateway.ts";
import { answerProcedure } from "./procedureRoutes.ts";

test.each([
  { rule: "the container itself", isMeant: true, status: 200, runCount: 1 },
  { rule: "one that it replaced", isMeant: false, status: 400, runCount: 0 },
])("meant for $rule: $status", async ({ isMeant, status, runCount }) => {
  const scripts = simulatedScripts({ p: async () => "1" });
  const { account } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  const draft = { id: "p", content: { body: "p" } };
  const made = await account.catalog.resources.create(container, "storedProcedure", draft);
  assert(made.ok, "the stage could not be set");
  const headers = {
    "x-ms-documentdb-partitionkey": JSON.stringify([KEY]),
    "x-ms-cosmos-intended-collection-rid": isMeant ? container.rid : "another",
  };
  const sent = { method: "POST", headers, activityId: "x", body: Buffer.alloc(0) };
  const request = sent as unknown as GatewayRequest;
  const answer = await answerProcedure(account, request, container, made.value);
  expect([answer.status, scripts.runs.length]).toEqual([status, runCount]);
});
