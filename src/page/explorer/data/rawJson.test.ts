/** JSON as text: nothing of it is lost, and numbers keep their digits. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indented, listTexts } from "./rawJson.ts";

test.each<[string, string]>([
  ['{"a":1,"b":""}', '{\n  "a": 1,\n  "b": ""\n}'],
  ['{"n":12345678901234567890.5}', '{\n  "n": 12345678901234567890.5\n}'],
  ['{"a":[],"b":{ }}', '{\n  "a": [],\n  "b": {}\n}'],
  ['["a,b:{}"]', '[\n  "a,b:{}"\n]'],
  ["7", "7"],
])("%s a member a line", (text, wanted) => {
  expect(indented(text)).toBe(wanted);
});

describe("a list inside an answer", () => {
  test.each<[string, readonly string[]]>([
    ['{"_rid":"x","Documents":[],"_count":0}', []],
    ['{"Documents":[{"id":"]"},3,"x,]",[1,2]]}', ['{"id":"]"}', "3", '"x,]"', "[1,2]"]],
    ['{"a":{"Documents":[1]},"Documents":[2]}', ["2"]],
    ['{"Documents":5}', []],
    ["{}", []],
  ])("%s", (text, wanted) => {
    expect(listTexts(text, "Documents")).toEqual(wanted);
  });
});

test("any value is the same value when it is indented, and listed", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const texts = values.map((value) => JSON.stringify(value));
      const text = `{"_rid":"[","Documents":[${texts.join(",")}],"_count":1}`;
      expect(listTexts(text, "Documents")).toEqual(texts);
      expect(JSON.parse(indented(text))).toEqual(JSON.parse(text));
    }),
  );
});
