/**
 * The tables are the rules of patching: read them first. The properties compare with a model that
 * copies the item and changes the copy in place.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainOf } from "../../json/digits.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { applyPatch, type PatchOperation, parsePatch } from "./patch.ts";

/** Item and operation as JSON, and the item after it, or a fragment of the refusal. */
type Rule = readonly [rule: string, item: string, operation: string, after: string];

const RULES: readonly Rule[] = [
  ["add creates", '{"a":1}', "add /b 2", '{"a":1,"b":2}'],
  ["add overwrites in an object", '{"a":1}', "add /a [2]", '{"a":[2]}'],
  ["add inserts into an array", '{"a":[1,3]}', "add /a/1 2", '{"a":[1,2,3]}'],
  ["add at the length appends", '{"a":[1]}', "add /a/1 2", '{"a":[1,2]}'],
  ["add at - appends", '{"a":[]}', "add /a/- 2", '{"a":[2]}'],
  ["add beyond the length", '{"a":[1]}', "add /a/2 2", "out of array bounds"],
  ["add at no index", '{"a":[1]}', "add /a/x 2", "out of array bounds"],
  ["an index has no leading zero", '{"a":[1]}', "add /a/00 2", "out of array bounds"],
  ["add creates one level only", "{}", "add /a/b 2", "cannot create path recursively"],
  ["add below a number", '{"a":1}', "add /a/b 2", "no object or array"],
  ["add below null", '{"a":null}', "add /a/b/c 2", "no path found beyond: 'b'"],
  ["add null", "{}", "add /a null", '{"a":null}'],
  ["set creates", '{"a":{}}', "set /a/b 2", '{"a":{"b":2}}'],
  ["set overwrites", '{"a":{"b":1}}', "set /a/b 2", '{"a":{"b":2}}'],
  ["set overwrites an element", '{"a":[1,3]}', "set /a/1 2", '{"a":[1,2]}'],
  ["set at - appends", '{"a":[1]}', "set /a/- 2", '{"a":[1,2]}'],
  ["set at the length", '{"a":[1]}', "set /a/1 2", "out of array bounds"],
  ["set creates one level only", "{}", "set /a/b 2", "cannot create path recursively"],
  ["set below a string", '{"a":"x"}', "set /a/0 2", "absent"],
  ["replace overwrites", '{"a":1}', "replace /a 2", '{"a":2}'],
  ["replace overwrites null", '{"a":null}', "replace /a 2", '{"a":2}'],
  ["replace of nothing", "{}", "replace /a 2", "to be replaced is absent"],
  ["replace an element", '{"a":[{"b":1}]}', "replace /a/0/b 2", '{"a":[{"b":2}]}'],
  ["replace at -", '{"a":[1]}', "replace /a/- 2", "out of array bounds"],
  ["remove", '{"a":1,"b":2}', "remove /a", '{"b":2}'],
  ["remove an element", '{"a":[1,2,3]}', "remove /a/1", '{"a":[1,3]}'],
  ["remove of nothing", "{}", "remove /a", "to be removed is absent"],
  ["remove beyond the end", '{"a":[1]}', "remove /a/1", "out of array bounds"],
  ["incr adds", '{"a":1}', "incr /a 2.5", '{"a":3.5}'],
  ["incr subtracts", '{"a":1}', "incr /a -2", '{"a":-1}'],
  ["incr creates", "{}", "incr /a 2", '{"a":2}'],
  ["incr an element", '{"a":[1]}', "incr /a/0 2", '{"a":[3]}'],
  ["incr creates no element", '{"a":[1]}', "incr /a/1 2", "out of array bounds"],
  ["incr of a text", '{"a":"1"}', "incr /a 2", "is not a number"],
  ["incr of null", '{"a":null}', "incr /a 2", "is not a number"],
  ["incr to infinity", '{"a":1e308}', "incr /a 1e308", "finite number"],
  ["move", '{"a":1,"b":{}}', "move /b/c from /a", '{"b":{"c":1}}'],
  ["move overwrites", '{"a":1,"b":2}', "move /b from /a", '{"b":1}'],
  ["move counts after removing", '{"a":[1,2,3]}', "move /a/2 from /a/0", '{"a":[2,3,1]}'],
  ["move appends", '{"a":[1],"b":2}', "move /a/- from /b", '{"a":[1,2]}'],
  ["move of nothing", '{"b":1}', "move /b from /a", "to be moved is absent"],
  ["move into itself", '{"a":{}}', "move /a/b from /a", "into itself"],
  ["move to where it is", '{"a":1,"b":2}', "move /a from /a", '{"a":1,"b":2}'],
  ["~1 is a slash in a name", '{"a/b":1}', "set /a~1b 2", '{"a/b":2}'],
  ["~0 is a tilde in a name", '{"~1":1}', "set /~01 2", '{"~1":2}'],
  ["quotes are part of a name", '{"a":1}', 'set /"a" 2', '{"a":1,"\\"a\\"":2}'],
  ["a name may be empty", "{}", "set / 2", '{"":2}'],
  ["digits are a name in an object", '{"a":{}}', "add /a/7 2", '{"a":{"7":2}}'],
  ["- is a name in an object", "{}", "add /- 2", '{"-":2}'],
  ["ttl may be patched", "{}", "set /ttl 60", '{"ttl":60}'],
  ["the id stays", '{"id":"1"}', 'set /id "2"', "Cannot patch system property 'id'"],
  ["the etag stays", '{"_etag":"1"}', "remove /_etag", "system property '_etag'"],
  ["nothing is put below _ts", "{}", "add /_ts/a 1", "system property '_ts'"],
  ["the id is not moved", '{"id":"1"}', "move /a from /id", "system property 'id'"],
  ["the partition key stays", '{"pk":"1"}', 'set /pk "1"', "partition key path '/pk'"],
  ["a nested key stays", '{"t":{"k":1}}', "incr /t/k 1", "partition key path '/t/\"k\"'"],
  [
    "a key does not go with its parent",
    '{"t":{"k":1}}',
    "remove /t",
    "cannot change the partition",
  ],
  [
    "a parent may change around a key",
    '{"t":{"k":1}}',
    'set /t {"k":1,"x":2}',
    '{"t":{"k":1,"x":2}}',
  ],
  ["a key is not created", "{}", 'add /t {"k":1}', "cannot change the partition"],
];

