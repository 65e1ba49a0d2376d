/** The files of the page: only those in the list, and the list as it is now. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPageFiles } from "./pageFiles.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-page-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function build(text: string, builtAt: number): void {
  const file = { name: "index.html", type: "text/html", tag: text, isFixed: false };
  writeFileSync(join(folder, "index.html"), text);
  writeFileSync(join(folder, "index.html.gz"), `gzip ${text}`);
  writeFileSync(join(folder, "secret.txt"), "secret");
  const list = join(folder, "files.json");
  writeFileSync(list, JSON.stringify({ files: [{ ...file, codings: ["gzip"] }] }));
  utimesSync(list, builtAt, builtAt);
}

const opened = () => openPageFiles(pathToFileURL(`${folder}/`));

test("a file of the list is found, plain and compressed", async () => {
  build("one", 1000);
  const files = opened();
  const file = (await files.find("index.html"))!;
  expect((await files.bytes(file, undefined)).toString()).toBe("one");
  expect((await files.bytes(file, "gzip")).toString()).toBe("gzip one");
});

test.each(["secret.txt", "index.html.gz", "files.json", "../index.html", "", "__proto__"])(
  "%s is not in the list, so it is not there",
  async (name) => {
    build("one", 1000);
    expect(await opened().find(name)).toBeUndefined();
  },
);

test("a page that was not built has no files, until it is", async () => {
  const files = opened();
  expect(await files.find("index.html")).toBeUndefined();
  build("one", 1000);
  expect(await files.find("index.html")).toMatchObject({ tag: "one" });
});

test("a page that was built again is there at once", async () => {
  build("one", 1000);
  const files = opened();
  await files.bytes((await files.find("index.html"))!, undefined);
  build("two", 2000);
  const file = (await files.find("index.html"))!;
  expect((await files.bytes(file, undefined)).toString()).toBe("two");
});
