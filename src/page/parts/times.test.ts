/** Times as the page writes them. */
import { expect, test } from "vitest";
import { timesIn } from "./times.ts";

const SUMMER = Date.UTC(2026, 6, 1, 22, 5, 9);

test("in UTC", () => {
  const { timeText, minuteText, dayText, zoneText } = timesIn("UTC");
  expect(timeText(SUMMER)).toBe("22:05:09");
  expect(minuteText(SUMMER)).toBe("22:05");
  expect(dayText(SUMMER)).toBe("1 Jul, 22:05");
  expect(zoneText(SUMMER)).toBe("UTC");
});

test("in a zone whose time is another in summer", () => {
  const { dayText, zoneText } = timesIn("Europe/Berlin");
  expect(dayText(SUMMER)).toBe("2 Jul, 00:05");
  expect(zoneText(SUMMER)).toBe("UTC+2");
  expect(zoneText(Date.UTC(2026, 0, 1))).toBe("UTC+1");
});
