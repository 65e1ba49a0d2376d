/** The load of the last day against another rate. */
import { expect, test } from "vitest";
import { replayOf, replayText } from "./replay.ts";

const slot = (normalizedPercent: number) => ({
  ru: 1,
  requestCount: 1,
  throttledCount: 0,
  normalizedPercent,
});

test("a lower rate throttles the minutes whose busiest second was above it", () => {
  const partitions = [
    { id: "0", min: "", max: "80", slots: [slot(20), null, slot(40)] },
    { id: "1", min: "80", max: "FF", slots: [slot(90), slot(60), slot(10)] },
  ];
  expect(replayOf({ partitions }, 1000, 500)).toEqual({
    partitionId: "1",
    countedMinutes: 3,
    throttledMinutes: 2,
  });
  expect(replayOf({ partitions }, 1000, 1000).throttledMinutes).toBe(0);
  expect(replayOf({ partitions: [] }, 1000, 400).countedMinutes).toBe(0);
});

test("none of the minutes is said as such", () => {
  const day = { partitionId: "1", countedMinutes: 1440, throttledMinutes: 0 };
  expect(replayText(day)).toBe(
    "no physical partition would have been throttled in the 1,440 minutes with load of the last day.",
  );
  expect(replayText({ ...day, throttledMinutes: 3 })).toBe(
    "partition 1 would have been throttled in at least 3 of the 1,440 minutes with load of the last day.",
  );
});
