/** What a bulk writer makes of services and connections that fail it. */
import { describe, expect, test } from "vitest";
import type { BulkWriterOptions } from "./bulkReport.ts";
import { BulkSourceFailure, bulkWriter } from "./bulkWriter.ts";
import {
  BUSY,
  CONNECTION_LOST,
  FakeContainer,
  type Fault,
  RETRY_WITH,
  THROTTLED,
} from "./fakeContainer.fake.ts";

type Item = Readonly<Record<string, unknown>>;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const items = (count: number): Item[] => range(count).map((n) => ({ id: `i${n}`, pk: "a", n }));

function writerOf(fake: FakeContainer, options: Partial<BulkWriterOptions<Item>> = {}) {
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => void waits.push(ms);
  const key = (item: Item): string => String(item["pk"]);
  return { waits, writer: bulkWriter(fake.container, { key, world: { wait }, ...options }) };
}

describe("a request that fails as a whole", () => {
  test.each<[string, Fault]>([
    ["connection lost before it was done", { call: "bulk", error: CONNECTION_LOST }],
    ["connection lost after it was done", { call: "bulk", error: CONNECTION_LOST, isDone: true }],
    ["503 though it was done", { call: "bulk", error: BUSY, isDone: true }],
    ["449", { call: "bulk", error: RETRY_WITH }],
    ["429", { call: "bulk", error: THROTTLED }],
    ["wrapped, as the client does", { call: "bulk", error: new Error("x", { cause: BUSY }) }],
  ])("%s: is sent again, and every item is there once", async (_what, fault) => {
    const fake = new FakeContainer();
    fake.faults.push(fault);
    const { writer, waits } = writerOf(fake);
    const result = await writer.write(items(250));
    expect(result).toMatchObject({ count: 250, failureCount: 0 });
    expect(result.retries).toBeGreaterThan(0);
    expect(waits.length).toBeGreaterThan(0);
    expect(fake.ids("a")).toHaveLength(250);
  });

  test("waits at least as long as the service says", async () => {
    const fake = new FakeContainer();
    fake.faults.push({ call: "bulk", error: { ...THROTTLED, retryAfterInMs: 1234 } });
    const { writer, waits } = writerOf(fake);
    await writer.write(items(1));
    expect(waits).toEqual([1234]);
  });

  test("for good: items are given up with what was said last, after longer and longer waits", async () => {
    const fake = new FakeContainer();
    for (const _ of range(50)) fake.faults.push({ call: "bulk", error: CONNECTION_LOST });
    const { writer, waits } = writerOf(fake, { patience: 10 });
    const result = await writer.write(items(3));
    expect(result.count).toBe(0);
    expect(result.failures.map(({ status, message }) => [status, message])).toEqual(
      range(3).map(() => [undefined, "socket hang up"]),
    );
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(Math.max(...waits)).toBeLessThanOrEqual(1000);
  });

  test("for a reason of its own is taken apart, and only the culprit fails", async () => {
    const fake = new FakeContainer();
    const { bulk } = fake.container.items;
    const picky = {
      ...fake.container,
      items: {
        bulk: async (...[operations]: Parameters<typeof bulk>) => {
          if (operations.some(({ resourceBody }) => resourceBody["id"] === "i77")) {
            throw { code: 413, message: "too large" };
          }
          return bulk(operations);
        },
      },
    };
    const key = (item: Item): string => String(item["pk"]);
    const writer = bulkWriter(picky, { key, world: { wait: async () => undefined } });
    const result = await writer.write(items(200));
    expect(result.count).toBe(199);
    expect(result.failures).toMatchObject([{ id: "i77", status: 413, message: "too large" }]);
  });
});

describe("a conflict", () => {
  test("after a lost answer is looked at: another's item is still a conflict", async () => {
    const fake = new FakeContainer();
    await fake.container.items.create({ id: "i0", pk: "a", n: "another's" });
    fake.faults.push({ call: "bulk", error: CONNECTION_LOST, isDone: true });
    const result = await writerOf(fake).writer.write(items(2));
    expect(result.count).toBe(1);
    expect(result.failures).toMatchObject([{ id: "i0", status: 409 }]);
  });

  test("without a lost answer is a failure at once", async () => {
    const fake = new FakeContainer();
    await fake.container.items.create({ id: "i0", pk: "a", n: 0 });
    const result = await writerOf(fake).writer.write(items(2));
    expect(result.failures).toMatchObject([{ id: "i0", status: 409, message: "conflict" }]);
    expect(fake.calls).not.toContain("read");
  });
});

describe("what is not the service's doing", () => {
  test("a source that fails: what it gave is written, and that is said", async () => {
    const fake = new FakeContainer();
    async function* source(): AsyncGenerator<Item> {
      yield* items(120);
      throw new Error("line 121 is broken");
    }
    const failed = await writerOf(fake)
      .writer.write(source())
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failed).toBeInstanceOf(BulkSourceFailure);
    expect((failed as BulkSourceFailure).message).toContain("line 121 is broken");
    expect((failed as BulkSourceFailure).result).toMatchObject({ count: 120, failureCount: 0 });
    expect(fake.ids("a")).toHaveLength(120);
  });

  test.each(["onProgress", "onFailure"] as const)("%s that throws ends the run", async (name) => {
    const fake = new FakeContainer(10);
    const complaint = new Error("not like this");
    const callback = (): void => {
      throw complaint;
    };
    const { writer } = writerOf(fake, { [name]: callback });
    await expect(writer.write(items(20))).rejects.toBe(complaint);
  });

  test("nothing to write is no work", async () => {
    const fake = new FakeContainer();
    expect(await writerOf(fake).writer.write([])).toMatchObject({ count: 0, requestCount: 0 });
  });

  test("failures beyond the limit are counted and not kept", async () => {
    const fake = new FakeContainer(5);
    const result = await writerOf(fake, { failureLimit: 3 }).writer.write(items(50));
    expect(result).toMatchObject({ count: 5, failureCount: 45 });
    expect(result.failures).toHaveLength(3);
  });
});

test("of very many keys the largest are told, and that small ones were forgotten", async () => {
  const fake = new FakeContainer();
  async function* source(): AsyncGenerator<Item> {
    for (const n of range(45_000)) yield { id: `i${n}`, pk: n % 3 === 0 ? "large" : `k${n}` };
  }
  const result = await writerOf(fake, { topCount: 1 }).writer.write(source());
  expect(result.count).toBe(45_000);
  expect(result.byKey).toMatchObject({ top: [{ key: ["large"], count: 15_000 }], isExact: false });
});
