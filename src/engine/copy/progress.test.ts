/** How fast a job is, and when it says that it will be done. */
import { expect, test } from "vitest";
import { SimulatedTime } from "../simulatedAccount.fake.ts";
import { ProgressLog } from "./progress.ts";

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
