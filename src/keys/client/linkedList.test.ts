/** What a linked list makes of answers that get lost in the middle of its steps. */
import { describe, expect, test } from "vitest";
import type { Fault } from "./fakeContainer.fake.ts";
import { BUSY, CONNECTION_LOST, FakeContainer } from "./fakeContainer.fake.ts";
import { linkedList } from "./linkedList.ts";

const OPTIONS = { paths: ["/pk"], key: "k" };
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("whatever call is lost, done or not, a repeated write is there once", () => {
  // Every call of the twelve writes below is hit once, by each kind of fault.
  const calls = (["create", "read", "replace", "query"] as const).flatMap((call) =>
    [CONNECTION_LOST, BUSY].flatMap((error) =>
      [true, false].flatMap((isDone) => range(8).map((skip) => ({ call, error, isDone, skip }))),
    ),
  );
  test.each(calls)("$call, done: $isDone, the one after $skip", async ({ skip, ...fault }) => {
    const fake = new FakeContainer(3);
    const list = linkedList(fake.container, OPTIONS);
    let seen = 0;
    for (const n of range(12)) {
      const id = `i${n}`;
      const hit: Fault[] =
        fake.calls.filter((call) => call === fault.call).length >= skip ? [fault] : [];
      if (seen === 0 && hit.length > 0) {
        seen++;
        fake.faults.push(...hit);
      }
      const write = () => list.create({ id });
      await write().catch(async (error: { readonly code: unknown }) => {
        expect(error).toBe(fault.error);
        // As an application would: once more, and a conflict says that it was done.
        await write().catch((again: { readonly code: unknown }) => expect(again.code).toBe(409));
      });
    }
    const stored = range(6).flatMap((at) => fake.ids(at === 0 ? "k" : `k~${at + 1}`));
    expect(stored.toSorted()).toEqual(
      range(12)
        .map((n) => `i${n}`)
        .toSorted(),
    );
    // Whoever comes later finds all of them.
    const later = linkedList(fake.container, OPTIONS);
    fake.faults.length = 0;
    for (const n of range(12)) expect((await later.read(`i${n}`)).suffix).toBeDefined();
  });
});

test("writers that meet the end at the same time move on together, by one", async () => {
  const fake = new FakeContainer(4);
  const lists = range(6).map(() => linkedList(fake.container, OPTIONS));
  await Promise.all(
    lists.flatMap((list, at) => range(6).map((n) => list.create({ id: `${at}-${n}` }))),
  );
  expect(await lists[0]!.countSuffixes()).toBe(9);
  for (const at of range(9)) expect(fake.ids(at === 0 ? "k" : `k~${at + 1}`)).toHaveLength(4);
});

test("a create that was done although its answer was lost is found under its old suffix", async () => {
  const fake = new FakeContainer(3);
  const list = linkedList(fake.container, OPTIONS);
  await list.create({ id: "a" });
  fake.faults.push({ call: "create", error: CONNECTION_LOST, isDone: true });
  await expect(list.create({ id: "b", n: 1 })).rejects.toBe(CONNECTION_LOST);
  for (const n of range(4)) await list.create({ id: `i${n}` });
  expect(await list.create({ id: "b", n: 1 })).toMatchObject({ suffix: 1, key: ["k"] });
  expect([...fake.stored.values()].filter((items) => items.has("b"))).toHaveLength(1);
});

test("an item that moves is written before it is deleted", async () => {
  const fake = new FakeContainer();
  const list = linkedList(fake.container, OPTIONS);
  await list.create({ id: "a" });
  fake.faults.push({ call: "upsert", error: { code: 403, substatus: 1014 } });
  fake.calls.length = 0;
  const moved = await list.upsert({ id: "a", more: true });
  expect(moved.suffix).toBe(2);
  expect(fake.calls.slice(-2)).toEqual(["upsert", "delete"]);
  expect([fake.ids("k"), fake.ids("k~2")]).toEqual([[], ["a"]]);
});

test("an item of others in the pointer's place is not taken for it", async () => {
  const fake = new FakeContainer();
  await fake.container.items.create({ id: "list", pk: "k~list", shopping: ["milk"] });
  const list = linkedList(fake.container, OPTIONS);
  await expect(list.create({ id: "a" })).rejects.toThrow("says no count");
});
