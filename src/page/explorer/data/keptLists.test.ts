/** Lists beside the browser tab: one for each container, bounded, and never an error. */
import { expect, test } from "vitest";
import { keepList, readList } from "./keptLists.ts";

function simulatedStorage(): Pick<Storage, "getItem" | "setItem"> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  };
}

test("each container has a list of its own, and those looked at last are kept", () => {
  const storage = simulatedStorage();
  for (let at = 0; at < 21; at++) keepList(storage, "k", { of: `shop/c${at}`, list: [at] });
  expect(readList(storage, "k", "shop/c20")).toEqual([20]);
  expect(readList(storage, "k", "shop/c1")).toEqual([1]);
  expect(readList(storage, "k", "shop/c0")).toEqual([]);
  expect(readList(storage, "other", "shop/c1")).toEqual([]);
});

test("an empty list takes no room", () => {
  const storage = simulatedStorage();
  keepList(storage, "k", { of: "shop/orders", list: [1] });
  keepList(storage, "k", { of: "shop/orders", list: [] });
  expect(storage.getItem("k")).toBe("[]");
});

test.each(["{broken", '"text"'])("%s is no list", (text) => {
  expect(readList({ getItem: () => text, setItem: () => undefined }, "k", "a/b")).toEqual([]);
});
