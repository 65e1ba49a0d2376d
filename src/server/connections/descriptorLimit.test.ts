/** Clients never get all the files that the system lets a process have open. */
import { expect, test } from "vitest";
import { connectionsWithin, parseLimit } from "./descriptorLimit.ts";

test.each([
  [undefined, 20_000],
  [1_048_576, 20_000],
  [20_000, 18_000],
  [1_024, 921],
  [256, 192],
  [100, 50],
  [1, 1],
])("with a limit of %s files there are %d connections", (limit, count) => {
  expect(connectionsWithin(20_000, limit)).toBe(count);
});

test("fewer are wanted, and fewer there are", () => {
  expect(connectionsWithin(10, 256)).toBe(10);
});

test.each([
  ["Limit    Soft Limit  Hard Limit  Units\nMax open files      256     4096   files\n", 256],
  ["Max open files            unlimited            unlimited            files\n", undefined],
  ["", undefined],
])("%j says %s", (text, limit) => {
  expect(parseLimit(text)).toBe(limit);
});
