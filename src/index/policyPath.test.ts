/** What a path of an indexing policy may look like. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalPolicyPath, ELEMENTS, type PathSegment, parsePolicyPath } from "./policyPath.ts";

describe("accepted paths", () => {
  const PATHS: readonly (readonly [string, readonly PathSegment[], string])[] = [
    ["/*", [], "subtree"],
    ["/", [], "subtree"],
    ["/?", [], "scalar"],
    ["/a/?", ["a"], "scalar"],
    ["/a/*", ["a"], "subtree"],
    ["/a", ["a"], "none"],
    ["/a/b/c/?", ["a", "b", "c"], "scalar"],
    ["/a/[]/b/?", ["a", ELEMENTS, "b"], "scalar"],
    ["/a/[]/[]/?", ["a", ELEMENTS, ELEMENTS], "scalar"],
    ['/a/"[]"/?', ["a", "[]"], "scalar"],
    ['/"_etag"/?', ["_etag"], "scalar"],
    ['/"a-b"/"c d"/*', ["a-b", "c d"], "subtree"],
    ['/"a/b"/?', ["a/b"], "scalar"],
    ['/"say \\"hi\\""/?', ['say "hi"'], "scalar"],
    ['/"\\u0061"/?', ["a"], "scalar"],
    ['/""/?', [""], "scalar"],
    ["/naïve/?", ["naïve"], "scalar"],
    ["/$v/_x/0/?", ["$v", "_x", "0"], "scalar"],
    ["/__proto__/?", ["__proto__"], "scalar"],
  ];
  test.each(PATHS)("%s", (text, segments, end) => {
    expect(parsePolicyPath(text)).toEqual({ ok: true, value: { segments, end, isTuple: false } });
  });

  test.each(["/a/[]/{b, c}/?", "/a/[]/{b/d,c}/?"])("%s is a tuple", (text) => {
    const value = { segments: ["a", ELEMENTS], end: "scalar", isTuple: true };
    expect(parsePolicyPath(text)).toEqual({ ok: true, value });
  });
});

describe("refused paths, and where they fail", () => {
  const PATHS: readonly (readonly [string, number])[] = [
    ["", 0],
    ["a/?", 0],
    ["/a//?", 3],
    ["/a/", 3],
    ["/a-b/?", 2],
    ["/a b/?", 2],
    ["/a/*/b", 3],
    ["/a/?/b", 3],
    ["/a/[/?", 3],
    ["/a[]/?", 2],
    ['/"a/?', 1],
    ['/"a\\q"/?', 1],
    ['/"a"b/?', 4],
    ["/a/[]/{}/?", 6],
    ["/a/[]/{b,}/?", 6],
    ["/a/[]/{b,c}/*", 6],
  ];
  test.each(PATHS)("%s", (text, offset) => {
    expect(parsePolicyPath(text)).toEqual({ ok: false, error: offset });
  });
});

describe("spellings", () => {
  test("bare and quoted names are the same path", () => {
    expect(canonical("/a/[]/b/?")).toBe(canonical('/"a"/[]/"\\u0062"/?'));
    expect(canonical("/")).toBe(canonical("/*"));
    expect(canonical('/"[]"/?')).not.toBe(canonical("/[]/?"));
  });

  test("every name can be written, and arbitrary text never throws", () => {
    const anyName = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(anyName, (name) => {
        const parsed = parsePolicyPath(`/${JSON.stringify(name)}/?`);
        expect(parsed).toMatchObject({ ok: true, value: { segments: [name] } });
        parsePolicyPath(name);
        parsePolicyPath(`/${name}`);
      }),
    );
  });
});

function canonical(text: string): string {
  const parsed = parsePolicyPath(text);
  return parsed.ok ? canonicalPolicyPath(text, parsed.value) : "refused";
}
