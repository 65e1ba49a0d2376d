/** The reserve: what it holds, what it gives, and that it comes back. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openReserve, yieldToStart } from "./reserve.ts";

let directory = "";
const KIBIBYTE = 1024;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-reserve-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

const bytesOnDisk = (): number => {
  const { size, blocks } = statSync(join(directory, "reserve"));
  // A file with holes would keep nothing back.
  expect(blocks * 512).toBeGreaterThanOrEqual(size);
  return size;
};

test("is filled, given step by step but for the last, and filled again", async () => {
  const reserve = await openReserve(directory);
  expect(reserve.heldBytes).toBe(0);
  expect(await reserve.fill()).toBe(true);
  expect([reserve.heldBytes, bytesOnDisk()]).toEqual([reserve.bytesMax, reserve.bytesMax]);
  const steps: number[] = [];
  while (reserve.yieldStep()) steps.push(bytesOnDisk());
  expect(steps).toEqual([3 * KIBIBYTE ** 2, 2 * KIBIBYTE ** 2, KIBIBYTE ** 2, 256 * KIBIBYTE]);
  expect(await reserve.fill()).toBe(true);
  expect(bytesOnDisk()).toBe(reserve.bytesMax);
});

test("is found again, and gives starts what deletions left", async () => {
  const reserve = await openReserve(directory);
  while (reserve.yieldStep());
  for (let count = 0; count < 4; count++) expect(yieldToStart(directory)).toBe(true);
  expect(yieldToStart(directory)).toBe(false);
  expect((await openReserve(directory)).heldBytes).toBe(0);
});

test("a directory without one gives nothing", () => {
  expect(yieldToStart(join(directory, "nowhere"))).toBe(false);
});
