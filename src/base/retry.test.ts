/** How long one waits before trying again, and how often one tries. */
import { describe, expect, test } from "vitest";
import { growingWait, retried, toldWait, waitAsLong } from "./retry.ts";
import type { Millis } from "./units.ts";

describe("waits", () => {
  test("double with each failure in a row, up to a bound", () => {
    const range = { min: 10, max: 1000 };
    expect([1, 2, 3, 8, 50].map((count) => growingWait(count, range))).toEqual([
      10, 20, 40, 1000, 1000,
    ]);
  });

  test("are as long as something has lasted, within bounds", () => {
    const range = { min: 50, max: 2000 };
    expect([0, 70, 5000].map((lasted) => waitAsLong(lasted, range))).toEqual([50, 70, 2000]);
  });

  test.each<[unknown, number]>([
    ["250", 250],
    [0, 0],
    [undefined, 100],
    ["soon", 100],
    [-5, 100],
    [Number.POSITIVE_INFINITY, 100],
  ])("are what the server said (%s), if that is a time", (told, wait) => {
    expect(toldWait(told, 100)).toBe(wait);
  });
});

describe("trying again", () => {
  const outcomes = (list: readonly number[]) => {
    const waits: Millis[] = [];
    let at = 0;
    const done = retried(async () => list[at++]!, {
      waitAfter: (status, tryCount) => (status === 429 ? tryCount * 10 : undefined),
      tryCountMax: 3,
      wait: async (ms) => void waits.push(ms),
    });
    return done.then((outcome) => ({ outcome, waits, tries: at }));
  };

  test("ends with the first outcome that is not to be repeated", async () => {
    expect(await outcomes([429, 200, 500])).toEqual({ outcome: 200, waits: [10], tries: 2 });
  });

  test("ends after so many tries with what the last one gave, without a further wait", async () => {
    expect(await outcomes([429, 429, 429, 200])).toEqual({
      outcome: 429,
      waits: [10, 20],
      tries: 3,
    });
  });
});
