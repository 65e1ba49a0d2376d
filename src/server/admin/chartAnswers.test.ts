/** Load over time, and over keys and time. */
import { describe, expect, test } from "vitest";
import {
  containerIn,
  databaseIn,
  put,
  simulatedAccount,
  spend,
} from "../../engine/simulatedAccount.fake.ts";
import { heatReport, historyReport } from "./chartAnswers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("heat", () => {
  test("has times down and keys across, with their ends", async () => {
    const { meter, time, lastMinutes } = await stage();
    const question = { ...lastMinutes(10), metric: "ru", rows: 20, columns: 8 } as const;
    const report = heatReport(meter, question, time.clock.now());
    expect(report.bounds.length).toBe(9);
    expect(report.times.length).toBe(report.cells.length + 1);
    expect(report.cells.every((row) => row.length === 8)).toBe(true);
    expect(report.times).toEqual(report.times.toSorted((one, other) => one - other));
    expect(report.times[0]).toBeLessThanOrEqual(question.from);
    expect(report.times.at(-1)).toBeGreaterThanOrEqual(question.to);
    expect([report.bounds[0], report.bounds.at(-1)]).toEqual(["", "FF"]);
  });

  test("is where the keys are, when it was", async () => {
    const { meter, time, account, container, lastMinutes } = await stage();
    const outcome = await put(account, container, { pk: "hot", id: "i" });
    await time.advance(5 * MINUTE);
    const question = { ...lastMinutes(10), metric: "ru", rows: 20, columns: 8 } as const;
    const { cells, bounds, times } = heatReport(meter, question, time.clock.now());
    const hot = cells.flatMap((row, at) => row.flatMap((ru, key) => (ru ? [{ at, key, ru }] : [])));
    expect(hot.length).toBe(1);
    const [{ at, key, ru }] = hot as [{ at: number; key: number; ru: number }];
    expect(ru).toBeCloseTo(outcome.charge);
    const routed = account.route(container, ["hot"]);
    const epk = routed.ok ? routed.value.epk : "";
    expect(bounds[key]! <= epk && epk < bounds[key + 1]!).toBe(true);
    const wroteAt = time.clock.wallNow() - 5 * MINUTE;
    expect(times[at]! <= wroteAt && wroteAt < times[at + 1]!).toBe(true);
  });

  test("of the future is empty", async () => {
    const { meter, time } = await stage();
    const from = time.clock.wallNow() + HOUR;
    const question = { from, to: from + HOUR, metric: "ru", rows: 9, columns: 4 } as const;
    const { times, cells } = heatReport(meter, question, time.clock.now());
    expect([times, cells]).toEqual([[], []]);
  });
});

describe("a history", () => {
  test("adds up to what was spent, in all and by physical partition", async () => {
    const { meter, time, account, container, lastMinutes } = await stage();
    const request = { kind: "split", partitionId: "0", at: "middle" } as const;
    spend(container, "0", 7);
    await time.advance(2 * MINUTE);
    await account.reshaping.request(container, request);
    spend(container, "1", 10);
    spend(container, "2", 30);
    await time.advance(2 * MINUTE);
    const history = historyReport(container, meter, lastMinutes(10), time.clock);
    const sumOf = (slots: typeof history.total): number =>
      slots.reduce((sum, slot) => sum + (slot?.ru ?? 0), 0);
    expect(sumOf(history.total)).toBe(47);
    expect(history.partitions.map(({ id, slots }) => [id, sumOf(slots)])).toEqual([
      ["1", 10],
      ["2", 30],
    ]);
    expect(history.partitions[0]!.max).toBe(history.partitions[1]!.min);
    for (const { slots } of history.partitions) expect(slots.length).toBe(history.times.length);
  });

  test("tells sizes, and where nobody counted", async () => {
    const { meter, time, account, container, lastMinutes } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    await time.advance(3 * MINUTE);
    const { total } = historyReport(container, meter, lastMinutes(20), time.clock);
    expect(total[0]).toBeNull();
    expect(total.at(-1)?.itemBytes).toBe(container.partitions.get("0")!.head.itemBytes);
  });

  test.each([
    ["as fine as there is", undefined, 60],
    ["as coarse as is asked for", 300, 300],
    ["the next more that a day is made of", 250, 300],
    ["half of the hour", 1800, 1800],
    ["of a day", 86_400, 86_400],
    ["of two days", 100_000, 172_800],
  ])("has slots %s", async (_rule, slotSeconds, expected) => {
    const { meter, time, container, lastMinutes } = await stage();
    // Now is anywhere in a minute, and in a slot.
    for (const pause of [0, 20_000, 61_000, 200_000, 1_000_000]) {
      time.skip(pause);
      const question = { ...lastMinutes(60), slotSeconds };
      const { slotSeconds: length, times } = historyReport(container, meter, question, time.clock);
      expect(length).toBe(expected);
      if (times.length > 1) expect(times[1]! - times[0]!).toBe(length * 1000);
      expect(times[0]).toBeLessThanOrEqual(question.from);
      expect(times.at(-1)! + length * 1000).toBeGreaterThanOrEqual(question.to);
    }
  });

  test("of a year is no longer than an answer may be", async () => {
    const { meter, time, container } = await stage();
    const to = time.clock.wallNow();
    const question = { from: to - 390 * 24 * HOUR, to, slotSeconds: 1 };
    expect(historyReport(container, meter, question, time.clock).times.length).toBeLessThan(1501);
  });
});

async function stage() {
  const simulated = await simulatedAccount();
  const { account, time } = simulated;
  const container = await containerIn(account, await databaseIn(account));
  const lastMinutes = (count: number) => {
    const to = time.clock.wallNow();
    return { from: to - count * MINUTE, to };
  };
  return { ...simulated, container, meter: container.meter!, lastMinutes };
}
