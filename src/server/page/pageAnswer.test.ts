/** Which form of a file a browser gets, and what it is told about it. */
import { describe, expect, test } from "vitest";
import { codingFor, fileAnswer, isKnown } from "./pageAnswer.ts";
import type { BuiltFile } from "./pageFiles.ts";

const SCRIPT: BuiltFile = {
  name: "assets/main-ABC.js",
  type: "text/javascript; charset=utf-8",
  tag: "abc",
  isFixed: true,
  codings: ["gzip"],
};
const INDEX: BuiltFile = { ...SCRIPT, name: "index.html", isFixed: false };
const SMALL: BuiltFile = { ...SCRIPT, codings: [] };

describe("a form that a browser takes", () => {
  test.each<[string | undefined, BuiltFile, string | undefined]>([
    [undefined, SCRIPT, undefined],
    ["", SCRIPT, undefined],
    ["gzip, deflate, br", SCRIPT, "gzip"],
    ["GZIP", SCRIPT, "gzip"],
    ["gzip;q=0.5, br;q=0", SCRIPT, "gzip"],
    ["gzip;q=0.000, br ; q=1", SCRIPT, undefined],
    ["identity", SCRIPT, undefined],
    ["br", SCRIPT, undefined],
    ["gzip", SMALL, undefined],
  ])("accept-encoding: %s", (accepted, file, coding) => {
    expect(codingFor({ "accept-encoding": accepted }, file)).toBe(coding);
  });
});

describe("a browser that has the file", () => {
  test.each<[string | undefined, boolean]>([
    [undefined, false],
    ['"abc-gzip"', true],
    ['"abc"', false],
    ['W/"abc-gzip"', true],
    ['"x", "abc-gzip"', true],
    ["*", true],
  ])("if-none-match: %s", (tags, isThere) => {
    expect(isKnown({ "if-none-match": tags }, SCRIPT, "gzip")).toBe(isThere);
  });

  test("is told so without a body", () => {
    const answer = fileAnswer(SCRIPT, "gzip", undefined);
    expect(answer).toMatchObject({ status: 304, body: undefined });
    expect(headersOf(answer)).not.toHaveProperty("content-type");
    expect(headersOf(answer)).toMatchObject({ etag: '"abc-gzip"' });
  });
});

test("a file whose name changes with it is kept, the document is not", () => {
  const cached = (file: BuiltFile) =>
    headersOf(fileAnswer(file, undefined, Buffer.from("x")))["cache-control"];
  expect(cached(SCRIPT)).toBe("public, max-age=31536000, immutable");
  expect(cached(INDEX)).toBe("no-cache");
});

test("browsers are told to run and to show nothing but the page's own", () => {
  expect(headersOf(fileAnswer(INDEX, "gzip", Buffer.from("x")))).toEqual({
    "content-type": "text/javascript; charset=utf-8",
    "content-encoding": "gzip",
    etag: '"abc-gzip"',
    "cache-control": "no-cache",
    vary: "accept-encoding",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
      "img-src 'self' data:; font-src 'none'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
});

function headersOf({ headers }: { readonly headers: readonly string[] }): Record<string, string> {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!]] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}
