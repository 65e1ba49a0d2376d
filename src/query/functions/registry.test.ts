/** Every documented name is here once: as a function, an aggregate, or refused. */
import { describe, expect, test } from "vitest";
import { AGGREGATE_NAMES, builtInOf, UNSUPPORTED_FUNCTIONS } from "./registry.ts";

/** Name and how many arguments it takes; `n` is any number of them. */
const FUNCTIONS: readonly (readonly [names: string, args: string])[] = [
  ["IS_ARRAY IS_BOOL IS_BOOLEAN IS_DEFINED IS_FINITE_NUMBER IS_INTEGER IS_NULL IS_NUMBER", "1"],
  ["IS_OBJECT IS_PRIMITIVE IS_STRING", "1"],
  ["ABS ACOS ASIN ATAN CEILING COS COT DEGREES EXP FLOOR LOG10 RADIANS ROUND SIGN SIN", "1"],
  ["SQRT SQUARE TAN TRUNC", "1"],
  ["LOG NUMBERBIN LTRIM RTRIM TRIM", "1-2"],
  ["PI RAND", "0"],
  ["ATN2 POWER INTADD INTBITAND INTBITLEFTSHIFT INTBITOR INTBITRIGHTSHIFT INTBITXOR", "2"],
  ["INTDIV INTMOD INTMUL INTMULTIPLY INTSUB", "2"],
  ["INTBITNOT LENGTH LOWER UPPER REVERSE TOSTRING TO_STRING ARRAY_LENGTH", "1"],
  ["CONCAT CONTAINS_ALL_CI CONTAINS_ALL_CS CONTAINS_ANY_CI CONTAINS_ANY_CS", "2-n"],
  ["CONTAINSALLCI CONTAINSALLCS CONTAINSANYCI CONTAINSANYCS", "2-n"],
  ["CONTAINS ENDSWITH STARTSWITH STRINGEQUALS STRING_EQUALS INDEX_OF LASTINDEXOF", "2-3"],
  ["LEFT RIGHT STRINGJOIN STRING_JOIN STRINGSPLIT STRING_SPLIT", "2"],
  ["SUBSTRINGAFTER SUBSTRINGBEFORE LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE REPLICATE", "2"],
  ["SUBSTRING REPLACE IIF", "3"],
  ["STRINGTOARRAY STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER STRINGTOOBJECT", "1"],
  ["STRING_TO_ARRAY STRING_TO_BOOLEAN STRING_TO_NULL STRING_TO_NUMBER STRING_TO_OBJECT", "1"],
  ["ARRAY_AVG ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN ARRAY_SUM DOCUMENTID", "1"],
  ["ARRAY_CONCAT ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY CHOOSE", "2-n"],
  ["ARRAY_CONTAINS ARRAY_SLICE", "2-3"],
  ["OBJECTTOARRAY OBJECT_TO_ARRAY", "1-3"],
  ["SETDIFFERENCE SETEQUAL SETINTERSECT SETUNION", "2"],
  ["SET_DIFFERENCE SET_EQUAL SET_INTERSECT SET_UNION", "2"],
  ["FULLTEXTCONTAINS FULLTEXT_CONTAINS", "2"],
  ["FULLTEXTCONTAINSALL FULLTEXT_CONTAINS_ALL FULLTEXTCONTAINSANY FULLTEXT_CONTAINS_ANY", "2-n"],
  ["_FULLTEXTWORDCOUNT", "1"],
  ["_FULLTEXTSCORE", "5"],
];

describe("names of functions", () => {
  test.each(FUNCTIONS)("%s take %s", (names, args) => {
    for (const name of names.split(" ")) {
      const { argMin, argMax } = builtInOf(name)!;
      const most = argMax === Infinity ? "n" : `${argMax}`;
      expect(`${name} ${most === `${argMin}` ? argMin : `${argMin}-${most}`}`).toBe(
        `${name} ${args}`,
      );
    }
  });

  const ELSEWHERE: readonly (readonly [what: string, names: string])[] = [
    ["dates", "IS_DATETIME DATETIMEADD DATETIMEBIN DATETIMEDIFF DATETIMEFORMAT DATETIMEFROMPARTS"],
    ["more dates", "DATETIMEPART DATETIMETOTICKS DATETIMETOTIMESTAMP DAY MONTH YEAR AGO NOW"],
    ["clocks", "GETCURRENTDATETIME GETCURRENTTICKS GETCURRENTTIMESTAMP"],
    ["clocks at rest", "GETCURRENTDATETIMESTATIC GETCURRENTTICKSSTATIC GETCURRENTTIMESTAMPSTATIC"],
    ["counted time", "TICKSTODATETIME TIMESTAMPTODATETIME"],
    ["patterns", "REGEXMATCH REGEXEXTRACT REGEXEXTRACTALL REGEXREPLACE REGEXREPLACEALL"],
    ["places", "ST_AREA ST_DISTANCE ST_INTERSECTS ST_ISVALID ST_ISVALIDDETAILED ST_WITHIN"],
  ];
  test.each(ELSEWHERE)("%s are known", (_what, names) => {
    expect(names.split(" ").filter((name) => builtInOf(name) === undefined)).toEqual([]);
  });

  test("the case of a name does not matter, and an alias is the same function", () => {
    expect(builtInOf("StringToNumber")).toBe(builtInOf("STRING_TO_NUMBER"));
    expect(builtInOf("is_boolean")).toBe(builtInOf("IS_BOOL"));
    expect(builtInOf("VectorDistance")).toBe(builtInOf("VECTOR_DISTANCE"));
    expect(builtInOf("abs")?.name).toBe("ABS");
  });

  test("aggregates and what is refused are no functions, nor are unknown names", () => {
    const others = [...AGGREGATE_NAMES, ...UNSUPPORTED_FUNCTIONS, "NONSENSE", "constructor", ""];
    expect(others.filter((name) => builtInOf(name) !== undefined)).toEqual([]);
    expect(AGGREGATE_NAMES.has("COUNTIF")).toBe(true);
    expect(UNSUPPORTED_FUNCTIONS.has("HASH")).toBe(true);
  });
});
