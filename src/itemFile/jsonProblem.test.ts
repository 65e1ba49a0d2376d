/** Problems of JSON texts and their places, beside `JSON.parse`. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonProblem } from "./jsonProblem.ts";

describe("rules", () => {
  test.each([
    ["", 0, "it ends in the middle, where a value must come"],
    ["{", 1, "it ends in the middle, where a name in double quotes must come"],
    ['{"a"', 4, "it ends in the middle, where ':' must come"],
    ['{"a":1', 6, "it ends in the middle, where ',' or '}' must come"],
    ["[1", 2, "it ends in the middle, where ',' or ']' must come"],
    ['"a', 2, "it ends in the middle, where the end of a text must come"],
    ["[1,]", 3, "there is ']' where a value must come"],
    ['{"a":1,}', 7, "there is '}' where a name in double quotes must come"],
    ["{'a':1}", 1, "there is ''' where a name in double quotes must come"],
    ["{} {}", 3, "there is '{' where nothing more must come"],
    ["01", 1, "there is '1' where nothing more must come"],
    ["NaN", 0, "there is 'N' where a value must come"],
    ['"\\x"', 1, "this is no escape that JSON has"],
    ['"a\nb"', 2, "a control character must be escaped in a text"],
    ["[😀]", 1, "there is '😀' where a value must come"],
  ])("%j", (text, at, reason) => {
    expect(jsonProblem(text)).toEqual({ at, reason });
  });

  test("a long text and deep nesting are no trouble", () => {
    expect(jsonProblem(`"${"\\n".repeat(3_000_000)}"`)).toBeUndefined();
    expect(jsonProblem("[".repeat(1_000_000))?.at).toBe(1_000_000);
  });
});

describe("there is a problem exactly when JSON.parse throws", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  test("for texts of the units that JSON is made of", () => {
    const unit = fc.constantFrom(...'{}[]:,"\\0123456789.eE+-truefalsn \n\tu');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        expect(jsonProblem(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("for JSON that was damaged in one place, and not before that place ends", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, seed, put) => {
        const at = seed % (json.length + 1);
        const text = json.slice(0, at) + put + json.slice(at + 1);
        const problem = jsonProblem(text);
        expect(problem === undefined).toBe(isJson(text));
        if (problem !== undefined) expect(problem.at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1000 },
    );
  });
});
