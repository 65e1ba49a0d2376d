/** A key that a query came with becomes a condition, where the query has a name for the item. */
import { expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { printQuery } from "../../query/language/printer.ts";
import { withOldKey } from "./oldKeyCondition.ts";

const ONE: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const DEEP: PartitionKeyDefinition = { paths: ['/a/"b c"'], kind: "Hash", version: 2 };
const TREE: PartitionKeyDefinition = { paths: ["/t", "/u"], kind: "MultiHash", version: 2 };
const NONE: PartitionKeyDefinition = { ...ONE, systemKey: true };

function asked(
  text: string,
  definition: PartitionKeyDefinition,
  key: PartitionKey,
): readonly [text: string, values: readonly unknown[]] | undefined {
  const query = parseQuery(text);
  assert(query.ok, `no query: ${text}`);
  const parameters = new Map([["@x", 1]]);
  const made = withOldKey({ query: query.value, parameters }, definition, key);
  if (made === undefined) return undefined;
  const where = printQuery(made.query).replaceAll("\n", " ").split(" WHERE ")[1] ?? "";
  return [where, [...made.parameters.values()].slice(1)];
}

test.each([
  ["SELECT * FROM c", ONE, ["a"], "(c.pk = @keyOfSource1)", ["a"]],
  ["SELECT * FROM item i", ONE, [null], "(i.pk = @keyOfSource1)", [null]],
  ["SELECT * FROM c JOIN x IN c.list", ONE, [true], "(c.pk = @keyOfSource1)", [true]],
  ["SELECT * FROM c", DEEP, [1], '(c.a["b c"] = @keyOfSource1)', [1]],
  [
    "SELECT * FROM c WHERE c.n = @x OR c.n = 2",
    ONE,
    ["a"],
    "(((c.n = @x) OR (c.n = 2)) AND (c.pk = @keyOfSource1))",
    ["a"],
  ],
  ["SELECT * FROM c", TREE, ["a"], "(c.t = @keyOfSource1)", ["a"]],
  [
    "SELECT * FROM c",
    TREE,
    ["a", "b"],
    "((c.t = @keyOfSource1) AND (c.u = @keyOfSource2))",
    ["a", "b"],
  ],
  ["SELECT * FROM c", ONE, [undefined], "NOT IS_PRIMITIVE(c.pk)", []],
  ["SELECT * FROM c", NONE, [], "NOT IS_PRIMITIVE(c.pk)", []],
  ["SELECT 1", ONE, ["a"], "", []],
] as const)("%s with the key of %j: %j", (text, definition, key, where, values) => {
  expect(asked(text, definition, key)).toEqual([where, values]);
});

test.each([["SELECT * FROM c.list"], ["SELECT VALUE x FROM (SELECT VALUE 1) x"]])(
  "%s has no name for the item",
  (text) => {
    expect(asked(text, ONE, ["a"])).toBeUndefined();
  },
);

test.each([
  ["SELECT * FROM x IN c.list", "SELECT VALUE x FROM itemOfSource JOIN x IN itemOfSource.list"],
  [
    "SELECT VALUE y.n FROM x IN c.list JOIN y IN x.of",
    "SELECT VALUE y.n FROM itemOfSource JOIN x IN itemOfSource.list JOIN y IN x.of",
  ],
  ["SELECT c.n FROM c IN c.list", "SELECT c.n FROM itemOfSource JOIN c IN itemOfSource.list"],
])("%s is joined with its item", (text, expected) => {
  const query = parseQuery(text);
  assert(query.ok, "no query");
  const made = withOldKey({ query: query.value, parameters: new Map() }, ONE, ["a"]);
  const printed = printQuery(made!.query).replaceAll("\n", " ");
  expect(printed).toBe(`${expected} WHERE (itemOfSource.pk = @keyOfSource1)`);
});
