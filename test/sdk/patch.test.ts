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

const BEFORE = { n: 1, huge: 1e308, text: "old", list: [1, 2, 3], deep: { a: { b: 1 } } };

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
    rule: "move inserts into an array, counted without what it takes away",
    operations: [{ op: "move", from: "/list/2", path: "/list/0" } as never],
    after: { list: [3, 1, 2] },
  },
  {
    rule: "move overwrites what is there, and leaves its place",
    operations: [{ op: "move", from: "/n", path: "/text" } as never],
    after: { n: undefined, text: 1 },
  },
  {
    rule: "move of an array's element takes it out, and to itself does nothing",
    operations: [
      { op: "move", from: "/list/0", path: "/first" } as never,
      { op: "move", from: "/deep", path: "/deep" } as never,
    ],
    after: { list: [2, 3], first: 1 },
  },
  {
    rule: "add and set overwrite a property, and differ in an array",
    operations: [
      { op: "add", path: "/text", value: "added" },
      { op: "set", path: "/n", value: "set" },
      { op: "add", path: "/list/0", value: "inserted" },
      { op: "set", path: "/list/1", value: "overwritten" },
      { op: "replace", path: "/list/2", value: "replaced" },
    ],
    after: {
      text: "added",
      n: "set",
      list: ["inserted", "overwritten", "replaced", 3],
    },
  },
  {
    rule: "add at the length of an array appends",
    operations: [{ op: "add", path: "/list/3", value: null }],
    after: { list: [1, 2, 3, null] },
  },
  {
    rule: "incr reaches into arrays and below properties",
    operations: [
      { op: "incr", path: "/list/1", value: 0.5 },
      { op: "incr", path: "/deep/a/b", value: -1 },
      { op: "incr", path: "/deep/a/fresh", value: 7 },
    ],
    after: { list: [1, 2.5, 3], deep: { a: { b: 0, fresh: 7 } } },
  },
  {
    rule: "incr counts as doubles do",
    operations: [
      { op: "set", path: "/n", value: 0.1 },
      { op: "incr", path: "/n", value: 0.2 },
      { op: "set", path: "/text", value: 9007199254740992 },
      { op: "incr", path: "/text", value: 1 },
    ],
    after: { n: 0.30000000000000004, text: 9007199254740992 },
  },
  {
    rule: "letters of any alphabet are names as they are",
    operations: [
      { op: "set", path: "/größe", value: {} },
      { op: "set", path: "/größe/🪐", value: 1 },
      { op: "set", path: "/a b.c[0]", value: 2 },
    ],
    after: { größe: { "🪐": 1 }, "a b.c[0]": 2 },
  },
  {
    rule: "escapes are read once",
    operations: [
      { op: "set", path: "/~01", value: 1 },
      { op: "set", path: "/~1~0~1", value: 2 },
    ],
    after: { "~1": 1, "/~/": 2 },
  },
  {
    rule: "digits and a minus are names in an object",
    operations: [
      { op: "add", path: "/deep/0", value: 1 },
      { op: "add", path: "/deep/-", value: 2 },
    ],
    after: { deep: { a: { b: 1 }, 0: 1, "-": 2 } },
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
    ["an index that is negative", [{ op: "set", path: "/list/-1", value: 1 }]],
    ["an index with a leading zero", [{ op: "set", path: "/list/01", value: 1 }]],
    ["a name in an array", [{ op: "add", path: "/list/first", value: 1 }]],
    ["set beyond the last element", [{ op: "set", path: "/list/3", value: 1 }]],
    ["replace at the end of an array", [{ op: "replace", path: "/list/-", value: 1 }]],
    ["a place below text", [{ op: "add", path: "/text/a", value: 1 }]],
    ["a tilde that escapes nothing", [{ op: "set", path: "/a~2", value: 1 }]],
    ["the whole item", [{ op: "set", path: "", value: {} }]],
    ["an increment beyond all numbers", [{ op: "incr", path: "/huge", value: 1e308 }]],
    ["the removal of the id", [{ op: "remove", path: "/id" }]],
    ["a move of the id", [{ op: "move", from: "/id", path: "/other" } as never]],
    ["a move to the id", [{ op: "move", from: "/text", path: "/id" } as never]],
    ["a move of the partition key", [{ op: "move", from: "/pk", path: "/n" } as never]],
    ["a move to the partition key", [{ op: "move", from: "/text", path: "/pk" } as never]],
    ["a move from nowhere", [{ op: "move", from: "/missing", path: "/n" } as never]],
    ["a move without a source", [{ op: "move", path: "/n" } as never]],
    ["a move into itself", [{ op: "move", from: "/deep", path: "/deep/a/c" } as never]],
    ["a move below nothing", [{ op: "move", from: "/n", path: "/missing/child" } as never]],
    ["what lies below a system property", [{ op: "add", path: "/_ts/a", value: 1 }]],
    ["add without a value", [{ op: "add", path: "/n" } as never]],
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

describe("the words of the service", () => {
  const WORDS: readonly (readonly [words: string, operation: PatchOperation])[] = [
    ["Node(missing) to be replaced is absent.", { op: "replace", path: "/missing", value: 1 }],
    ["Node(missing) to be removed is absent.", { op: "remove", path: "/missing" }],
    ["Node(text) is not a number.", { op: "incr", path: "/text", value: 1 }],
    ["Index(9) to operate on is out of array bounds.", { op: "add", path: "/list/9", value: 1 }],
    ["no path found beyond: 'missing'.", { op: "set", path: "/missing/child", value: 1 }],
    ["cannot create path recursively", { op: "add", path: "/deep/x/y", value: 1 }],
    ["Cannot patch system property '_rid'.", { op: "set", path: "/_rid", value: 1 }],
  ];

  test.each(WORDS)("%s", async (words, operation) => {
    await container.items.upsert({ id: "words", pk: "a", ...BEFORE });
    const patch = container.item("words", "a").patch([{ op: "remove", path: "/n" }, operation]);
    const { message } = await refusalOf(patch);
    expect(message).toContain("For Operation(2): ");
    expect(message).toContain(words);
  });

  test("more than ten operations", async () => {
    const one: PatchOperation = { op: "incr", path: "/n", value: 1 };
    const { message } = await refusalOf(container.item("any", "a").patch(Array(11).fill(one)));
    expect(message).toContain("The number of patch operations cannot exceed 10.");
  });
});
