/**
 * A year of monthly logical partitions on a real server that is killed while it archives and
 * restores: every item is in the container or in a proven archive after every kill, and comes back
 * as it was. Files are damaged by hand, and found to be.
 */
import { mkdtemp, open, readdir, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ArchiveJobEntry } from "../../src/model/archiveJob.ts";
import { orrery } from "../backup/command.ts";
import type { Item } from "./archiveDesk.ts";
import { ArchiveDesk, nameOf, ownText } from "./archiveDesk.ts";

const PER_MONTH = 120;
let data = "";
let desk: ArchiveDesk;
let whole: ReadonlyMap<string, string> = new Map();

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "orrery-archive-"));
  desk = await ArchiveDesk.open(join(data, "data"));
  const client = desk.client();
  const { database } = await client.databases.create({ id: "d" });
  const { container } = await database.containers.create({
    id: "feeds",
    partitionKey: { paths: ["/month"] },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/url"] }] },
  });
  const items: Item[] = [];
  for (let month = 1; month <= 12; month++) {
    const name = `2022-${String(month).padStart(2, "0")}`;
    for (let index = 0; index < PER_MONTH; index++) {
      const day = String(1 + (index % 28)).padStart(2, "0");
      items.push({
        id: `é/${index}`.replace("/", "-"),
        month: name,
        published: `${name}-${day}T08:00:00Z`,
        url: `${name}-${index}`,
        title: 'quotes " and \u2028 lines\n',
        n: index / 7,
        nested: { list: [1, null, { a: [] }], "": "" },
      });
    }
  }
  whole = new Map(items.map((item) => [nameOf(item), ownText(item)]));
  const young: Item = { id: "y", month: "2026-01", published: "2026-01-01", url: "y" };
  const all = [...items, young];
  for (let at = 0; at < all.length; at += 100) {
    await Promise.all(all.slice(at, at + 100).map((item) => container.items.create(item)));
  }
  client.dispose();
}, 120_000);

afterAll(async () => {
  await desk.close();
  await rm(data, { recursive: true, force: true });
});

async function started(route: string, body: object): Promise<string> {
  const answer = await desk.ask<{ job: ArchiveJobEntry }>(route, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.job.id;
}

async function checkWhole(): Promise<void> {
  const here = await desk.items("d", "feeds");
  const there = await desk.proven("y2022");
  for (const [name, text] of whole) expect(here.get(name) ?? there.get(name)).toBe(text);
}

test("a year is archived under kills, and no item is ever in neither place", async () => {
  const id = await started("containers/d/feeds/archives", {
    folder: "y2022",
    before: "2023-01-01",
    ageProperty: "/published",
  });
  for (const state of ["writing", "proving", "deleting", "deleting", "deleting"]) {
    const job = await desk.until(id, [state]);
    if (job.endedAt !== undefined) break;
    await desk.killed();
    await checkWhole();
  }
  const job = await desk.until(id, ["blocked"]);
  expect(job).toMatchObject({
    state: "archived",
    progress: { partitionCount: 12, archivedCount: 12 * PER_MONTH, deletedCount: 12 * PER_MONTH },
    leftOut: { youngCount: 1 },
  });
  expect(desk.killCount).toBeGreaterThan(0);
  expect([...(await desk.items("d", "feeds")).keys()]).toEqual(['["2026-01","y"]']);
  expect(await desk.proven("y2022")).toEqual(whole);
  const names = await readdir(desk.folder("y2022").place);
  expect(names.filter((name) => !/^(data-\d+\.ndjson\.gz|manifest\.json)$/.test(name))).toEqual([]);
}, 300_000);

test("it comes back into an empty container under kills, item by item the same", async () => {
  const id = await started("containers/d/again/restore", { folder: "y2022", create: true });
  for (const state of ["verifying", "restoring", "restoring"]) {
    const job = await desk.until(id, [state]);
    if (job.endedAt !== undefined) break;
    await desk.killed();
  }
  const job = await desk.until(id, ["blocked"]);
  expect(job).toMatchObject({ state: "restored", conflicts: { count: 0 } });
  expect(await desk.items("d", "again")).toEqual(whole);
  const client = desk.client();
  const { resource } = await client.database("d").container("again").read();
  expect(resource).toMatchObject({
    partitionKey: { paths: ["/month"] },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/url"] }] },
  });
  client.dispose();
}, 300_000);

test("the archive is listed, and can be verified without a server", async () => {
  const { body } = await desk.ask<{ archives: readonly object[] }>("archives?container=feeds");
  expect(body.archives).toMatchObject([
    { folder: "y2022", state: "archived", partitionCount: 12, itemCount: 12 * PER_MONTH },
  ]);
  const looked = await orrery(data, "lifecycle", "archive", "--verify", "data/archives/y2022");
  expect(looked).toMatchObject({ code: 0 });
  expect(looked.output).toMatch(/is whole: 1,440 items of d\/feeds in 12 files/);
});

test("a damaged, cut off or missing file is found before anything is restored", async () => {
  const place = desk.folder("y2022").place;
  const file = join(place, "data-7.ndjson.gz");
  const handle = await open(file, "r+");
  const { size } = await handle.stat();
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 100);
  await handle.write(Buffer.from([buffer[0]! ^ 4]), 0, 1, size - 100);
  await handle.close();
  await expectStopped(/data-7\.ndjson\.gz in .*(SHA-256|decompressed)/);
  await writeFile(file, Buffer.alloc(size - 1));
  await expectStopped(/data-7\.ndjson\.gz in .* bytes instead of/);
  await unlink(file);
  await expectStopped(/data-7\.ndjson\.gz in .* is missing/);
  const looked = await orrery(data, "lifecycle", "archive", "--verify", "data/archives/y2022");
  expect(looked.code).toBe(1);
  expect(looked.output).toMatch(/^damage {2}data-7\.ndjson\.gz in .* is missing\.$/m);
}, 120_000);

