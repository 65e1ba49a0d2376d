/** Waits between attempts. */
import { describe, expect, test } from "vitest";
import { SimulatedTime, settled } from "../simulatedAccount.fake.ts";
import { Pauses } from "./pauses.ts";

describe("a pause", () => {
  test.each([
    [0, 100],
    [1, 200],
    [5, 3200],
    [9, 30_000],
    [2000, 30_000],
  ])("after %i failures takes %i ms", async (failureCount, expected) => {
    const { time, wait } = stage();
    const waited = wait(failureCount);
    await time.advance(expected - 1);
    expect(waited.isOver).toBe(false);
    await time.advance(1);
    expect(waited.isOver).toBe(true);
  });

  test("ends when all are ended, and leaves nothing behind", async () => {
    const { time, pauses, wait } = stage();
    const waits = [wait(0), wait(3)];
    pauses.end();
    await settled();
    expect(waits.map(({ isOver }) => isOver)).toEqual([true, true]);
    expect(time.waitingCount).toBe(0);
  });

  test("that begins later is over at once", async () => {
    const { pauses, wait } = stage();
    pauses.end();
    const waited = wait(3);
    await settled();
    expect(waited.isOver).toBe(true);
  });
});

function stage() {
  const time = new SimulatedTime();
  const pauses = new Pauses(time.timer);
  const wait = (failureCount: number): { isOver: boolean } => {
    const waited = { isOver: false };
    void pauses.wait(failureCount).then(() => {
      waited.isOver = true;
    });
    return waited;
  };
  return { time, pauses, wait };
}
