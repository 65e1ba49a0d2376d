/** Patches through the official client: what each does, and that a failed one does nothing. */
import type { Container, PatchOperation } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, ownPart, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

const BEFORE = { n: 1, text: "old", list: [1, 2, 3], deep: { a: { b: 1 } } };

interface Rule {
  readonly rule: string;
  readonly operations: readonly PatchOperation[];
  /** What differs from `BEFORE`; a member of `undefined` is gone. */
  readonly after: Readonly<Record<string, unknown>>;
}

const RULES: readonly Rule[] = [
  {
    rule: "add creates a property",
    operations: [{ op: "add", path: "/added", value: { x: [1] } }],
    after: { added: { x: [1] } },
  },
  {
    rule: "add inserts into an array",
    operations: [{ op: "add", path: "/list/1", value: 9 }],
    after: { list: [1, 9, 2, 3] },
  },
  {
    rule: "add appends to an array",
    operations: [{ op: "add", path: "/list/-", value: 4 }],
    after: { list: [1, 2, 3, 4] },
  },
  {
    rule: "set overwrites, also an element",
    operations: [
      { op: "set", path: "/text", value: null },
      { op: "set", path: "/list/0", value: 7 },
    ],
    after: { text: null, list: [7, 2, 3] },
  },
  {
    rule: "replace overwrites what is there",
    operations: [{ op: "replace", path: "/deep/a", value: "flat" }],
    after: { deep: { a: "flat" } },
  },
  {
    rule: "remove takes a property and an element away",
    operations: [
      { op: "remove", path: "/text" },
      { op: "remove", path: "/list/1" },
    ],
    after: { text: undefined, list: [1, 3] },
  },
  {
    rule: "incr adds, also what was not there",
    operations: [
      { op: "incr", path: "/n", value: 41 },
      { op: "incr", path: "/fresh", value: -0.5 },
    ],
    after: { n: 42, fresh: -0.5 },
  },
  {
    rule: "move takes a value elsewhere",
    operations: [{ op: "move", from: "/deep/a/b", path: "/b" } as never],
    after: { deep: { a: {} }, b: 1 },
  },
  {
    rule: "operations see what those before them did",
    operations: [
      { op: "add", path: "/step", value: 1 },
      { op: "incr", path: "/step", value: 1 },
      { op: "set", path: "/step2", value: "x" },
      { op: "remove", path: "/step2" },
    ],
    after: { step: 2 },
  },
  {
    rule: "names may be of any kind",
    operations: [
      { op: "set", path: "/a~1b", value: 1 },
      { op: "set", path: "/c~0d", value: 2 },
      { op: "set", path: "/constructor", value: 3 },
    ],
    after: { "a/b": 1, "c~d": 2, constructor: 3 },
  },
];

