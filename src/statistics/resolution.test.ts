/** Which resolution answers a question about the past, and in which columns. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import { RESOLUTIONS, timeColumns } from "./resolution.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 20_000 * DAY + 12 * HOUR + 30_000;

describe("columns of time", () => {
  test.each<[string, number, number, number, string, number]>([
    ["an hour", HOUR, 0, 360, "minute", 1],
    ["a day", DAY, 0, 360, "minute", 5],
    ["a day, coarsely", DAY, 0, 25, "minute", 60],
    ["an hour of yesterday", DAY + HOUR, DAY, 360, "tenMinutes", 1],
    ["a quarter in weeks", 91 * DAY, 0, 14, "hour", 7 * 24],
    ["a week", 7 * DAY, 0, 360, "tenMinutes", 3],
    ["a month", 30 * DAY, 0, 360, "hour", 3],
    ["more than is remembered", 900 * DAY, 0, 360, "hour", 8],
  ])("%s", (_, fromAgo, toAgo, columnsMax, resolution, width) => {
    const question = { from: NOW - fromAgo, to: NOW - toAgo };
    const found = timeColumns(question, { wallNow: NOW, columnsMax });
    expect(RESOLUTIONS[found.resolution]!.name).toBe(resolution);
    for (const { firstSlot, endSlot } of found.columns) expect(endSlot - firstSlot).toBe(width);
  });

  test.each<[string, number, number]>([
    ["a span that ends before it starts", NOW, NOW - HOUR],
    ["a span in the future", NOW + HOUR, NOW + DAY],
  ])("%s has none", (_, from, to) => {
    expect(timeColumns({ from, to }, { wallNow: NOW, columnsMax: 10 }).columns).toEqual([]);
  });

  test("one column alone cannot have fixed edges", () => {
    const question = { from: 0, to: NOW };
    expect(() => timeColumns(question, { wallNow: NOW, columnsMax: 1 })).toThrow(Defect);
  });

  test("for all spans: few, without gaps, over all of the span, with fixed edges", () => {
    const anyAgo = fc.integer({ min: 0, max: 90 * DAY });
    const anyMax = fc.integer({ min: 2, max: 400 });
    fc.assert(
      fc.property(anyAgo, anyAgo, anyMax, (one, other, columnsMax) => {
        const question = { from: NOW - Math.max(one, other), to: NOW - Math.min(one, other) };
        const { columns } = timeColumns(question, { wallNow: NOW, columnsMax });
        if (one === other) return;
        expect(columns.length).toBeLessThanOrEqual(columnsMax);
        expect(columns[0]!.from).toBeLessThanOrEqual(question.from);
        expect(columns.at(-1)!.to).toBeGreaterThanOrEqual(question.to);
        columns.slice(1).forEach(({ from }, index) => {
          expect(from).toBe(columns[index]!.to);
        });
        expect(columns[0]!.from % (columns[0]!.to - columns[0]!.from)).toBe(0);
      }),
    );
  });
});
