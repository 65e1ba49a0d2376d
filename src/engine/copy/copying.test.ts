/** Copy jobs on an account in memory: what they come to, and what they survive. */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Account } from "../account.ts";
import { objectOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  put,
  simulatedAccount,
  stopped,
} from "../simulatedAccount.fake.ts";
import type { CopyRequest } from "./copyRecord.ts";
import { CopyRun } from "./copyRun.ts";

const REQUEST: CopyRequest = {
  source: { database: "d", container: "c" },
  target: { database: "d", container: "t" },
  key: ["/tenant"],
  mode: "online",
  ttl: "keep",
  onClash: "stop",
  onMissingKey: "stop",
  onRefused: "stop",
  setAsideMax: 100,
  sharePercent: 50,
  cutOver: "manual",
  switchBy: "names",
  isDryRun: false,
};

async function stage(count = 300): Promise<Simulated & { readonly source: Container }> {
  const simulated = await simulatedAccount();
  const source = await containerIn(simulated.account, await databaseIn(simulated.account));
  for (let index = 0; index < count; index++) await write(simulated.account, source, index);
  return { ...simulated, source };
}

function write(account: Account, container: Container, index: number, more: JsonObject = {}) {
  const item = { pk: `p${index % 7}`, id: `i${index}`, tenant: `t${index % 11}`, ...more };
  return put(account, container, item as never);
}

/** Without what differs between a container and its copy. */
function plain(body: Buffer): JsonObject {
  const { _rid, _self, ...rest } = objectOf(body);
  return rest;
}

