/**
 * The circular buffer against a real wall: a logical partition holds 20 KB here instead of 20 GB,
 * so a round takes a dozen items or so.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { circularBuffer } from "../../src/keys/client/circularBuffer.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, temporaryDirectory } from "./stage.ts";

const SCALED = { limits: { logicalPartitionBytes: "20KB" } };
const OPTIONS = { paths: ["/pk"], key: "recent" };
const FILL = "x".repeat(1500);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true, ...SCALED });
});
afterAll(() => stage[Symbol.asyncDispose]());

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** All that is stored, oldest first, as the numbers the items bear. */
async function stored(container: Container): Promise<number[]> {
  const query = "SELECT VALUE c.n FROM c ORDER BY c.ring.sequence";
  return (await container.items.query<number>(query, { partitionKey: "recent" }).fetchAll())
    .resources;
}

test("of equal items there are always as many, the newest, in any number of rounds", async () => {
  const container = await openContainer(stage.database);
  const buffer = circularBuffer(container, OPTIONS);
  const writes = [];
  for (const n of range(45)) writes.push(await buffer.write({ n, fill: FILL }));
  const capacity = writes.filter(({ round }) => round === 1).length;
  expect(capacity).toBeGreaterThan(8);
  writes.forEach((write, n) => {
    expect(write).toMatchObject({
      slot: n % capacity,
      round: Math.floor(n / capacity) + 1,
      sequence: n + 1,
      id: String(n % capacity).padStart(10, "0"),
      evictedCount: 0,
    });
    expect(write.ru).toBeGreaterThan(5);
  });
  expect(writes.at(-1)!.round).toBeGreaterThan(3);
  expect(await stored(container)).toEqual(range(45).slice(-capacity));
  const newest = await buffer.newest<{ readonly n: number }>(4);
  expect(newest.rows.map(({ n }) => n)).toEqual([44, 43, 42, 41]);
  expect((await buffer.newest(1000)).rows).toHaveLength(capacity);
});

test.each([1, 2])("of items of any size the newest stay, seed %i", async (seed) => {
  const container = await openContainer(stage.database);
  const buffer = circularBuffer(container, OPTIONS);
  const random = seededRandom(seed);
  let last = 0;
  for (const n of range(100)) {
    // Now and then a whole stretch is small, or one is nearly all there may be.
    const scale = n % 50 < 15 ? 200 : 3000;
    const length = random.next() < 0.03 ? 15_000 : Math.floor(random.next() * scale);
    const { sequence, round } = await buffer.write({ n, fill: "x".repeat(length) });
    expect(sequence).toBe(n + 1);
    last = round;
    if (n % 4 !== 0) continue;
    const present = await stored(container);
    // Without a gap: whatever went was older than whatever stayed.
    expect(present).toEqual(range(n + 1).slice(-present.length));
  }
  expect(last).toBeGreaterThanOrEqual(3);
});

test("finds its position after a restart, in the middle of a round", async () => {
  using directory = temporaryDirectory();
  const options = { data: directory.path, ...SCALED };
  const before = await (async () => {
    await using first = await openStage(options);
    await first.database.containers.create({ id: "kept", partitionKey: "/pk" });
    const buffer = circularBuffer(first.database.container("kept"), OPTIONS);
    expect(await buffer.position()).toBeUndefined();
    for (const n of range(30)) await buffer.write({ n, fill: FILL });
    return await buffer.position();
  })();
  await using second = await openStage(options);
  const container = second.database.container("kept");
  const buffer = circularBuffer(container, OPTIONS);
  expect(await buffer.position()).toEqual(before);
  expect(before).toMatchObject({ sequence: 30, round: 3 });
  const next = await buffer.write({ n: 30, fill: FILL });
  expect(next).toMatchObject({ slot: before!.slot + 1, round: 3, sequence: 31 });
  const present = await stored(container);
  expect(present).toEqual(range(31).slice(-present.length));
});

test("takes its writers in turn", async () => {
  const container = await openContainer(stage.database);
  const buffer = circularBuffer(container, OPTIONS);
  const writes = await Promise.all(range(40).map((n) => buffer.write({ n, fill: FILL })));
  expect(writes.map(({ sequence }) => sequence)).toEqual(range(40).map((n) => n + 1));
  const present = await stored(container);
  expect(present).toEqual(range(40).slice(-present.length));
});

describe("an item that does not fit", () => {
  test("costs at most so many of the oldest, and says so", async () => {
    const container = await openContainer(stage.database);
    const buffer = circularBuffer(container, { ...OPTIONS, evictionLimit: 2 });
    for (const n of range(12)) await buffer.write({ n, fill: FILL });
    const before = await stored(container);
    await expect(buffer.write({ n: 99, fill: "x".repeat(12_000) })).rejects.toThrow(
      /although 2 of the oldest were deleted/,
    );
    // The one whose place it wanted is still there.
    expect(await stored(container)).toEqual([before[0], ...before.slice(3)]);
    const next = await buffer.write({ n: 12, fill: FILL });
    expect(next.sequence).toBe(13);
    expect(await stored(container)).toContain(12);
  });

  test("because it is larger than everything: all go, then it is refused", async () => {
    const container = await openContainer(stage.database);
    const buffer = circularBuffer(container, OPTIONS);
    await buffer.write({ n: 0, fill: FILL });
    await expect(buffer.write({ n: 1, fill: "x".repeat(30_000) })).rejects.toThrow("does not fit");
    await buffer.write({ n: 2, fill: FILL });
    expect((await stored(container)).at(-1)).toBe(2);
  });
});

test("gives the ids itself", async () => {
  const buffer = circularBuffer(await openContainer(stage.database), OPTIONS);
  await expect(buffer.write({ id: "mine" })).rejects.toThrow('the id "mine"');
  expect(() =>
    circularBuffer(stage.database.container("x"), { ...OPTIONS, key: ["a", "b"] }),
  ).toThrow("2 components");
});
