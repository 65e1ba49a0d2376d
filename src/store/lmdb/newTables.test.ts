/** Tables of a data directory that has none yet, and what a power cut leaves of making them. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AbsorberPaths } from "./absorber.ts";
import { LmdbBottom } from "./lmdbBottom.ts";

let root: string;
let paths: AbsorberPaths;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "orrery-tables-"));
  paths = { journalDirectory: join(root, "journal"), tablesDirectory: join(root, "tables") };
});

afterEach(() => rm(root, { recursive: true, force: true }));

test("new tables are empty, and under their own name only", async () => {
  const tables = await LmdbBottom.open(paths);
  expect(tables.absorbedSegment).toBe(0);
  expect(tables.lacksTallies).toBe(false);
  await tables.close();
  expect(await readdir(root)).toEqual(["tables"]);
});

test("tables that were being made when the power went are made again", async () => {
  const draft = join(root, "tables-draft");
  await mkdir(draft);
  // The engine's first write, of which the second half did not come: opening it ends a process.
  await writeFile(join(draft, "data.mdb"), Buffer.alloc(16_384, "\x01\x00"));
  const tables = await LmdbBottom.open(paths);
  expect(tables.heads().size).toBe(0);
  await tables.close();
  expect(existsSync(draft)).toBe(false);
});

test("tables that are there are opened as they are", async () => {
  await (await LmdbBottom.open(paths)).close();
  const file = join(paths.tablesDirectory, "beside");
  await writeFile(file, "untouched");
  await (await LmdbBottom.open(paths)).close();
  expect(existsSync(file)).toBe(true);
});
