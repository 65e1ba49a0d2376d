/**
 * Filters and the lookups made of them. First which conditions become which ranges, then that every
 * lookup is sound: an item that passes has a term in its ranges, and where they are exact no other
 * item has.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { compilePolicy } from "../../index/compiledPolicy.ts";
import { pathHashOf } from "../../index/hash.ts";
import { ELEMENTS, type PathSegment } from "../../index/policyPath.ts";
import { termOf } from "../../index/term.ts";
import { termsOf } from "../../index/terms.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { Effort } from "../evaluate/effort.ts";
import type { Run } from "../evaluate/run.ts";
import { INDEX_ALL, ListContainer } from "../execute/listSource.fake.ts";
import type { Value } from "../functions/builtIn.ts";
import { type Lookup, partsOfLookup, type TermLookup } from "./lookup.ts";
import type { ItemPlan } from "./plan.ts";

const NOTHING = new ListContainer([]);

function planOf(where: string, from = "c", container = NOTHING): ItemPlan {
  const plan = container.plan(`SELECT VALUE 1 FROM ${from} WHERE ${where}`);
  if (plan.kind !== "items") throw new Error("not about items");
  return plan;
}

function runWith(parameters: Readonly<Record<string, JsonValue>> = {}): Run {
  return {
    parameters: new Map(Object.entries(parameters)),
    context: {
      wallNow: () => 0,
      startedAt: 0,
      random: () => 0,
      geometry: "Geography",
      memo: (_kind, _key, make) => make(),
    },
    effort: new Effort(),
  };
}

/** Every term lookup in the tree of one. */
function leavesOf(lookup: Lookup): readonly TermLookup[] {
  return lookup.kind === "terms" ? [lookup] : partsOfLookup(lookup).flatMap(leavesOf);
}

/** Of these values, those whose terms are in the ranges; a star when the items have to be read. */
function foundBy(
  where: string,
  path: readonly PathSegment[],
  parameters: Readonly<Record<string, JsonValue>> = {},
): string | undefined {
  const { lookups } = planOf(where).filter;
  const [leaf] = lookups.flatMap(leavesOf);
  const resolved = leaf?.resolve(runWith(parameters));
  if (resolved === undefined) return undefined;
  const hash = pathHashOf(path);
  const values = [null, false, true, -1, 0, 1, 2, "", "a", "ab", "b", "\u{1F600}"] as const;
  const isIn = (term: string): boolean =>
    resolved.ranges.some(({ min, max }) => term >= min && term < max);
  const found = values.filter((value) => isIn(termOf(hash, value)));
  const nodes = [termNode(hash, "[]"), termNode(hash, "{}")].filter(([, term]) => isIn(term));
  const texts = [...found.map((value) => JSON.stringify(value)), ...nodes.map(([name]) => name)];
  return `${texts.join(" ")}${resolved.isExact ? "" : " *"}`.trim();
}

function termNode(hash: string, name: "[]" | "{}"): readonly [string, string] {
  const item = { n: name === "[]" ? [] : {} };
  const { terms } = termsOf(compilePolicy(INDEX_ALL), item);
  const own = terms.find((term) => term.startsWith(pathHashOf(["n"])))!;
  return [name, hash + own.slice(pathHashOf(["n"]).length)];
}

