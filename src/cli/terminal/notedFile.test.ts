/** What a command finds of what it noted, and of what it did not. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { readNoted, writeNoted } from "./notedFile.ts";

const folder = mkdtempSync(join(tmpdir(), "orrery-noted-"));
afterAll(() => rmSync(folder, { recursive: true }));

const parse = (noted: JsonObject): unknown => noted["count"];

test("what was noted is found, and nothing before that", () => {
  const file = join(folder, "a");
  expect(readNoted(file, parse)).toBeUndefined();
  writeNoted(file, { count: 1 });
  writeNoted(file, { count: 2 });
  expect(readNoted(file, parse)).toBe(2);
  expect(existsSync(`${file}.next`)).toBe(false);
});

test.each(["{", "[]", "{}", '"count"', ""])("a file with %s is nobody's, and is left", (text) => {
  const file = join(folder, "b");
  writeFileSync(file, text);
  expect(() => readNoted(file, parse)).toThrow("is no file that --resume has written");
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a place that cannot be written or read is told", () => {
  expect(() => writeNoted(join(folder, "none", "c"), {})).toThrow("--resume cannot be written");
  expect(() => readNoted(folder, parse)).toThrow("--resume cannot be read");
});
