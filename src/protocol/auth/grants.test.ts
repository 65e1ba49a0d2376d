/**
 * Which requests keep to the partition key of a permission. Who may do what at all is a table of
 * its own, asked of a running server: `test/http/authorizationMatrix.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyComponent, PartitionKey } from "../../model/partitionKey.ts";
import { parseResourcePath } from "../request/resourcePath.ts";
import type { Permission } from "./grants.ts";
import { refusalFor } from "./grants.ts";

const ITEMS = "/dbs/d/colls/c/docs";
const HERE = { isSameContainer: true, isSameChild: false };
const ATOMIC = { "x-ms-cosmos-is-batch-request": "true", "x-ms-cosmos-batch-atomic": "True" };

const permissionFor = (key: PartitionKey | undefined): Permission => ({
  etag: "",
  mode: "all",
  target: "c",
  containerRid: "c",
  child: undefined,
  key,
});

function isAllowed(
  key: PartitionKey,
  headers: Readonly<Record<string, string>>,
  { method = "GET", url = ITEMS } = {},
): boolean {
  const grant = { kind: "resourceToken", permission: permissionFor(key) } as const;
  const path = parseResourcePath(url)!;
  return refusalFor(grant, { method, path, headers }, HERE) === undefined;
}

const keyed = (text: string): Record<string, string> => ({ "x-ms-documentdb-partitionkey": text });

describe("a permission under a key", () => {
  test.each<[rule: string, key: PartitionKey, sent: string, isAllowed: boolean]>([
    ["allows that key", ["a"], '["a"]', true],
    ["and no other", ["a"], '["b"]', false],
    ["nor one that looks like it", ["1"], "[1]", false],
    ["takes none for none", [undefined], "[{}]", true],
    ["and null for null", [null], "[{}]", false],
    ["allows all keys below a prefix", ["a"], '["a","b"]', true],
    ["and the prefix itself", ["a"], '["a"]', true],
    ["but nothing above it", ["a", "b"], '["a"]', false],
    ["takes an empty key for itself", [], "[]", true],
    ["and not for a prefix", [], '["a"]', false],
    ["refuses what is no key", ["a"], "a", false],
    ["refuses two headers in one", ["a"], '["a"], ["b"]', false],
  ])("%s: %j, %s", (_rule, key, sent, expected) => {
    expect(isAllowed(key, keyed(sent))).toBe(expected);
  });

  const own = keyed('["a"]');
  test.each([
    { rule: "no key", headers: {}, expected: false },
    { rule: "a lower bound", headers: { ...own, "x-ms-start-epk": "00" }, expected: false },
    { rule: "an upper bound", headers: { ...own, "x-ms-end-epk": "" }, expected: false },
    {
      rule: "a range id",
      headers: { "x-ms-documentdb-partitionkeyrangeid": "0" },
      expected: false,
    },
  ])("a feed with $rule: $expected", ({ headers, expected }) => {
    expect(isAllowed(["a"], headers)).toBe(expected);
  });

  test.each([
    { rule: "a transaction", headers: { ...own, ...ATOMIC }, expected: true },
    { rule: "a transaction elsewhere", headers: { ...keyed('["b"]'), ...ATOMIC }, expected: false },
    {
      rule: "bulk",
      headers: { ...own, "x-ms-cosmos-is-batch-request": "true" },
      expected: false,
    },
    {
      rule: "a plan, whatever the key",
      headers: { "x-ms-cosmos-is-query-plan-request": "True" },
      expected: true,
    },
    { rule: "a call of a procedure", headers: own, url: "/dbs/d/colls/c/sprocs/s", expected: true },
    { rule: "one elsewhere", headers: {}, url: "/dbs/d/colls/c/sprocs/s", expected: false },
    {
      rule: "the deletion of the key",
      headers: own,
      url: "/dbs/d/colls/c/operations/partitionkeydelete",
      expected: true,
    },
    { rule: "a new script", headers: own, url: "/dbs/d/colls/c/sprocs", expected: false },
  ])("a POST that is $rule: $expected", ({ headers, url = ITEMS, expected }) => {
    expect(isAllowed(["a"], headers, { method: "POST", url })).toBe(expected);
  });
});

test("statistics name keys, so they are for permissions on all of them", () => {
  const headers = { "x-ms-documentdb-populatepartitionstatistics": "True" };
  const path = parseResourcePath("/dbs/d/colls/c")!;
  const child = { kind: "item", name: "i" } as const;
  const isTold = (permission: Permission, sent: Readonly<Record<string, string>>): boolean => {
    const asked = { method: "GET", path, headers: sent };
    return refusalFor({ kind: "resourceToken", permission }, asked, HERE) === undefined;
  };
  expect(isTold(permissionFor(undefined), headers)).toBe(true);
  for (const part of [permissionFor(["a"]), { ...permissionFor(undefined), child }]) {
    expect([isTold(part, {}), isTold(part, headers)]).toEqual([true, false]);
  }
});

test.each([
  { rule: "alone", headers: {}, isAllowed: true },
  {
    rule: "with a trigger before it",
    headers: { "x-ms-documentdb-pre-trigger-include": "t" },
    isAllowed: false,
  },
  {
    rule: "with a trigger after it",
    headers: { "x-ms-documentdb-post-trigger-include": "t" },
    isAllowed: false,
  },
])("a permission for one item allows a write to it $rule: $isAllowed", ({ headers, isAllowed }) => {
  const child = { kind: "item", name: "i" } as const;
  const permission = { ...permissionFor(undefined), child };
  const asked = { method: "PUT", path: parseResourcePath(`${ITEMS}/i`)!, headers };
  const standing = { isSameContainer: true, isSameChild: true };
  const refusal = refusalFor({ kind: "resourceToken", permission }, asked, standing);
  expect(refusal === undefined).toBe(isAllowed);
});

test("exactly the keys with its components at the front are within a key", () => {
  const anyComponent = fc.constantFrom<KeyComponent>("a", "b", "", 0, 1, true, null);
  const anyKey = fc.array(anyComponent, { maxLength: 3 });
  fc.assert(
    fc.property(anyKey, anyKey, (permitted, sent) => {
      const front = JSON.stringify(sent.slice(0, permitted.length));
      const expected =
        permitted.length === 0 ? sent.length === 0 : front === JSON.stringify(permitted);
      expect(isAllowed(permitted, keyed(JSON.stringify(sent)))).toBe(expected);
    }),
  );
});
