/**
 * `orrery copy` of a whole store, as a user types it: a laptop's data goes to a database and comes
 * back, and clients go on with the etags, continuations and positions they had.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runCopy } from "../../src/cli/copy/copy.ts";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";

describe.runIf(hasPostgres())("a whole store", () => {
  let postgres: LocalPostgres;
  let folder: string;

  beforeAll(async () => {
    postgres = await LocalPostgres.start();
    folder = await mkdtemp(join(tmpdir(), "orrery-whole-"));
  });

  afterAll(async () => {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function copy(...args: string[]): Promise<string> {
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await runCopy(args, {});
      return written.mock.calls.map(([text]) => String(text)).join("");
    } finally {
      written.mockRestore();
    }
  }

  test("goes to a database and back, and clients go on where they were", async () => {
    const [first, third] = [join(folder, "first"), join(folder, "third")];
    const store = await postgres.newDatabase();
    const laptop = await startOrrery({ data: first });
    const { container } = await containerIn(laptop);
    for (let n = 0; n < 40; n++) await container.items.create({ id: `i${n}`, pk: `p${n % 4}`, n });
    await container.item("i7", "p3").delete();
    const { etag } = await container.item("i5", "p1").read();
    const query = container.items.query("SELECT VALUE c.n FROM c", { maxItemCount: 3 });
    const page = await query.fetchNext();
    const feed = container.items.getChangeFeedIterator({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
      maxItemCount: 9,
    });
    const { continuationToken: position } = await feed.readNext();
    await expect(copy("--from", first, "--to", store)).rejects.toThrow(/in use|open|server/i);
    await laptop.close();

    const told = await copy("--from", first, "--to", store);
    expect(told).toMatch(/^Copied and verified: \d+ items/);
    expect(told).not.toContain("undefined");
    await expect(copy("--from", first, "--to", store)).rejects.toThrow("not empty");

    const shared = await startOrrery({ store, data: join(folder, "second") });
    await goesOn(shared, { etag, page: page.continuationToken, position });
    await shared.close();

    const back = JSON.parse(await copy("--from", store, "--to", third, "--json"));
    expect(back).toMatchObject({ to: third });
    const again = await startOrrery({ data: third });
    await goesOn(again, { etag, page: page.continuationToken, position });
    expect(
      (await (await containerIn(again)).container.items.create({ id: "z", pk: "p" })).statusCode,
    ).toBe(201);
    await again.close();
  });

  test("says what is wrong before anything is touched", async () => {
    const store = await postgres.newDatabase();
    const full = await mkdtemp(join(folder, "full-"));
    await writeFile(join(full, "notes.txt"), "mine");
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [["--from", join(folder, "none"), "--to", store], /does not exist/],
      [["--from", full, "--to", store], /no data directory/],
      [["--from", store, "--to", full], /is not empty: it has notes.txt/],
      [["--from", store, "--to", store], /the same place/],
      [["--from", store], /name both/],
      [["--from", store, "--to", join(folder, "new")], /nothing to be copied/],
      [["--from", store, "--to", "mysql://x/y"], /no address of a database/],
      [["--from", store, "--to", join(folder, "x"), "--online"], /--online is for a copy of one/],
      [["a/b", "a/c", "--from", store], /--from is a database/],
    ];
    for (const [args, words] of wrong) await expect(copy(...args)).rejects.toThrow(words);
    expect(existsSync(join(full, "journal"))).toBe(false);
  });
});

async function containerIn({ endpoint, key }: OrreryServer) {
  const client = new CosmosClient({ endpoint, key });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const definition = { id: "orders", partitionKey: "/pk", throughput: 20_000 };
  return database.containers.createIfNotExists(definition);
}

interface Left {
  readonly etag: string | undefined;
  readonly page: string | undefined;
  readonly position: string | undefined;
}

async function goesOn(server: OrreryServer, { etag, page, position }: Left): Promise<void> {
  const { container } = await containerIn(server);
  expect((await container.item("i5", "p1").read()).etag).toBe(etag);
  const query = container.items.query("SELECT VALUE c.n FROM c", { continuationToken: page! });
  expect((await query.fetchAll()).resources).toHaveLength(36);
  const seen: unknown[] = [];
  const feed = container.items.getChangeFeedIterator({
    changeFeedStartFrom: ChangeFeedStartFrom.Continuation(position!),
  });
  for (let next = await feed.readNext(); next.statusCode !== 304; next = await feed.readNext()) {
    seen.push(...next.result);
  }
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.length).toBeLessThan(39);
}
