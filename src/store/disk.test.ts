/** The machine's own disk: what the journal asks of it, on a real directory. */
import { copyFile, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Disk } from "./disk.ts";
import { openDirectory } from "./disk.ts";

let root: string;
let disk: Disk;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "orrery-disk-"));
  disk = await openDirectory(join(root, "deeper", "journal"));
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe("a directory", () => {
  test("is made with all above it, and nobody else may look inside", async () => {
    expect(await disk.names()).toEqual([]);
    if (process.platform === "win32") return;
    expect((await stat(join(root, "deeper", "journal"))).mode & 0o777).toBe(0o700);
  });

  test("holds a file that grows at its end", async () => {
    const file = await disk.create("one", Buffer.from("a"));
    await file.append(Buffer.from("bc"));
    await file.append(Buffer.alloc(0));
    await file.append(Buffer.from("def"));
    await file.close();
    expect(await disk.names()).toEqual(["one"]);
    expect((await disk.read("one")).toString()).toBe("abcdef");
    const path = join(root, "deeper", "journal", "one");
    expect(await readFile(path, "utf8")).toBe("abcdef");
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("takes a large append whole", async () => {
    const file = await disk.create("large", Buffer.alloc(10, "h"));
    const bytes = Buffer.alloc(5_000_000, "x");
    await file.append(bytes);
    await file.close();
    expect((await disk.read("large")).equals(Buffer.concat([Buffer.alloc(10, "h"), bytes]))).toBe(
      true,
    );
  });

  test("does not make a file that is there, and leaves it alone", async () => {
    const file = await disk.create("taken", Buffer.from("first"));
    await file.close();
    await expect(disk.create("taken", Buffer.from("second"))).rejects.toThrow("EEXIST");
    expect((await disk.read("taken")).toString()).toBe("first");
  });

  test("forgets a removed file, and does not mind removing it again", async () => {
    await (await disk.create("gone", Buffer.from("x"))).close();
    await disk.remove("gone");
    await disk.remove("gone");
    expect(await disk.names()).not.toContain("gone");
    await expect(disk.read("gone")).rejects.toThrow("ENOENT");
  });

  test("says so when it cannot make a file", async () => {
    const doomed = await openDirectory(join(root, "doomed"));
    await rm(join(root, "doomed"), { recursive: true });
    await expect(doomed.create("one", Buffer.from("x"))).rejects.toThrow("ENOENT");
  });
});

describe("what is no longer in its place", () => {
  let place = "";
  let opened: Disk;

  beforeEach(async () => {
    place = await mkdtemp(join(root, "place-"));
    opened = await openDirectory(join(place, "journal"));
  });

  const pathOf = (name: string): string => join(place, "journal", name);

  test("is told of files that are open, of files that were read, and of the directory", async () => {
    const open = await opened.create("open", Buffer.from("a"));
    await (await opened.create("closed", Buffer.from("b"))).close();
    expect(await opened.missing()).toBeUndefined();
    await rename(pathOf("open"), pathOf("elsewhere"));
    expect(await opened.missing()).toMatchObject({ what: "the journal file open" });
    await rename(pathOf("elsewhere"), pathOf("open"));
    expect(await opened.missing()).toBeUndefined();
    await rm(pathOf("closed"));
    expect(await opened.missing()).toMatchObject({ what: "the journal file closed" });
    await rename(join(place, "journal"), join(place, "moved"));
    expect(await opened.missing()).toMatchObject({ what: "the directory of the journal" });
    await open.close();
  });

  test("is told of an open file that has another one in its place", async () => {
    const open = await opened.create("open", Buffer.from("a"));
    await copyFile(pathOf("open"), pathOf("copy"));
    await rename(pathOf("copy"), pathOf("open"));
    expect(await opened.missing()).toMatchObject({ what: "the journal file open" });
    await open.close();
  });

  test("is not told of what was removed on purpose, also not while it is", async () => {
    for (let count = 0; count < 20; count++) {
      const name = `file${count}`;
      await (await opened.create(name, Buffer.from("a"))).close();
      const removed = opened.remove(name);
      expect(await opened.missing()).toBeUndefined();
      await removed;
    }
  });

  test("takes no more bytes if it was deleted", async () => {
    const open = await opened.create("open", Buffer.from("a"));
    await open.append(Buffer.from("b"));
    await rm(pathOf("open"));
    await expect(open.append(Buffer.from("c"))).rejects.toThrow("deleted");
    await open.close();
  });

  test("leaves nothing behind when room is tried for", async () => {
    await opened.trial();
    expect(await opened.names()).toEqual([]);
    expect(await opened.freeBytes()).toBeGreaterThan(0);
  });
});
