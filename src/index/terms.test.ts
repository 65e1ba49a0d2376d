/**
 * The tables say which places of an item are indexed and what is counted. The properties compare
 * with a walker that knows nothing of trees or caches: it asks every path of the policy about
 * every place.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { compilePolicy, isIndexedUnderAll } from "./compiledPolicy.ts";
import { pathHashOf } from "./hash.ts";
import { DEFAULT_INDEXING_POLICY, type IndexingPolicy, parseIndexingPolicy } from "./policy.ts";
import { ELEMENTS, type PathSegment, parsePolicyPath } from "./policyPath.ts";
import { type Term, termOf, termOfNode } from "./term.ts";
import { changedLeafCount, type ItemTerms, termDifference, termsOf } from "./terms.ts";

describe("terms of an item under the default policy", () => {
  const ROWS: readonly (readonly [rule: string, item: string, terms: string[], leaves: number])[] =
    [
      ["a scalar has one", '{"a":1,"b":"x","c":null}', ["a=1", 'b="x"', "c=null"], 3],
      ["an object and an array too", '{"o":{},"l":[]}', ["o={}", "l=[]"], 0],
      ["so do the values in an object", '{"o":{"a":1}}', ["o={}", "o.a=1"], 1],
      ["elements share a path", '{"l":[1,2]}', ["l=[]", "l.*=1", "l.*=2"], 2],
      ["and equal ones a term, but are leaves each", '{"l":[1,1]}', ["l=[]", "l.*=1"], 2],
      [
        "objects in an array say so once",
        '{"l":[{"a":1},{"a":2},{"a":1}]}',
        ["l=[]", "l.*={}", "l.*.a=1", "l.*.a=2"],
        3,
      ],
      ["arrays nest", '{"l":[[1],[]]}', ["l=[]", "l.*=[]", "l.*.*=1"], 1],
      ["id and _ts have terms and are no leaves", '{"id":"x","_ts":5}', ['id="x"', "_ts=5"], 0],
      ["deeper down they are like any other", '{"o":{"id":"x"}}', ["o={}", 'o.id="x"'], 1],
      [
        "other system properties have none",
        '{"_rid":"r","_self":"s","_attachments":"a","_etag":"e"}',
        [],
        0,
      ],
      [
        "names are just names",
        '{"__proto__":{"constructor":1}}',
        ["__proto__={}", "__proto__.constructor=1"],
        1,
      ],
    ];
  test.each(ROWS)("%s", (_rule, text, terms, leafCount) => {
    const found = termsOf(compilePolicy(DEFAULT_INDEXING_POLICY), parsed(text));
    expect(valueTermsIn(found).sort()).toEqual(terms.map(termFrom).sort());
    expect(found.leafCount).toBe(leafCount);
  });
});

describe("which path of a policy decides", () => {
  const ITEM = parsed('{"id":"1","a":1,"b":{"c":2,"d":{"e":3}},"l":[{"f":4},5]}');
  const EVERYTHING = "a b b.c b.d b.d.e id l l.* l.*.f";
  const ROWS: readonly (readonly [
    rule: string,
    include: string,
    exclude: string,
    places: string,
  ])[] = [
    ["all", "/*", "", EVERYTHING],
    ["only id is left when all is excluded", "", "/*", "id"],
    ["a value is excluded by name", "/*", "/a/?", "b b.c b.d b.d.e id l l.* l.*.f"],
    ["a subtree with all below it", "/*", "/b/*", "a id l l.* l.*.f"],
    ["/? is the value alone", "/*", "/b/?", "a b.c b.d b.d.e id l l.* l.*.f"],
    ["deeper wins: included in excluded", "/* /b/d/*", "/b/*", "a b.d b.d.e id l l.* l.*.f"],
    ["deeper wins: excluded in included", "/b/*", "/* /b/d/*", "b b.c id"],
    ["/? wins over /*", "/b/?", "/* /b/*", "b id"],
    ["and the other way", "/* /b/*", "/b/?", "a b.c b.d b.d.e id l l.* l.*.f"],
    ["elements have a path", "/l/[]/?", "/*", "id l.*"],
    ["and so have their members", "/l/[]/f/?", "/*", "id l.*.f"],
    ["a subtree goes through arrays", "/l/*", "/*", "id l l.* l.*.f"],
    ["a name does not", "/l/f/?", "/*", "id"],
    ["quotes make no difference", '/"b"/"c"/?', "/*", "b.c id"],
    ["id cannot be excluded", "/*", "/id/?", EVERYTHING],
    ["tuples have no terms", "/l/[]/{f, g}/?", "/*", "id"],
  ];
  test.each(ROWS)("%s", (_rule, include, exclude, places) => {
    const { terms } = termsOf(compilePolicy(policyOf(include, exclude)), ITEM);
    const hashes = new Set(terms.map((term) => term.slice(0, 6)));
    const all = EVERYTHING.split(" ").filter((place) => hashes.has(pathHashOf(placeFrom(place))));
    expect(all.join(" ")).toBe(places);
  });

  test("mode none indexes nothing at all", () => {
    const none = parseIndexingPolicy({ indexingMode: "none", includedPaths: [{ path: "/*" }] });
    const compiled = compilePolicy(none.ok ? none.value : DEFAULT_INDEXING_POLICY);
    expect(termsOf(compiled, ITEM)).toEqual({ terms: [], valueTermCount: 0, leafCount: 0 });
  });
});

describe("while there are several policies", () => {
  const ROWS: readonly (readonly [path: PathSegment[], isSure: boolean])[] = [
    [["a"], true],
    [["b"], false],
    [["b", "c"], true],
    [["l", ELEMENTS], true],
    [["id"], true],
    [["_rid"], false],
  ];
  test.each(ROWS)("%j is indexed under all of them: %s", (path, isSure) => {
    const policies = [policyOf("/*", "/b/?"), policyOf("/a/? /b/c/? /l/*", "/*")];
    const compiled = policies.map((policy) => compilePolicy(policy));
    expect(isIndexedUnderAll(compiled, path)).toBe(isSure);
    for (const one of compiled) expect(one.rememberedPlaceCount).toBe(0);
  });
});

describe("properties that are given apart", () => {
  test("are the item's like all others", () => {
    const compositeIndexes = [[{ path: "/a" }, { path: "/_ts", order: "descending" }]];
    const policy = parseIndexingPolicy({ compositeIndexes });
    const compiled = compilePolicy(policy.ok ? policy.value : DEFAULT_INDEXING_POLICY);
    const whole = termsOf(compiled, { a: 1, _ts: 5, _etag: "e" });
    const apart = termsOf(compiled, { a: 1 }, { _ts: 5, _etag: "e" });
    expect(apart).toEqual(whole);
    expect(whole.terms.length).toBe(4);
  });
});

describe("changed leaves", () => {
  const ROWS: readonly (readonly [rule: string, before: string, after: string, count: number])[] = [
    ["nothing changed", '{"a":1,"l":[1]}', '{"l":[1],"a":1}', 0],
    ["a value", '{"a":1}', '{"a":2}', 1],
    ["a type", '{"a":1}', '{"a":"1"}', 1],
    ["one came, one went", '{"a":1}', '{"b":1}', 2],
    ["an object came with two", "{}", '{"o":{"a":1,"b":2}}', 2],
    ["a value became an object", '{"o":1}', '{"o":{"a":1}}', 2],
    ["an array became an object", '{"o":[1,2]}', '{"o":{"a":1}}', 3],
    ["elements compare by position", '{"l":[1,2,3]}', '{"l":[2,3]}', 3],
    ["an element more", '{"l":[1]}', '{"l":[1,1]}', 1],
    ["empty containers are no leaves", '{"a":{}}', '{"a":[]}', 0],
    ["id and _ts are priced otherwise", '{"id":"a","_ts":1}', '{"id":"b","_ts":2}', 0],
    ["excluded places cost nothing", '{"x":{"y":1}}', '{"x":{"y":2}}', 0],
  ];
  test.each(ROWS)("%s", (_rule, before, after, count) => {
    const compiled = compilePolicy(policyOf("/*", "/x/*"));
    expect(changedLeafCount(compiled, parsed(before), parsed(after))).toBe(count);
  });
});

describe("the memory of places", () => {
  test("stays bounded whatever names clients send", () => {
    const compiled = compilePolicy(DEFAULT_INDEXING_POLICY, 100);
    for (let n = 0; n < 50; n++) {
      const names = Array.from({ length: 30 }, (_, index) => [`name ${n * 30 + index}`, n]);
      expect(termsOf(compiled, Object.fromEntries(names) as JsonObject).leafCount).toBe(30);
      expect(compiled.rememberedPlaceCount).toBeLessThanOrEqual(100);
    }
  });

  test("long names are not kept", () => {
    const compiled = compilePolicy(DEFAULT_INDEXING_POLICY);
    expect(termsOf(compiled, { ["n".repeat(1_000)]: 1 }).leafCount).toBe(1);
    expect(compiled.rememberedPlaceCount).toBe(0);
  });
});

describe("properties", () => {
  const anyName = fc.constantFrom("a", "b", "[]", "__proto__", "id", "_ts", "_rid");
  const anyValue = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<JsonValue>(null, true, 0, 1, -1.5, "", "x", "y".repeat(300)),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(anyName, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  const anyItem = fc.dictionary(anyName, anyValue, { maxKeys: 5 });
  const anyPath = fc
    .tuple(
      fc.array(fc.constantFrom("/a", "/b", "/[]", '/"[]"', "/id"), { maxLength: 3 }),
      fc.constantFrom("/?", "/*"),
    )
    .map(([steps, end]) => ({ path: steps.join("") + end }));
  const anyPolicy = fc
    .tuple(fc.array(anyPath), fc.array(anyPath), fc.boolean())
    .map(([included, excluded, isRootIncluded]) =>
      parseIndexingPolicy({
        includedPaths: isRootIncluded ? [...included, { path: "/*" }] : included,
        excludedPaths: isRootIncluded ? excluded : [...excluded, { path: "/*" }],
      }),
    )
    .filter((policy) => policy.ok)
    .map((policy) => policy.value);

  test("terms and leaves are those of the naive walker", () => {
    fc.assert(
      fc.property(anyPolicy, fc.array(anyItem), (policy, items) => {
        const compiled = compilePolicy(policy, 5);
        for (const item of items) {
          const found = termsOf(compiled, item);
          const leaves = naiveLeaves(policy, item);
          expect(valueTermsIn(found).sort()).toEqual([...naiveTerms(policy, item)].sort());
          expect(found.leafCount).toBe(leaves.size);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("changed leaves are those of the naive walker", () => {
    fc.assert(
      fc.property(anyPolicy, anyItem, anyItem, (policy, before, after) => {
        const leavesBefore = naiveLeaves(policy, before);
        const leavesAfter = naiveLeaves(policy, after);
        const places = new Set([...leavesBefore.keys(), ...leavesAfter.keys()]);
        const changed = [...places].filter(
          (place) => leavesBefore.get(place) !== leavesAfter.get(place),
        );
        const count = changedLeafCount(compilePolicy(policy), before, after);
        expect(count).toBe(changed.length);
      }),
      { numRuns: 500 },
    );
  });

  test("the difference turns one set of terms into the other, and touches nothing else", () => {
    const compiled = compilePolicy(DEFAULT_INDEXING_POLICY);
    fc.assert(
      fc.property(anyItem, anyItem, (before, after) => {
        const termsBefore = termsOf(compiled, before).terms;
        const termsAfter = termsOf(compiled, after).terms;
        const { removed, added } = termDifference(termsBefore, termsAfter);
        const index = new Set(termsBefore);
        for (const term of removed) expect(index.delete(term)).toBe(true);
        for (const term of added) expect(index.has(term)).toBe(false);
        expect([...index, ...added].sort()).toEqual([...termsAfter].sort());
      }),
    );
  });
});

function valueTermsIn({ terms, valueTermCount }: ItemTerms): Term[] {
  return terms.slice(0, valueTermCount);
}

/** `l.*.f=4` is the term of 4 at /l/[]/f. */
function termFrom(text: string): Term {
  const [place, value] = text.split("=") as [string, string];
  const hash = pathHashOf(placeFrom(place));
  if (value === "{}") return termOfNode(hash, "object");
  return value === "[]" ? termOfNode(hash, "array") : termOf(hash, JSON.parse(value) as string);
}

