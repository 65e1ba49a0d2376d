/** The etag of a container that shows something of views. */
import { expect, test } from "vitest";
import { assert } from "../../../base/assert.ts";
import type { Account } from "../../../engine/account.ts";
import { copyStage } from "../../../engine/copy/copyStage.fake.ts";
import { makeView } from "../../../engine/views/viewStage.fake.ts";
import { decodeRequest } from "../../../protocol/request/decodeRequest.ts";
import { parseResourcePath } from "../../../protocol/request/resourcePath.ts";
import { answer } from "../gateway.ts";
import { contextFor } from "../requestContext.fake.ts";

interface Shown {
  readonly _etag: string;
  readonly materializedViewDefinition?: { readonly status: string };
}

async function ask(
  account: Account,
  id: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ readonly status: number; readonly shown: Shown | undefined }> {
  const path = parseResourcePath(`/dbs/d/colls/${id}`);
  assert(path !== undefined, "no path");
  const request = decodeRequest({ method, path, headers, body: Buffer.from("") }, account);
  const { status, body } = await answer(account, contextFor("x"), request);
  return { status, shown: body && (JSON.parse(String(body)) as Shown) };
}

test("a view has another etag when its status is another one", async () => {
  const { account, time } = await copyStage(30);
  await makeView(account);
  const { shown: building } = await ask(account, "v");
  await time.advance(2000);
  const { shown: built } = await ask(account, "v", { "if-none-match": building!._etag });
  expect(built!.materializedViewDefinition!.status).toBe("Active");
  expect(built!._etag).not.toBe(building!._etag);
  expect((await ask(account, "v", { "if-none-match": built!._etag })).status).toBe(304);
  const late = await ask(account, "v", { "if-match": building!._etag }, "DELETE");
  expect(late.status).toBe(412);
  expect((await ask(account, "v", { "if-match": built!._etag }, "DELETE")).status).toBe(204);
});

test("a source has another etag when it has got a view, and the old one when it has none", async () => {
  const { account } = await copyStage(3);
  const { shown: before } = await ask(account, "c");
  const view = await makeView(account);
  const { status, shown: after } = await ask(account, "c", { "if-none-match": before!._etag });
  expect(status).toBe(200);
  expect(after!._etag).not.toBe(before!._etag);
  await account.catalog.deleteContainer(account.catalog.databaseOf(view), view);
  expect((await ask(account, "c", { "if-none-match": before!._etag })).status).toBe(304);
});
