/** Copies into a container that was there before: what its own items and its definition allow. */

import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { CopyJobEntry } from "../../model/copyJob.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Container } from "../partition/container.ts";
import type { CopyRequest } from "./copyRecord.ts";
import { contents, copyStage, REQUEST, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;

const INTO: Partial<CopyRequest> = { mode: "offline", switchBy: "application" };
/** Room for about a dozen items of a tenant. */
const NARROW = { ...SERVICE_LIMITS, logicalPartitionBytesMax: 3000 };

async function withTarget(
  stage: Stage,
  path: string,
  items: readonly JsonObject[],
): Promise<Container> {
  const { account, source } = stage;
  const partitionKey = { ...source.definition.partitionKey, paths: [path] };
  const definition = { ...source.definition, id: "t", partitionKey };
  const database = account.catalog.databaseOf(source);
  const made = await account.catalog.createContainer(database, definition, {
    throughput: undefined,
  });
  assert(made.ok, "the target is made");
  for (const body of items) {
    const key = [body["tenant"] as string];
    const written = account.writeItem(made.value, { kind: "upsert", key, body });
    assert(written.ok && (await written.value).kind === "created", "an item is there");
  }
  return made.value;
}

async function planned({ account, time }: Stage): Promise<CopyJobEntry> {
  const run = await started(account, { ...INTO, isDryRun: true });
  await time.advance(1000);
  return account.jobs.copying.entryOf(account.jobs.copying.find(run.id)!);
}

it("a dry run names the items whose places are taken there", async () => {
  const stage = await copyStage(20);
  const present = { pk: "x", id: "i4", tenant: "t4" };
  const target = await withTarget(stage, "/tenant", [present, { ...present, id: "own" }]);
  const { plan } = await planned(stage);
  expect(plan).toMatchObject({ clashCount: 1, copiedCount: 20 });
  expect(plan!.clashes[0]).toMatchObject({
    id: "i4",
    reason: "The target has an item with the id 'i4' and the same key already.",
  });
  expect(plan!.obstacles[0]).toMatch(/such as 'i4'/);
  expect(plan!.steps[0]).toBe("take d/t as it is, with its items");
  const before = await contents(stage.account, target);
  const run = await started(stage.account, INTO);
  await stage.time.advance(2000);
  // Nothing is written before that.
  expect(stage.account.jobs.copying.find(run.id)).toMatchObject({ end: "failed" });
  expect(await contents(stage.account, target)).toEqual(before);
});

it("a dry run counts the bytes that a key has there already", async () => {
  const stage = await copyStage(20, { limits: NARROW });
  expect((await planned(stage)).plan).toMatchObject({ fullKeys: [], obstacles: [] });
  const pad = "x".repeat(200);
  const own = Array.from({ length: 6 }, (_, index) => ({
    pk: "p",
    id: `o${index}`,
    tenant: "t3",
    pad,
  }));
  await withTarget(stage, "/tenant", own);
  const { plan } = await planned(stage);
  expect(plan!.fullKeys).toMatchObject([{ newKey: ["t3"] }]);
  expect(plan!.obstacles[0]).toMatch(/\["t3"\] would have \d+ bytes/);
});

const MISFITS = [
  ["another key", "/other", {}, /has the key \/other instead of \/tenant/],
  [
    "another policy asked for",
    "/tenant",
    { definition: { defaultTtl: 5 } },
    /keeps its definition/,
  ],
  [
    "another throughput asked for",
    "/tenant",
    { throughput: { kind: "manual", ratePerSecond: 400 } },
    /--throughput/,
  ],
] as const;

it.each(MISFITS)(
  "refuses a target with %s before a job is made",
  async (_says, path, more, says) => {
    const stage = await copyStage(3);
    await withTarget(stage, path, []);
    for (const isDryRun of [true, false]) {
      const request = { ...REQUEST, ...INTO, ...more, isDryRun };
      const outcome = await stage.account.jobs.copying.start(request);
      expect(JSON.stringify(outcome)).toMatch(says);
    }
    expect(stage.account.jobs.copying.entries).toEqual([]);
  },
);

const UNIQUE = { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/n"] }] } };

it("a dry run names the items that would share unique values under the new key", async () => {
  const stage = await copyStage(0, {}, UNIQUE);
  const { account, source } = stage;
  const item = (index: number, email: string): Promise<unknown> =>
    write(account, source, index, { email, n: index, tenant: "t" });
  await item(1, "a");
  await item(2, "a");
  await item(3, "b");
  const made = (await planned(stage)).plan!;
  expect(made).toMatchObject({ clashCount: 0, unfitCount: 1, copiedCount: 3 });
  expect(made.unfit[0]).toEqual({
    id: "i2",
    key: ["p2"],
    newKey: ["t"],
    reason: `The item 'i1' of the key ["p1"] has the same new key and the same /email, unique there.`,
  });
  expect(made.obstacles[0]).toMatch(/1 item cannot be copied, such as 'i2'/);
  await withTarget(stage, "/tenant", [{ pk: "x", id: "own", tenant: "t", email: "b", n: 9 }]);
  const shared = (await planned(stage)).plan!;
  expect(shared.unfit.map(({ id, reason }) => [id, reason!.slice(0, 29)])).toEqual([
    ["i2", "The item 'i1' of the key [\"p1"],
    ["i3", "The item 'own' of the target "],
  ]);
});