function placeFrom(text: string): PathSegment[] {
  return text.split(".").map((step) => (step === "*" ? ELEMENTS : step));
}

function policyOf(include: string, exclude: string): IndexingPolicy {
  const pathsOf = (text: string): { path: string }[] =>
    (text.match(/\S+\{.*?\}\S*|\S+/g) ?? []).map((path) => ({ path }));
  const policy = parseIndexingPolicy({
    includedPaths: pathsOf(include),
    excludedPaths: pathsOf(exclude),
  });
  if (!policy.ok) throw new Error(policy.error);
  return policy.value;
}

function parsed(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

interface Visit {
  readonly place: readonly PathSegment[];
  readonly value: JsonValue;
  /** With positions, so that every element has its own. */
  readonly address: string;
}

/** Everything in the item but the item, in no clever way. */
function* visits(value: JsonValue, place: PathSegment[] = [], address = ""): Generator<Visit> {
  if (place.length > 0) yield { place, value, address };
  if (typeof value !== "object" || value === null) return;
  for (const [name, child] of Object.entries(value) as [string, JsonValue][]) {
    const segment = Array.isArray(value) ? ELEMENTS : name;
    yield* visits(child, [...place, segment], `${address}/${JSON.stringify(name)}`);
  }
}

function naiveIsIndexed(policy: IndexingPolicy, place: readonly PathSegment[]): boolean {
  const top = place[0];
  if (top === "_rid") return false;
  if (top === "id" || top === "_ts") return place.length === 1;
  let best = { precision: -1, isIncluded: false };
  const weigh = (path: string, isIncluded: boolean): void => {
    const known = parsePolicyPath(path);
    if (!known.ok) return;
    const { segments, end } = known.value;
    const isPrefix = segments.every((segment, index) => segment === place[index]);
    const isExact = isPrefix && segments.length === place.length;
    const precision = segments.length * 2 + (end === "scalar" ? 1 : 0);
    const covers = end === "scalar" ? isExact : isPrefix && segments.length <= place.length;
    if (covers && precision > best.precision) best = { precision, isIncluded };
  };
  for (const { path } of policy.includedPaths) weigh(path, true);
  for (const { path } of policy.excludedPaths) weigh(path, false);
  return best.isIncluded;
}

function naiveTerms(policy: IndexingPolicy, item: JsonObject): Set<Term> {
  const terms = new Set<Term>();
  for (const { place, value } of visits(item)) {
    if (!naiveIsIndexed(policy, place)) continue;
    const hash = pathHashOf(place);
    if (typeof value !== "object" || value === null) terms.add(termOf(hash, value));
    else terms.add(termOfNode(hash, Array.isArray(value) ? "array" : "object"));
  }
  return terms;
}

function naiveLeaves(policy: IndexingPolicy, item: JsonObject): Map<string, JsonValue> {
  const leaves = new Map<string, JsonValue>();
  for (const { place, value, address } of visits(item)) {
    const isPriced = place.length > 1 || (place[0] !== "id" && place[0] !== "_ts");
    if (typeof value === "object" && value !== null) continue;
    if (isPriced && naiveIsIndexed(policy, place)) leaves.set(address, value);
  }
  return leaves;
}
