/** The files of archives on a real disk: written whole, read back, and not to be led astray. */

import { createHash, randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArchiveFault, UnreadableFile } from "../../archive/archiveFolder.ts";
import { openShelf } from "./archiveShelf.ts";

let place = "";
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "orrery-archives-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

async function textIn(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

it("writes a compressed file under its name when it is whole, and says what is stored", async () => {
  const folder = openShelf(join(place, "not", "there", "yet")).folder("a");
  expect(await folder.names()).toBeUndefined();
  await folder.make();
  const writer = await folder.create("data-1.ndjson.gz");
  const line = `{"id":"${"x".repeat(100_000)}"}\n`;
  for (let count = 0; count < 30; count++) await writer.write(Buffer.from(line));
  expect(await folder.names()).toEqual(["data-1.ndjson.gz.tmp"]);
  const stored = await writer.publish();
  expect(await folder.names()).toEqual(["data-1.ndjson.gz"]);
  const bytes = await readFile(join(folder.place, "data-1.ndjson.gz"));
  expect(stored).toEqual({
    storedBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  expect(gunzipSync(bytes).toString()).toBe(line.repeat(30));
  const reading = await folder.read("data-1.ndjson.gz");
  expect(await textIn(reading.chunks)).toBe(line.repeat(30));
  expect(reading.stored()).toEqual(stored);
  await writer.discard();
  expect(await folder.names()).toEqual(["data-1.ndjson.gz"]);
});

it("leaves nothing of what is discarded, and begins anew over what a crash has left", async () => {
  const folder = openShelf(place).folder("a");
  await folder.make();
  await writeFile(join(folder.place, "data-1.ndjson.gz.tmp"), "left by a crash");
  const writer = await folder.create("data-1.ndjson.gz");
  await writer.write(Buffer.from("{}\n"));
  await writer.discard();
  expect(await folder.names()).toEqual([]);
  await folder.removeFolder();
  expect(await folder.names()).toBeUndefined();
});

it("keeps small texts, adds to them, and lists folders", async () => {
  const shelf = openShelf(place);
  const folder = shelf.folder("a");
  await folder.make();
  await folder.writeText("manifest.json", "one");
  await folder.appendText("ledger.ndjson", "two");
  await folder.appendText("ledger.ndjson", "three");
  expect(await folder.readText("manifest.json", 10)).toBe("one");
  expect(await folder.readText("ledger.ndjson", 10)).toBe("twothree");
  await expect(folder.readText("ledger.ndjson", 5)).rejects.toThrow(ArchiveFault);
  await writeFile(join(place, "file"), "");
  await mkdir(join(place, ".hidden"));
  expect(await shelf.folderNames()).toEqual(["a"]);
  await folder.remove("manifest.json");
  expect(await folder.readText("manifest.json", 10)).toBeUndefined();
  await folder.removeFolder();
  expect(await folder.names()).toEqual(["ledger.ndjson"]);
});

describe("what is damaged or in the way", () => {
  const DAMAGES: readonly [string, (bytes: Buffer) => Buffer][] = [
    ["is cut off", (bytes) => bytes.subarray(0, bytes.length - 12)],
    ["is no archive", () => Buffer.from("plain text")],
    ["is empty", () => Buffer.alloc(0)],
  ];

  it.each(DAMAGES)("a file that %s cannot be read", async (_what, change) => {
    const folder = openShelf(place).folder("a");
    await folder.make();
    const whole = gzipSync(Buffer.from('{"id":"1"}\n'.repeat(1000)));
    await writeFile(join(folder.place, "data-1.ndjson.gz"), change(whole));
    const { chunks } = await folder.read("data-1.ndjson.gz");
    await expect(textIn(chunks)).rejects.toThrow(UnreadableFile);
  });

  it("does not follow links, and says what is in the way", async () => {
    const elsewhere = join(place, "elsewhere");
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, "secret"), "secret");
    await symlink(elsewhere, join(place, "linked"));
    const linked = openShelf(place).folder("linked");
    await expect(linked.names()).rejects.toThrow(/no folder/);
    const folder = openShelf(place).folder("a");
    await folder.make();
    await symlink(join(elsewhere, "secret"), join(folder.place, "manifest.json"));
    await expect(folder.readText("manifest.json", 100)).rejects.toThrow(/symbolic link/);
    await symlink(join(elsewhere, "new"), join(folder.place, "data-1.ndjson.gz.tmp"));
    const writer = await folder.create("data-1.ndjson.gz");
    await writer.publish();
    expect(await readdir(elsewhere)).toEqual(["secret"]);
  });

  it("touches no other names", async () => {
    const shelf = openShelf(place);
    for (const name of ["", ".", "..", "a/b", "../a", "-a", ".a", "a\0", "x".repeat(101)]) {
      expect(() => shelf.folder(name)).toThrow();
    }
    const folder = shelf.folder("a");
    await folder.make();
    expect(() => folder.remove("../a")).toThrow();
    expect(() => folder.readText("/etc/hosts", 10)).toThrow();
  });

  const MOMENTS: readonly [string, number][] = [
    ["at the first bytes", 1],
    ["further on", 3],
    ["with the last bytes", 40],
  ];

  it.each(MOMENTS)("tells that the disk is full %s", async (_when, pieceCount) => {
    const folder = openShelf(place).folder("a");
    await folder.make();
    const writer = await folder.create("data-1.ndjson.gz");
    const handle = await open(join(place, "probe"), "w");
    await handle.close();
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    let left = pieceCount;
    const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "writeFile");
    spy.mockImplementation(() => (--left > 0 ? Promise.resolve() : Promise.reject(full)));
    const writing = async (): Promise<void> => {
      for (let count = 0; count < 40; count++) await writer.write(randomBytes(60_000));
      await writer.publish();
    };
    try {
      await expect(writing()).rejects.toThrow(/data-1\.ndjson\.gz could not .* the disk is full/);
      await writer.discard();
    } finally {
      spy.mockRestore();
    }
    expect(await folder.names()).toEqual([]);
  });

  it("tells that the disk failed when it was read", async () => {
    const folder = openShelf(place).folder("a");
    await folder.make();
    const path = join(folder.place, "data-1.ndjson.gz");
    await writeFile(path, gzipSync(randomBytes(1_000_000)));
    const handle = await open(path);
    await handle.close();
    const failed = Object.assign(new Error("failed"), { code: "EIO" });
    const { chunks } = await folder.read("data-1.ndjson.gz");
    const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "read");
    spy.mockImplementation(() => Promise.reject(failed));
    try {
      await expect(textIn(chunks)).rejects.toThrow(/could not be read: the disk failed/);
    } finally {
      spy.mockRestore();
    }
  });

  it("tells what the system says, with the path", async () => {
    await writeFile(join(place, "occupied"), "");
    const folder = openShelf(join(place, "occupied")).folder("a");
    await expect(folder.make()).rejects.toThrow(/occupied.*could not be made/);
    await expect(openShelf(place).folder("a").read("data-1.ndjson.gz")).rejects.toThrow(
      /data-1\.ndjson\.gz could not be read: it is not there/,
    );
  });
});
