/** Which texts are functions, what is told of those that are not, and how they are called. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { procedures } from "./fakeProcedure.fake.ts";

const { run, answerOf } = procedures(realClock);

describe("texts that are functions", () => {
  test.each<[string, string]>([
    ["named", "function answer(x) { __.response.setBody(x + 1) }"],
    ["nameless", "function (x) { __.response.setBody(x + 1) }"],
    ["an arrow", "(x) => { __.response.setBody(x + 1) }"],
    ["async", "async function (x) { await 0; __.response.setBody(x + 1) }"],
    ["an async arrow", "async x => { await 0; __.response.setBody(x + 1) }"],
    ["with comments before", "// a\n/* b */ function (x) { __.response.setBody(x + 1) }"],
    ["with semicolons and comments after", "function (x) { __.response.setBody(x + 1) };; // c"],
    [
      "with more after it",
      "function (x) { set(x) }\nfunction set(x) { __.response.setBody(x + 1) }",
    ],
    ["in brackets", "(function (x) { __.response.setBody(x + 1) });"],
    ["after a byte order mark", "\ufefffunction (x) { __.response.setBody(x + 1) }"],
    ["with values after it", "function (x) { __.response.setBody(x + one) }\nvar one = 1;"],
  ])("%s", async (_, body) => {
    expect(await answerOf(body, [1])).toBe(2);
  });

  const notCompiled = (words: string): string =>
    `notCompiled: Encountered exception while compiling Javascript. Exception = ${words}`;
  const at = (line: number, column: number, source: string): string =>
    `\r\nSource information: line: ${line}, column: ${column}, source line:\n${source}`;

  test.each<[string, string, string]>([
    [
      "a mistake, with its place",
      "function () {\n  let = = 1;\n}",
      `SyntaxError: unexpected token in expression: '='${at(2, 9, "  let = = 1;")}`,
    ],
    [
      "a mistake in the first line",
      "function ( { }",
      `SyntaxError: expecting ','${at(1, 15, "function ( { }")}`,
    ],
    [
      "two functions in one line",
      "function a() {} function b() {}",
      `SyntaxError: expecting ';'${at(1, 17, "function a() {} function b() {}")}`,
    ],
    ["an object", "{ a: 1 }", "TypeError: the text is not a function."],
    ["a number", "42", "TypeError: the text is not a function."],
    ["a directive", "'use strict';\nfunction a() {}", "TypeError: the text is not a function."],
    ["a variable", "var a = 1;\nfunction b() {}", "SyntaxError: "],
    ["nothing", "", "SyntaxError: "],
    ["a method", "name() { return 1 }", "SyntaxError: "],
    ["a module", "export default function () {}", "SyntaxError: "],
  ])("not: %s", async (_, body, expected) => {
    expect(String(await answerOf(body)).slice(0, notCompiled(expected).length)).toBe(
      notCompiled(expected),
    );
  });

  test("what is thrown is told with its place and its number", async () => {
    const body = "function a() { b() }\nfunction b() { throw new Error(1234, 'no') }";
    const words = "Error: no\r\nStack trace: Error: no\n   at b (proc.js:2:";
    const told = await run(body);
    expect(told).toMatchObject({ kind: "threw", number: 1234 });
    expect(told.kind === "threw" && told.message.slice(0, words.length)).toBe(words);
    expect(await run("function () { throw { number: 1 } }")).toMatchObject({ number: undefined });
    for (const number of ["-1", "0.5", "1e99", "NaN", "'1'"]) {
      const odd = `function () { const e = new Error(); e.number = ${number}; throw e }`;
      expect(await run(odd)).toMatchObject({ kind: "threw", number: undefined });
    }
  });

  test.each<[string, JsonValue, unknown]>([
    ["a list", ["a", "b"], "ab"],
    ["nothing", null, "undefinedundefined"],
    ["an object", { first: "a" }, "undefinedundefined"],
    ["what looks like a list", { 0: "a", 1: "b", 2: "c", length: "2.5" }, "ab"],
    ["a list with a hole", { 1: "b", length: 2 }, "undefinedb"],
    ["too long a list", { length: 1e9 }, expect.stringMatching(/^threw: RangeError/)],
  ])("called with %s", async (_, args, expected) => {
    const outcome = await run("function (x, y) { __.response.setBody(x + '' + y) }", { args });
    const told = outcome.kind === "done" ? JSON.parse(outcome.responseBody!) : undefined;
    expect(outcome.kind === "done" ? told : `${outcome.kind}: ${outcome.message}`).toEqual(
      expected,
    );
  });
});
