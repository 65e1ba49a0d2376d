/** What operators give: truth tables, comparison across types, arithmetic. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import { rowsOf } from "../execute/listSource.fake.ts";

/** Undefined rows vanish, so a missing row is undefined. */
async function valueFrom(
  expression: string,
  parameters: Readonly<Record<string, JsonValue>> = {},
): Promise<JsonValue | undefined> {
  return (await rowsOf(`SELECT VALUE ${expression}`, parameters))[0];
}

const TRUTHS = ["true", "false", "undefined"] as const;
const [T, F, U] = [true, false, undefined];

describe("logic has three values", () => {
  const TABLES: readonly (readonly [string, readonly (boolean | undefined)[]])[] = [
    ["AND", [T, F, U, F, F, F, U, F, U]],
    ["OR", [T, T, T, T, F, U, T, U, U]],
  ];
  for (const [operator, expected] of TABLES) {
    const cases = TRUTHS.flatMap((left) => TRUTHS.map((right) => `${left} ${operator} ${right}`));
    test.each(cases.map((text, index) => [text, expected[index]] as const))(
      "%s is %s",
      async (text, truth) => expect(await valueFrom(text)).toBe(truth),
    );
  }

  test.each([
    ["NOT true", F],
    ["NOT false", T],
    ["NOT undefined", U],
    ["NOT 1", U],
    ["NOT null", U],
    ["NOT 'true'", U],
    ["1 OR true", T],
    ["1 OR false", U],
    ["1 AND true", U],
    ["1 AND false", F],
    ["null AND false", F],
    ["'x' OR {}", U],
  ] as const)("%s is %s", async (text, truth) => expect(await valueFrom(text)).toBe(truth));
});

describe("comparison", () => {
  test.each([
    ["1 = 1", T],
    ["1 = 1.0", T],
    ["0 = -0", T],
    ["1 = '1'", F],
    ["1 != '1'", T],
    ["null = null", T],
    ["null = undefined", U],
    ["undefined = undefined", U],
    ["undefined != 1", U],
    ["null != 'x'", T],
    ["true = 1", F],
    ["[1, 2] = [1, 2]", T],
    ["[1, 2] = [2, 1]", F],
    ["[1] = [1, 2]", F],
    ["{a: 1, b: 2} = {b: 2, a: 1}", T],
    ["{a: 1} = {a: 1, b: undefined}", T],
    ["{a: [1, {b: null}]} = {a: [1, {b: null}]}", T],
    ["{} = []", F],
    ["{} != []", T],
    ["1 < 2", T],
    ["2 <= 2", T],
    ["2 < 2", F],
    ["'a' < 'b'", T],
    ["'a' < 'B'", F],
    ["'' < 'a'", T],
    ["false < true", T],
    ["true > false", T],
    ["null < null", F],
    ["null > null", F],
    ["null <= null", T],
    ["null >= null", T],
    ["1 < '2'", U],
    ["null < 1", U],
    ["true > 0", U],
    ["[1] < [2]", U],
    ["[1] <= [1]", U],
    ["{} >= {}", U],
    ["undefined < 1", U],
    ["1 < undefined", U],
    ["'\\ud83d\\ude00' > '\\uff5e'", T],
  ] as const)("%s is %s", async (text, truth) => expect(await valueFrom(text)).toBe(truth));

  test.each([
    ["2 BETWEEN 1 AND 3", T],
    ["1 BETWEEN 1 AND 1", T],
    ["4 BETWEEN 1 AND 3", F],
    ["4 NOT BETWEEN 1 AND 3", T],
    ["'b' BETWEEN 'a' AND 'c'", T],
    ["2 BETWEEN 1 AND 'x'", U],
    ["0 BETWEEN 1 AND 'x'", F],
    ["undefined BETWEEN 1 AND 3", U],
    ["undefined NOT BETWEEN 1 AND 3", U],
    ["1 IN (1, 2)", T],
    ["3 IN (1, 2)", F],
    ["3 NOT IN (1, 2)", T],
    ["1 NOT IN (1, 2)", F],
    ["undefined IN (1, undefined)", U],
    ["undefined NOT IN (1)", U],
    ["1 IN (undefined, 1)", T],
    ["2 IN (undefined, 1)", F],
    ["[1] IN (1, [1])", T],
    ["null IN (undefined, null)", T],
    ["'abc' LIKE 'a%'", T],
    ["'abc' LIKE 'b%'", F],
    ["'abc' NOT LIKE 'b%'", T],
    ["1 LIKE '1'", U],
    ["1 NOT LIKE '1'", U],
    ["'1' LIKE 1", U],
    ["'50%' LIKE '50!%' ESCAPE '!'", T],
    ["'501' LIKE '50!%' ESCAPE '!'", F],
  ] as const)("%s is %s", async (text, truth) => expect(await valueFrom(text)).toBe(truth));
});

