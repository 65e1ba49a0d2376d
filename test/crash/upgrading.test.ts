/**
 * A data directory of each former format, opened by a whole server: everything is there, is written
 * on, and opens again; and one of a format that is to come is refused and left as it was.
 * `formerFormat.test.ts` has the store's part of it in all its states, with power cuts. The table of
 * formats in the documents is compared with the code.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decodeCatalogRecord } from "../../src/engine/catalog/catalogRecords.ts";
import { INDEX_FORMAT } from "../../src/index/terms.ts";
import { type OrreryServer, startOrrery } from "../../src/index.ts";
import { ARCHIVE_FORMAT } from "../../src/store/backup/backupArchive.ts";
import type { LmdbEnvironment } from "../../src/store/lmdb/environment.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { FORMAT, FORMAT_KEY, UNSEALED_FORMATS } from "../../src/store/lmdb/keys.ts";
import { sealed } from "../../src/store/lmdb/seal.ts";
import { SCHEMA_VERSION } from "../../src/store/postgres/schema.ts";
import { unsealTables } from "./unsealTables.ts";

const ITEM_COUNT = 40;
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "orrery-upgrading-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(data, { recursive: true, force: true });
});

test.each(Object.keys(UNSEALED_FORMATS))("tables of format %s are converted", async (format) => {
  await write();
  await withTables((tables) => unsealTables(tables, format as "1" | "2"));
  const said = saidOnStandardError();
  await using server = await startOrrery({ data });
  expect(said()).toContain(`format ${format}) and is converted, once`);
  expect(await found(server)).toEqual({ count: ITEM_COUNT, total: 7 });
  await containerOf(server).items.create({ id: "new", pk: "p1", n: 1 });
  await server.close();

  const silent = saidOnStandardError();
  await using again = await startOrrery({ data });
  expect(silent()).not.toContain("converted");
  expect(await found(again)).toEqual({ count: ITEM_COUNT + 1, total: 7 });
});

test("tables of a format that is to come are refused by its name, and stay as they were", async () => {
  await write();
  const next = String(Number(FORMAT) + 1);
  await withTables((tables) => {
    tables.putSync(FORMAT_KEY, sealed(FORMAT_KEY, Buffer.from(next)));
  });
  const before = digestOf(join(data, "journal"));
  const refused = startOrrery({ data });
  await expect(refused).rejects.toThrow(`has format ${next}; this version reads ${FORMAT}`);
  await expect(startOrrery({ data })).rejects.toThrow("Open it with the version that wrote it");
  expect(digestOf(join(data, "journal"))).toBe(before);
  // Whoever goes back to the version that wrote it finds everything.
  await withTables((tables) => {
    expect(String(tables.getBinary(FORMAT_KEY))).toContain(next);
    tables.putSync(FORMAT_KEY, sealed(FORMAT_KEY, Buffer.from(FORMAT)));
  });
  await using server = await startOrrery({ data });
  expect(await found(server)).toEqual({ count: ITEM_COUNT, total: 7 });
});

test("a record of the catalogue that is of a format to come is refused by its name", () => {
  const record = Buffer.from(JSON.stringify({ format: 4, kind: "database" }));
  expect(() => decodeCatalogRecord(record)).toThrow("has format 4; this version reads 1, 2, 3");
});

test("counters of a version without resources are completed", () => {
  const counters = { part: 5, database: 2, container: 3 };
  const record = Buffer.from(JSON.stringify({ format: 1, kind: "counters", counters }));
  expect(decodeCatalogRecord(record)).toEqual({
    kind: "counters",
    counters: { ...counters, resource: 1 },
  });
});

test("the documents name the formats that are written and read", () => {
  const page = readFileSync(new URL("../../docs/operate/upgrading.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| ([^|]+?) +\| `([^|`]+)`[^|]*\| ([^|]*?) +\|/gm)];
  const told = new Map(rows.map(([, what, written, read]) => [what, { written, read }]));
  const former = Object.keys(UNSEALED_FORMATS).map((format) => `\`${format}\``);
  expect(told.get("tables of a directory")).toEqual({ written: FORMAT, read: former.join(", ") });
  expect(told.get("terms of the index")?.written).toBe(String(INDEX_FORMAT));
  expect(told.get("tables in a PostgreSQL")?.written).toBe(String(SCHEMA_VERSION));
  expect(told.get("backup")?.written).toBe(String(ARCHIVE_FORMAT));
});

/** A directory as today's version leaves it. */
async function write(): Promise<void> {
  await using server = await startOrrery({ data });
  const client = clientOf(server);
  const { database } = await client.databases.create({ id: "shop" });
  const { container } = await database.containers.create({ id: "orders", partitionKey: "/pk" });
  for (let n = 0; n < ITEM_COUNT; n++) {
    await container.items.create({ id: `i${n}`, pk: `p${n % 5}`, n });
  }
}

async function found(server: OrreryServer): Promise<{ count: unknown; total: unknown }> {
  const container = containerOf(server);
  const query = "SELECT VALUE COUNT(1) FROM c WHERE c.n >= 0";
  const { resources } = await container.items.query(query).fetchAll();
  const { resource } = await container.item("i7", "p2").read();
  return { count: resources[0], total: resource?.n };
}

function containerOf(server: OrreryServer) {
  return clientOf(server).database("shop").container("orders");
}

function clientOf({ endpoint, key }: OrreryServer): CosmosClient {
  return new CosmosClient({ endpoint, key });
}

async function withTables(change: (tables: LmdbEnvironment) => void): Promise<void> {
  const tables = openEnvironment(join(data, "tables"));
  change(tables);
  await tables.close();
  // Sums of pages are of what was changed here behind the server's back.
  for (const name of readdirSync(join(data, "tables"))) {
    if (name.includes("sums")) rmSync(join(data, "tables", name));
  }
}

function saidOnStandardError(): () => string {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  write.mockClear();
  return () => write.mock.calls.map(([text]) => String(text)).join("");
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}