async function expectStopped(said: RegExp): Promise<void> {
  const id = await started("containers/d/feeds/restore", { folder: "y2022" });
  const job = await desk.until(id, ["blocked"]);
  expect(job.state).toBe("blocked");
  expect(job.reason).toMatch(said);
  expect((await desk.items("d", "feeds")).size).toBe(1);
  await desk.ask(`jobs/${id}/cancel`, {});
  expect((await desk.until(id, [])).state).toBe("cancelled");
}

test("what makes no sense is refused with a sentence", async () => {
  const cases: readonly [string, object, number, RegExp][] = [
    ["containers/d/feeds/archives", {}, 400, /Say which logical partitions/],
    ["containers/d/feeds/archives", { before: "soon", ageProperty: "/p" }, 400, /must be a date/],
    ["containers/d/feeds/archives", { before: "2022", ageProperty: "p" }, 400, /is no path/],
    ["containers/d/feeds/archives", { keys: [["x"]], folder: "../x" }, 400, /name of an archive/],
    ["containers/d/feeds/archives", { keys: [["x"]], folder: "y2022" }, 400, /has files in it/],
    ["containers/d/feeds/archives", { keys: "x" }, 400, /'keys' must be an array/],
    ["containers/d/feeds/archives", { olderThanSeconds: 0 }, 400, /olderThanSeconds/],
    [
      "containers/d/feeds/archives",
      { keys: [["x"]], keep: 1 },
      400,
      /'keep' must be true or false/,
    ],
    ["containers/d/feeds/archives", { when: 1 }, 400, /no member 'when'/],
    ["containers/d/none/archives", { keys: [["x"]] }, 404, /There is no container 'none'/],
    ["containers/d/feeds/restore", {}, 400, /'folder' must be a string/],
    ["containers/d/feeds/restore", { folder: "none" }, 400, /no such folder/],
    ["containers/d/feeds/restore", { folder: "y2022", ttl: "x" }, 400, /keep, drop/],
    ["jobs/none/pause", {}, 404, /There is no copy job 'none'/],
  ];
  for (const [route, body, status, said] of cases) {
    const answer = await desk.ask<{ message: string }>(route, body);
    expect([route, answer.status], answer.body.message).toEqual([route, status]);
    expect(answer.body.message).toMatch(said);
  }
  expect((await desk.ask("archives/none")).status).toBe(404);
  expect((await desk.ask("archives/..%2Fdata")).status).toBe(400);
}, 60_000);