describe("a condition on a path finds the values that pass", () => {
  const ALL = 'null false true -1 0 1 2 "" "a" "ab" "b" "\u{1F600}" [] {}';
  const CASES: readonly (readonly [string, string, Readonly<Record<string, JsonValue>>?])[] = [
    ["c.x = 1", "1"],
    ["1 = c.x", "1"],
    ["c.x = 'a'", '"a"'],
    ["c.x = null", "null"],
    ["c.x = undefined", ""],
    ["c.x = [1]", "[] *"],
    ["c.x = {a: 1}", "{} *"],
    ["c.x = 0/0", ""],
    ["c.x != 1", ALL.replace(" 1", "")],
    ["c.x != undefined", ""],
    ["c.x != [1]", `${ALL} *`],
    ["c.x > 0", "1 2"],
    ["0 < c.x", "1 2"],
    ["c.x >= 0", "0 1 2"],
    ["c.x < 0", "-1"],
    ["c.x <= 0", "-1 0"],
    ["c.x > 'a'", '"ab" "b" "\u{1F600}"'],
    ["c.x < 'b'", '"" "a" "ab"'],
    ["c.x > true", ""],
    ["c.x >= false", "false true"],
    ["c.x < true", "false"],
    ["c.x > null", ""],
    ["c.x >= null", "null"],
    ["c.x > undefined", ""],
    ["c.x > [1]", ""],
    ["c.x BETWEEN 0 AND 1", "0 1"],
    ["c.x BETWEEN 1 AND 0", ""],
    ["c.x BETWEEN 0 AND 'a'", ""],
    ["c.x BETWEEN 'a' AND 'b'", '"a" "ab" "b"'],
    ["c.x BETWEEN null AND null", "null"],
    ["c.x IN (1, 'a', null, undefined, 1)", 'null 1 "a"'],
    ["c.x IN ([1], 2)", "2 [] *"],
    ["c.x", "true"],
    ["NOT c.x", "false"],
    ["NOT NOT c.x", "true"],
    ["NOT (c.x = 1)", ALL.replace(" 1", "")],
    ["NOT (c.x != 1)", "1"],
    ["NOT (c.x < 0)", "0 1 2"],
    ["NOT (c.x >= 0)", "-1"],
    ["c.x LIKE 'a%'", '"a" "ab"'],
    ["c.x LIKE 'a%b'", '"a" "ab" *'],
    ["c.x LIKE 'a'", '"a"'],
    ["c.x LIKE 1", ""],
    ["IS_NULL(c.x)", "null"],
    ["IS_BOOL(c.x)", "false true"],
    ["IS_NUMBER(c.x)", "-1 0 1 2"],
    ["IS_STRING(c.x)", '"" "a" "ab" "b" "\u{1F600}"'],
    ["IS_ARRAY(c.x)", "[]"],
    ["IS_OBJECT(c.x)", "{}"],
    ["IS_PRIMITIVE(c.x)", ALL.replace(" [] {}", "")],
    ["IS_DEFINED(c.x)", ALL],
    ["STARTSWITH(c.x, 'a')", '"a" "ab"'],
    ["STARTSWITH(c.x, '')", '"" "a" "ab" "b" "\u{1F600}"'],
    ["STARTSWITH(c.x, '\\ud83d')", '"" "a" "ab" "b" "\u{1F600}" *'],
    ["STARTSWITH(c.x, 1)", ""],
    ["STRINGEQUALS(c.x, 'a')", '"a"'],
    ["ARRAY_CONTAINS([1, 'a', [2]], c.x)", '1 "a" [] *'],
    ["ARRAY_CONTAINS(@p, c.x)", "0 2", { "@p": [0, 2] }],
    ["ARRAY_CONTAINS(@p, c.x)", "", { "@p": 5 }],
    ["ARRAY_CONTAINS(@p, c.x)", ""],
    ["c.x = @p", "[] *", { "@p": [] }],
    ["c.x = @p", "", {}],
    ["c.x = @p", '"b"', { "@p": "b" }],
    ["c.x = @p.q", "2", { "@p": { q: 2 } }],
    ["c['x'] = 1", "1"],
    ["c.x NOT IN (1)", `${ALL} *`],
    ["CONTAINS(c.x, 'a')", `${ALL} *`],
  ];
  for (const [where, found, parameters = {}] of CASES) {
    test(`${where} with ${JSON.stringify(parameters)}: ${found}`, () => {
      expect(foundBy(where, ["x"], parameters)).toBe(found);
    });
  }

  test.each<readonly [string, readonly PathSegment[], string]>([
    ["c.o.p = 1", ["o", "p"], "1"],
    ["c.l[0] = 1", ["l", ELEMENTS], "1 *"],
    ["c.l[0].m = 1", ["l", ELEMENTS, "m"], "1 *"],
    ["ARRAY_CONTAINS(c.l, 1)", ["l", ELEMENTS], "1"],
    ["ARRAY_CONTAINS(c.l, [1])", ["l", ELEMENTS], "[] *"],
    ["ARRAY_CONTAINS(c.l, {a: 1}, true)", ["l", ELEMENTS], "{} *"],
    ["EXISTS(SELECT VALUE e FROM e IN c.l WHERE e = 1)", ["l", ELEMENTS], "1 *"],
    ["EXISTS(SELECT VALUE e FROM e IN c.l WHERE e.m > 0)", ["l", ELEMENTS, "m"], "1 2 *"],
    ["c['__proto__'] = 1", ["__proto__"], "1"],
  ])("at the right path: %s", (where, path, found) => {
    expect(foundBy(where, path)).toBe(found);
  });

  test.each([
    ["c.x = c.y"],
    ["c.x = RAND()"],
    ["UPPER(c.x) = 'A'"],
    ["c.x + 1 = 2"],
    ["true"],
    ["NOT IS_DEFINED(c.x)"],
    ["c.x ?? true"],
    ["c.x = 1 OR c.x = c.y"],
    ["c[@p] = 1"],
    ["(SELECT VALUE COUNT(1) FROM e IN c.l) = 0"],
    ["EXISTS(SELECT VALUE COUNT(1) FROM e IN c.l WHERE e = 1)"],
    ["(LET v = c.x IN v = 1)"],
  ])("none is made of %s", (where) => {
    expect(foundBy(where, ["x"])).toBe(undefined);
  });

  test.each([
    ["c.a = 1 AND c.b = 2", "/a = and /b =", true],
    ["c.a = 1 AND c.b = c.d", "/a =", false],
    ["c.a = 1 OR c.b = 2", "(/a = or /b =)", true],
    ["NOT (c.a = 1 AND c.b = 2)", "(/a != or /b !=)", true],
    ["NOT (c.a = 1 OR c.b = 2)", "(/a != and /b !=)", true],
    ["(c.a = 1 OR c.b = 2) AND c.d > 3", "/d > and (/a = or /b =)", true],
    ["ARRAY_CONTAINS_ANY(c.l, 1, 2)", "(/l/[] ARRAY_CONTAINS or /l/[] ARRAY_CONTAINS)", true],
  ])("%s: %s", (where, expected, isWhole) => {
    const { filter } = planOf(where);
    expect(filter.lookups.map(textOf).join(" and ")).toBe(expected);
    expect(filter.isWhole).toBe(isWhole);
  });

  test("what is not indexed is not looked up", () => {
    const policy = { includedPaths: [{ path: "/a/?" }], excludedPaths: [{ path: "/*" }] };
    const container = new ListContainer([], { policy });
    const lookups = (where: string): number => planOf(where, "c", container).filter.lookups.length;
    expect(lookups("c.a = 1")).toBe(1);
    expect(lookups("c.b = 1")).toBe(0);
    expect(lookups("c.a.b = 1")).toBe(0);
    expect(lookups("c.a = 1 OR c.b = 1")).toBe(0);
    expect(lookups("c.a = 1 AND c.b = 1")).toBe(1);
  });
});

