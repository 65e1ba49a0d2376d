/** Partition keys as they are typed. */
import { expect, test } from "vitest";
import { candidateText, keyExample, parsedKeys } from "./typedKeys.ts";

test.each([
  ["/tenant, /user", "[/tenant, /user]"],
  [" /tenant,/user,/day ", "[/tenant,/user,/day]"],
  ["/tenant", "/tenant"],
  ["[/a, /b]", "[/a, /b]"],
  ['concat(/a, "-", month(/at))', 'concat(/a, "-", month(/at))'],
  ['/"a,b"', '/"a,b"'],
])("%s is the candidate %s", (typed, text) => {
  expect(candidateText(typed)).toBe(text);
});

test("the values of a key are as many as it has paths", () => {
  expect(parsedKeys('["ada"]', ["/k"])).toEqual({ ok: true, value: ["ada"] });
  expect(parsedKeys("[5, null]", ["/k", "/l"])).toEqual({ ok: true, value: [5, null] });
  for (const [text, paths] of [
    ['["ada"]', ["/k", "/l"]],
    ["ada", ["/k", "/l"]],
    ["[ada]", ["/k"]],
    [" ", ["/k"]],
  ] as const) {
    expect(parsedKeys(text, paths).ok).toBe(false);
  }
});

test("plain text is a key of one text, and its example says so", () => {
  expect(parsedKeys("ada", ["/k"])).toEqual({ ok: true, value: ["ada"] });
  expect(parsedKeys("5", ["/k"])).toEqual({ ok: true, value: ["5"] });
  expect(keyExample(["/k"])).toBe('ada or ["ada"]');
  expect(keyExample(["/k", "/l"])).toBe('["a","b"]');
});
