/**
 * Months into files and back: equal item by item, and nothing deleted unless its file is whole. The
 * folder is a real one; the server is in memory.
 */
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Container } from "@azure/cosmos";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { StoredFeedItem } from "../feedItem.ts";
import type { FeedStore } from "../feedStore.ts";
import { generateItems } from "../generate.ts";
import { loadItems } from "../load.ts";
import { setUpFeeds } from "../setUp.ts";
import { article, contentsOf, noWait, openStage, type Stage } from "../stage.fake.ts";
import { type ArchivedItem, ArchiveFolder } from "./archiveFolder.ts";
import { ArchiveDamaged, type FileFacts } from "./manifest.ts";

const NOW = "2026-03-20T12:00:00Z";

let stage: Stage;
let path: string;
let folder: ArchiveFolder;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "feed-archive-"));
  folder = new ArchiveFolder(path);
});
afterEach(() => rm(path, { recursive: true }));

/** Four months of items unless told, of which the first three are old as a whole. */
async function loaded({ from = "2023-12-01", to = "2024-04-01", itemsPerDay = 0.3 } = {}): Promise<{
  readonly container: Container;
  readonly store: FeedStore;
}> {
  const opened = await stage.open({ now: NOW });
  const items = generateItems({
    itemsPerDay,
    itemBytes: 500,
    from: new Date(from),
    to: new Date(to),
    seed: 3,
  });
  await loadItems(opened.container, items, { wait: noWait });
  // What JSON texts and files are easily wrong about.
  const odd = { title: 'Zoë ☃ "𝄞"\n\\', content: "é\u2028x".repeat(3000) };
  await opened.store.store(article("odd", "2024-01-24T00:00:00Z", odd));
  return opened;
}

function countIn(items: readonly StoredFeedItem[], month: string): number {
  return items.filter(({ partitionKey }) => partitionKey === month).length;
}

const OLD_MONTHS = ["2023-08", "2023-09", "2023-10", "2023-11", "2023-12", "2024-01", "2024-02"];

test("whole old months leave the container, and come back equal item by item", async () => {
  // More of a month than fit into a batch.
  const { container, store } = await loaded({
    from: "2023-08-01",
    to: "2024-08-01",
    itemsPerDay: 3.4,
  });
  const before = await contentsOf(container);
  const archived = await store.archive(folder);
  expect(archived.map(({ month }) => month)).toEqual(OLD_MONTHS);
  const young = before.filter(({ partitionKey }) => !OLD_MONTHS.includes(partitionKey));
  expect(await contentsOf(container)).toEqual(young);
  const count = archived.reduce((sum, { deletedCount }) => sum + deletedCount, 0);
  expect(count).toBe(before.length - young.length);
  for (const month of archived) expect(month).toMatchObject({ goneCount: 0, changedIds: [] });
  expect(await store.archive(folder)).toEqual([]);

  const one = await store.restore(folder, { months: ["2024-01"] });
  expect(one).toMatchObject([{ month: "2024-01", createdCount: 106, presentCount: 0 }]);
  await store.restore(folder);
  expect(await contentsOf(container)).toEqual(before);
  expect((await folder.manifests()).map(({ state }) => state)).toEqual(
    OLD_MONTHS.map(() => "restored"),
  );
});

test("a manifest says what is in its file", async () => {
  const { container, store } = await loaded();
  const count = countIn(await contentsOf(container), "2023-12");
  await store.archive(folder);
  const [first] = await folder.manifests();
  expect(first).toMatchObject({
    database: "feed",
    container: container.id,
    month: "2023-12",
    part: 1,
    state: "archived",
    file: "2023-12.1.ndjson.gz",
    itemCount: count,
    copiedAt: new Date(NOW).toISOString(),
    partitionKeyPath: "/partitionKey",
  });
  const text = gunzipSync(await readFile(join(path, first!.file))).toString();
  const items = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ArchivedItem);
  expect(items).toHaveLength(count);
  expect(first!.textBytes).toBe(Buffer.byteLength(text));
  const dates = items.map(({ publishedDate }) => publishedDate).sort();
  expect([first!.firstPublished, first!.lastPublished]).toEqual([dates[0], dates.at(-1)]);
});

