/** One row for each kind of value: which checks say yes. The rest say no, to undefined as well. */
import { expect, test } from "vitest";
import type { CallContext, Value } from "./builtIn.ts";
import { TYPE_CHECKS } from "./typeChecks.ts";

/** Type checks ask for nothing but the value. */
const NO_CONTEXT = {} as CallContext;

const KINDS: readonly (readonly [value: Value, yes: string])[] = [
  [undefined, ""],
  [null, "DEFINED NULL PRIMITIVE"],
  [true, "BOOL DEFINED PRIMITIVE"],
  ["AdventureWorks", "DEFINED PRIMITIVE STRING"],
  [{ size: "small" }, "DEFINED OBJECT"],
  [{}, "DEFINED OBJECT"],
  [[25344, 82947], "ARRAY DEFINED"],
  [[], "ARRAY DEFINED"],
  [65, "DEFINED FINITE_NUMBER INTEGER NUMBER PRIMITIVE"],
  [-0, "DEFINED FINITE_NUMBER INTEGER NUMBER PRIMITIVE"],
  [3454.123, "DEFINED FINITE_NUMBER NUMBER PRIMITIVE"],
  [-(2 ** 63), "DEFINED FINITE_NUMBER INTEGER NUMBER PRIMITIVE"],
  // The largest 64-bit integer, as close as a double comes to it.
  [2 ** 63, "DEFINED FINITE_NUMBER INTEGER NUMBER PRIMITIVE"],
  [2 ** 64, "DEFINED FINITE_NUMBER NUMBER PRIMITIVE"],
  [8.9 / 0, "DEFINED NUMBER PRIMITIVE"],
  [Math.sqrt(-1), "DEFINED NUMBER PRIMITIVE"],
];

test.each(KINDS)("%j is %s", (value, yes) => {
  const answers = TYPE_CHECKS.map(({ name, call }) => [name, call([value], NO_CONTEXT)]);
  expect(answers.filter(([, answer]) => answer !== true && answer !== false)).toEqual([]);
  const saidYes = answers.filter(([, answer]) => answer === true).map(([name]) => name);
  expect(saidYes).toEqual(yes === "" ? [] : yes.split(" ").map((kind) => `IS_${kind}`));
});
