/** Where autoscale is: tables of loads per second first, then what holds for every load. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis } from "../base/units.ts";
import { AutoscaleMeter, autoscaledRate, billedHours } from "./autoscale.ts";
import type { HourPeak } from "./hourPeaks.ts";
import { addedHours, partOfHours } from "./hourPeaks.ts";

const HOUR = 3_600_000;

/** A world in which an hour begins at 0 of both clocks. */
function meterAt0(rateMax: number, hours?: readonly HourPeak[]) {
  let now = 0;
  const clock = { now: () => millis(now), wallNow: () => 10 * HOUR + now };
  const at = (instant: number) => {
    now = instant;
  };
  return { meter: new AutoscaleMeter(clock, rateMax, hours), at };
}

describe("the level", () => {
  test.each([
    { rule: "is a tenth of the ceiling when idle", spent: [], levels: [400] },
    { rule: "is what five seconds used, per second", spent: [5000], levels: [800] },
    {
      rule: "is the ceiling only after five full seconds",
      spent: [4000, 4000, 4000, 4000, 4000],
      levels: [800, 1600, 2400, 3200, 4000],
    },
    {
      rule: "follows a steady load",
      spent: [1500, 1500, 1500, 1500, 1500, 1500, 1500],
      levels: [400, 600, 900, 1200, 1500, 1500, 1500],
    },
    {
      rule: "falls as the load does",
      spent: [4000, 4000, 4000, 4000, 4000, 0, 0, 0, 0, 0],
      levels: [800, 1600, 2400, 3200, 4000, 3200, 2400, 1600, 800, 400],
    },
  ])("$rule", ({ spent, levels }) => {
    const { meter, at } = meterAt0(4000);
    const seen = levels.map((_, second) => {
      at(second * 1000 + 999);
      meter.note(spent[second] ?? 0);
      return meter.level();
    });
    expect(seen).toEqual(levels);
  });

  test("is a tenth again after a pause of any length", () => {
    const { meter, at } = meterAt0(4000);
    meter.note(4000);
    at(123_456);
    expect(meter.level()).toBe(400);
  });

  test("follows another ceiling at once", () => {
    const { meter } = meterAt0(4000);
    meter.note(4000);
    meter.reprovision(20_000);
    expect(meter.level()).toBe(2000);
    meter.reprovision(1000);
    expect(meter.level()).toBe(200);
  });

  test("is that of a naive count, and between a tenth and the ceiling", () => {
    const anyNotes = fc.array(fc.tuple(fc.nat(2500), fc.nat(3000)), { maxLength: 60 });
    fc.assert(
      fc.property(anyNotes, (notes) => {
        const { meter, at } = meterAt0(2000);
        const bySecond = new Map<number, number>();
        let now = 0;
        for (const [gap, charge] of notes) {
          now += gap;
          at(now);
          meter.note(charge);
          const second = Math.floor(now / 1000);
          bySecond.set(second, (bySecond.get(second) ?? 0) + charge);
          const last = [0, 1, 2, 3, 4].map((back) => bySecond.get(second - back) ?? 0);
          const sum = last.reduce((total, spent) => total + Math.min(spent, 2000), 0);
          expect(meter.level()).toBeCloseTo(Math.max(200, sum / 5), 6);
          expect(meter.level()).toBeLessThanOrEqual(2000);
        }
      }),
    );
  });
});

describe("the hours", () => {
  test("have the highest level of each, idle ones a tenth", () => {
    const { meter, at } = meterAt0(1000);
    for (let second = 10; second < 15; second++) {
      at(second * 1000);
      meter.note(700);
    }
    at(3 * HOUR + 5);
    meter.note(2500);
    expect(meter.hours()).toEqual([
      { hour: 10, level: 700 },
      { hour: 11, level: 100 },
      { hour: 12, level: 100 },
      { hour: 13, level: 200 },
    ]);
  });

  test("begin on time: a load just before belongs to the hour before", () => {
    const { meter, at } = meterAt0(1000);
    for (let second = 3595; second < 3600; second++) {
      at(second * 1000 + 500);
      meter.note(1000);
    }
    at(2 * HOUR);
    const levels = meter.hours().map(({ level }) => level);
    expect(levels).toEqual([1000, 100, 100]);
  });

  test("go back a day", () => {
    const { meter, at } = meterAt0(1000);
    at(100 * HOUR);
    const hours = meter.hours().map(({ hour }) => hour);
    expect(hours).toEqual(Array.from({ length: 25 }, (_, index) => 86 + index));
  });

  test("do not go back when the wall clock does", () => {
    let wall = 5 * HOUR;
    let now = 0;
    const clock = { now: () => millis(now), wallNow: () => wall };
    const meter = new AutoscaleMeter(clock, 1000);
    wall = HOUR;
    now = 7000;
    meter.note(5000);
    expect(meter.hours()).toEqual([{ hour: 5, level: 200 }]);
  });

  test("keep the level from before the ceiling was lowered", () => {
    const { meter, at } = meterAt0(10_000);
    meter.note(10_000);
    meter.reprovision(1000);
    at(1000);
    expect(meter.hours()).toEqual([{ hour: 10, level: 2000 }]);
  });

  test("go on in children and in who replaces them", () => {
    const parent = [
      { hour: 9, level: 500 },
      { hour: 10, level: 900 },
    ];
    const child = partOfHours(parent, 1 / 2);
    expect(addedHours([child, child])).toEqual(parent);
    const { meter } = meterAt0(1000, child);
    expect(meter.hours()).toEqual([
      { hour: 9, level: 250 },
      { hour: 10, level: 450 },
    ]);
  });
});

describe("a container", () => {
  test.each([
    { levels: [100, 100], rate: 200 },
    { levels: [100, 101], rate: 300 },
    { levels: [1000 / 3, 1000 / 3, 1000 / 3], rate: 1000 },
    { levels: [3000.01], rate: 3100 },
  ])("is at the sum, in whole hundreds: $levels", ({ levels, rate }) => {
    expect(autoscaledRate(levels)).toBe(rate);
  });

  test("is billed for the peaks of all, each at its own moment", () => {
    const peaks = [500, 200, 150, 50].map((level) => [{ hour: 7, level }]);
    expect(billedHours(peaks)).toEqual([{ hour: 7, level: 900 }]);
  });
});
