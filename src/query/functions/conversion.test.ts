/** Documented examples and odd cases first, then: texts read back as the values they were. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { CONVERSIONS } from "./conversion.ts";

function call(name: string, ...args: Value[]): Value {
  return CONVERSIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

const COMPLEX = '[ { "types": [ "coats", "gloves" ] }, [ "hats" ], 76, false, null ]';

describe("conversions", () => {
  const EXAMPLES: readonly Row[] = [
    [["STRINGTOARRAY", "[]"], []],
    [
      ["STRINGTOARRAY", '[ "coats", "gloves", "hats" ]'],
      ["coats", "gloves", "hats"],
    ],
    [
      ["STRINGTOARRAY", COMPLEX],
      [{ types: ["coats", "gloves"] }, ["hats"], 76, false, null],
    ],
    [
      ["STRINGTOARRAY", '[1,2,3, "[4,5,6]",[7,8]]'],
      [1, 2, 3, "[4,5,6]", [7, 8]],
    ],
    [["STRINGTOARRAY", "['5','6','7']"], undefined],
    [["STRINGTOARRAY", "["], undefined],
    [["STRINGTOARRAY", "1"], undefined],
    [["STRINGTOARRAY", NaN], undefined],
    [["STRINGTOARRAY", undefined], undefined],
    [["STRINGTOARRAY", null], undefined],
    [["STRINGTOBOOLEAN", "true"], true],
    [["STRINGTOBOOLEAN", "true  "], true],
    [["STRINGTOBOOLEAN", "    false"], false],
    [["STRINGTOBOOLEAN", "TRUE"], undefined],
    [["STRINGTOBOOLEAN", "False"], undefined],
    [["STRINGTOBOOLEAN", "null"], undefined],
    [["STRINGTOBOOLEAN", true], undefined],
    [["STRINGTONULL", "null"], null],
    [["STRINGTONULL", "  null  "], null],
    [["STRINGTONULL", "NULL"], undefined],
    [["STRINGTONULL", "Null"], undefined],
    [["STRINGTONULL", null], undefined],
    [["STRINGTONULL", "true"], undefined],
    [["STRINGTONUMBER", "100"], 100],
    [["STRINGTONUMBER", "1.000000"], 1],
    [["STRINGTONUMBER", "3.14"], 3.14],
    [["STRINGTONUMBER", "   60   "], 60],
    [["STRINGTONUMBER", "-1.79769e+308"], -1.79769e308],
    [["STRINGTONUMBER", "1e400"], undefined],
    [["STRINGTONUMBER", "0xF"], undefined],
    [["STRINGTONUMBER", "99     54"], undefined],
    [["STRINGTONUMBER", "false"], undefined],
    [["STRINGTONUMBER", " "], undefined],
    [["STRINGTONUMBER", "NaN"], undefined],
    [["STRINGTONUMBER", "Infinity"], undefined],
    [["STRINGTONUMBER", "Hello"], undefined],
    [["STRINGTONUMBER", Infinity], undefined],
    [["STRINGTOOBJECT", "{}"], {}],
    [["STRINGTOOBJECT", '{"division": {"name": "Sales"}}'], { division: { name: "Sales" } }],
    [["STRINGTOOBJECT", "{'price': 27.55}"], undefined],
    [["STRINGTOOBJECT", "[]"], undefined],
    [["STRINGTOOBJECT", "null"], undefined],
    [["TOSTRING", 125], "125"],
    [["TOSTRING", 0.1234], "0.1234"],
    [["TOSTRING", -0], "0"],
    [["TOSTRING", false], "false"],
    [["TOSTRING", null], "null"],
    [["TOSTRING", [1, 2, 3]], "[1,2,3]"],
    [["TOSTRING", { department: "Bicycles" }], '{"department":"Bicycles"}'],
    [["TOSTRING", "Hello World"], "Hello World"],
    [["TOSTRING", undefined], undefined],
    [["TOSTRING", NaN], "NaN"],
    [["TOSTRING", Infinity], "Infinity"],
    [["TOSTRING", -Infinity], "-Infinity"],
    [
      ["OBJECTTOARRAY", { a: "12345", b: "67890" }],
      [
        { k: "a", v: "12345" },
        { k: "b", v: "67890" },
      ],
    ],
    [
      ["OBJECTTOARRAY", { color: "blue", size: null }, "key", "value"],
      [
        { key: "color", value: "blue" },
        { key: "size", value: null },
      ],
    ],
    [["OBJECTTOARRAY", { a: 1 }, "name"], [{ name: "a", v: 1 }]],
    [["OBJECTTOARRAY", {}], []],
    [["OBJECTTOARRAY", { a: 1 }, 1, 2], undefined],
    [["OBJECTTOARRAY", { a: 1 }, "k", undefined], undefined],
    [["OBJECTTOARRAY", [1]], undefined],
    [["OBJECTTOARRAY", null], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", ([name, ...args], expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  test("a text nested deeper than an item may be is no value", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(call("STRINGTOARRAY", nested(128))).toBeDefined();
    expect(call("STRINGTOARRAY", nested(129))).toBeUndefined();
    expect(call("STRINGTOARRAY", nested(1_000_000))).toBeUndefined();
  });

  test("a text that would not fit into memory is undefined", () => {
    const long = "x".repeat(2 ** 23);
    expect(call("TOSTRING", [long])).toHaveLength(2 ** 23 + 4);
    expect(call("TOSTRING", Array<string>(1_000).fill(long))).toBeUndefined();
    const wide = Array<JsonValue>(10_000).fill(Array<JsonValue>(10_000).fill({ a: 1 }));
    expect(call("TOSTRING", wide)).toBeUndefined();
  });

  test("user names are just names", () => {
    const odd = JSON.parse('{"__proto__":1}') as JsonValue;
    expect(call("TOSTRING", call("STRINGTOOBJECT", '{"__proto__":1}'))).toBe('{"__proto__":1}');
    expect(call("TOSTRING", call("OBJECTTOARRAY", odd, "__proto__"))).toBe(
      '[{"__proto__":"__proto__","v":1}]',
    );
  });
});

describe("properties", () => {
  const NAMES = ["STRINGTOARRAY", "STRINGTOBOOLEAN", "STRINGTONULL", "STRINGTONUMBER"];

  test("the text of a value, but a string's, converts back to it and to nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (given) => {
        const value = JSON.parse(JSON.stringify(given)) as JsonValue;
        if (typeof value === "string") return;
        const text = call("TOSTRING", value);
        const read = [...NAMES, "STRINGTOOBJECT"].map((name) => call(name, text));
        expect(read.filter((found) => found !== undefined)).toEqual([value]);
      }),
    );
  });
});
