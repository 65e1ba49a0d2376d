/**
 * The documented examples of the five functions first, restated; then what is undefined, and what
 * is refused. The pattern language has its own tests.
 */
import { describe, expect, test } from "vitest";
import { PatternProblem } from "../regex/problem.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { REGEX_FUNCTIONS } from "./regex.ts";

type Case = readonly [name: string, args: readonly Value[], expected: Value];

const DOCUMENTED: readonly Case[] = [
  ["REGEXMATCH", ["abcd", "ABC"], false],
  ["REGEXMATCH", ["abcd", "ABC", "i"], true],
  ["REGEXMATCH", ["abcd", "ab.", ""], true],
  ["REGEXMATCH", ["abcd", "ab c", "x"], true],
  ["REGEXMATCH", ["abcd", "aB c", "ix"], true],
  ["REGEXMATCH", ["03a", "[0-9]"], true],
  ["REGEXMATCH", ["salt3824908", "salt{1}"], true],
  ["REGEXMATCH", ["shame", "s....", "i"], true],
  ["REGEXEXTRACT", ["SKU-93821-BLUE", "[A-Z]+"], "SKU"],
  ["REGEXEXTRACT", ["SKU-93821-BLUE", "[0-9]+"], "93821"],
  ["REGEXEXTRACT", ["sku-93821 SKU-1", "SKU-([0-9]+)", "i", 1], "93821"],
  ["REGEXEXTRACTALL", ["A12-B34-C56", "[0-9]+"], ["12", "34", "56"]],
  ["REGEXEXTRACTALL", ["north-east-west", "[a-z]+"], ["north", "east", "west"]],
  ["REGEXEXTRACTALL", ["sku-1 SKU-22", "SKU-([0-9]+)", "i", 1], ["1", "22"]],
  ["REGEXREPLACE", ["A12-B34-C56", "[0-9]+", "#"], "A#-B34-C56"],
  ["REGEXREPLACEALL", ["A12-B34-C56", "[0-9]+", "#"], "A#-B#-C#"],
];

const OTHER: readonly Case[] = [
  ["REGEXMATCH", [undefined, "a"], undefined],
  ["REGEXMATCH", [1, "1"], undefined],
  ["REGEXMATCH", ["1", 1], undefined],
  ["REGEXMATCH", ["1", "1", true], undefined],
  ["REGEXMATCH", ["a", "a", undefined], true],
  ["REGEXEXTRACT", ["a", "b"], undefined],
  ["REGEXEXTRACT", ["a", ""], ""],
  ["REGEXEXTRACT", ["ab", "a(b)", "", 0], "ab"],
  ["REGEXEXTRACT", ["ab", "a(b)", "", 2], undefined],
  ["REGEXEXTRACT", ["ab", "a(b)", "", -1], undefined],
  ["REGEXEXTRACT", ["ab", "a(b)", "", 0.5], undefined],
  ["REGEXEXTRACT", ["ab", "a(b)", "", "1"], undefined],
  ["REGEXEXTRACTALL", ["a", "b"], []],
  ["REGEXEXTRACTALL", ["aab", "a(b)?", "", 1], ["", "b"]],
  ["REGEXEXTRACTALL", [null, "b"], undefined],
  ["REGEXREPLACE", ["ab", "c", "x"], "ab"],
  ["REGEXREPLACE", ["ab", "B", "x", "i"], "ax"],
  ["REGEXREPLACE", ["ab", "b", null], undefined],
  ["REGEXREPLACEALL", ["aXbx", "x", "", "i"], "ab"],
  ["REGEXREPLACEALL", ["ab", "", "-"], "-a-b-"],
  ["REGEXREPLACEALL", ["ab", "(a)", "$1$&$$"], "$1$&$$b"],
];

function call(name: string, args: readonly Value[]): Value {
  const kept = new Map<string, unknown>();
  const context: CallContext = {
    wallNow: () => 0,
    startedAt: 0,
    random: () => 0,
    geometry: "Geography",
    memo: <T>(kind: string, key: string, make: () => T): T => {
      const made = (kept.get(kind + key) as T | undefined) ?? make();
      kept.set(kind + key, made);
      return made;
    },
  };
  return REGEX_FUNCTIONS.find((each) => each.name === name)!.call(args, context);
}

describe("documented", () => {
  test.each(DOCUMENTED)("%s %j", (name, args, expected) => {
    expect(call(name, args)).toEqual(expected);
  });
});

describe("undefined and empty", () => {
  test.each(OTHER)("%s %j", (name, args, expected) => {
    expect(call(name, args)).toEqual(expected);
  });
});

describe("refused", () => {
  const REFUSED: readonly (readonly [string, readonly Value[]])[] = [
    ["REGEXMATCH", ["a", "("]],
    ["REGEXMATCH", ["a", "a", "g"]],
    ["REGEXEXTRACT", ["a", "(?=a)"]],
    ["REGEXEXTRACTALL", ["a".repeat(50_000), "a.*x|a"]],
    ["REGEXREPLACEALL", ["a".repeat(10_000), "a", "b".repeat(10_000)]],
  ];
  test.each(REFUSED)("%s", (name, args) => {
    expect(() => call(name, args)).toThrow(PatternProblem);
  });
});
