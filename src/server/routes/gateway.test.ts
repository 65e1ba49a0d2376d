/** Requests of every kind to a server whose disk is in the way: refused, never a defect of ours. */
import { expect, test } from "vitest";
import { databaseIn, simulatedAccount } from "../../engine/simulatedAccount.fake.ts";
import { decodeRequest } from "../../protocol/request/decodeRequest.ts";
import { parseResourcePath } from "../../protocol/request/resourcePath.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { answer } from "./gateway.ts";
import { contextFor } from "./requestContext.fake.ts";

const CONTAINER_BODY = '{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}}';

test.each([
  ["a database is made", "POST", "/dbs", '{"id":"other"}'],
  ["a database is deleted", "DELETE", "/dbs/d", ""],
  ["a container is made", "POST", "/dbs/d/colls", CONTAINER_BODY],
  ["a user is made", "POST", "/dbs/d/users", '{"id":"u"}'],
])("%s on a full disk: 503, and the words of the store", async (_what, method, url, body) => {
  const { account, trouble } = await simulatedAccount();
  await databaseIn(account);
  trouble.fault = (operation) =>
    ["commit", "claim"].includes(operation) ? new StoreFault("the disk is full") : undefined;
  const sent = { method, path: parseResourcePath(url)!, headers: {}, body: Buffer.from(body) };
  const request = decodeRequest(sent, account);
  const refused = await answer(account, contextFor("x"), request);
  expect(refused.status).toBe(503);
  expect(String(refused.body)).toContain("the disk is full");
  trouble.fault = undefined;
  expect((await answer(account, contextFor("x"), request)).status).toBeLessThan(300);
});
