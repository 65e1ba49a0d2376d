/** What is refused before a job about archives begins, each with a sentence. */
import { describe, expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { containerIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { ArchiveRequest, RestoreRequest } from "./archiveRecord.ts";
import { cutoffOf } from "./archiveSelection.ts";
import { ARCHIVE, archived, archiveStage, putDated, RESTORE } from "./archiveStage.fake.ts";

function saidBy(outcome: Result<unknown, Refusal>): string {
  if (outcome.ok) return "accepted";
  return "message" in outcome.error ? outcome.error.message : outcome.error.kind;
}

describe("an archive", () => {
  const REFUSED: readonly [string, Partial<ArchiveRequest>, RegExp][] = [
    ["a container that is not there", { container: { database: "d", container: "x" } }, /notFound/],
    ["a folder above", { folder: ".." }, /cannot be the name of an archive/],
    ["a path", { folder: "a/b" }, /cannot be the name of an archive/],
    ["no folder", { folder: "" }, /cannot be the name of an archive/],
    ["an age without a property", { ageProperty: undefined }, /ageProperty/],
    ["a property that is no path", { ageProperty: "date" }, /no path, such as/],
    ["neither age nor keys", { before: undefined }, /Say which logical partitions/],
    ["an instant in the future", { before: Date.UTC(2050, 0, 1) }, /in the future/],
    ["no keys in the list", { keys: [] }, /empty/],
    ["a key of two levels", { keys: [["a", "b"]] }, /is no key of the container/],
    ["a key that is none", { keys: [[{ a: 1 }]] }, /is no partition key/],
    ["a folder with files", { folder: "full" }, /has files in it.*never written over/s],
  ];

  it.each(REFUSED)("of %s is refused", async (_what, more, said) => {
    const { account, shelf } = await archiveStage(1);
    shelf.folders.set("full", new Map([["x", { bytes: Buffer.alloc(1), syncedBytes: 1 }]]));
    expect(saidBy(await account.jobs.archiving.start({ ...ARCHIVE, ...more }))).toMatch(said);
    expect(account.jobs.archiving.entries).toEqual([]);
  });

  it("is refused while another job is at work on the container or the folder", async () => {
    const { account } = await archiveStage(1);
    const { archiving } = account.jobs;
    const first = await archiving.start(ARCHIVE);
    assert(first.ok, "the first one is taken");
    expect(saidBy(await archiving.start({ ...ARCHIVE, folder: "two" }))).toMatch(/is at work on/);
    expect(saidBy(await archiving.restore({ ...RESTORE, folder: "two" }))).toMatch(/is at work on/);
  });

  it("is taken once for a container and a folder of two who ask at once", async () => {
    const { account } = await archiveStage(1);
    const { archiving } = account.jobs;
    const database = account.catalog.database("d")!;
    await containerIn(account, database, undefined, { id: "other" });
    const other = { ...ARCHIVE, container: { database: "d", container: "other" } };
    const asked = [ARCHIVE, { ...ARCHIVE, folder: "two" }, other];
    const answers = await Promise.all(asked.map((request) => archiving.start(request)));
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(saidBy(answers[1]!)).toMatch(/is at work on the container 'c'/);
    expect(saidBy(answers[2]!)).toMatch(/is at work on the folder 'old'/);
    expect(archiving.entries).toHaveLength(1);
  });

  it("is refused of a view", async () => {
    const { account } = await archiveStage(1);
    const view = await containerIn(account, account.catalog.database("d")!, undefined, {
      id: "v",
      partitionKey: { paths: ["/date"], kind: "Hash", version: 2 },
      materializedViewDefinition: { sourceCollectionId: "c", definition: "SELECT * FROM c" },
    });
    expect(view.definition.view).toBeDefined();
    const request = { ...ARCHIVE, container: { database: "d", container: "v" } };
    expect(saidBy(await account.jobs.archiving.start(request))).toMatch(/is a view/);
  });

  it("is refused where there is no place for archives", async () => {
    const { account } = await simulatedAccount();
    expect(saidBy(await account.jobs.archiving.start(ARCHIVE))).toMatch(/--archives/);
    expect(saidBy(await account.jobs.archiving.restore(RESTORE))).toMatch(/--archives/);
  });

  it("takes dates in the forms that items have them", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(cutoffOf({ before: "2024-01-01" }, now)).toMatchObject({ value: Date.UTC(2024, 0, 1) });
    expect(cutoffOf({ before: 1_704_067_200 }, now)).toMatchObject({ value: Date.UTC(2024, 0, 1) });
    expect(cutoffOf({ olderThanSeconds: 86_400 }, now)).toMatchObject({ value: now - 86_400_000 });
    expect(cutoffOf({}, now)).toMatchObject({ value: undefined });
    for (const before of ["soon", true, null, {}, "2024-02-30"]) {
      expect(cutoffOf({ before }, now).ok).toBe(false);
    }
    expect(cutoffOf({ before: "2024", olderThanSeconds: 1 }, now).ok).toBe(false);
  });
});

describe("a restore", () => {
  const REFUSED: readonly [string, Partial<RestoreRequest>, RegExp][] = [
    ["an archive that is not there", { folder: "none" }, /no such folder/],
    ["a folder above", { folder: "../old" }, /cannot be the name of an archive/],
    ["a key that is not in it", { keys: [["1999-01"]] }, /no logical partition \["1999-01"\]/],
    ["a container that is not there", { container: { database: "d", container: "x" } }, /notFound/],
    ["a database that is not there", { container: { database: "x", container: "x" } }, /Make it/],
    ["one to be made that is there", { create: true }, /is there already/],
    [
      "a container with another key",
      { container: { database: "d", container: "other" } },
      /has the partition key \/pk, the container 'other' has \/id/,
    ],
  ];

  it.each(REFUSED)("of %s is refused", async (_what, more, said) => {
    const stage = await archiveStage(1);
    const { account } = stage;
    await archived(stage, account);
    const partitionKey = { paths: ["/id"], kind: "Hash", version: 2 };
    const database = account.catalog.database("d")!;
    await containerIn(account, database, undefined, { id: "other", partitionKey });
    expect(saidBy(await account.jobs.archiving.restore({ ...RESTORE, ...more }))).toMatch(said);
  });

  const CONTAINERS = ["c", "made"];

  it.each(CONTAINERS)("is taken once into '%s' of two who ask at once", async (name) => {
    const stage = await archiveStage(1);
    const { archiving } = stage.account.jobs;
    await archived(stage, stage.account);
    const container = { database: "d", container: name };
    const request = { ...RESTORE, container, create: name === "made" };
    const answers = await Promise.all([archiving.restore(request), archiving.restore(request)]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false]);
    expect(saidBy(answers[1])).toMatch(/is at work on the container/);
    await stage.time.advance(2000);
    expect(archiving.entries[0]).toMatchObject({ state: "restored" });
  });

  it("takes a container whose key is hashed in another way", async () => {
    const stage = await archiveStage(1);
    const { account, time } = stage;
    await archived(stage, account);
    const partitionKey = { paths: ["/pk"], kind: "Hash", version: 1 };
    const database = account.catalog.database("d")!;
    const older = await containerIn(account, database, undefined, { id: "v1", partitionKey });
    await putDated(account, older, "2022-01", "own");
    const container = { database: "d", container: "v1" };
    const started = await account.jobs.archiving.restore({ ...RESTORE, container });
    assert(started.ok, "the job is taken");
    await time.advance(2000);
    const job = account.jobs.archiving.entry(started.value.id);
    expect(job).toMatchObject({ state: "restored", progress: { restoredCount: 12 } });
  });
});