const KEY_PATHS = ["/pk", '/t/"k"'];

describe("one operation", () => {
  test.each(RULES)("%s", (_, item, operation, after) => {
    const result = patched(JSON.parse(item) as JsonObject, [operationOf(operation)]);
    if (after.startsWith("{")) expect(result).toBe(after);
    else expect(result).toContain(after);
  });
});

describe("a patch", () => {
  test("applies its operations in order", () => {
    const operations = ["add /a []", "add /a/- 1", "incr /a/0 2", "move /b from /a/0"];
    expect(patched({}, operations.map(operationOf))).toBe('{"a":[],"b":3}');
  });

  test("names the operation that fails, counted from one", () => {
    const operations = ["add /a 1", "remove /b"].map(operationOf);
    expect(patched({}, operations)).toBe("For Operation(2): Node(b) to be removed is absent.");
  });

  test("takes names of Object.prototype as names", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(patched({}, [{ op: "replace", path: `/${name}`, value: 1 }])).toContain("absent");
      const after = `{"${name}":{"a":1}}`;
      expect(patched({}, [{ op: "add", path: `/${name}`, value: { a: 1 } }])).toBe(after);
      const item = JSON.parse(`{"${name}":{}}`) as JsonObject;
      expect(patched(item, [{ op: "set", path: `/${name}/a`, value: 1 }])).toBe(after);
      expect(patched(item, [{ op: "remove", path: `/${name}` }])).toBe("{}");
    }
  });

  test("shares what it does not touch", () => {
    const item: JsonObject = { kept: { deep: [1] }, edited: { a: 1 } };
    const patch = parsePatch([operationOf("set /edited/a 2")], SERVICE_LIMITS);
    const after = patch.ok ? applyPatch(item, patch.value, []) : patch;
    expect(after).toMatchObject({ ok: true, value: { edited: { a: 2 } } });
    if (after.ok) expect(after.value["kept"]).toBe(item["kept"]);
  });
});

