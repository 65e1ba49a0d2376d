/** Deleting a key where that fails, or is meant for another container: nothing is lost. */
import { expect, test } from "vitest";
import { ok } from "../../../base/result.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import { KEY, write } from "../../../engine/simulatedRequests.fake.ts";
import type { KeyDeletionRequest } from "../../../protocol/request/metadataRequest.ts";
import { StoreFault } from "../../../store/partitionStore.ts";
import { contextFor } from "../requestContext.fake.ts";
import { answerKeyDeletion } from "./keyDeletionRoutes.ts";

test("a full disk is told as such, and the key can be deleted later", async () => {
  const { account, trouble } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  await write(account, container, "create", "a");
  const request = requestFor(undefined);
  trouble.fault = (operation) =>
    operation === "commit" ? new StoreFault("the disk is full") : undefined;
  const refused = await answerKeyDeletion(account, contextFor("x"), request);
  expect(refused.status).toBe(503);
  expect(String(refused.body)).toContain("the disk is full");
  trouble.fault = undefined;
  expect((await answerKeyDeletion(account, contextFor("x"), request)).status).toBe(200);
  expect(container.partitions.get("0")!.head.itemCount).toBe(0);
});

test("a key of a container that was made again is left alone", async () => {
  const { account } = await simulatedAccount();
  const container = await containerIn(account, await databaseIn(account));
  await write(account, container, "create", "a");
  const refused = await answerKeyDeletion(account, contextFor("x"), requestFor("another"));
  expect(refused.headers.join(" ")).toContain("x-ms-substatus 1024");
  expect(container.partitions.get("0")!.head.itemCount).toBe(1);
});

function requestFor(intendedRid: string | undefined): KeyDeletionRequest {
  return {
    kind: "partitionKeyDelete",
    verb: "POST",
    path: { database: "d", container: "c" },
    body: Buffer.alloc(0),
    intendedRid,
    key: ok([KEY]),
  };
}
