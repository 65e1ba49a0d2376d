/** How fast a job is, and when it says that it will be done. */
import { describe, expect, test } from "vitest";
import { SimulatedTime } from "../simulatedAccount.fake.ts";
import { DrainLog, judged, ProgressLog, saidAt, withoutOpen } from "./progress.ts";

function after(rates: readonly number[]): ProgressLog {
  const time = new SimulatedTime();
  const log = new ProgressLog(time.clock);
  let count = 0;
  log.note(0, 0);
  for (const rate of rates) {
    time.skip(1000);
    count += rate;
    log.note(count, count * 100);
  }
  return log;
}

test("a job that is steady says a narrow interval around what will come", () => {
  const log = after(Array.from({ length: 20 }, () => 100));
  expect(log.pace).toEqual({ itemsPerSecond: 100, bytesPerSecond: 10_000 });
  const { from, to } = log.remaining(1000)!;
  expect(from).toBeGreaterThan(7);
  expect(from).toBeLessThan(10);
  expect(to).toBeGreaterThan(10);
  expect(to).toBeLessThan(13);
});

test("a job that is not says a wide one", () => {
  const steady = after(Array.from({ length: 20 }, () => 100)).remaining(1000)!;
  const unsteady = after(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 20 : 180)),
  ).remaining(1000)!;
  expect(unsteady.to - unsteady.from).toBeGreaterThan(2 * (steady.to - steady.from));
});

test("nothing is said before it can be known, and nothing is left at the end", () => {
  expect(after([100, 100]).remaining(1000)).toBeUndefined();
  expect(after([100, 100]).remaining(0)).toEqual({ from: 0, to: 0 });
  expect(after([0, 0, 0, 0, 0, 0]).remaining(10)).toBeUndefined();
});

/** Each second so many changes come, and so many are applied. */
function drained(seconds: readonly (readonly [arriving: number, applied: number])[]): DrainLog {
  const time = new SimulatedTime();
  const log = new DrainLog(time.clock);
  let [arrived, appliedCount] = [100_000, 0];
  log.note(appliedCount, arrived - appliedCount);
  for (const [arriving, applied] of seconds) {
    time.skip(1000);
    arrived += arriving;
    appliedCount += applied;
    log.note(appliedCount, arrived - appliedCount);
  }
  return log;
}

const steadily = (arriving: number, applied: number): DrainLog =>
  drained(Array.from({ length: 20 }, () => [arriving, applied] as const));

test("a lag takes as long as what is applied beyond what comes", () => {
  const log = steadily(400, 500);
  expect(log.rates).toEqual({ appliedPerSecond: 500, arrivingPerSecond: 400 });
  const { from, to } = log.remaining(1000)!;
  expect(from).toBeGreaterThan(7);
  expect(from).toBeLessThan(10);
  expect(to).toBeGreaterThan(10);
  expect(to).toBeLessThan(13);
});

test("a lag that does not fall has no end, and says so by its rates", () => {
  for (const applied of [400, 300]) {
    const log = steadily(400, applied);
    expect(log.remaining(1000)).toBeUndefined();
    expect(log.rates).toEqual({ appliedPerSecond: applied, arrivingPerSecond: 400 });
  }
});

test("a lag that falls now and then has a wide interval", () => {
  const unsteady = drained(
    Array.from({ length: 20 }, (_, index) => [400, index % 2 === 0 ? 300 : 700] as const),
  ).remaining(1000)!;
  const steady = steadily(400, 500).remaining(1000)!;
  expect(unsteady.to - unsteady.from).toBeGreaterThan(2 * (steady.to - steady.from));
});

test("nothing is said of a lag before it can be known", () => {
  expect(drained([[1, 2]]).rates).toBeUndefined();
  expect(drained([[1, 2]]).remaining(10)).toBeUndefined();
  expect(drained([]).remaining(0)).toEqual({ from: 0, to: 0 });
});

describe("what was said", () => {
  test.each([
    [3000, false, "It took 3 s, and not what was said: 10 s to 20 s."],
    [9500, true, "It took 10 s, as was said: 10 s to 20 s."],
    [15_000, true, "It took 15 s, as was said: 10 s to 20 s."],
    [22_000, false, "It took 22 s, and not what was said: 10 s to 20 s."],
  ])("is judged after %i ms", (passed, wasInside, text) => {
    const said = saidAt(1000, { from: 10, to: 20 });
    expect(judged(said, 1000 + passed)).toEqual({ said: { ...said, wasInside }, text });
  });

  test("is judged once, and not at all if the job was led otherwise meanwhile", () => {
    const said = saidAt(0, { from: 1, to: 2 });
    const outcome = judged(said, 1500)!.said;
    expect(judged(outcome, 9000)).toBeUndefined();
    expect(judged(undefined, 9000)).toBeUndefined();
    expect(withoutOpen({ said: outcome, saidOfChanges: said })).toEqual({ said: outcome });
  });
});
