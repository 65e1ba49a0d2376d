/** Partition keys as they are typed. */
import { expect, test } from "vitest";
import { candidateText, parsedKeys } from "./typedKeys.ts";

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
  expect(parsedKeys('["ada"]', 1)).toEqual({ ok: true, value: ["ada"] });
  expect(parsedKeys('["ada"]', 2).ok).toBe(false);
  expect(parsedKeys("ada", 1).ok).toBe(false);
});
