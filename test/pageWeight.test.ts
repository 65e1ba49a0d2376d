/**
 * What a browser loads before it can show the first page, as the last build made it. An editor or a
 * library that got into the first load would be noticed here.
 */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PAGE = fileURLToPath(new URL("../dist/page/", import.meta.url));
const FIRST_LOAD_BYTES_MAX = 200 * 1000;

interface Built {
  readonly files: readonly { readonly name: string; readonly codings: readonly string[] }[];
  readonly firstLoad: readonly string[];
}

const { files, firstLoad } = JSON.parse(readFileSync(`${PAGE}files.json`, "utf8")) as Built;

test("the first load is below 200 kB, compressed", () => {
  const bytes = firstLoad.map((name) => {
    const isCompressed = files.find((file) => file.name === name)!.codings.includes("gzip");
    return statSync(`${PAGE}${name}${isCompressed ? ".gz" : ""}`).size;
  });
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});

test("the first load is the document, the style, the frame and the overview", () => {
  for (const part of [/^index\.html$/, /page-.*\.css$/, /main-.*\.js$/, /overviewPage-.*\.js$/]) {
    expect(firstLoad.filter((name) => part.test(name))).toHaveLength(1);
  }
  const others = firstLoad.filter((name) => /(?<!overview)Page-.*\.js$/.test(name));
  expect(others).toEqual([]);
});
