/** Which properties of an item are the service's, and what is left without them. */
import { expect, test } from "vitest";
import { SYSTEM_PROPERTIES, withoutSystemProperties } from "./systemProperties.ts";

test("an item without the service's properties has all others, in their order", () => {
  const item = JSON.parse(
    '{"b":1,"_rid":"r","id":"1","_ts":5,"__proto__":{"_ts":6},"_lsn":7,"a":{"_etag":"e"}}',
  ) as Record<string, unknown>;
  expect(JSON.stringify(withoutSystemProperties(item))).toBe(
    '{"b":1,"id":"1","__proto__":{"_ts":6},"_lsn":7,"a":{"_etag":"e"}}',
  );
  expect(Object.keys(item)).toHaveLength(7);
});

test("every name of the list is left out, and the id is none of them", () => {
  const stamps = Object.fromEntries([...SYSTEM_PROPERTIES].map((name) => [name, name]));
  expect(withoutSystemProperties({ ...stamps, id: "1" })).toEqual({ id: "1" });
});
