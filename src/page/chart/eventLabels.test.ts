/** Words above a chart: what is apart has its own, what would lie on each other shares them. */
import { expect, test } from "vitest";
import { eventLabels, eventsSeen } from "./eventLabels.ts";
import { linear } from "./scale.ts";

const axis = { place: linear(0, 1000).place, minuteText: (at: number) => `at ${at}` };
const event = (at: number, text = "split 1") => ({ at, text });

test("events that are apart have words of their own", () => {
  expect(eventLabels([event(600), event(10)], axis)).toEqual([
    { key: "10 split 1", place: 0.01, text: "at 10 split 1", isLate: false },
    { key: "600 split 1", place: 0.6, text: "at 600 split 1", isLate: false },
  ]);
});

test("events of one moment share their words, and are counted", () => {
  const texts = eventLabels([event(500, "rate 4 → 8"), event(501), event(502)], axis);
  expect(texts.map(({ text }) => text)).toEqual(["at 500 rate 4 → 8 and 2 more"]);
});

test("late words stand at the left of their place, and meet with earlier ones", () => {
  const [only, ...others] = eventLabels([event(600), event(900)], axis);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ text: "at 600 split 1 and 1 more", isLate: false });
  expect(eventLabels([event(990)], axis)[0]!.isLate).toBe(true);
});

test("what happened before and after is not in the chart", () => {
  expect(eventsSeen([event(-1), event(1000), event(0), event(1001)], axis)).toEqual([
    event(0),
    event(1000),
  ]);
});