function textOf(lookup: Lookup): string {
  if (lookup.kind !== "terms") {
    return `(${partsOfLookup(lookup).map(textOf).join(` ${lookup.kind} `)})`;
  }
  const path = lookup.path.segments.map((part) => `/${part === ELEMENTS ? "[]" : String(part)}`);
  return `${path.join("")} ${lookup.what}`;
}

describe("every lookup is sound", () => {
  const LONG = "z".repeat(199);
  const values: readonly JsonValue[] = [
    ...[null, false, true, -1.5, 0, 1, 2, 1e300],
    ...["", "a", "ab", "aB", "b", "\u{1F600}", "\ud83d", `${LONG}a`, `${LONG}ab`, `${LONG}abc`],
    ...[[], [1], ["a", 2], {}, { x: 1 }],
  ];
  const value = fc.constantFrom(...values);
  const list = fc.array(value, { maxLength: 3 });
  const item: fc.Arbitrary<JsonObject> = fc.record(
    { x: value, y: value, o: fc.record({ p: value }, { requiredKeys: [] }), l: list },
    { requiredKeys: [] },
  );
  const path = fc.constantFrom("c.x", "c.y", "c.o.p", "c.l", "c.l[0]", "c.l[0].x", "c['x']");
  const constant = fc
    .oneof(value, fc.constantFrom<undefined>(undefined))
    .map((found) => (found === undefined ? "undefined" : JSON.stringify(found)));
  const text = fc.constantFrom('""', '"a"', '"ab"', '"\\ud83d"', JSON.stringify(`${LONG}a`), "1");
  const comparison = fc.constantFrom("=", "!=", "<", "<=", ">", ">=");
  const leaf = fc.oneof(
    fc.tuple(path, comparison, constant).map((parts) => parts.join(" ")),
    fc.tuple(constant, comparison, path).map((parts) => parts.join(" ")),
    fc.tuple(path, constant, constant).map(([p, a, b]) => `(${p} BETWEEN ${a} AND ${b})`),
    fc.tuple(path, constant, constant).map(([p, a, b]) => `(${p} NOT BETWEEN ${a} AND ${b})`),
    fc.tuple(path, constant, constant).map(([p, a, b]) => `${p} IN (${a}, ${b})`),
    fc.tuple(path, constant, constant).map(([p, a, b]) => `${p} NOT IN (${a}, ${b})`),
    fc.tuple(path, text).map(([p, a]) => `STARTSWITH(${p}, ${a})`),
    fc.tuple(path, text).map(([p, a]) => `STARTSWITH(${p}, ${a}, true)`),
    fc.tuple(path, text).map(([p, a]) => `STRINGEQUALS(${p}, ${a})`),
    fc.tuple(path, text).map(([p, a]) => `CONTAINS(${p}, ${a})`),
    fc.tuple(path, fc.constantFrom("a%", "%", "a", "a_", "%b")).map(([p, a]) => `${p} LIKE '${a}'`),
    fc.tuple(path, fc.constantFrom("a%", "a")).map(([p, a]) => `${p} NOT LIKE '${a}'`),
    fc
      .tuple(fc.constantFrom("NULL", "BOOL", "NUMBER", "STRING", "ARRAY", "OBJECT"), path)
      .map(([type, p]) => `IS_${type}(${p})`),
    fc
      .tuple(fc.constantFrom("IS_PRIMITIVE", "IS_DEFINED", "IS_INTEGER"), path)
      .map(([name, p]) => `${name}(${p})`),
    fc.tuple(constant, constant).map(([a, b]) => `ARRAY_CONTAINS(c.l, ${a}, ${b})`),
    constant.map((a) => `ARRAY_CONTAINS(c.l, ${a})`),
    constant.map((a) => `ARRAY_CONTAINS(c.l[0], ${a})`),
    fc.tuple(constant, path).map(([a, p]) => `ARRAY_CONTAINS([${a}, 1], ${p})`),
    fc.tuple(constant, constant).map(([a, b]) => `ARRAY_CONTAINS_ANY(c.l, ${a}, ${b})`),
    fc.tuple(constant, constant).map(([a, b]) => `ARRAY_CONTAINS_ALL(c.l, ${a}, ${b})`),
    fc
      .tuple(comparison, constant)
      .map(([o, a]) => `EXISTS(SELECT VALUE e FROM e IN c.l WHERE e ${o} ${a} AND e != c.y)`),
    constant.map((a) => `EXISTS(SELECT VALUE 1 FROM c.o WHERE o.p = ${a})`),
    fc
      .tuple(constant, comparison, constant)
      .map(
        ([a, o, b]) => `EXISTS(SELECT VALUE 1 FROM e IN c.l WHERE c.x = ${a} AND c.y ${o} ${b})`,
      ),
    fc.tuple(constant, comparison, constant).map(([a, o, b]) => `c.x = ${a} AND c.y ${o} ${b}`),
    fc.tuple(constant, text).map(([a, b]) => `c.y = ${a} AND STARTSWITH(c.o.p, ${b})`),
    fc.tuple(path, path).map(([a, b]) => `${a} = ${b}`),
    fc.tuple(path, constant).map(([a, b]) => `${a} ?? ${b}`),
    path,
  );
  const { where } = fc.letrec<{ where: string }>((tie) => ({
    where: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.tuple(tie("where"), tie("where")).map(([a, b]) => `(${a}) AND (${b})`),
      fc.tuple(tie("where"), tie("where")).map(([a, b]) => `(${a}) OR (${b})`),
      tie("where").map((a) => `NOT (${a})`),
    ),
  }));

  /** Whether the index finds the item, and whether that is all there is to say. */
  function asked(
    lookup: Lookup,
    terms: readonly string[],
    run: Run,
  ): { readonly isFound: boolean; readonly isExact: boolean } {
    if (lookup.kind === "terms") {
      const resolved = lookup.resolve(run);
      if (resolved === undefined) return { isFound: true, isExact: false };
      const isFound = terms.some(
        (term) =>
          resolved.ranges.some(({ min, max }) => term >= min && term < max) &&
          (resolved.test?.(term) ?? true),
      );
      return { isFound, isExact: resolved.isExact };
    }
    if (lookup.kind === "prefer") {
      if (lookup.first.resolve(run) !== undefined) return asked(lookup.first, terms, run);
      return asked({ kind: "and", parts: lookup.others }, terms, run);
    }
    const parts = lookup.parts.map((part) => asked(part, terms, run));
    const isExact = parts.every((part) => part.isExact);
    const isFound =
      lookup.kind === "and"
        ? parts.every((part) => part.isFound)
        : parts.some((part) => part.isFound);
    return { isFound, isExact };
  }

  const policy = {
    compositeIndexes: [
      [{ path: "/x" }, { path: "/y", order: "descending" as const }],
      [{ path: "/y" }, { path: "/o/p" }],
    ].map((index) => index.map((step) => ({ order: "ascending" as const, ...step }))),
  };
  const container = new ListContainer([], { policy });
  const compiled = container.policy;

  test.each([["c"], ["c JOIN e IN c.l"]])("from %s", (from) => {
    const run = runWith();
    fc.assert(
      fc.property(where, fc.array(item, { minLength: 8, maxLength: 8 }), (condition, items) => {
        const whole = from === "c" ? condition : `(${condition}) AND e = 1`;
        const plan = planOf(whole, from, container);
        const { lookups, isWhole } = plan.filter;
        for (const candidate of items) {
          const slots: Value[] = new Array(plan.slotCount).fill(undefined);
          slots[plan.itemSlot] = candidate;
          const rows = [...plan.product(slots, run)].length;
          slots[plan.itemSlot] = candidate;
          let isPassing = false;
          for (const _ of plan.product(slots, run)) isPassing ||= plan.where!(slots, run) === true;
          const { terms } = termsOf(compiled, candidate);
          const answers = lookups.map((lookup) => asked(lookup, terms, run));
          const isFound = answers.every((answer) => answer.isFound);
          const isExact = isWhole && answers.every((answer) => answer.isExact);
          if (isPassing) expect({ condition, candidate, isFound }).toMatchObject({ isFound: true });
          if (isExact && rows > 0 && !isPassing) {
            expect({ condition, candidate, isFound }).toMatchObject({ isFound: false });
          }
        }
      }),
      { numRuns: from === "c" ? 400 : 100 },
    );
  });
});