test("into an empty container, and the archive stays what it is", async () => {
  const { container, store } = await loaded();
  const before = await contentsOf(container);
  await store.archive(folder, { olderThanYears: 1 });
  expect(await contentsOf(container)).toEqual([]);
  const empty = await setUpFeeds(stage.database, { id: `${container.id}-copy` });
  const count = countIn(before, "2023-12");
  for (const createdCount of [count, 0]) {
    const [first] = await store.restore(folder, { into: empty });
    expect(first).toMatchObject({
      month: "2023-12",
      createdCount,
      presentCount: count - createdCount,
    });
    expect(await contentsOf(empty)).toEqual(before);
  }
  expect((await folder.manifests()).every(({ state }) => state === "archived")).toBe(true);
});

describe("a damaged file is found before anything is deleted", () => {
  const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
    ["cut short", (file) => truncate(file, 200)],
    ["emptied", (file) => truncate(file, 0)],
    ["missing", (file) => rm(file)],
    [
      "with one bit changed",
      async (file) => {
        const bytes = await readFile(file);
        bytes[bytes.length >> 1]! ^= 1;
        await writeFile(file, bytes);
      },
    ],
    ["with something behind it", (file) => writeFile(file, "x", { flag: "a" })],
  ];

  /** A disk that keeps something else than it was given. */
  class BadFolder extends ArchiveFolder {
    readonly #damage: (file: string) => Promise<void>;

    constructor(at: string, damage: (file: string) => Promise<void>) {
      super(at);
      this.#damage = damage;
    }

    override async write(
      month: string,
      items: AsyncIterable<ArchivedItem>,
    ): Promise<(FileFacts & { readonly part: number }) | undefined> {
      const facts = await super.write(month, items);
      if (month === "2024-01") await this.#damage(join(this.path, facts!.file));
      return facts;
    }
  }

  test.each(damages)("when it is written: %s", async (_name, damage) => {
    const { container, store } = await loaded();
    const before = await contentsOf(container);
    const bad = new BadFolder(path, damage);
    await expect(store.archive(bad)).rejects.toThrow(ArchiveDamaged);
    const done = ["2023-12"];
    expect((await folder.manifests()).map(({ month }) => month)).toEqual(done);
    const left = before.filter(({ partitionKey }) => !done.includes(partitionKey));
    expect(await contentsOf(container)).toEqual(left);
  });

  test.each(damages)("when a run that was cut off is finished: %s", async (_name, damage) => {
    const { container, store } = await loaded();
    const before = await contentsOf(container);
    await cutOffAfterCopy(store, path);
    await damage(join(path, "2023-12.1.ndjson.gz"));
    await expect(store.archive(folder)).rejects.toThrow("2023-12.1.ndjson.gz is damaged");
    expect(await contentsOf(container)).toEqual(before);
  });

  test.each(damages)("when it is restored: %s", async (_name, damage) => {
    const { container, store } = await loaded();
    const count = countIn(await contentsOf(container), "2024-02");
    await store.archive(folder);
    const young = await contentsOf(container);
    await damage(join(path, "2024-01.1.ndjson.gz"));
    await expect(store.restore(folder)).rejects.toThrow("2024-01.1.ndjson.gz is damaged");
    expect(await contentsOf(container)).toEqual(young);
    await store.restore(folder, { months: ["2024-02"] });
    expect((await contentsOf(container)).length).toBe(young.length + count);
  });

  test("a manifest that is no JSON", async () => {
    const { container, store } = await loaded();
    await store.archive(folder);
    const young = await contentsOf(container);
    await truncate(join(path, "2024-01.1.manifest.json"), 40);
    await expect(store.restore(folder)).rejects.toThrow("2024-01.1.manifest.json is damaged");
    await expect(store.archive(folder, { olderThanYears: 1 })).rejects.toThrow(ArchiveDamaged);
    expect(await contentsOf(container)).toEqual(young);
  });
});

