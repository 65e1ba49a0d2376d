/** What becomes of a batch of calls of user-defined functions. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { inlineRunner } from "./inlineRunner.fake.ts";
import type { FunctionOutcome } from "./scriptRunner.ts";

const runner = inlineRunner(realClock);
const PAGE = {};
const LIMITS = { page: PAGE, timeMsMax: 1000, memoryBytesMax: 16 * 1024 * 1024 };

type Args = readonly (JsonValue | undefined)[];

function callAll(body: string, argLists: readonly Args[]): Promise<FunctionOutcome> {
  const calls = argLists.map((args) => ({ function: 0, args }));
  return runner.callFunctions({ functions: [{ name: "f", body }], calls, ...LIMITS });
}

async function call(body: string, ...args: Args): Promise<unknown> {
  const outcome = await callAll(body, [args]);
  return outcome.kind === "done" ? outcome.values[0] : `${outcome.kind}: ${outcome.message}`;
}

describe("what functions get and give", () => {
  test.each<[string, string, Args, unknown]>([
    ["numbers", "function (a, b) { return a * b }", [6, 7], 42],
    ["an arrow", "x => x.toUpperCase()", ["a"], "A"],
    ["objects", "function (o) { o.b = 1; return o }", [{ a: [null] }], { a: [null], b: 1 }],
    [
      "undefined is not null",
      "(a, b) => [a === undefined, b === null]",
      [undefined, null],
      [true, true],
    ],
    ["null is given as such", "() => null", [], null],
    ["nothing is undefined", "() => {}", [], undefined],
    ["NaN is undefined", "() => NaN", [], undefined],
    ["infinity is undefined", "() => -1 / 0", [], undefined],
    ["a function is undefined", "() => () => 1", [], undefined],
    ["a symbol is undefined", "() => Symbol.iterator", [], undefined],
    ["a date is its text", "() => new Date(0)", [], "1970-01-01T00:00:00.000Z"],
    ["inside, JSON decides", "() => ({ a: NaN, b: undefined, c: () => 1 })", [], { a: null }],
    [
      "a key called __proto__ is a key",
      "(o) => o",
      [JSON.parse('{"__proto__":1}')],
      JSON.parse('{"__proto__":1}'),
    ],
    ["there is no context", "() => typeof getContext + typeof __", [], "undefinedundefined"],
    [
      "errors name the function",
      "function () { throw new Error('no') }",
      [],
      "threw: 'f': Error: no\r\nStack trace: Error: no\n   at Anonymous function (f.js:1:30)",
    ],
    ["whatever is thrown", "function () { throw { a: 1 } }", [], `threw: 'f': {"a":1}`],
    [
      "big integers are no JSON",
      "() => 1n",
      [],
      expect.stringMatching(/^threw: 'f': TypeError: .*[Bb]ig/),
    ],
    [
      "too deep",
      "() => { let a = []; for (let i = 0; i < 300; i++) a = [a]; return a }",
      [],
      expect.stringMatching(/^threw: 'f': A result nests more than 256/),
    ],
    [
      "too long",
      "() => 'x'.repeat(20e6)",
      [],
      expect.stringMatching(/^(threw: 'f': The results have|outOfMemory)/),
    ],
    [
      "endless",
      "() => { for (;;); }",
      [],
      "outOfTime: 'f' did not end within 1000 ms. Let it do less in one call.",
    ],
    [
      "too large",
      "() => { const a = []; for (;;) a.push('x'.repeat(99999)) }",
      [],
      "outOfMemory: 'f' needed more than 16 MB. Let it hold less at a time.",
    ],
    [
      "too large for a built-in",
      "() => '\\ufdfa'.repeat(2e5).normalize('NFKD')",
      [],
      "outOfMemory: 'f' needed more than 16 MB. Let it hold less at a time.",
    ],
    [
      "no function",
      "{}",
      [],
      "notCompiled: 'f': Encountered exception while compiling Javascript. Exception = TypeError: " +
        "the text is not a function. It must begin with the one that is to be called, like: " +
        "function (x) { ... }",
    ],
  ])("%s", async (_, body, args, expected) => {
    expect(await call(body, ...args)).toEqual(expected);
  });

  test("several functions, in the order of the calls", async () => {
    const functions = ["x => x + 1", "x => -x"].map((body, n) => ({ name: `f${n}`, body }));
    const calls = [1, 2, 3].map((x) => ({ function: x % 2, args: [x] }));
    const outcome = await runner.callFunctions({ functions, calls, ...LIMITS });
    expect(outcome).toMatchObject({ kind: "done", values: [-1, 3, -3] });
  });

  test("a text that is none is named, whatever the others are", async () => {
    const functions = ["x => x", "x ="].map((body, n) => ({ name: `f${n}`, body }));
    const outcome = await runner.callFunctions({ functions, calls: [], ...LIMITS });
    expect(outcome).toMatchObject({
      kind: "notCompiled",
      message: expect.stringMatching(/^'f1':/),
    });
  });

  test("what a function leaves behind is gone after a failure, and at the latest after 64 batches", async () => {
    const body =
      "(x) => { if (x === 0) throw 1; globalThis.n = (globalThis.n ?? 0) + 1; return n }";
    const counts: unknown[] = [];
    for (let batch = 0; batch < 130; batch++) counts.push(await call(body, 1));
    expect(counts.indexOf(1, 1)).toBe(64);
    await call(body, 0);
    expect(await call(body, 1)).toBe(1);
  });

  test("what functions leave behind, and declare beside themselves, is seen by no others", async () => {
    const count = "() => (globalThis.n = (globalThis.n ?? 0) + 1)";
    const functions = [
      count,
      "x => y(x)\nfunction y(x) { return -x }",
      "x => y(x)\nvar y = (x) => x",
    ];
    const on = async (page: object): Promise<unknown> => {
      const named = functions.map((body, n) => ({ name: `f${n}`, body }));
      const calls = named.map((_, n) => ({ function: n, args: [5] }));
      const outcome = await runner.callFunctions({ ...LIMITS, functions: named, calls, page });
      return outcome.kind === "done" ? outcome.values : outcome;
    };
    expect([await on(PAGE), await on(PAGE), await on({}), await on({})]).toEqual([
      [1, -5, 5],
      [2, -5, 5],
      [1, -5, 5],
      [1, -5, 5],
    ]);
  });

  test("memory that former batches filled is not missing in the next", async () => {
    const body =
      "() => { (globalThis.kept ??= []).push('x'.repeat(5e6) + 1); return kept.length > 0 }";
    for (let batch = 0; batch < 8; batch++) expect(await call(body)).toBe(true);
  });
});

test("JSON goes in and comes out as it is", async () => {
  const anyArgs = fc.array(fc.option(fc.jsonValue(), { nil: undefined }), { maxLength: 3 });
  const plain = (list: Args[]): Args[] =>
    list.map((args) => args.map((x) => (x === undefined ? x : JSON.parse(JSON.stringify(x)))));
  await fc.assert(
    fc.asyncProperty(fc.array(anyArgs as fc.Arbitrary<Args>, { maxLength: 5 }), async (given) => {
      const lists = plain(given);
      const outcome = await callAll("(...all) => all[0]", lists);
      expect(outcome).toMatchObject({ kind: "done", values: lists.map((args) => args[0]) });
    }),
    { numRuns: 50 },
  );
});
