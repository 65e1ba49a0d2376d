/** What is asked once for many, and kept. */
import { expect, test } from "vitest";
import { no, ok } from "../../base/result.ts";
import { millis } from "../../base/units.ts";
import { Answers } from "./answers.ts";
import { Schedule } from "./schedule.ts";
import type { ServerReply } from "./server.ts";
import { SimulatedBrowser } from "./simulatedBrowser.fake.ts";

function staged() {
  const browser = new SimulatedBrowser();
  const schedule = new Schedule({ timer: browser.timer, visibility: browser.visibility });
  const answers = new Answers({ schedule, clock: { wallNow: () => 5000 + browser.now } });
  let count = 0;
  let isDown = false;
  const ask = (): Promise<ServerReply<number>> =>
    Promise.resolve(isDown ? no({ kind: "unreachable", message: "gone" }) : ok(++count));
  const turn = (isNowDown: boolean): void => {
    isDown = isNowDown;
  };
  return { browser, answers, ask, turn, countOf: () => count };
}

test("two watchers share one request", async () => {
  const { browser, answers, ask, countOf } = staged();
  const one = answers.watch("a", ask);
  const other = answers.watch("a", ask);
  await browser.pass(0);
  expect(countOf()).toBe(1);
  expect(one.state.value).toEqual({ value: 1, at: 5000 });
  expect(other.state).toBe(one.state);
});

test("the shortest interval wins, and asking ends with the last watcher", async () => {
  const { browser, answers, ask, countOf } = staged();
  const slow = answers.watch("a", ask, millis(10_000));
  const quick = answers.watch("a", ask, millis(1000));
  await browser.pass(3000);
  expect(countOf()).toBe(5);
  quick.stop();
  quick.stop();
  await browser.pass(1000);
  expect(countOf()).toBe(6);
  slow.stop();
  await browser.pass(60_000);
  expect(countOf()).toBe(6);
});

test("a failure leaves the last answer, with its age", async () => {
  const { browser, answers, ask, turn } = staged();
  const { state } = answers.watch("a", ask, millis(1000));
  await browser.pass(0);
  turn(true);
  await browser.pass(1000);
  expect(state.value).toEqual({
    value: 1,
    at: 5000,
    failure: { kind: "unreachable", message: "gone" },
  });
  turn(false);
  await browser.pass(1000);
  expect(state.value).toEqual({ value: 2, at: 7000 });
});

test("who comes back sees the last answer at once", async () => {
  const { browser, answers, ask } = staged();
  answers.watch("a", ask).stop();
  await browser.pass(0);
  const again = answers.watch("a", ask);
  expect(again.state.value).toEqual({ value: 1, at: 5000 });
});

test("answers that nobody watches are kept in a limited number", async () => {
  const { browser, answers, ask } = staged();
  for (let index = 0; index < 80; index++) {
    const watch = answers.watch(`key ${index}`, ask);
    await browser.pass(0);
    watch.stop();
  }
  const kept = Array.from({ length: 80 }, (_, index) => answers.peek(`key ${index}`).value);
  expect(kept.filter((value) => value !== undefined)).toHaveLength(50);
  expect(kept[79]).toBe(80);
});

test("what is urged is asked again at once", async () => {
  const { browser, answers, ask, countOf } = staged();
  answers.watch("jobs", ask, millis(60_000));
  answers.watch("alerts", ask, millis(60_000));
  await browser.pass(100);
  answers.urge("jobs");
  await browser.pass(0);
  expect(countOf()).toBe(3);
});
