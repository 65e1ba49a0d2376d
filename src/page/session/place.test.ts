/** Addresses of the page's views. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containerIn, hrefOf, PAGE_IDS, placeAt, placeOf, withParameters } from "./place.ts";

describe("an address is a place", () => {
  test.each<[string, string, ReturnType<typeof placeOf>]>([
    ["/_explorer", "", { page: "overview", segments: [], parameters: {} }],
    ["/_explorer/", "", { page: "overview", segments: [], parameters: {} }],
    ["/_explorer/jobs", "?state=done", placeAt("jobs", undefined, { state: "done" })],
    ["/_explorer/partitions/a%2Fb/c", "", { ...placeAt("partitions"), segments: ["a/b", "c"] }],
    ["/_explorer/partitions/100%/c", "", { ...placeAt("partitions"), segments: ["100%", "c"] }],
    ["/_explorer/nowhere", "", { page: undefined, segments: [], parameters: {} }],
  ])("%s%s", (path, search, place) => {
    expect(placeOf(path, search)).toEqual(place);
  });

  test("and back, whatever the names are", () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.constantFrom(".", "..", "~..", "~", "a/b", "%2e"),
    );
    const place = fc.record({
      page: fc.constantFrom(...PAGE_IDS),
      segments: fc.array(name, { maxLength: 3 }),
      parameters: fc.dictionary(name, name),
    });
    fc.assert(
      fc.property(place, (each) => {
        const { pathname, search } = new URL(hrefOf(each), "http://127.0.0.1:8081");
        expect(placeOf(pathname, search)).toEqual(each);
      }),
    );
  });
});

test("a place is about a container when it names a database and a container", () => {
  const orders = { database: "shop", container: "orders" };
  expect(containerIn(placeAt("lab", orders))).toEqual(orders);
  expect(containerIn(placeAt("lab"))).toBeUndefined();
  expect(containerIn({ ...placeAt("lab"), segments: ["shop"] })).toBeUndefined();
});

test("parameters are changed, added and taken away", () => {
  const place = placeAt("overview", undefined, { a: "1", b: "2" });
  const changed = withParameters(place, { a: undefined, b: "3", c: "4" });
  expect(changed.parameters).toEqual({ b: "3", c: "4" });
});