async function contents(account: Account, container: Container): Promise<readonly JsonObject[]> {
  const page = await account.readItems(container, {
    scope: { order: "creation", range: { min: "" as never, max: "FF" as never } },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  const rows = page.value.bodies.map(plain);
  return rows.sort((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1));
}

async function started(account: Account, more: Partial<CopyRequest> = {}): Promise<CopyRun> {
  const run = await account.jobs.copying.start({ ...REQUEST, ...more });
  assert(run.ok, run.ok ? "" : JSON.stringify(run.error));
  assert(run.value instanceof CopyRun, "the job is new");
  return run.value;
}

it("copies what is there to another key, and keeps etags and time stamps", async () => {
  const { account, time, source } = await stage();
  const run = await started(account);
  await time.advance(2000);
  expect(run.record.phase).toBe("ready");
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
  expect(run.target!.definition.partitionKey.paths).toEqual(["/tenant"]);
});

it("follows writes, deletions and changes of the new key", async () => {
  const { account, time, source } = await stage();
  const run = await started(account);
  await time.advance(2000);
  await write(account, source, 5, { tenant: "moved" });
  await write(account, source, 1000);
  const gone = account.writeItem(source, { kind: "delete", key: ["p6"], id: "i6" });
  assert(gone.ok, "a deletion is taken");
  await gone.value;
  await time.advance(2000);
  const copy = await contents(account, run.target!);
  expect(copy).toEqual(await contents(account, source));
  expect(copy.length).toBe(300);
});

it("goes on after a restart, wherever it was", async () => {
  const { account, time, reopen } = await stage();
  await started(account);
  let opened = account;
  for (let round = 0; round < 12; round++) {
    await time.advance(7);
    await stopped(opened);
    opened = await reopen();
    await write(opened, opened.catalog.container("d", "c")!, round, { round });
  }
  await time.advance(3000);
  const [run] = opened.jobs.copying.runs;
  expect(run!.record.phase).toBe("ready");
  expect(await contents(opened, run!.target!)).toEqual(
    await contents(opened, opened.catalog.container("d", "c")!),
  );
});

it("refuses writes of clients to a target that is being filled", async () => {
  const { account, time } = await stage();
  const run = await started(account);
  await time.advance(2000);
  const outcome = await put(account, run.target!, { pk: "x", id: "x", tenant: "x" });
  expect(outcome).toMatchObject({ kind: "refused", refusal: { kind: "forbidden" } });
});

it("gives the name of the source to the copy, and leads on who came meanwhile", async () => {
  const { account, time, source } = await stage();
  const run = await started(account);
  await time.advance(2000);
  const late = write(account, source, 2000);
  const done = await account.jobs.copying.command(run, "cutOver", { isForced: true });
  expect(done).toEqual({ ok: true, value: undefined });
  expect((await late).kind).toBe("created");
  const now = account.catalog.container("d", "c")!;
  expect(now).toBe(run.target);
  expect(account.catalog.container("d", "c-former")).toBe(source);
  const after = await write(account, now, 2001);
  expect(after.kind).toBe("created");
  await time.advance(2000);
  const old = await contents(account, source);
  expect(old).toEqual(await contents(account, now));
  expect(old.length).toBe(302);
});

it("goes back to the old container without losing what was written since", async () => {
  const { account, time, source, reopen } = await stage();
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const now = account.catalog.container("d", "c")!;
  for (let index = 0; index < 50; index++) await write(account, now, index, { since: true });
  const gone = account.writeItem(now, { kind: "delete", key: ["t9"], id: "i9" });
  assert(gone.ok, "a deletion is taken");
  await gone.value;
  await stopped(account);
  const opened = await reopen();
  const again = opened.jobs.copying.runs[0]!;
  const before = await contents(opened, opened.catalog.container("d", "c")!);
  const done = await opened.jobs.copying.command(again, "revert", {});
  expect(done.ok).toBe(true);
  const back = opened.catalog.container("d", "c")!;
  expect(back.rid).toBe(source.rid);
  expect(await contents(opened, back)).toEqual(before);
  expect((await write(opened, back, 3000)).kind).toBe("created");
  expect(opened.jobs.copying.find(run.id)).toMatchObject({ end: "reverted" });
});

it("writes a made-up key into the copies, and not into the old container", async () => {
  const { account, time, source } = await stage();
  const run = await started(account, { key: ["concat(/tenant, '-', hash(/id) % 4)"] });
  await time.advance(2000);
  const copies = await contents(account, run.target!);
  expect(copies[0]!["partitionKey"]).toMatch(/^t0-[0-3]$/);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const now = run.target!;
  await put(account, now, { pk: "n", id: "n", tenant: "t", partitionKey: "t-1" });
  await time.advance(2000);
  const old = await contents(account, source);
  expect(old.every((item) => item["partitionKey"] === undefined)).toBe(true);
  expect(old.some(({ id }) => id === "n")).toBe(true);
});

it("verifies, finds what is wrong, and does not take over before it is right", async () => {
  const { account, time, store, source } = await stage();
  const run = await started(account);
  await time.advance(2000);
  const { copying } = account.jobs;
  expect(await copying.command(run, "cutOver", {})).toMatchObject({ ok: false });
  const { part } = [...run.target!.partitions.values()][0]!.entry;
  const { items } = await store.scanItems(part, 0, { countMax: 1, bytesMax: 1 });
  const [victim] = items;
  const key = run.target!.readKey(objectOf(victim!.body));
  assert(key.ok, "a copy has a key");
  await run.target!.ownerOf(victim!.key.split("\0")[0] as never).submitCopy({
    kind: "delete",
    epk: victim!.key.split("\0")[0] as never,
    key: key.value,
    id: String(objectOf(victim!.body)["id"]),
  });
  await copying.command(run, "verify", {});
  await time.advance(5000);
  const { verification } = copying.entryOf(run);
  expect(verification).toMatchObject({ state: "differs", missingCount: 1 });
  expect(await copying.command(run, "cutOver", {})).toMatchObject({ ok: false });
  expect(account.catalog.container("d", "c")).toBe(source);
});

it("takes over by itself when it is told so", async () => {
  const { account, time } = await stage();
  const run = await started(account, { cutOver: "automatic" });
  await time.advance(10_000);
  expect(run.record.phase).toBe("switched");
  expect(account.catalog.container("d", "c")).toBe(run.target);
});

it("finds clashes, missing keys and the price before the first write", async () => {
  const { account, time, source } = await stage(50);
  await put(account, source, { pk: "x", id: "i1", tenant: "t1" });
  await put(account, source, { pk: "x", id: "keyless" });
  const run = await started(account, { isDryRun: true });
  await time.advance(1000);
  const entry = account.jobs.copying.entryOf(account.jobs.copying.find(run.id)!);
  expect(entry.state).toBe("planned");
  expect(entry.plan).toMatchObject({ itemCount: 52, clashCount: 1, missingKeyCount: 1 });
  expect(entry.plan!.clashes[0]).toMatchObject({ id: "i1" });
  expect(entry.plan!.obstacles.length).toBe(2);
  expect(entry.plan!.price.writeRu).toBeGreaterThan(50 * 5);
  expect(account.catalog.container("d", "t")).toBeUndefined();
});

it("stops before the first write when items clash, unless they may be set aside", async () => {
  const { account, time, source } = await stage(50);
  await put(account, source, { pk: "x", id: "i1", tenant: "t1" });
  const refused = await started(account);
  await time.advance(1000);
  expect(account.jobs.copying.find(refused.id)).toMatchObject({ end: "failed" });
  const run = await started(account, { onClash: "setAside" });
  await time.advance(3000);
  expect(run.record.phase).toBe("ready");
  expect(run.record.setAside).toMatchObject([{ id: "i1", code: "clash" }]);
  const gone = account.writeItem(source, { kind: "delete", key: ["p1"], id: "i1" });
  assert(gone.ok, "a deletion is taken");
  await gone.value;
  await time.advance(3000);
  expect(run.record.setAside).toEqual([]);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});
