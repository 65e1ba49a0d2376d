/** Documented examples and odd cases first, then agreement with naive spellings of the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallContext, Value } from "./builtIn.ts";
import { STRING_FUNCTIONS } from "./strings.ts";

function call(name: string, ...args: Value[]): Value {
  return STRING_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

const check = ([name, ...args]: Row[0], expected: Value): void => {
  expect(call(name, ...args)).toEqual(expected);
};

const WORKS = "AdventureWorks";
const DAY = "Have a nice day!";

describe("searching", () => {
  const EXAMPLES: readonly Row[] = [
    [["CONTAINS", WORKS, "Adventure"], true],
    [["CONTAINS", WORKS, "Works"], true],
    [["CONTAINS", WORKS, "adventure"], false],
    [["CONTAINS", WORKS, "adventure", false], false],
    [["CONTAINS", WORKS, "works", true], true],
    [["CONTAINS", WORKS, "Contoso"], false],
    [["CONTAINS", "Hello", ""], true],
    [["CONTAINS", "ΟΔΟΣ", "δος", true], true],
    [["CONTAINS", "Hello", "HE", undefined], false],
    [["CONTAINS", "Hello", "HE", 1], undefined],
    [["CONTAINS", 12, "1"], undefined],
    [["CONTAINS", "12", 1], undefined],
    [["CONTAINS", undefined, "1"], undefined],
    [["ENDSWITH", WORKS, "Adventure"], false],
    [["ENDSWITH", WORKS, "Works"], true],
    [["ENDSWITH", WORKS, "works"], false],
    [["ENDSWITH", WORKS, "works", true], true],
    [["STARTSWITH", WORKS, "Works"], false],
    [["STARTSWITH", WORKS, "Adventure"], true],
    [["STARTSWITH", WORKS, "adventure"], false],
    [["STARTSWITH", WORKS, "adventure", true], true],
    [["STRINGEQUALS", WORKS, "AdventureWorks"], true],
    [["STRINGEQUALS", WORKS, "adventureworks"], false],
    [["STRINGEQUALS", WORKS, "adventureworks", true], true],
    [["STRINGEQUALS", null, null], undefined],

    [["CONTAINS_ALL_CI", DAY, "have", "nice", "day!"], true],
    [["CONTAINS_ALL_CI", DAY, "HAVE", "NICE", "DAY!"], true],
    [["CONTAINS_ALL_CI", DAY, "had", "nice", "day!"], false],
    [["CONTAINS_ALL_CI", DAY, undefined, "nice", "day!"], undefined],
    [["CONTAINS_ALL_CI", DAY, undefined, "had"], false],
    [["CONTAINS_ALL_CS", DAY, "Have", "nice", "day!"], true],
    [["CONTAINS_ALL_CS", DAY, "HAVE", "NICE", "DAY!"], false],
    [["CONTAINS_ALL_CS", DAY, undefined, "nice", "day!"], undefined],
    [["CONTAINS_ALL_CS", DAY, undefined, "had"], false],
    [["CONTAINS_ANY_CI", DAY, "had", "NICE"], true],
    [["CONTAINS_ANY_CI", DAY, undefined, "nice", "day!"], true],
    [["CONTAINS_ANY_CI", DAY, undefined, "had"], undefined],
    [["CONTAINS_ANY_CI", DAY, "had"], false],
    [["CONTAINS_ANY_CS", DAY, "have", "nice", "day!"], true],
    [["CONTAINS_ANY_CS", DAY, "HAVE", "NICE", "DAY!"], false],
    [["CONTAINS_ANY_CS", DAY, undefined, "had"], undefined],
    [["CONTAINS_ANY_CS", 1, "had"], undefined],

    [["INDEX_OF", WORKS, "A"], 0],
    [["INDEX_OF", WORKS, "s"], 13],
    [["INDEX_OF", WORKS, "Works"], 9],
    [["INDEX_OF", WORKS, "tureW"], 5],
    [["INDEX_OF", WORKS, "Cosmos"], -1],
    [["INDEX_OF", WORKS, "Works", 5], 9],
    [["INDEX_OF", WORKS, "Adventure", 5], -1],
    [["INDEX_OF", WORKS, "aD"], -1],
    [["INDEX_OF", "abc", "", 4], -1],
    [["INDEX_OF", "abc", "a", 0.5], undefined],
    [["INDEX_OF", "abc", "a", undefined], undefined],
    [["LASTINDEXOF", "abcdeabc", "abc"], 5],
    [["LASTINDEXOF", "abcdeabc", "abc", 6], 0],
    [["LASTINDEXOF", "abcdeabc", "abc", 7], 5],
    [["LASTINDEXOF", "abcdeabc", "abc", 1], -1],
    [["LASTINDEXOF", "abcdeabc", "fg"], -1],
    [["LASTINDEXOF", "abcdeabc", "abc", "7"], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", check);
});

describe("cutting", () => {
  const EXAMPLES: readonly Row[] = [
    [["LEFT", WORKS, 0], ""],
    [["LEFT", WORKS, 5], "Adven"],
    [["LEFT", WORKS, 100], WORKS],
    [["LEFT", "Hello", -3], ""],
    [["LEFT", "Hello", 1.5], undefined],
    [["RIGHT", WORKS, 0], ""],
    [["RIGHT", WORKS, 5], "Works"],
    [["RIGHT", WORKS, 100], WORKS],
    [["RIGHT", "Hello", -3], ""],
    [["RIGHT", "Hello", 1.5], undefined],
    [["RIGHT", "Hello", 2 ** 31], "Hello"],
    [["SUBSTRING", WORKS, 0, 9], "Adventure"],
    [["SUBSTRING", WORKS, 9, 5], "Works"],
    [["SUBSTRING", WORKS, 0, 14], WORKS],
    [["SUBSTRING", WORKS, 0, -1], ""],
    [["SUBSTRING", WORKS, 20, 1], ""],
    [["SUBSTRING", "Hello", -3, 5], ""],
    [["SUBSTRING", "Hello", 1, "2"], undefined],
    [["SUBSTRINGBEFORE", "contoso|north|2026", "|"], "contoso"],
    [["SUBSTRINGBEFORE", "bike::touring::frame", "::"], "bike"],
    [["SUBSTRINGAFTER", "contoso|north|2026", "|"], "north|2026"],
    [["SUBSTRINGAFTER", "bike::touring::frame", "::"], "touring::frame"],
    [["LASTSUBSTRINGBEFORE", "/products/shoes/boots", "/"], "/products/shoes"],
    [["LASTSUBSTRINGBEFORE", "bike::touring::frame", "::"], "bike::touring"],
    [["LASTSUBSTRINGAFTER", "/products/shoes/boots", "/"], "boots"],
    [["LASTSUBSTRINGAFTER", "A-B-C", "-"], "C"],
    [["SUBSTRINGAFTER", "abc", "-"], undefined],
    [["SUBSTRINGBEFORE", "abc", "-"], undefined],
    [["LTRIM", "  AdventureWorks  "], "AdventureWorks  "],
    [["LTRIM", WORKS, "Works"], WORKS],
    [["LTRIM", WORKS, "Adventure"], "Works"],
    [["LTRIM", WORKS, WORKS], ""],
    [["LTRIM", WORKS, ""], WORKS],
    [["RTRIM", "  AdventureWorks  "], "  AdventureWorks"],
    [["RTRIM", WORKS, "Works"], "Adventure"],
    [["RTRIM", WORKS, "Adventure"], WORKS],
    [["RTRIM", WORKS, WORKS], ""],
    [["RTRIM", WORKS, ""], WORKS],
    [["TRIM", "   AdventureWorks   "], WORKS],
    [["TRIM", "---AdventureWorks---"], "---AdventureWorks---"],
    [["TRIM", "___AdventureWorks___", "_"], WORKS],
    [["TRIM", "-- AdventureWorks --", "-"], " AdventureWorks "],
    [["TRIM", "-_-AdventureWorks-_-", "-_"], WORKS],
    [["TRIM", "😀😁a😀", "😀"], "😁a"],
    [["TRIM", "a", undefined], undefined],
    [["TRIM", 1], undefined],
    [
      ["STRINGSPLIT", "Handlebar", "e"],
      ["Handl", "bar"],
    ],
    [
      ["STRINGSPLIT", "xenmoun mountain bike", "moun"],
      ["xen", " ", "tain bike"],
    ],
    [["STRINGSPLIT", "AluminumBikeFrame", undefined], undefined],
    [["STRINGSPLIT", "Helmet", ""], ["Helmet"]],
    [["STRINGSPLIT", "", ""], [""]],
    [["STRINGSPLIT", "", ","], [""]],
  ];
  test.each(EXAMPLES)("%j is %j", check);
});

describe("making", () => {
  const EXAMPLES: readonly Row[] = [
    [["CONCAT", "Ferpal", "Ropes"], "FerpalRopes"],
    [["CONCAT", "66403", "-", "gear"], "66403-gear"],
    [["CONCAT", "a", 1], undefined],
    [["CONCAT", "a", undefined], undefined],
    [["LENGTH", WORKS], 14],
    [["LENGTH", ""], 0],
    [["LENGTH", "😀"], 2],
    [["LENGTH", [1]], undefined],
    [["LOWER", "ADVENTURE_WORKS"], "adventure_works"],
    [["UPPER", "adventure_Works"], "ADVENTURE_WORKS"],
    [["UPPER", "µ ß é"], "µ ß É"],
    [["UPPER", null], undefined],
    [["REVERSE", WORKS], "skroWerutnevdA"],
    [["REVERSE", "a😀b"], "b😀a"],
    [["REPLACE", "AdventureWorksLT", "LT", "LT2"], "AdventureWorksLT2"],
    [["REPLACE", "aaa", "a", "$&"], "$&$&$&"],
    [["REPLACE", "Hello", "", "World"], "Hello"],
    [["REPLACE", "Hello", "l", 1], undefined],
    [["REPLICATE", "Cosmic", 3], "CosmicCosmicCosmic"],
    [["REPLICATE", "Hello", -1], undefined],
    [["REPLICATE", "Hello", 1.5], "Hello"],
    [["REPLICATE", "Hello", 0], ""],
    [["REPLICATE", "Hello", 10_000], undefined],
    [["REPLICATE", "ab", 5_000], "ab".repeat(5_000)],
    [["REPLICATE", "ab", 5_001], undefined],
    [["REPLICATE", "Hello", Infinity], undefined],
    [["REPLICATE", "Hello", "2"], undefined],
    [["STRINGJOIN", ["Iropa", "Mountain", "Bike"], " "], "Iropa Mountain Bike"],
    [["STRINGJOIN", ["Iropa", "Mountain", "Bike"], ""], "IropaMountainBike"],
    [["STRINGJOIN", ["6", "7", "4", "3"], "A"], "6A7A4A3"],
    [["STRINGJOIN", ["Adventure", "LT"], undefined], undefined],
    [["STRINGJOIN", ["a", 1], ","], undefined],
    [["STRINGJOIN", [], ","], ""],
    [["STRINGJOIN", "ab", ","], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", check);

  test("what would not fit into memory is undefined", () => {
    const long = "x".repeat(2 ** 23);
    expect(call("CONCAT", long, long)).toHaveLength(2 ** 24);
    expect(call("CONCAT", long, long, "x")).toBeUndefined();
    expect(call("REPLACE", long, "x", long)).toBeUndefined();
    expect(call("STRINGJOIN", Array<string>(1_000_000).fill("x"), long)).toBeUndefined();
  });
});

describe("properties", () => {
  const fewLetters = fc.string({ unit: fc.constantFrom("a", "b", "B", "é", "😀") });
  const place = fc.integer({ min: -3, max: 12 });

  test("the last index is the last of all places where the match ends in time", () => {
    fc.assert(
      fc.property(
        fewLetters,
        fc.string({ unit: fc.constantFrom("a", "b") }),
        place,
        (text, part, end) => {
          let last = -1;
          for (let index = 0; index + part.length - 1 <= end && index <= text.length; index++) {
            if (text.startsWith(part, index)) last = index;
          }
          expect(call("LASTINDEXOF", text, part, end)).toBe(last);
        },
      ),
    );
  });

  test("left and right parts are substrings, and together the whole", () => {
    fc.assert(
      fc.property(fewLetters, fc.nat(12), (text, length) => {
        expect(call("LEFT", text, length)).toBe(call("SUBSTRING", text, 0, length));
        const rest = Math.max(text.length - length, 0);
        expect(`${call("LEFT", text, rest)}${call("RIGHT", text, length)}`).toBe(text);
      }),
    );
  });

  test("joining what was split gives it back, and replacing is splitting and joining", () => {
    fc.assert(
      fc.property(fewLetters, fewLetters, fewLetters, (text, separator, other) => {
        expect(call("STRINGJOIN", call("STRINGSPLIT", text, separator), separator)).toBe(text);
        const replaced = separator === "" ? text : text.replaceAll(separator, () => other);
        expect(call("REPLACE", text, separator, other)).toBe(replaced);
      }),
    );
  });

  test("trimming takes the longest run of listed characters from either end", () => {
    fc.assert(
      fc.property(fewLetters, fewLetters, (text, listed) => {
        const characters = [...text];
        while (characters.length > 0 && listed.includes(characters[0]!)) characters.shift();
        expect(call("LTRIM", text, listed)).toBe(characters.join(""));
        while (characters.length > 0 && listed.includes(characters.at(-1)!)) characters.pop();
        expect(call("TRIM", text, listed)).toBe(characters.join(""));
      }),
    );
  });

  test("no arguments of any type make a function throw", () => {
    const anyValue = fc.oneof(fc.jsonValue() as fc.Arbitrary<Value>, fc.constant(undefined));
    fc.assert(
      fc.property(fc.constantFrom(...STRING_FUNCTIONS), fc.array(anyValue), (builtIn, values) => {
        const { argMin, argMax } = builtIn;
        const args = [...values, ...Array<Value>(argMin).fill("a")].slice(0, Math.min(argMax, 4));
        expect(() => builtIn.call(args, {} as CallContext)).not.toThrow();
      }),
    );
  });
});