describe("long chains", () => {
  const random = seededRandom(1);
  const chain = (count: number, operator: string, term: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => term(index)).join(` ${operator} `);
  test.each([
    ["AND", chain(2_000, "AND", (n) => `c.x != ${n}`)],
    ["OR", chain(2_000, "OR", (n) => `c.x = ${n}`)],
    ["OR of two paths", chain(2_000, "OR", (n) => `c.${random.next() < 0.5 ? "x" : "y"} = ${n}`)],
    ["OR that no index can answer", chain(2_000, "OR", (n) => `c.x = c.y + ${n}`)],
    ["OR that one term spoils", `c.x = c.y OR ${chain(1_999, "OR", (n) => `c.x = ${n}`)}`],
    ["+", `${chain(2_000, "+", () => "c.x")} = 1`],
    ["||", `${chain(2_000, "||", () => "c.x")} = 'a'`],
    ["NOT of OR", `NOT (${chain(2_000, "OR", (n) => `c.x = ${n}`)})`],
    ["NOT of AND", `NOT (${chain(2_000, "AND", (n) => `c.x = ${n}`)})`],
  ])("%s", async (_name, where) => {
    const container = new ListContainer([{ x: 1, y: 1 }, { x: 3_000 }, { y: 2 }]);
    const rows = await container.rows(`SELECT VALUE 1 FROM c WHERE ${where}`);
    expect(rows.length).toBeLessThan(4);
  });
});