const ADD: JsonObject = { op: "add", path: "/a", value: 1 };
const BODIES: readonly (readonly [rule: string, body: JsonValue, answer: string])[] = [
  ["a list of operations", [ADD], "fine"],
  ["an object around the list", { operations: [ADD] }, "fine"],
  ["ten operations", Array(10).fill(ADD), "fine"],
  ["a condition that is null", { operations: [ADD], condition: null }, "fine"],
  ["unknown members", { operations: [{ ...ADD, note: "x" }], more: 1 }, "fine"],
  ["eleven operations", Array(11).fill(ADD), "cannot exceed 10"],
  ["no operations", [], "list of operations"],
  ["no list", {}, "list of operations"],
  ["a text", "add", "list of operations"],
  ["null", null, "list of operations"],
  ["an operation that is no object", ["add"], "must be an object"],
  ["an unknown operation", [{ ...ADD, op: "copy" }], "'op' must be one of"],
  ["an operation in capitals", [{ ...ADD, op: "Add" }], "'op' must be one of"],
  ["no path", [{ op: "remove" }], "'path' must be a JSON pointer"],
  ["a path without a slash", [{ ...ADD, path: "a" }], "'path' must be a JSON pointer"],
  ["an empty path", [{ ...ADD, path: "" }], "'path' must be a JSON pointer"],
  ["a tilde that escapes nothing", [{ ...ADD, path: "/a~b" }], "'path' must be a JSON pointer"],
  ["a path deeper than any item", [{ ...ADD, path: "/a".repeat(129) }], "'path' must be"],
  ["add without a value", [{ op: "add", path: "/a" }], "'add' needs a value"],
  ["incr by a text", [{ op: "incr", path: "/a", value: "1" }], "'incr' needs a number"],
  ["move from nowhere", [{ op: "move", path: "/a" }], "'from' must be a JSON pointer"],
  ["the second operation wrong", [ADD, {}], "For Operation(2)"],
  ["a condition that is no text", { operations: [ADD], condition: 1 }, "must be a string"],
];

describe("the body of a patch", () => {
  test.each(BODIES)("%s", (_, body, answer) => {
    const parsed = parsePatch(body, SERVICE_LIMITS);
    if (answer === "fine") expect(parsed).toMatchObject({ ok: true });
    else {
      const message = expect.stringContaining(answer);
      expect(parsed).toEqual({ ok: false, error: { kind: "badRequest", message } });
    }
  });

  test.each([
    ["a path without a slash", { op: "incr", path: "score", value: 5 }],
    ["an unknown operation", { ...ADD, op: "copy" }],
    ["a missing value", { op: "add", path: "/a" }],
    ["a text where a number belongs", { op: "incr", path: "/a", value: "1" }],
    ["no object", "add"],
  ])("with %s is an invalid input, in the words of the service", (_, operation) => {
    const parsed = parsePatch([ADD, operation], SERVICE_LIMITS);
    const words = "One of the specified inputs is invalid: For Operation(2): ";
    expect(parsed).toMatchObject({ error: { message: expect.stringContaining(words) } });
  });

  test("may have a condition", () => {
    const body = { operations: [ADD], condition: "from c where c.a = 1" };
    const patch = parsePatch(body, SERVICE_LIMITS);
    const setting = { wallNow: 0, geometry: "Geography" } as const;
    const met = (item: JsonObject) => patch.ok && patch.value.condition?.(item, setting);
    expect(met({ a: 1 })).toEqual({ ok: true, value: true });
    expect(met({ a: 2 })).toEqual({ ok: true, value: false });
  });

  test("with a condition that makes no sense is a bad query", () => {
    const body = { operations: [ADD], condition: "c.a = 1" };
    expect(parsePatch(body, SERVICE_LIMITS)).toMatchObject({
      ok: false,
      error: { kind: "badQuery" },
    });
  });
});

