/** Checksums of pages: what is written comes back, and what is damaged is lost alone. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { META_BYTES } from "./pageFormat.ts";
import { PageSums, SUMS_FILE } from "./pageSums.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-sums-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

function page(content: string): Buffer {
  return Buffer.alloc(8192, content);
}

function saved(): PageSums {
  const sums = new PageSums();
  sums.txn = 7;
  sums.metas = [Buffer.alloc(META_BYTES, 1), Buffer.alloc(META_BYTES, 2)];
  sums.note(2, page("two"));
  sums.note(5000, page("five thousand"));
  sums.save(directory);
  return sums;
}

test("sums, transaction and meta pages come back", () => {
  saved();
  const { sums, lostCount } = PageSums.read(directory)!;
  expect(lostCount).toBe(0);
  expect(sums.txn).toBe(7);
  expect(sums.metas).toEqual([Buffer.alloc(META_BYTES, 1), Buffer.alloc(META_BYTES, 2)]);
  expect(sums.fits(2, page("two"))).toBe(true);
  expect(sums.fits(5000, page("five thousand"))).toBe(true);
  expect(sums.has(3)).toBe(false);
  expect(sums.has(90_000)).toBe(false);
});

test("a page in the place of another does not fit", () => {
  const sums = saved();
  sums.note(3, page("three"));
  expect(sums.fits(2, page("three"))).toBe(false);
  expect(sums.sumOf(2)).not.toBe(new PageSums().sumOf(2));
});

test("what is noted later is written in its place", () => {
  const sums = saved();
  sums.note(2, page("another"));
  sums.txn = 8;
  sums.save(directory);
  const read = PageSums.read(directory)!.sums;
  expect([read.txn, read.fits(2, page("another"))]).toEqual([8, true]);
  expect(read.fits(5000, page("five thousand"))).toBe(true);
});

test("a damaged block loses its own sums, a damaged first block all of them", () => {
  saved();
  const path = join(directory, SUMS_FILE);
  const whole = readFileSync(path);
  const damaged = Buffer.from(whole);
  damaged[4096 + 8]! ^= 1;
  writeFileSync(path, damaged);
  const { sums, lostCount } = PageSums.read(directory)!;
  expect(lostCount).toBeGreaterThan(0);
  expect(sums.has(2)).toBe(false);
  expect(sums.fits(5000, page("five thousand"))).toBe(true);
  whole[9]! ^= 1;
  writeFileSync(path, whole);
  expect(PageSums.read(directory)).toBeUndefined();
});

test("a file written as a whole is the one written in place", () => {
  const sums = saved();
  const inPlace = readFileSync(join(directory, SUMS_FILE));
  sums.saveAnew(directory);
  expect(readFileSync(join(directory, SUMS_FILE))).toEqual(inPlace);
});
