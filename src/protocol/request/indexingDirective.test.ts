/** How clients say whether a version is to be indexed. */
import { expect, test } from "vitest";
import { directiveOf, parseDirective } from "./indexingDirective.ts";

test.each([
  [undefined, undefined],
  ["Default", undefined],
  ["Include", "include"],
  ["exclude", "exclude"],
  ["0", undefined],
  ["1", "exclude"],
  ["2", "include"],
])("%s", (text, value) => {
  expect(parseDirective(text)).toEqual({ ok: true, value });
});

test.each(["", "3", "toString", "Include "])("'%s' is refused", (text) => {
  const told = directiveOf({ "x-ms-indexing-directive": text });
  expect(told).toMatchObject({ ok: false, error: { kind: "badRequest" } });
});