describe("patching, properties", () => {
  const anyName = fc.constantFrom("a", "b", "0", "1", "-", "__proto__", "~", "/");
  const anyValue = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<JsonValue>(1, 2.5, "x", null, true),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc
        .array(fc.tuple(anyName, tie("tree")), { maxLength: 3 })
        .map((entries): JsonObject => Object.fromEntries(entries)),
    ),
  })).tree;
  const anyItem = fc
    .array(fc.tuple(anyName, anyValue), { maxLength: 4 })
    .map((entries): JsonObject => Object.fromEntries(entries));
  const anyPointer = fc.array(anyName, { minLength: 1, maxLength: 3 });
  const anyOperation: fc.Arbitrary<PatchOperation> = fc.oneof(
    fc.record({
      op: fc.constantFrom("add" as const, "set" as const, "replace" as const),
      path: anyPointer,
      value: anyValue,
    }),
    fc.record({ op: fc.constant("remove" as const), path: anyPointer }),
    fc.record({
      op: fc.constant("incr" as const),
      path: anyPointer,
      value: fc.constantFrom(1, -2, 1e308),
    }),
    fc.record({ op: fc.constant("move" as const), path: anyPointer, from: anyPointer }),
  );

  test("a patch does what its operations do to a copy, and leaves the item alone", () => {
    fc.assert(
      fc.property(anyItem, fc.array(anyOperation, { minLength: 1, maxLength: 4 }), (item, list) => {
        const after = applyPatch(deepFreeze(item), { operations: list }, []);
        const expected = list.reduce<JsonObject | undefined>(naivelyPatched, item);
        expect(after.ok ? JSON.stringify(after.value) : undefined).toBe(
          expected && JSON.stringify(expected),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test("what is written on the wire means the same", () => {
    fc.assert(
      fc.property(anyOperation, (operation) => {
        const { path, ...others } = operation;
        const pointers = {
          path: pointerText(path),
          ...("from" in operation && { from: pointerText(operation.from) }),
        };
        const parsed = parsePatch([{ ...others, ...pointers }] as JsonValue, SERVICE_LIMITS);
        expect(parsed).toEqual({ ok: true, value: { operations: [operation] } });
      }),
    );
  });

  test("setting a new name and removing it gives the item back", () => {
    fc.assert(
      fc.property(anyItem, anyValue, (item, value) => {
        const operations: PatchOperation[] = [
          { op: "set", path: ["fresh"], value },
          { op: "remove", path: ["fresh"] },
        ];
        const after = applyPatch(item, { operations }, []);
        expect(after.ok && JSON.stringify(after.value)).toBe(JSON.stringify(item));
      }),
    );
  });

  test("any body gives a patch or a refusal, and any patch an item or a refusal", () => {
    const anyText = fc.oneof(fc.string(), fc.constantFrom("add", "incr", "move", "/a", "/a/0"));
    const anyEntry = fc.record(
      { op: anyText, path: anyText, from: anyText, value: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(anyEntry), anyItem, (entries, item) => {
        const patch = parsePatch(entries as JsonValue, SERVICE_LIMITS);
        const after = patch.ok ? applyPatch(item, patch.value, KEY_PATHS) : patch;
        if (!after.ok) expect(after.error.kind).toBe("badRequest");
      }),
    );
  });
});

/** `set /a/b 1` and `move /b from /a`, as they are sent. */
function operationOf(text: string): JsonObject {
  const [op, path, ...rest] = text.split(" ");
  if (op === "move") return { op, path: path!, from: rest[1]! };
  const value = rest.join(" ");
  return { op: op!, path: path!, ...(value !== "" && { value: JSON.parse(value) as JsonValue }) };
}

/** The item afterwards as JSON, or what the client is told. */
function patched(item: JsonObject, operations: readonly JsonValue[]): string {
  const patch = parsePatch([...operations], SERVICE_LIMITS);
  const after = patch.ok ? applyPatch(deepFreeze(item), patch.value, KEY_PATHS) : patch;
  if (after.ok) return JSON.stringify(after.value);
  return "message" in after.error ? after.error.message : after.error.kind;
}

function pointerText(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

type Mutable = { [name: string]: JsonValue };

/** One operation on a copy, by changing it; `undefined` when it cannot be done. */
function naivelyPatched(
  item: JsonObject | undefined,
  operation: PatchOperation,
): JsonObject | undefined {
  if (item === undefined) return undefined;
  const copy = JSON.parse(JSON.stringify(item)) as JsonObject;
  const { op, path } = operation;
  if (op === "move") {
    const { from } = operation;
    const value = child(parentOf(copy, from), from.at(-1)!);
    if (value === undefined) return undefined;
    if (from.join() === path.join()) return copy;
    if (path.length > from.length && path.slice(0, from.length).join() === from.join()) {
      return undefined;
    }
    const removed = naivelyPatched(copy, { op: "remove", path: from });
    return naivelyPatched(removed, { op: "add", path, value });
  }
  const parent = parentOf(copy, path);
  const last = path.at(-1)!;
  const found = child(parent, last);
  const isList = Array.isArray(parent);
  if (typeof parent !== "object" || parent === null) return undefined;
  const write = (value: JsonValue): void => {
    const flags = { enumerable: true, writable: true, configurable: true };
    Object.defineProperty(parent, last, { value, ...flags });
  };
  if (op === "remove") {
    if (found === undefined) return undefined;
    if (isList) (parent as JsonValue[]).splice(Number(last), 1);
    else delete (parent as Mutable)[last];
  } else if (op === "incr") {
    const sum = (found ?? 0) as number;
    if (found === null || (found === undefined && isList)) return undefined;
    if (typeof sum !== "number" || !Number.isFinite(sum + operation.value)) return undefined;
    write(sum + operation.value);
  } else if (isList && (last === "-" || op === "add")) {
    const index = last === "-" ? parent.length : Number(last);
    if (op === "replace" || !(index <= parent.length)) return undefined;
    (parent as JsonValue[]).splice(index, 0, plainOf(operation.value));
  } else {
    if (found === undefined && (isList || op === "replace")) return undefined;
    write(plainOf(operation.value));
  }
  return copy;
}

function parentOf(item: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.slice(0, -1).reduce<JsonValue | undefined>(child, item);
}

function child(place: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
  return (place as Mutable)[name];
}

function deepFreeze<T extends JsonValue>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) deepFreeze(each);
  }
  return Object.freeze(value);
}
