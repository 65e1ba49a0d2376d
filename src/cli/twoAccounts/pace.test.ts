/** What may be spent each second is not passed, however it is asked for. */
import { expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { RuPace } from "./pace.ts";

function simulated(ruMax: number | undefined): { pace: RuPace; now: () => number } {
  let now = 0;
  const wait = async (ms: number): Promise<void> => {
    now += ms;
  };
  return { pace: new RuPace(ruMax, { now: () => millis(now) }, wait), now: () => now };
}

test("spending takes as long as the rate says", async () => {
  const { pace, now } = simulated(400);
  for (let count = 0; count < 10; count++) await pace.spent(100);
  expect(now()).toBe(2500);
});

test("those who spend at once wait for each other", async () => {
  const waits: number[] = [];
  const pace = new RuPace(100, { now: () => millis(0) }, async (ms) => void waits.push(ms));
  await Promise.all([pace.spent(50), pace.spent(50)]);
  expect(waits).toEqual([500, 1000]);
});

test("without a rate nobody waits", async () => {
  const { pace, now } = simulated(undefined);
  await pace.spent(1e9);
  expect(now()).toBe(0);
});
