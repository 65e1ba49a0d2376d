/** Deleting a key where that fails, or is meant for another container: nothing is lost. */
import { expect, test } from "vitest";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import { KEY, write } from "../../../engine/simulatedRequests.fake.ts";
import { StoreFault } from "../../../store/partitionStore.ts";
import type { GatewayRequest } from "../gateway.ts";
import { answerKeyDeletion } from "./keyDeletionRoutes.ts";

test("a full disk is told as such, and the key can be deleted later", async () => {
  const { account, trouble } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  await write(account, container, "create", "a");
  const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([KEY]) };
  const request = { method: "POST", headers, activityId: "x" } as unknown as GatewayRequest;
  const place = { database: "d", container: "c" };
  trouble.fault = (operation) =>
    operation === "commit" ? new StoreFault("the disk is full") : undefined;
  const refused = await answerKeyDeletion(account, request, place);
  expect(refused.status).toBe(503);
  expect(String(refused.body)).toContain("the disk is full");
  trouble.fault = undefined;
  expect((await answerKeyDeletion(account, request, place)).status).toBe(200);
  expect(container.partitions.get("0")!.head.itemCount).toBe(0);
});

test("a key of a container that was made again is left alone", async () => {
  const { account } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  await write(account, container, "create", "a");
  const headers = {
    "x-ms-documentdb-partitionkey": JSON.stringify([KEY]),
    "x-ms-cosmos-intended-collection-rid": "another",
  };
  const request = { method: "POST", headers, activityId: "x" } as unknown as GatewayRequest;
  const refused = await answerKeyDeletion(account, request, { database: "d", container: "c" });
  expect(refused.headers.join(" ")).toContain("x-ms-substatus 1024");
  expect(container.partitions.get("0")!.head.itemCount).toBe(1);
});
