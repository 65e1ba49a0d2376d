/** Which values an editor shows, and which it has itself said. */
import { expect, test } from "vitest";
import { Echoes } from "./echoes.ts";

test("what was typed is no news when it comes back, also late and not each time", () => {
  const echoes = new Echoes("a");
  for (const text of ["ab", "abc", "abcd"]) echoes.type(text);
  expect(echoes.isNews("abc")).toBe(false);
  expect(echoes.isNews("abcd")).toBe(false);
});

test("a value that was known before does not win over what was typed since", () => {
  const echoes = new Echoes("SELECT * FROM c");
  echoes.type("S");
  expect(echoes.isNews("SELECT * FROM c")).toBe(false);
  expect(echoes.isNews("S")).toBe(false);
});

test("what was typed before the editor opened comes back, too", () => {
  const echoes = new Echoes("old", "typed");
  expect(echoes.isNews("old")).toBe(false);
  expect(echoes.isNews("typed")).toBe(false);
});

test("a value from elsewhere is news, also one that was shown before", () => {
  const echoes = new Echoes("one");
  echoes.type("two");
  expect(echoes.isNews("two")).toBe(false);
  expect(echoes.isNews("one")).toBe(true);
  expect(echoes.isNews("three")).toBe(true);
});
