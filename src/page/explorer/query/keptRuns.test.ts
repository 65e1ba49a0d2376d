/** Runs that are kept beside the tab: found again as they were, and bounded. */
import { expect, test } from "vitest";
import { type KeptRun, keepRun, readRun } from "./keptRuns.ts";

function storage(): Pick<Storage, "getItem" | "setItem"> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
  };
}

function kept(text: string, row: object = { id: "a", big: 1 }): KeptRun {
  const page = {
    texts: [JSON.stringify(row)],
    rows: [row],
    charge: 2.83,
    explained: undefined,
    continuation: "next",
  };
  return {
    of: "shop/orders",
    text,
    at: 1000,
    terms: { text, parameters: [{ name: "@n", value: 3 }], pageSize: 50, cap: 500 },
    run: { text, state: "paused", pages: [page], requestCount: 1, chargeBeside: 0.5 },
  };
}

test("a run is found again with its rows, its charge and where it goes on", () => {
  const store = storage();
  keepRun(store, kept("SELECT 1"));
  keepRun(store, kept("SELECT 2"));
  const found = readRun(store, "shop/orders", "SELECT 1")!;
  expect(found).toMatchObject({ at: 1000, terms: kept("SELECT 1").terms });
  expect(found.run.pages[0]).toMatchObject({ rows: [{ id: "a", big: 1 }], continuation: "next" });
  expect(found.run).toMatchObject({ state: "paused", chargeBeside: 0.5 });
  expect(readRun(store, "shop/orders", "SELECT 3")).toBeUndefined();
  expect(readRun(store, "shop/other", "SELECT 1")).toBeUndefined();
});

test("the newest are kept, as far as there is room", () => {
  const store = storage();
  for (let at = 0; at < 9; at++) keepRun(store, kept(`SELECT ${at}`));
  expect(readRun(store, "shop/orders", "SELECT 0")).toBeUndefined();
  expect(readRun(store, "shop/orders", "SELECT 1")).toBeDefined();
  keepRun(store, kept("large", { id: "a", pad: "x".repeat(1_900_000) }));
  keepRun(store, kept("too large", { id: "a", pad: "x".repeat(2_000_000) }));
  expect(readRun(store, "shop/orders", "too large")).toBeUndefined();
  expect(readRun(store, "shop/orders", "large")).toBeDefined();
});

test("what is no list of runs is none", () => {
  const store = storage();
  store.setItem("orrery.runs", "{");
  expect(readRun(store, "shop/orders", "SELECT 1")).toBeUndefined();
});
