/** Full-text functions as a query sees them; the language is the argument that binding adds. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { contextOf } from "../execute/pageRun.ts";
import type { Value } from "./builtIn.ts";
import { builtInOf } from "./registry.ts";

const CONTEXT = contextOf({
  clock: { wallNow: () => 0 },
  random: seededRandom(1),
  geometry: "Geography",
});
const TEXT = "Swimmers swim in the open sea";

function answerOf(name: string, args: readonly Value[], language = "en-US"): Value {
  return builtInOf(name)!.call([...args, language], CONTEXT);
}

const ROWS: readonly (readonly [rule: string, name: string, args: Value[], value: Value])[] = [
  ["a word", "FullTextContains", [TEXT, "swimming"], true],
  ["not there", "FullTextContains", [TEXT, "ships"], false],
  ["all, if each is", "FullTextContainsAll", [TEXT, "swim", "sea"], true],
  ["not if one is missing", "FullTextContainsAll", [TEXT, "swim", "lake"], false],
  ["any, if one is", "FullTextContainsAny", [TEXT, "lake", "sea"], true],
  ["not if none is", "FullTextContainsAny", [TEXT, "lake", "pond"], false],
  ["a term that is none", "FullTextContains", [TEXT, 1], undefined],
  ["it does not matter beside one that decides", "FullTextContainsAny", [TEXT, 1, "sea"], true],
  ["nor here", "FullTextContainsAll", [TEXT, 1, "lake"], false],
  ["a missing text", "FullTextContains", [undefined, "sea"], undefined],
  ["no text", "FullTextContains", [["sea"], "sea"], undefined],
  ["an object without a distance", "FullTextContains", [TEXT, { term: "sea" }], true],
  ["a fraction of a letter", "FullTextContains", [TEXT, { term: "s", distance: 0.5 }], undefined],
  ["an object without a term", "FullTextContains", [TEXT, { distance: 1 }], undefined],
  ["words without stop words", "_FullTextWordCount", [TEXT], 3],
  ["words of no text", "_FullTextWordCount", [null], undefined],
  ["a score of nothing", "_FullTextScore", [TEXT, ["ships"], 2, 8, [1]], 0],
  ["a score of no text", "_FullTextScore", [3, ["sea"], 2, 8, [1]], undefined],
  ["a score without terms", "_FullTextScore", [TEXT, "sea", 2, 8, [1]], undefined],
  ["a score without counts", "_FullTextScore", [TEXT, ["sea"], 2, 8, ["1"]], undefined],
];

describe("full-text functions", () => {
  test.each(ROWS)("%s: %s", (_, name, args, value) => expect(answerOf(name, args)).toBe(value));

  test("the words of another language are others", () => {
    expect(answerOf("FullTextContains", ["die Häuser", "Haus"], "de-DE")).toBe(true);
    expect(answerOf("FullTextContains", ["die Häuser", "Haus"])).toBe(false);
  });

  test("a score is larger for more hits", () => {
    const score = (terms: readonly string[]): number =>
      answerOf("_FullTextScore", [TEXT, [...terms], 20, 80, terms.map(() => 2)]) as number;
    expect(score(["swim"])).toBeGreaterThan(0);
    expect(score(["swim", "sea"])).toBeGreaterThan(score(["swim"]));
  });
});
