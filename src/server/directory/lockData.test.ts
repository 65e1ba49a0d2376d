/** The lock of this process, as commands take it or only look at it. */
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataLocked } from "./dataLocked.ts";
import { loadKernelLock } from "./kernelLock.ts";
import { holdTables, lockData, lookAtLock } from "./lockData.ts";

const HAS_BINDING = (await loadKernelLock()) !== undefined;

let root: string;
let directory: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-lock-"));
  directory = join(root, "data");
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("who only looks is told of a holder, and leaves nothing behind", async () => {
  const lock = await lockData(directory);
  await expect(lookAtLock(directory)).rejects.toThrow(`in use by process ${process.pid}`);
  lock.release();
  (await lookAtLock(directory))();
  expect(readdirSync(directory)).toEqual([]);
});

test("who only looks does not mind the lock of a dead holder", async () => {
  const dead = { pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" };
  writeFileSync(join(directory, "lock"), JSON.stringify(dead));
  const endLook = await lookAtLock(directory);
  endLook();
  (await lockData(directory)).release();
});

test.runIf(HAS_BINDING)("who looks keeps a server from starting meanwhile", async () => {
  const dead = { pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" };
  writeFileSync(join(directory, "lock"), JSON.stringify(dead));
  const endLook = await lookAtLock(directory);
  await expect(lockData(directory)).rejects.toThrow(DataLocked);
  endLook();
  (await lockData(directory)).release();
});

test.runIf(HAS_BINDING)("tables that are reached by two directories go to one", async () => {
  const twin = join(root, "twin");
  for (const place of [directory, twin]) mkdirSync(join(place, "tables"), { recursive: true });
  const lock = await lockData(directory);
  writeFileSync(join(directory, "tables", "data.mdb"), "");
  await holdTables(lock);
  linkSync(join(directory, "tables", "data.mdb"), join(twin, "tables", "data.mdb"));
  await expect(lockData(twin)).rejects.toThrow(
    `The tables of the data directory ${twin} are in use`,
  );
  expect(readdirSync(twin)).toEqual(["tables"]);
  lock.release();
  (await lockData(twin)).release();
});
