/** Items made from what a workload declares: shares, families of values, times, sizes. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { valueName, valueRows } from "../data/valueRows.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { itemsOf } from "./itemGenerator.ts";

const WORKLOAD = workloadOf(`
item:
  bytes: 700
  example:
    id: x
    tenantId: contoso
    userId: u
    Item: {id: i, name: chair, tags: [a]}
    kind: invoice
    note: same everywhere
    at: "2026-05-01T10:00:00Z"
    stamp: 1777777777
properties:
  /tenantId: {distinct: 20, shares: {contoso: 0.5, fabrikam: 0.2}}
  /userId: {distinct: 4000, within: /tenantId, distinctWithin: {contoso: 1000}}
  /Item/id: {distinct: 5000, items: zipf 1}
  /kind:
    distinct: 10
    items: {kind: classes, classes: [{values: 20 %, weight: 9}, {values: 80 %, weight: 1}]}
    missingShare: 0.1
  /at: {time: second}
  /stamp: {time: second}
operations:
  - {kind: create, rate: 1}
`);

const OPTIONS = { seed: 7, count: 4000, startMillis: Date.UTC(2026, 0, 1), spanDays: 10 };

function workloadOf(text: string): Workload {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function countsBy(items: Iterable<JsonObject>, of: (item: JsonObject) => unknown) {
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = String(of(item));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

describe("items made from a workload", () => {
  const items = [...itemsOf(WORKLOAD, OPTIONS)];

  test("any stretch of time has its part of every value, and any value of another's", () => {
    const parts = Array.from({ length: 10 }, (_, at) => items.slice(at * 400, (at + 1) * 400));
    for (const part of parts) {
      const contoso = part.filter(({ tenantId }) => tenantId === "contoso");
      expect(Math.abs(contoso.length - 200)).toBeLessThanOrEqual(4);
    }
    const missing = items.filter((item) => !Object.hasOwn(item, "kind"));
    const ofContoso = missing.filter(({ tenantId }) => tenantId === "contoso");
    expect(Math.abs(ofContoso.length - missing.length / 2)).toBeLessThanOrEqual(8);
  });

  test("shares by name come out to one item", () => {
    const counts = countsBy(items, ({ tenantId }) => tenantId);
    expect(counts.size).toBe(20);
    expect(counts.get("contoso")).toBeGreaterThanOrEqual(1999);
    expect(counts.get("contoso")).toBeLessThanOrEqual(2001);
    expect(Math.abs(counts.get("fabrikam")! - 800)).toBeLessThanOrEqual(1);
    expect(Math.abs(counts.get(valueName("/tenantId", 3))! - (4000 * 0.3) / 18)).toBeLessThan(2);
  });

  test("every value of a Zipf law has its share to one item, under the lab's name", () => {
    const counts = countsBy(items, ({ Item }) => (Item as JsonObject)["id"]);
    for (const { value, share, count } of valueRows("/Item/id", 5000, { kind: "zipf", s: 1 })) {
      if (count > 1) continue;
      expect(Math.abs((counts.get(value) ?? 0) - 4000 * share)).toBeLessThanOrEqual(1);
    }
  });

  test("classes, and what is missing", () => {
    const counts = countsBy(items, ({ kind }) => kind);
    expect(Math.abs(counts.get("undefined")! - 400)).toBeLessThanOrEqual(1);
    const heavy = (3600 * 9) / 26;
    expect(Math.abs(counts.get(valueName("/kind", 1))! - heavy)).toBeLessThanOrEqual(1);
    expect(Math.abs(counts.get(valueName("/kind", 10))! - heavy / 9)).toBeLessThanOrEqual(1);
  });

  test("a value belongs to one parent, and each parent's are as even as they can be", () => {
    const users = countsBy(items, ({ tenantId, userId }) => `${tenantId} ${userId}`);
    const ofContoso = [...users].filter(([name]) => name.startsWith("contoso "));
    expect(ofContoso).toHaveLength(1000);
    for (const [name, count] of ofContoso) {
      expect(name).toMatch(/^contoso contoso-userId-\d{6}$/);
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(3);
    }
  });

  test("names are those that the lab hashes, whichever paths a key has", () => {
    const facts = declaredFacts(WORKLOAD);
    const names = new Set(items.map(({ userId }) => userId));
    const users = facts.populationOf(["/userId"]).rows;
    const both = facts.populationOf(["/tenantId", "/userId"]).rows;
    expect(users.map(({ values }) => values[0])).toEqual(both.map(({ values }) => values[1]));
    const heavy = users.filter(({ values }) => String(values[0]).startsWith("contoso-"));
    expect(heavy.every(({ values }) => names.has(String(values[0])))).toBe(true);
    const share = heavy.reduce((sum, { itemShare }) => sum + itemShare, 0);
    expect(share).toBeCloseTo(0.5, 9);
    const keys = users.reduce((sum, { keyCount }) => sum + keyCount, 0);
    expect(keys).toBeCloseTo(1000 + 19 * Math.round(3000 / 19), 6);
  });

  test("ids are unique, times rise over the span, and everything else is as in the example", () => {
    expect(new Set(items.map(({ id }) => id)).size).toBe(4000);
    expect(items[0]).toMatchObject({
      note: "same everywhere",
      Item: { name: "chair", tags: ["a"] },
    });
    expect(items[0]!["at"]).toBe("2026-01-01T00:01:48Z");
    expect(items.at(-1)!["at"]).toBe("2026-01-10T23:58:12Z");
    expect(items[0]!["stamp"]).toBe(Date.UTC(2026, 0, 1, 0, 1, 48) / 1000);
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).sort());
  });

  test("each is as long as declared", () => {
    for (const item of items) expect(JSON.stringify(item)).toHaveLength(700);
  });

  test("one seed makes the same items, another others, with the same shares", () => {
    const again = [...itemsOf(WORKLOAD, OPTIONS)];
    expect(again).toEqual(items);
    const others = [...itemsOf(WORKLOAD, { ...OPTIONS, seed: 8 })];
    expect(others).not.toEqual(items);
    const tenants = (of: readonly JsonObject[]) =>
      [...countsBy(of, ({ tenantId }) => tenantId)].sort();
    expect(tenants(others)).toEqual(tenants(items));
  });

  test("properties are independent of each other and of time", () => {
    const early = items.slice(0, 2000).filter(({ tenantId }) => tenantId === "contoso").length;
    expect(Math.abs(early - 1000)).toBeLessThan(120);
    const top = items.filter(({ Item }) => (Item as JsonObject)["id"] === valueName("/Item/id", 1));
    const topOfContoso = top.filter(({ tenantId }) => tenantId === "contoso").length;
    expect(Math.abs(topOfContoso / top.length - 0.5)).toBeLessThan(0.12);
  });

  test("odd names are just names", () => {
    const odd = workloadOf(`
item: {bytes: 10}
properties:
  /__proto__: {distinct: 2}
  /"a/b": {distinct: 1}
operations: [{kind: create, rate: 1}]
`);
    const made = [...itemsOf(odd, { ...OPTIONS, count: 4 })];
    expect(made.map((item) => Object.hasOwn(item, "__proto__"))).toEqual([true, true, true, true]);
    expect(made.every((item) => Object.hasOwn(item, "a/b"))).toBe(true);
  });
});
