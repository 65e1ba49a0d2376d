/** When the page asks again, in simulated time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { Schedule } from "./schedule.ts";
import { SimulatedBrowser } from "./simulatedBrowser.fake.ts";

const SECOND = millis(1000);

function staged() {
  const browser = new SimulatedBrowser();
  const schedule = new Schedule({ timer: browser.timer, visibility: browser.visibility });
  const runs: number[] = [];
  const run = (): Promise<void> => {
    runs.push(browser.now);
    return Promise.resolve();
  };
  return { browser, schedule, runs, run };
}

describe("a repeated question", () => {
  test("is asked at once, and again after its interval", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.repeat(SECOND, run);
    await browser.pass(2500);
    expect(runs).toEqual([0, 1000, 2000]);
  });

  test("is asked once if it has no interval", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.repeat(undefined, run);
    await browser.pass(10_000);
    expect(runs).toEqual([0]);
  });

  test("is not asked while the page is hidden, and at once when it is shown", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.repeat(SECOND, run);
    await browser.pass(500);
    await browser.hide();
    await browser.pass(3_600_000);
    expect(runs).toEqual([0]);
    await browser.show();
    expect(runs).toEqual([0, 3_600_500]);
    await browser.pass(1000);
    expect(runs).toEqual([0, 3_600_500, 3_601_500]);
  });

  test("waits for its turn when the page was hidden for a moment only", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.repeat(SECOND, run);
    await browser.pass(100);
    await browser.hide();
    await browser.pass(100);
    await browser.show();
    expect(runs).toEqual([0]);
    await browser.pass(800);
    expect(runs).toEqual([0, 1000]);
  });

  test("of a page that opens hidden is first asked when it is shown", async () => {
    const { browser, schedule, runs, run } = staged();
    await browser.hide();
    schedule.repeat(SECOND, run);
    await browser.pass(5000);
    expect(runs).toEqual([]);
    await browser.show();
    expect(runs).toEqual([5000]);
  });

  test("stands still while paused, but for its first time", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.isPaused.set(true);
    schedule.repeat(SECOND, run);
    await browser.pass(5000);
    expect(runs).toEqual([0]);
    schedule.isPaused.set(false);
    await browser.pass(0);
    expect(runs).toEqual([0, 5000]);
  });

  test("can be urged, also while paused, but not while hidden", async () => {
    const { browser, schedule, runs, run } = staged();
    const repeated = schedule.repeat(SECOND, run);
    await browser.pass(100);
    schedule.isPaused.set(true);
    repeated.urge();
    await browser.pass(0);
    expect(runs).toEqual([0, 100]);
    await browser.hide();
    repeated.urge();
    await browser.pass(50);
    expect(runs).toEqual([0, 100]);
    await browser.show();
    expect(runs).toEqual([0, 100, 150]);
  });

  test("is not asked again before its answer is there", async () => {
    const { browser, schedule, runs } = staged();
    let answer = (): void => undefined;
    schedule.repeat(SECOND, () => {
      runs.push(browser.now);
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await browser.pass(10_000);
    expect(runs).toEqual([0]);
    answer();
    await browser.pass(1000);
    expect(runs).toEqual([0, 11_000]);
  });

  test("ends when it is stopped", async () => {
    const { browser, schedule, runs, run } = staged();
    schedule.repeat(SECOND, run).stop();
    await browser.pass(5000);
    expect(runs).toEqual([0]);
  });
});

test("whatever happens, a hidden page asks nothing", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 3000 }) }),
    fc.constantFrom({ kind: "hide" as const }, { kind: "show" as const }),
    fc.constantFrom({ kind: "pause" as const }, { kind: "resume" as const }),
    fc.constantFrom({ kind: "urge" as const }, { kind: "open" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { browser, schedule } = staged();
      let isAskedWhileHidden = false;
      const run = (): Promise<void> => {
        isAskedWhileHidden ||= browser.visibility.isHidden();
        return Promise.resolve();
      };
      const repeated = [schedule.repeat(SECOND, run)];
      for (const each of steps) {
        if (each.kind === "pass") await browser.pass(each.ms);
        else if (each.kind === "hide") await browser.hide();
        else if (each.kind === "show") await browser.show();
        else if (each.kind === "pause") schedule.isPaused.set(true);
        else if (each.kind === "resume") schedule.isPaused.set(false);
        else if (each.kind === "urge") repeated[0]!.urge();
        else repeated.push(schedule.repeat(SECOND, run));
      }
      expect(isAskedWhileHidden).toBe(false);
    }),
    { numRuns: 200 },
  );
});
