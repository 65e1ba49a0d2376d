/**
 * What permissions and their tokens are worth when a copy takes over the name of its source, when
 * it gives the name back, and when the source is gone.
 */
import { expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { Account } from "../../engine/account.ts";
import { copyStage, started } from "../../engine/copy/copyStage.fake.ts";
import { stopped } from "../../engine/simulatedAccount.fake.ts";
import type { JsonObject } from "../../json/value.ts";
import { itemRid } from "../../model/rid.ts";
import { parseResourcePath } from "../../protocol/request/resourcePath.ts";
import { openGatekeeper } from "./gatekeeper.ts";

const WALL_NOW = 1_700_000_000_000;

interface Holder {
  /** The path is below the database. */
  mayRead(path: string, key?: string): Promise<boolean>;
}

/** Makes a permission and a token for it; what the token is worth is asked of any account later. */
async function tokenFor(
  account: Account,
  content: JsonObject,
): Promise<(account: Account) => Holder> {
  const { resources } = account.catalog;
  const database = account.catalog.database("d")!;
  const id = `u${resources.total("user")}`;
  const user = await resources.create(database, "user", { id, content: {} });
  assert(user.ok, "the user is made");
  const draft = { id: "p", content: { permissionMode: "All", ...content } };
  const permission = await resources.create(user.value, "permission", draft);
  assert(permission.ok, "the permission is made");
  const { rid, record } = permission.value;
  const token = gatekeeperOf(account).tokenMint.mint(rid, record.etag, 3600);
  const authorization = encodeURIComponent(token);
  return (asked) => ({
    async mayRead(path, key) {
      const keyed = key === undefined ? {} : { "x-ms-documentdb-partitionkey": key };
      const headers = { authorization, ...keyed };
      const parsed = parseResourcePath(`/dbs/d/${path}`)!;
      const question = { method: "GET", path: parsed, headers };
      return (await gatekeeperOf(asked).refusalOf(question)) === undefined;
    },
  });
}

function gatekeeperOf(account: Account): ReturnType<typeof openGatekeeper> {
  const keys = { list: [{ key: "a2V5", isReadOnly: false }] };
  return openGatekeeper({ account, keys, wallNow: () => WALL_NOW });
}

type Links = (rid: string, itemRid: string) => JsonObject;

const CARRIED: [says: string, links: Links, path: string, newKey: string | undefined][] = [
  ["the container by name", () => ({ resource: "dbs/d/colls/c" }), "colls/c", undefined],
  ["the container by rid", (rid) => ({ resource: `dbs/d/colls/${rid}` }), "colls/c", undefined],
  ["an item by names", () => ({ resource: "dbs/d/colls/c/docs/i5" }), "colls/c/docs/i5", undefined],
  [
    "an item by the name of the container's rid",
    (rid) => ({ resource: `dbs/d/colls/${rid}/docs/i5` }),
    "colls/c/docs/i5",
    undefined,
  ],
  [
    "an item by its rid, asked for under its key of now",
    (rid, item) => ({ resource: `dbs/d/colls/${rid}/docs/${item}` }),
    "colls/c/docs/i5",
    '["t5"]',
  ],
];

test.each(CARRIED)("a permission on %s holds for the copy", async (_says, links, path, newKey) => {
  const { account, time, source, reopen } = await copyStage(20);
  const number = await numberOf(account, "i5");
  const content = links(source.rid, itemRid(source.childRids, number));
  const holder = await tokenFor(account, content);
  const oldKey = newKey === undefined ? undefined : '["p5"]';
  expect(await holder(account).mayRead(path, oldKey)).toBe(true);
  const run = await started(account);
  await time.advance(2000);
  expect(await holder(account).mayRead("colls/t")).toBe(false);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  expect(await holder(account).mayRead(path, newKey)).toBe(true);
  expect(await holder(account).mayRead("colls/c-former/docs/i9")).toBe(
    content["resource"] === "dbs/d/colls/c" || content["resource"] === `dbs/d/colls/${source.rid}`,
  );
  await stopped(account);
  const opened = await reopen();
  expect(await holder(opened).mayRead(path, newKey)).toBe(true);
  const [again] = opened.jobs.copying.runs;
  const { copying } = opened.jobs;
  expect(await copying.command(again!, "revert", {})).toMatchObject({ ok: true });
  expect(await holder(opened).mayRead(path, oldKey)).toBe(true);
  expect(await holder(opened).mayRead("colls/t")).toBe(false);
});

test("permissions hold when the old container is gone, and through another copy", async () => {
  const { account, time, source } = await copyStage(20);
  const byRid = await tokenFor(account, { resource: `dbs/d/colls/${source.rid}` });
  const byName = await tokenFor(account, { resource: "dbs/d/colls/c" });
  for (const key of ["/tenant", "/pk"]) {
    const run = await started(account, { key: [key] });
    await time.advance(2000);
    await account.jobs.copying.command(run, "cutOver", { isForced: true });
    await account.jobs.copying.command(run, "complete", {});
    await time.advance(2000);
    expect(account.jobs.copying.find(run.id)).toMatchObject({ end: "completed" });
    for (const holder of [byRid, byName]) {
      expect(await holder(account).mayRead("colls/c/docs/i5")).toBe(true);
    }
  }
  expect(account.catalog.containerByRid(source.rid)).toBeUndefined();
});

test("rights on an old container that is kept are not rights on the new one, nor the reverse", async () => {
  const { account, time, source } = await copyStage(20);
  const byName = await tokenFor(account, { resource: "dbs/d/colls/c" });
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const byFormer = await tokenFor(account, { resource: "dbs/d/colls/c-former" });
  expect(await byFormer(account).mayRead("colls/c-former")).toBe(true);
  expect(await byFormer(account).mayRead("colls/c")).toBe(false);
  // As long as the old container answers for the new one, its rid may be read.
  expect(await byName(account).mayRead(`colls/${source.rid}`)).toBe(true);
  await account.jobs.copying.command(run, "complete", { keepOld: true });
  await time.advance(2000);
  expect(await byName(account).mayRead("colls/c")).toBe(true);
  expect(await byName(account).mayRead("colls/c-former")).toBe(false);
  expect(await byFormer(account).mayRead("colls/c-former")).toBe(true);
  expect(await byFormer(account).mayRead("colls/c")).toBe(false);
});

const CONFINED: readonly (readonly [string, readonly string[] | undefined, boolean])[] = [
  ["is carried where keys mean the same", undefined, true],
  ["is not carried where a key means something else", ["/tenant"], false],
];

test.each(CONFINED)("a permission on one partition key %s", async (_says, key, isCarried) => {
  const { account, time, source } = await copyStage(20);
  const confined = { resourcePartitionKey: ["p5"] };
  const byName = await tokenFor(account, { resource: "dbs/d/colls/c", ...confined });
  const byRid = await tokenFor(account, { resource: `dbs/d/colls/${source.rid}`, ...confined });
  const reads = (): Promise<readonly boolean[]> =>
    Promise.all([byName, byRid].map((one) => one(account).mayRead("colls/c/docs/i5", '["p5"]')));
  expect(await reads()).toEqual([true, true]);
  const run = await started(account, { key });
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  expect(await reads()).toEqual([isCarried, isCarried]);
  await account.jobs.copying.command(run, "revert", {});
  expect(await reads()).toEqual([true, true]);
});

async function numberOf(account: Account, id: string): Promise<number> {
  const container = account.catalog.container("d", "c")!;
  const outcome = account.writeItem(container, {
    kind: "upsert",
    key: ["p5"],
    body: { id, pk: "p5", tenant: "t5" },
  });
  assert(outcome.ok, "the item is taken");
  const written = await outcome.value;
  assert("body" in written && written.body !== undefined, "the item is written");
  const { _rid } = JSON.parse(written.body.toString()) as { _rid: string };
  return container.itemNumberIn(_rid)!;
}