describe("a patch", () => {
  test.each(RULES)("$rule", async ({ rule, operations, after }) => {
    const created = await container.items.create({ id: rule, pk: "a", ...BEFORE });
    const item = container.item(rule, "a");
    const { statusCode, resource, requestCharge } = await item.patch([...operations]);
    expect(statusCode).toBe(200);
    const expected = JSON.parse(JSON.stringify({ id: rule, pk: "a", ...BEFORE, ...after }));
    expect(ownPart(resource)).toEqual(expected);
    expect(resource?._rid).toBe(created.resource?._rid);
    expect(resource?._etag).not.toBe(created.resource?._etag);
    expect(requestCharge).toBeGreaterThan(0);
    expect((await item.read()).resource).toEqual(resource);
  });

  test("may add a property that is called __proto__", async () => {
    await container.items.create({ id: "proto", pk: "a" });
    const operations = [{ op: "set", path: "/__proto__", value: { x: 1 } }] as const;
    const { resource } = await container.item("proto", "a").patch([...operations]);
    expect(Object.hasOwn(resource!, "__proto__")).toBe(true);
  });

  test("may be an object with the list of operations", async () => {
    await container.items.create({ id: "wrapped", pk: "a", n: 1 });
    const operations: PatchOperation[] = [{ op: "incr", path: "/n", value: 1 }];
    const { resource } = await container.item("wrapped", "a").patch({ operations });
    expect(resource?.["n"]).toBe(2);
  });

  test("of ten operations is the longest", async () => {
    await container.items.create({ id: "longest", pk: "a", n: 0 });
    const one: PatchOperation = { op: "incr", path: "/n", value: 1 };
    const item = container.item("longest", "a");
    expect((await item.patch(Array(10).fill(one))).resource?.["n"]).toBe(10);
    expect((await refusalOf(item.patch(Array(11).fill(one)))).status).toBe(400);
    expect((await item.read()).resource?.["n"]).toBe(10);
  });

  const mistakes: readonly (readonly [rule: string, operations: PatchOperation[]])[] = [
    ["no operation", []],
    ["the id", [{ op: "set", path: "/id", value: "other" }]],
    ["the partition key", [{ op: "set", path: "/pk", value: "b" }]],
    ["the removal of the partition key", [{ op: "remove", path: "/pk" }]],
    ["a system property", [{ op: "set", path: "/_etag", value: "x" }]],
    ["an unknown operation", [{ op: "test", path: "/n", value: 1 } as never]],
    ["a path without a slash", [{ op: "set", path: "n", value: 1 }]],
    ["the replacement of nothing", [{ op: "replace", path: "/missing", value: 1 }]],
    ["the removal of nothing", [{ op: "remove", path: "/missing" }]],
    ["an increment of text", [{ op: "incr", path: "/text", value: 1 }]],
    ["an increment by text", [{ op: "incr", path: "/n", value: "1" as never }]],
    ["an index beyond the end", [{ op: "add", path: "/list/9", value: 1 }]],
    ["a place below nothing", [{ op: "set", path: "/missing/child", value: 1 }]],
    [
      "a mistake after something right",
      [
        { op: "set", path: "/n", value: 99 },
        { op: "remove", path: "/missing" },
      ],
    ],
  ];

  test.each(mistakes)("with %s is refused and changes nothing", async (rule, operations) => {
    const { resource } = await container.items.create({ id: rule, pk: "a", ...BEFORE });
    const item = container.item(rule, "a");
    const { status, message } = await refusalOf(item.patch(operations));
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(20);
    expect((await item.read()).resource).toEqual(resource);
  });

  test("of nothing is a 404", async () => {
    const patch = container.item("nothing", "a").patch([{ op: "set", path: "/n", value: 1 }]);
    expect((await refusalOf(patch)).status).toBe(404);
  });
});

describe("a patch with a condition", () => {
  const operations: PatchOperation[] = [{ op: "incr", path: "/n", value: 1 }];

  test("is applied when the stored item meets it, and is a 412 of its own when not", async () => {
    await container.items.create({ id: "conditional", pk: "a", n: 1, state: "open" });
    const item = container.item("conditional", "a");
    const condition = "FROM c WHERE c.n = 1 AND c.state = 'open'";
    const { resource } = await item.patch({ condition, operations });
    expect(resource?.["n"]).toBe(2);
    const refusal = await refusalOf(item.patch({ condition, operations }));
    expect(refusal).toMatchObject({ status: 412, substatus: 1110 });
    expect((await item.read()).resource).toEqual(resource);
  });

  test("is applied once when many want to be the one", async () => {
    await container.items.create({ id: "claimed", pk: "a" });
    const item = container.item("claimed", "a");
    const claims = Array.from({ length: 10 }, (_, who) =>
      item.patch({
        condition: "from c where not is_defined(c.owner)",
        operations: [{ op: "set", path: "/owner", value: who }],
      }),
    );
    const outcomes = await Promise.allSettled(claims);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of nothing is a 404, and one that makes no sense a 400", async () => {
    const condition = "from c where c.n = 1";
    const nothing = container.item("nothing", "a").patch({ condition, operations });
    expect((await refusalOf(nothing)).status).toBe(404);
    await container.items.create({ id: "sense", pk: "a", n: 1 });
    for (const text of ["c.n = 1", "from c where c.n =", "from c where d.n = 1", ""]) {
      const patch = container.item("sense", "a").patch({ condition: text, operations });
      expect((await refusalOf(patch)).status).toBe(400);
    }
    expect((await container.item("sense", "a").read()).resource?.["n"]).toBe(1);
  });

  test("in a bulk request is judged for itself", async () => {
    await container.items.create({ id: "bulk", pk: "a", n: 1 });
    const patch = (n: number) => ({
      operationType: "Patch" as const,
      id: "bulk",
      partitionKey: "a",
      resourceBody: { condition: `from c where c.n = ${n}`, operations },
    });
    const results = await container.items.executeBulkOperations([patch(1), patch(1), patch(2)]);
    const statuses = results.map(({ response, error }) => response?.statusCode ?? error?.code);
    expect(statuses).toEqual([200, 412, 200]);
  });
});
