/** What a circular buffer makes of answers that get lost. */
import { describe, expect, test } from "vitest";
import { circularBuffer } from "./circularBuffer.ts";
import { BUSY, CONNECTION_LOST, FakeContainer } from "./fakeContainer.fake.ts";

const OPTIONS = { paths: ["/pk"], key: "ring" };

describe("a write that failed", () => {
  test.each([
    ["its answer was lost", { call: "upsert", error: CONNECTION_LOST, isDone: true }],
    ["it was not done", { call: "upsert", error: BUSY }],
    ["the position could not be looked up", { call: "query", error: BUSY }],
  ] as const)("and is repeated is there once: %s", async (_what, fault) => {
    const fake = new FakeContainer();
    fake.faults.push(fault);
    const buffer = circularBuffer(fake.container, OPTIONS);
    await expect(buffer.write({ n: 1 })).rejects.toBe(fault.error);
    expect(await buffer.write({ n: 1 })).toMatchObject({ slot: 0, sequence: 1 });
    expect(await buffer.write({ n: 2 })).toMatchObject({ slot: 1, sequence: 2 });
    expect(fake.ids("ring")).toEqual(["0000000000", "0000000001"]);
  });

  test("does not hold up those behind it", async () => {
    const fake = new FakeContainer();
    const buffer = circularBuffer(fake.container, OPTIONS);
    await buffer.write({ n: 0 });
    fake.faults.push({ call: "upsert", error: BUSY });
    const writes = await Promise.allSettled([1, 2, 3].map((n) => buffer.write({ n })));
    expect(writes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect([...fake.stored.get("ring")!.values()].map(({ n }) => n)).toEqual([0, 2, 3]);
  });
});

test("a partition that others have filled is said to be", async () => {
  const fake = new FakeContainer(0);
  const buffer = circularBuffer(fake.container, OPTIONS);
  await expect(buffer.write({ n: 1 })).rejects.toThrow("keep nothing else");
});
