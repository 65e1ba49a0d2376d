/** What somebody is told who names a data directory that cannot be one. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BadOption } from "../surroundings/options.ts";
import { findDataDirectory, makeDataDirectory, withDataDirectory } from "./dataDirectory.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-directory-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a directory is made with those above it, for its owner alone", async () => {
  const directory = join(root, "a", "b", "c");
  await makeDataDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  await makeDataDirectory(directory);
});

test("two that make it at once both find it made", async () => {
  const directory = join(root, "a", "b");
  await Promise.all([makeDataDirectory(directory), makeDataDirectory(directory)]);
  expect(existsSync(directory)).toBe(true);
});

describe("a directory is refused that", () => {
  test.each([
    ["is a file", "file", "it is not a directory"],
    ["would be in a file", "file/sub", "something is a file where a directory belongs"],
    ["is a link to nothing", "dangling", "it is a symbolic link to what does not exist"],
    ["would be in a link to nothing", "dangling/sub", "/dangling is a symbolic link to what does"],
    ["is a link to itself", "loop", "its symbolic links lead round in a circle"],
    ["has too long a name", "x".repeat(300), "its path is too long"],
    ["has too long a path", `${"x".repeat(100)}/`.repeat(50), "its path is too long"],
    ["has line breaks in its name", "file/\n", "something is a file where a directory belongs"],
  ])("%s", async (_, name, reason) => {
    writeFileSync(join(root, "file"), "");
    symlinkSync("nowhere", join(root, "dangling"));
    symlinkSync("loop", join(root, "loop"));
    const told = await complaintOf(makeDataDirectory(`${root}/${name}`));
    expect(told).toContain(reason);
    expect(told).toMatch(/^The data directory .* cannot be used: .*\.$/);
    expect(readdirSync(root).sort()).toEqual(["dangling", "file", "loop"]);
  });

  test.runIf(process.platform === "linux")("is in a file system that takes none", async () => {
    for (const path of ["/proc/orrery", "/proc/orrery/deeper"]) {
      const told = await complaintOf(makeDataDirectory(path));
      expect(told).toBe(
        `The data directory ${path} cannot be used: its file system takes no new directories.`,
      );
    }
  });

  test("has to be there and is not", async () => {
    const told = await complaintOf(findDataDirectory(join(root, "nowhere")));
    expect(told).toContain("it does not exist");
  });
});

describe("what goes wrong in a data directory", () => {
  const systemError = (code: string, path: string): Error =>
    Object.assign(new Error(`${code}: words, open '${path}'`), { code, path, syscall: "open" });

  test.each([
    ["EROFS", "its file system is read-only"],
    ["EACCES", "permission denied"],
    ["ENOSPC", "no space is left on its disk"],
    ["EIO", "its disk reports an error"],
    ["EWHATEVER", "EWHATEVER: words, open"],
  ])("%s is told with its place", async (code, reason) => {
    const path = join(root, "journal", "1");
    const failing = withDataDirectory(root, () => Promise.reject(systemError(code, path)));
    const told = await complaintOf(failing);
    expect(told).toContain(root);
    expect(told).toContain(reason);
    expect(told).toContain(path);
  });

  test("is told without the names that we make for a moment", async () => {
    const path = join(root, "lock.77.abc");
    const failing = withDataDirectory(root, () => Promise.reject(systemError("EROFS", path)));
    expect(await complaintOf(failing)).not.toContain("lock.");
  });

  test("is told in the words of the embedded engine, too", async () => {
    const fault = Object.assign(new Error("Not a directory: Attempting to setup locks"), {
      code: 20,
    });
    const told = await complaintOf(withDataDirectory(root, () => Promise.reject(fault)));
    expect(told).toContain("tables: something is a file where a directory belongs (Not a");
  });

  test.each([
    ["of other places", systemError("EACCES", "/elsewhere/file")],
    ["of no place", Object.assign(new Error("x"), { code: "EACCES", syscall: "listen" })],
    ["that is our own mistake", new TypeError("x")],
  ])("%s stays as it is", async (_, error) => {
    mkdirSync(join(root, "x"));
    await expect(withDataDirectory(root, () => Promise.reject(error))).rejects.toBe(error);
  });
});

async function complaintOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BadOption);
  const { message } = error as BadOption;
  expect(message).not.toContain("\n");
  return message;
}
