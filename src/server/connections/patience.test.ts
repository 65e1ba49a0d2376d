/** How long is too long, stage by stage. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import type { ConnectionSight, ConnectionStage, StageDeadlines } from "./patience.ts";
import { Patience } from "./patience.ts";

const DEADLINES: StageDeadlines = {
  headMs: 10_000,
  bodyMs: 60_000,
  idleMs: 130_000,
  stretchMs: 10_000,
  workMs: Number.POSITIVE_INFINITY,
  answerMs: 30_000,
};

const sight = (stage: ConnectionStage, more: Partial<ConnectionSight> = {}): ConnectionSight => ({
  stage,
  visit: 1,
  bytes: 0,
  pendingBytes: 0,
  ...more,
});

/** When patience ends, if it is asked every half second and sees what `seen` says. */
function endOf(
  seen: (now: number) => ConnectionSight,
  deadlines: StageDeadlines = DEADLINES,
): number {
  const patience = new Patience();
  for (let now = 0; now < 1_000_000; now += 500) {
    if (patience.isOver(seen(now), millis(now), deadlines)) return now;
  }
  return Number.POSITIVE_INFINITY;
}

describe("a stage in which nothing happens ends", () => {
  test.each([
    ["head", 10_000],
    ["body", 10_000],
    ["work", Number.POSITIVE_INFINITY],
    ["answer", 30_000],
    ["idle", 130_000],
    ["rest", 2_000],
    ["ending", 2_000],
  ] as const)("%s after %d ms", (stage, end) => {
    expect(endOf(() => sight(stage))).toBe(end);
  });
});

describe("headers", () => {
  test("that drip have no more time than others", () => {
    expect(endOf((now) => sight("head", { bytes: now }))).toBe(10_000);
  });

  test("have time from when they begin, however long the connection was idle before", () => {
    expect(endOf((now) => sight(now < 100_000 ? "idle" : "head"))).toBe(110_000);
  });
});

describe("a body", () => {
  test("that comes steadily has its whole time", () => {
    expect(endOf((now) => sight("body", { bytes: now }))).toBe(60_000);
  });

  test("that drips has not", () => {
    expect(endOf((now) => sight("body", { bytes: now * 0.4 }))).toBe(10_000);
  });

  test("that begins well and then drips is cut off after the next stretch", () => {
    expect(endOf((now) => sight("body", { bytes: Math.min(now * 100, 1_100_000) }))).toBe(30_000);
  });

  test("that is the next one begins anew", () => {
    const busy = (now: number): ConnectionSight =>
      sight("body", { visit: Math.floor(now / 5_000) });
    expect(endOf(busy)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("an answer", () => {
  test("may take for ever while some of it is taken", () => {
    const taken = (now: number): ConnectionSight =>
      sight("answer", { bytes: Math.floor(now / 29_000) });
    expect(endOf(taken)).toBe(Number.POSITIVE_INFINITY);
  });

  test("in a large piece has time according to its size", () => {
    expect(endOf(() => sight("answer", { pendingBytes: 1_600_000 }))).toBe(130_000);
  });
});

test("deadlines may become shorter at any time", () => {
  const patience = new Patience();
  expect(patience.isOver(sight("idle"), millis(0), DEADLINES)).toBe(false);
  expect(patience.isOver(sight("idle"), millis(5_000), DEADLINES)).toBe(false);
  const crowded = { ...DEADLINES, idleMs: 1_000 };
  expect(patience.isOver(sight("idle"), millis(5_001), crowded)).toBe(true);
});
