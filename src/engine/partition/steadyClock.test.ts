/** The time of the database: rules as traces of the clocks under it, then what always holds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { SteadyClock } from "./steadyClock.ts";

/** Milliseconds that really pass, and by how much the wall clock is set meanwhile. */
type Step = readonly [passes: number, isSetBy: number];

describe("the time of the database", () => {
  test.each<[rule: string, steps: readonly Step[], shown: readonly number[]]>([
    [
      "follows the wall clock",
      [
        [10, 0],
        [500, 0],
      ],
      [1010, 1510],
    ],
    ["believes a clock that is set forward", [[10, 100]], [1110]],
    [
      "goes on at half its pace when the clock is set back",
      [
        [0, -100],
        [100, 0],
        [50, 0],
      ],
      [1000, 1050, 1075],
    ],
    [
      "goes with the clock again as soon as that has caught up",
      [
        [0, -100],
        [200, 0],
        [10, 0],
      ],
      [1000, 1100, 1110],
    ],
    [
      "is whole milliseconds, however often it is asked",
      [
        [0.3, -0.3],
        [0.4, -0.4],
        [0.4, 0.1],
      ],
      [1000, 1000, 1000],
    ],
  ])("%s", (_rule, steps, shown) => {
    const { clock, pass } = clocks();
    expect(
      steps.map((step) => {
        pass(step);
        return clock.wallNow();
      }),
    ).toEqual(shown);
  });

  test("begins no earlier than it once was, and waits there for the wall clock", () => {
    const { clock, pass } = clocks();
    clock.advanceTo(1200);
    expect(clock.wallNow()).toBe(1200);
    pass([100, 0]);
    expect(clock.wallNow()).toBe(1250);
    pass([400, 0]);
    expect(clock.wallNow()).toBe(1500);
    clock.advanceTo(1400);
    expect(clock.wallNow()).toBe(1500);
  });

  test("never goes back, is never behind the wall clock, and never runs away from it", () => {
    const anyStep = fc.tuple(fc.nat(5000), fc.integer({ min: -10_000, max: 10_000 }));
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const { clock, pass, wallNow } = clocks();
        let before = clock.wallNow();
        let setBack = 0;
        for (const step of steps) {
          pass(step);
          setBack += Math.max(0, -step[1]);
          const now = clock.wallNow();
          expect(now).toBeGreaterThanOrEqual(before);
          expect(now).toBeGreaterThanOrEqual(Math.floor(wallNow()));
          expect(now - wallNow()).toBeLessThanOrEqual(setBack);
          before = now;
        }
      }),
    );
  });
});

function clocks(): {
  readonly clock: SteadyClock;
  readonly pass: (step: Step) => void;
  readonly wallNow: () => number;
} {
  let now = 0;
  let wall = 1000;
  const wallNow = (): number => wall;
  const clock = new SteadyClock({ now: () => millis(now), wallNow });
  const pass = ([passes, isSetBy]: Step): void => {
    now += passes;
    wall += passes + isSetBy;
  };
  return { clock, pass, wallNow };
}
