/**
 * Archives and restores that are killed after every single operation on their files and on the
 * store, and archives whose files are damaged. At every moment each item is in the container or in
 * an archive that proves to be whole.
 */
import { describe, expect, it } from "vitest";
import type { ArchiveFolder } from "../../archive/archiveFolder.ts";
import { readManifest, verifyFile } from "../../archive/verifyArchive.ts";
import { assert } from "../../base/assert.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import { objectOf, ownTextOf } from "../item/itemBody.ts";
import { stopped } from "../simulatedAccount.fake.ts";
import type { ArchiveStage } from "./archiveStage.fake.ts";
import { ARCHIVE, archived, archiveStage, MONTHS, RESTORE } from "./archiveStage.fake.ts";

async function textsOf(account: Account): Promise<readonly string[]> {
  const page = await account.readItems(account.catalog.container("d", "c")!, {
    scope: { order: "creation", range: WHOLE_RANGE },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  return page.value.bodies.map((body) => ownTextOf(body).toString()).sort();
}

/** What an archive has, if it is whole; nothing of one that is not. */
async function provenTexts(folder: ArchiveFolder): Promise<readonly string[]> {
  const read = await readManifest(folder);
  if (read.kind === "damaged") return [];
  const texts: string[] = [];
  for (const file of read.manifest.files) {
    const onLines = async (lines: readonly Buffer[]): Promise<void> => {
      texts.push(...lines.map((line) => ownTextOf(line).toString()));
    };
    if ((await verifyFile(folder, file, { onLines })) !== undefined) return [];
  }
  return texts;
}

/** Every operation of a run is one to be killed at, so there are few items. */
function smallStage(): Promise<ArchiveStage> {
  return archiveStage(2, {}, {}, MONTHS.slice(0, 3));
}

/** Kills everything at the n-th operation from now on. Says afterwards whether that came. */
function killAt(stage: ArchiveStage, count: number): () => boolean {
  let left = count;
  const isDead = (): boolean => --left < 0;
  stage.shelf.before = () => {
    if (isDead()) throw new StoreFault("killed");
  };
  stage.trouble.fault = () => (isDead() ? new StoreFault("killed") : undefined);
  return () => left < 0;
}

function revive(stage: ArchiveStage): void {
  stage.shelf.before = () => undefined;
  stage.trouble.fault = undefined;
  stage.shelf.crash();
}

const WHOLE_RUN_MAX = 2000;

/** Runs `begin` again and again, each time killed one operation later, and checks in between. */
async function killedEverywhere(
  begin: (account: Account) => Promise<unknown>,
  prepare: (stage: ArchiveStage) => Promise<void>,
  check: (account: Account, stage: ArchiveStage) => Promise<void>,
): Promise<number> {
  for (let count = 0; count < WHOLE_RUN_MAX; count++) {
    const stage = await smallStage();
    await prepare(stage);
    await begin(stage.account);
    const isKilled = killAt(stage, count);
    await stage.time.advance(300);
    const wasKilled = isKilled();
    revive(stage);
    await stopped(stage.account).catch(() => undefined);
    const opened = await stage.reopen();
    await check(opened, stage);
    await stage.time.advance(40_000);
    await check(opened, stage);
    expect(opened.jobs.archiving.runs).toEqual([]);
    await stopped(opened);
    if (!wasKilled) return count;
  }
  throw new Error("the run never came to its end");
}

it("has every item in the container or in a proven archive, wherever it is killed", async () => {
  const all = await textsOf((await smallStage()).account);
  const count = await killedEverywhere(
    (account) => account.jobs.archiving.start(ARCHIVE),
    async () => undefined,
    async (account, { shelf }) => {
      const here = await textsOf(account);
      const there = await provenTexts(shelf.folder("old"));
      expect([...new Set([...here, ...there])].sort()).toEqual(all);
      const isOver = account.jobs.archiving.runs.length === 0;
      if (!isOver) return;
      expect(here).toEqual([]);
      const names = [...shelf.folders.get("old")!.keys()];
      expect(names.filter((name) => !/^(data-\d+\.ndjson\.gz|manifest\.json)$/.test(name))).toEqual(
        [],
      );
    },
  );
  expect(count).toBeGreaterThan(60);
}, 120_000);

it("restores each item once, wherever it is killed", async () => {
  const all = await textsOf((await smallStage()).account);
  const count = await killedEverywhere(
    (account) => account.jobs.archiving.restore({ ...RESTORE, keepTimestamps: true }),
    async (stage) => {
      await archived(stage, stage.account);
    },
    async (account) => {
      if (account.jobs.archiving.runs.length > 0) return;
      expect(await textsOf(account)).toEqual(all);
      expect(account.jobs.archiving.entries[0]).toMatchObject({
        state: "restored",
        conflicts: { count: 0 },
      });
    },
  );
  expect(count).toBeGreaterThan(20);
}, 120_000);

describe("a damaged archive", () => {
  const flip = (bytes: Buffer): Buffer => {
    bytes[bytes.length - 20]! ^= 1;
    return bytes;
  };
  const cut = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - 7);
  const edit = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString().replace('"itemCount": 5', '"itemCount": 4'));
  const DAMAGES: readonly [string, string, (bytes: Buffer) => Buffer | undefined, RegExp][] = [
    ["a flipped bit", "data-3.ndjson.gz", flip, /data-3\.ndjson\.gz in .* SHA-256/],
    [
      "a lost beginning",
      "data-4.ndjson.gz",
      (bytes) => Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]),
      /data-4\.ndjson\.gz in .* decompressed/,
    ],
    ["a file cut off", "data-12.ndjson.gz", cut, /data-12\.ndjson\.gz in .* bytes instead of/],
    ["a missing file", "data-1.ndjson.gz", () => undefined, /data-1\.ndjson\.gz in .* is missing/],
    ["an edited manifest", "manifest.json", edit, /manifest\.json in .* checksum/],
    ["a missing manifest", "manifest.json", () => undefined, /manifest\.json in .* is not there/],
  ];

  it.each(DAMAGES)(
    "with %s is found before anything is deleted",
    async (_what, file, change, said) => {
      const stage = await archiveStage();
      const { account, shelf } = stage;
      shelf.before = (operation, _folder, name) => {
        // When the manifest is in place and the proof is about to begin.
        if (operation !== "remove" || name !== "ledger.ndjson") return;
        shelf.before = () => undefined;
        shelf.alter("old", file, change);
      };
      const job = await archived(stage, account);
      expect(job.state).toBe("blocked");
      expect(job.reason).toMatch(said);
      expect(job.reason).toMatch(/archive the items again/);
      expect(await textsOf(account)).toHaveLength(60);
      await account.jobs.archiving.command(job.id, "cancel", undefined);
      await stage.time.advance(1000);
      expect(account.jobs.archiving.entry(job.id)).toMatchObject({ state: "cancelled" });
      expect(shelf.folders.size).toBe(0);
    },
  );

  it.each(DAMAGES)(
    "with %s is found after a kill between writing and deleting",
    async (_what, file, change, said) => {
      const stage = await archiveStage();
      const { account, shelf, time } = stage;
      const started = await account.jobs.archiving.start(ARCHIVE);
      assert(started.ok, "the job is taken");
      let seen = "";
      stage.trouble.fault = (_operation, part) => {
        // The moment in which everything is proven, which is on record, and nothing is deleted.
        const state = account.jobs.archiving.entry(started.value.id)?.state ?? "";
        if (state === "deleting" && part !== CATALOG_PART) seen = state;
        return seen === "deleting" ? new StoreFault("killed") : undefined;
      };
      await time.advance(500);
      expect(seen).toBe("deleting");
      revive(stage);
      await stopped(account).catch(() => undefined);
      shelf.alter("old", file, change);
      const opened = await stage.reopen();
      await time.advance(2000);
      const job = opened.jobs.archiving.entry(started.value.id)!;
      expect(job.state).toBe("blocked");
      expect(job.reason).toMatch(said);
      expect(await textsOf(opened)).toHaveLength(60);
    },
  );

  it.each(DAMAGES)(
    "with %s is found before anything is restored",
    async (_what, file, change, said) => {
      const stage = await archiveStage();
      const { account, shelf, time } = stage;
      await archived(stage, account);
      shelf.alter("old", file, change);
      const started = await account.jobs.archiving.restore(RESTORE);
      if (!started.ok) {
        expect(started.error).toMatchObject({ kind: "badRequest" });
        expect("message" in started.error ? started.error.message : "").toMatch(said);
      } else {
        await time.advance(2000);
        const job = account.jobs.archiving.entry(started.value.id)!;
        expect(job.state).toBe("blocked");
        expect(job.reason).toMatch(said);
        expect(job.reason).toMatch(/Nothing was written/);
      }
      expect(await textsOf(account)).toEqual([]);
    },
  );

  it("goes on when the file was put back", async () => {
    const stage = await archiveStage();
    const { account, shelf, time } = stage;
    let lost: Buffer | undefined;
    shelf.before = (operation, _folder, name) => {
      if (operation !== "remove" || name !== "ledger.ndjson") return;
      shelf.before = () => undefined;
      shelf.alter("old", "data-2.ndjson.gz", (bytes) => {
        lost = Buffer.from(bytes);
        return flip(bytes);
      });
    };
    const job = await archived(stage, account);
    expect(job.state).toBe("blocked");
    shelf.alter("old", "data-2.ndjson.gz", () => lost);
    await account.jobs.archiving.command(job.id, "resume", undefined);
    await time.advance(2000);
    expect(account.jobs.archiving.entry(job.id)).toMatchObject({ state: "archived" });
    expect(await textsOf(account)).toEqual([]);
  });
});

it("restores the other keys when one file is damaged", async () => {
  const stage = await archiveStage();
  const { account, shelf, time } = stage;
  await archived(stage, account);
  const contents = await account.jobs.archiving.contents("old");
  assert(contents.ok, "an archive can be looked into");
  const [victim, ...others] = contents.value.files;
  shelf.alter("old", victim!.name, () => undefined);
  const keys = others.map(({ key }) => key);
  const started = await account.jobs.archiving.restore({ ...RESTORE, keys });
  assert(started.ok, "the job is taken");
  await time.advance(2000);
  expect(account.jobs.archiving.entry(started.value.id)).toMatchObject({ state: "restored" });
  const months = new Set((await textsOf(account)).map((text) => objectOf(Buffer.from(text))["pk"]));
  expect(months.size).toBe(11);
});
