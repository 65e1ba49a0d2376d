/** When an operation of a proof was late: then what was refused says nothing. */
import { describe, expect, test } from "vitest";
import { type Flight, lateShareOf } from "../../src/cli/lab/provePace.ts";

const flight = (dueAt: number, leftAt: number, answeredAt: number): Flight => ({
  dueAt,
  leftAt,
  answeredAt,
});

describe("late", () => {
  test.each<[string, Flight, number]>([
    ["is nobody who left and was answered in time", flight(200, 210, 240), 0],
    ["is who left too late, however soon the answer came", flight(200, 301, 302), 1],
    ["is whose answer took so long that nobody knows when it was met", flight(200, 201, 701), 1],
    ["is nobody whose answer took no longer than a page may", flight(200, 201, 699), 0],
  ])("%s", (_, one, expected) => {
    expect(lateShareOf([one])).toBe(expected);
  });

  test("is a share of all that were sent, and of none it is none", () => {
    const inTime = flight(0, 0, 5);
    expect(lateShareOf([inTime, inTime, inTime, flight(0, 150, 160)])).toBe(0.25);
    expect(lateShareOf([])).toBe(0);
  });
});