it("stops and says so when the folder was taken by somebody else meanwhile", async () => {
  const { account, shelf, time } = await archiveStage(1);
  const { archiving } = account.jobs;
  let looks = 0;
  shelf.before = (operation) => {
    // The first look is that of the acceptance.
    if (operation !== "names" || ++looks !== 2) return;
    shelf.folders.set("old", new Map([["x", { bytes: Buffer.alloc(1), syncedBytes: 1 }]]));
  };
  const started = await archiving.start(ARCHIVE);
  assert(started.ok, "the job is taken");
  await time.advance(1000);
  const job = archiving.entry(started.value.id)!;
  expect(job).toMatchObject({ state: "blocked" });
  expect(job.reason).toMatch(/has something else in it/);
  await archiving.command(job.id, "cancel", undefined);
  await time.advance(1000);
  expect(archiving.entry(job.id)).toMatchObject({ state: "cancelled" });
  expect([...shelf.folders.get("old")!.keys()]).toEqual(["x"]);
});

it("leaves alone what somebody else has put into the folder meanwhile, also when cancelled", async () => {
  const stage = await archiveStage(1);
  const { account, shelf, time } = stage;
  const { archiving } = account.jobs;
  await archived(stage, account, { folder: "other", keep: true });
  const others = [...shelf.folders.get("other")!.keys()];
  let looks = 0;
  shelf.before = (operation, folder) => {
    if (operation !== "names" || folder !== "old" || ++looks !== 2) return;
    shelf.folders.set("old", new Map(shelf.folders.get("other")));
  };
  const started = await archiving.start(ARCHIVE);
  assert(started.ok, "the job is taken");
  await time.advance(1000);
  await archiving.command(started.value.id, "cancel", undefined);
  await time.advance(1000);
  const job = archiving.entry(started.value.id)!;
  expect(job).toMatchObject({ state: "cancelled" });
  expect(job.reason).toMatch(/shelf\/old is not of this job, and stays/);
  expect([...shelf.folders.get("old")!.keys()]).toEqual(others);
});
