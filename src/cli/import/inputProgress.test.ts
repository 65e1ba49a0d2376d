/** How far an input is, beside a plain list of what is open. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { InputProgress } from "./inputProgress.ts";

test("an input is done up to the first record that is not", () => {
  const input = new InputProgress("a", 10);
  const [first, second, third] = [20, 30, 40].map((end) => ({ end, isSettled: false }));
  for (const record of [first!, second!, third!]) input.begin(record);
  expect([input.doneBytes, input.aheadBytes]).toEqual([10, 30]);
  input.settle(second!);
  expect([input.doneBytes, input.aheadBytes]).toEqual([10, 30]);
  // How far it is counts what lies behind the gap; where to go on does not.
  expect(input.settledShare).toEqual({ settledBytes: 20, begunBytes: 40 });
  input.settle(first!);
  expect([input.doneBytes, input.aheadBytes]).toEqual([30, 10]);
  input.settle(third!);
  expect([input.doneBytes, input.aheadBytes]).toEqual([40, 0]);
  expect(input.settledShare).toEqual({ settledBytes: 40, begunBytes: 40 });
});

test("in whatever order records are begun and settled, as in a plain list", () => {
  const COUNT = 10_000; // More than are let go at once.
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 50 }), (draws, window) => {
      const input = new InputProgress("a", 0);
      const records = Array.from({ length: COUNT }, (_, n) => ({ end: n + 1, isSettled: false }));
      const open: { readonly end: number; isSettled: boolean }[] = [];
      for (const record of records) {
        input.begin(record);
        open.push(record);
        if (open.length < window) continue;
        const [settled] = open.splice(draws.next().value % open.length, 1);
        input.settle(settled!);
        const oldest = open.reduce((least, { end }) => Math.min(least, end), record.end + 1);
        if (input.doneBytes !== oldest - 1) throw new Error(`${input.doneBytes} at ${oldest}`);
        if (input.aheadBytes !== record.end - oldest + 1) throw new Error(`${input.aheadBytes}`);
      }
      for (const record of open) input.settle(record);
      expect(input.doneBytes).toBe(COUNT);
    }),
    { numRuns: 5 },
  );
});
