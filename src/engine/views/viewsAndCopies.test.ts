/** Views beside copy jobs: of a source, of an old container, of a target. */
import { expect, it } from "vitest";
import { contents, copyStage, REQUEST, started, write } from "../copy/copyStage.fake.ts";
import { makeView } from "./viewStage.fake.ts";

it("stays closed when a copy job that read it has ended", async () => {
  const { account, time } = await copyStage(3);
  const view = await makeView(account);
  await time.advance(1000);
  const started = await account.jobs.copying.start({
    ...REQUEST,
    source: { database: "d", container: "v" },
    target: { database: "d", container: "copy" },
    key: undefined,
    mode: "offline",
    switchBy: "application",
  });
  expect(started.ok).toBe(true);
  await time.advance(3000);
  const copy = account.catalog.container("d", "copy")!;
  expect(copy.definition.view).toBeUndefined();
  expect(await contents(account, copy)).toEqual(await contents(account, view));
  expect(copy.closedFor).toBeUndefined();
  expect(view.closedFor).toMatchObject({ kind: "forbidden" });
});

it("keeps its source from changing names", async () => {
  const { account, time } = await copyStage(3);
  await makeView(account);
  await time.advance(1000);
  const started = await account.jobs.copying.start(REQUEST);
  expect(started).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("source of the views 'v'") },
  });
});

it("keeps an old container from being deleted with its job, until it is gone or said so", async () => {
  const { account, time, source } = await copyStage(30);
  const { copying } = account.jobs;
  const view = await makeView(account);
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  await copying.command(run, "cutOver", { isForced: true });
  const refused = await copying.command(run, "complete", {});
  expect(refused).toMatchObject({ ok: false, error: { kind: "badRequest" } });
  expect(JSON.stringify(refused)).toMatch(/old container 'c' has the views 'v'.*keepOld/);
  expect(run.record.phase).toBe("switched");
  const step = copying.entryOf(run).nextSteps.find((one) => one.step === "complete");
  expect(step!.about).toMatch(/has the views 'v'/);
  await account.catalog.deleteContainer(account.catalog.databaseOf(view), view);
  expect(await copying.command(run, "complete", {})).toMatchObject({ ok: true });
  await time.advance(2000);
  expect(copying.find(run.id)).toMatchObject({ end: "completed" });
  expect(source.isDeleted).toBe(true);
});

it("is left with the old container when that is kept", async () => {
  const { account, time, source } = await copyStage(30);
  const { copying } = account.jobs;
  const view = await makeView(account);
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  await copying.command(run, "cutOver", { isForced: true });
  expect(await copying.command(run, "complete", { keepOld: true })).toMatchObject({ ok: true });
  await time.advance(2000);
  expect(copying.find(run.id)).toMatchObject({ end: "completed" });
  expect((await write(account, source, 100)).kind).toBe("created");
  await time.advance(2000);
  expect(await contents(account, view)).toHaveLength(31);
});

it("keeps a target from being deleted with its job", async () => {
  const { account, time } = await copyStage(30);
  const { copying } = account.jobs;
  const run = await started(account);
  await time.advance(2000);
  await makeView(account, {
    materializedViewDefinition: { sourceCollectionId: "t", definition: "SELECT * FROM c" },
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
  });
  const refused = await copying.command(run, "cancel", { dropTarget: true });
  expect(JSON.stringify(refused)).toMatch(/target 't' has the views 'v'/);
  expect(await copying.command(run, "cancel", {})).toMatchObject({ ok: true });
  await time.advance(2000);
  expect(copying.find(run.id)).toMatchObject({ end: "cancelled" });
  expect(account.catalog.container("d", "t")!.closedFor).toBeUndefined();
});