/** As if the process had ended when the first manifest was on the disk. */
async function cutOffAfterCopy(store: FeedStore, at: string): Promise<void> {
  class EndingFolder extends ArchiveFolder {
    override async save(manifest: Parameters<ArchiveFolder["save"]>[0]): Promise<void> {
      await super.save(manifest);
      throw new Error("cut off");
    }
  }
  await expect(store.archive(new EndingFolder(at))).rejects.toThrow("cut off");
}

test("a run that was cut off is finished by the next", async () => {
  const { container, store } = await loaded();
  const before = await contentsOf(container);
  await cutOffAfterCopy(store, path);
  expect(await contentsOf(container)).toEqual(before);
  // A part of it was deleted, too.
  const count = countIn(before, "2023-12");
  await container.item(before[5]!.id, "2023-12").delete();
  const [first] = await store.archive(folder);
  expect(first).toMatchObject({ month: "2023-12", part: 1, deletedCount: count - 1, goneCount: 1 });
  await store.restore(folder);
  expect(await contentsOf(container)).toEqual(before);
});

test("an item that is edited after its copy stays, and so does a late one", async () => {
  const { container, store } = await loaded();
  await cutOffAfterCopy(store, path);
  const [edited, ended] = await contentsOf(container);
  await store.store({ ...edited!, title: "Edited" });
  const late = article("late", "2023-12-15T00:00:00Z");
  await store.store(late);
  const [first, second] = await store.archive(folder);
  expect(first).toMatchObject({ month: "2023-12", part: 1, changedIds: [edited!.id] });
  expect(second).toMatchObject({ month: "2023-12", part: 2, itemCount: 2, deletedCount: 2 });
  await store.restore(folder, { months: ["2023-12"] });
  const restored = await contentsOf(container);
  expect(restored.find(({ id }) => id === edited!.id)?.title).toBe("Edited");
  expect(restored.some(({ id }) => id === "late")).toBe(true);
  expect(restored.some(({ id }) => id === ended!.id)).toBe(true);
});

test("what is in the container is newer than what is restored", async () => {
  const { container, store } = await loaded();
  const count = countIn(await contentsOf(container), "2024-01");
  await store.archive(folder);
  const again = article("odd", "2024-01-24T00:00:00Z", { title: "Stored again" });
  await store.store(again);
  const [month] = await store.restore(folder, { months: ["2024-01"] });
  expect(month).toMatchObject({ createdCount: count - 1, presentCount: 1 });
  const { resource } = await container.item("odd", "2024-01").read();
  expect(resource).toMatchObject({ title: "Stored again" });
});

test("an item that was deleted after it was restored does not come back with a later part", async () => {
  const { container, store } = await loaded();
  await store.archive(folder);
  await store.restore(folder, { months: ["2023-12"] });
  const gone = (await contentsOf(container))[3]!;
  await container.item(gone.id, gone.partitionKey).delete();
  await store.archive(folder);
  await store.restore(folder, { months: ["2023-12"] });
  expect((await contentsOf(container)).some(({ id }) => id === gone.id)).toBe(false);
});

describe("refused", () => {
  test("a month that is not archived", async () => {
    const { store } = await loaded();
    await expect(store.restore(folder, { months: ["2023-12"] })).rejects.toThrow("no month");
    await store.archive(folder);
    await expect(store.restore(folder, { months: ["2022-01"] })).rejects.toThrow(
      "2023-12, 2024-01",
    );
  });

  test("the folder of another container", async () => {
    const { store } = await loaded();
    await store.archive(folder);
    const other = await loaded();
    await expect(other.store.archive(folder)).rejects.toThrow("choose another folder");
  });

  test("an age that is none", async () => {
    const { store } = await stage.open({ now: NOW });
    await expect(store.archive(folder, { olderThanYears: 1.5 })).rejects.toThrow("olderThanYears");
    await expect(store.archive(folder, { olderThanYears: -1 })).rejects.toThrow("olderThanYears");
    expect(await store.archive(folder, { olderThanYears: 0 })).toEqual([]);
    expect(await readdir(path)).toEqual([]);
  });
});
