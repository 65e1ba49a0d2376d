/** The parts of the store that containers have. */
import { describe, expect, test } from "vitest";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Fault } from "../simulatedAccount.fake.ts";
import { SimulatedTime, troubledStore } from "../simulatedAccount.fake.ts";
import { numbersFrom, Parts } from "./parts.ts";

const FULL = new StoreFault("the disk is full");

test.each([
  [5, 0, []],
  [5, 1, [5]],
  [5, 3, [5, 6, 7]],
])("from %i on %i numbers are %j", (first, count, expected) => {
  expect(numbersFrom(first, count)).toEqual(expected);
});

describe("parts", () => {
  test("are there when they are claimed, with our epoch", async () => {
    const { parts, store } = stage();
    await parts.claim([3, 4]);
    expect(store.parts()).toEqual([3, 4]);
    const heads = await parts.heads([4, 3]);
    expect([...heads.keys()]).toEqual([4, 3]);
    expect(heads.get(4)).toMatchObject({ epoch: 7, itemCount: 0 });
  });

  test("that nobody names are orphans", async () => {
    const { parts } = stage();
    await parts.claim([1, 2, 3]);
    expect(await parts.orphans(new Set([2, 9]))).toEqual([1, 3]);
  });

  test("are gone when they are dropped, also twice", async () => {
    const { parts, store } = stage();
    await parts.claim([1, 2, 3]);
    await parts.drop([1, 3]);
    await parts.drop([3, 8]);
    expect(store.parts()).toEqual([2]);
  });
});

describe("on a full disk", () => {
  test("what cannot be dropped is dropped with the next ones", async () => {
    const { parts, store, trouble } = stage();
    await parts.claim([1, 2, 3]);
    trouble.fault = (operation, part) => (operation === "drop" && part === 1 ? FULL : undefined);
    await parts.drop([1, 2]);
    expect(store.parts()).toEqual([1, 3]);
    trouble.fault = undefined;
    await parts.drop([3]);
    expect(store.parts()).toEqual([]);
  });

  test("it is dropped before others are made", async () => {
    const { parts, store, trouble } = stage();
    await parts.claim([1]);
    trouble.fault = (operation) => (operation === "drop" ? FULL : undefined);
    await parts.drop([1]);
    expect(store.parts()).toEqual([1]);
    trouble.fault = undefined;
    await parts.claim([2]);
    expect(store.parts()).toEqual([2]);
  });

  test("to claim is refused", async () => {
    const { parts, trouble } = stage();
    trouble.fault = (operation) => (operation === "claim" ? FULL : undefined);
    await expect(parts.claim([1])).rejects.toBe(FULL);
  });

  test("a defect is not taken for one", async () => {
    const { parts, trouble } = stage();
    trouble.fault = () => new TypeError("a defect");
    await expect(parts.drop([1])).rejects.toThrow("a defect");
  });
});

function stage() {
  const { timer } = new SimulatedTime();
  const store = EmbeddedStore.inMemory(timer);
  const trouble: { fault?: Fault | undefined } = {};
  return { store, trouble, parts: new Parts(troubledStore(store, trouble), 7) };
}