describe("arithmetic, bits and strings", () => {
  test.each([
    ["1 + 2", 3],
    ["5 - 7", -2],
    ["3 * 4", 12],
    ["1 / 4", 0.25],
    ["-7 % 3", -1],
    ["7 % -3", 1],
    ["'a' + 'b'", U],
    ["1 + null", U],
    ["1 + undefined", U],
    ["true + 1", U],
    ["-'1'", U],
    ["- -1", 1],
    ["+1", 1],
    ["+'1'", U],
    ["~5", -6],
    ["~'5'", U],
    ["1 << 31", -2147483648],
    ["-1 >>> 28", 15],
    ["-8 >> 1", -4],
    ["6 & 3", 2],
    ["6 | 3", 7],
    ["6 ^ 3", 5],
    ["'a' | 1", U],
    ["1 | 2 + 3", 6],
    ["4294967297 & 1", 1],
    ["'a' || 'b' || 'c'", "abc"],
    ["'a' || 1", U],
    ["'a' || undefined", U],
    ["null ?? 1", null],
    ["undefined ?? 1", 1],
    ["undefined ?? undefined ?? 2", 2],
    ["false ?? true", false],
    ["true ? 1 : 2", 1],
    ["false ? 1 : 2", 2],
    ["undefined ? 1 : 2", 2],
    ["1 ? 1 : 2", 2],
    ["'true' ? 1 : 2", 2],
    ["true ? undefined : 2", U],
  ] as const)("%s is %s", async (text, value) => expect(await valueFrom(text)).toBe(value));

  test.each(["1 / 0", "0 / 0", "-1 / 0", "1 % 0", "[1 / 0]", "{a: 1 / 0}", "Infinity", "NaN"])(
    "%s cannot be given out",
    async (text) => {
      await expect(valueFrom(text)).rejects.toThrow("4001");
    },
  );

  test.each([
    ["1 / 0 > 5", T],
    ["IS_FINITE_NUMBER(1 / 0)", F],
    ["0 / 0 = 0 / 0", F],
    ["0 / 0 != 0 / 0", T],
    ["ToString(1 / 0)", "Infinity"],
  ] as const)("but lives inside an expression: %s is %s", async (text, value) => {
    expect(await valueFrom(text)).toBe(value);
  });

  test("a string does not grow without bounds", async () => {
    let text = "REPLICATE('x', 10000)";
    for (let count = 0; count < 30; count++) text = `(LET a = ${text} IN a || a)`;
    expect(await valueFrom(`LENGTH(${text})`)).toBe(undefined);
  });
});

describe("values made and taken apart", () => {
  test.each([
    ["[1, undefined, 2]", [1, 2]],
    ["{a: undefined, b: null}", { b: null }],
    ["{a: 1, a: 2}", { a: 2 }],
    ["{a: 1, 'b c': [{}]}['b c'][0]", {}],
    ["{a: 1}.b", U],
    ["{a: 1}[0]", U],
    ["[1, 2][1]", 2],
    ["[1, 2][2]", U],
    ["[1, 2][-1]", U],
    ["[1, 2][0.5]", U],
    ["[1, 2]['0']", U],
    ["[1, 2]['length']", U],
    ["[1, 2].length", U],
    ["'abc'[0]", U],
    ["'abc'.length", U],
    ["null.a", U],
    ["{}.constructor", U],
    ["{}.toString", U],
    ["{}['__proto__']", U],
    ["{'__proto__': 1}['__proto__']", 1],
    ["{constructor: {a: 1}}.constructor.a", 1],
    ["{'__proto__': {a: 1}}.a", U],
    ["(LET x = 2 IN x * x)", 4],
    ["(LET x = 2 IN (LET x = x + 1 IN x))", 3],
    ["(LET x = undefined IN (x ?? 'none'))", "none"],
    ["iif(1 = 1, 'yes', 'no')", "yes"],
    ["Abs(-1) + ABS(-1) + aBS(-1)", 3],
  ] as const)("%s is %j", async (text, value) => expect(await valueFrom(text)).toEqual(value));

  test("a member may be called __proto__", async () => {
    expect(JSON.stringify(await valueFrom("{'__proto__': 1, a: 2}"))).toBe('{"__proto__":1,"a":2}');
    expect(JSON.stringify((await rowsOf("SELECT 1 AS __proto__, 2 AS constructor"))[0])).toBe(
      '{"__proto__":1,"constructor":2}',
    );
  });

  test.each<readonly [string, Readonly<Record<string, JsonValue>>, unknown]>([
    ["@p", { "@p": { a: [1] } }, { a: [1] }],
    ["@p.a[0]", { "@p": { a: [1] } }, 1],
    ["@p", {}, undefined],
    ["@p ?? 'none'", {}, "none"],
    ["[@p, 1]", {}, [1]],
    ["@p = [1, {}]", { "@p": [1, {}] }, true],
    ["{a: 5}[@p]", { "@p": "a" }, 5],
    ["[5, 6][@p]", { "@p": 1 }, 6],
    ["[5, 6][@p]", { "@p": "1" }, undefined],
    ["{a: 5}[@p]", {}, undefined],
    ["@a + @A", { "@a": 1, "@A": 2 }, 3],
    ["JSON_IS_NOT(@p)", {}, "refused"],
  ])("parameters: %s with %j", async (text, parameters, value) => {
    if (value === "refused") await expect(valueFrom(text, parameters)).rejects.toThrow();
    else expect(await valueFrom(text, parameters)).toEqual(value);
  });
});
