/**
 * The table says what narrows a search and what does not. The property is the one that matters: no
 * item that a filter selects lies where nobody looks. Filters are made together with what they
 * mean, so nothing has to be parsed or evaluated twice.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { equalValues } from "../../json/compare.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { KeyComponent, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import { contains, rangeOfKey } from "../../partition/epkRange.ts";
import { partitionKeyOf } from "../../partition/partitionKeyOf.ts";
import { parseQuery } from "../language/parser.ts";
import { type KeyRanges, type KeySetting, keyRangesOf, type SelectedRange } from "./keyRanges.ts";

const ONE: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const DEEP: PartitionKeyDefinition = { paths: ['/a/"b c"/d'], kind: "Hash", version: 1 };
const PAIR: PartitionKeyDefinition = { paths: ["/a", "/b"], kind: "Hash", version: 2 };
const TREE: PartitionKeyDefinition = { paths: ["/t", "/u/v"], kind: "MultiHash", version: 2 };
const NONE: PartitionKeyDefinition = { ...ONE, paths: ["/_partitionKey"], systemKey: true };

type Keys = readonly (readonly KeyComponent[])[];
type Row = readonly [filter: string, keys: Keys | "everything" | "nothing"];

function table(definition: PartitionKeyDefinition, rows: readonly Row[]): void {
  test.each(rows)("%s", (filter, keys) => {
    const found = rangesOf(`SELECT * FROM c WHERE ${filter}`, { partitionKey: definition });
    expect(found).toEqual(typeof keys === "string" ? keys : wanted(definition, keys));
  });
}

describe("filters on a single key", () => {
  table(ONE, [
    ["c.pk = 'x'", [["x"]]],
    ["'x' = c.pk", [["x"]]],
    ['c["pk"] = @x', [["x"]]],
    ["c[@pk] = -1.5", [[-1.5]]],
    ["c.pk = null", [[null]]],
    ["c.pk = [1]", [[undefined]]],
    ["c.pk = {a: 1}", [[undefined]]],
    ["c.pk = undefined", "nothing"],
    ["c.pk = @unknown", "everything"],
    ["c.pk = c.other", "everything"],
    ["c.pk = 1e999", "nothing"],
    ["c.pk = 0", [[0], [-0]]],
    ["c.pk != 'x'", "everything"],
    ["NOT (c.pk != 'x')", [["x"]]],
    ["c.pk > 1", "everything"],
    ["(c.pk BETWEEN 1 AND 1)", "everything"],
    ["c.pk", [[true]]],
    ["NOT c.pk", [[false]]],
    ["c.pk IN (1, 'x', 1, [])", [[1], ["x"], [undefined]]],
    ["c.pk NOT IN (1)", "everything"],
    ["NOT (c.pk NOT IN (1))", [[1]]],
    ["c.pk IN (1, c.other)", "everything"],
    ["5 IN (c.pk)", "everything"],
    ["IS_NULL(c.pk)", [[null]]],
    ["is_bool(c.pk)", [[false], [true]]],
    ["IS_DEFINED(c.pk)", "everything"],
    ["NOT IS_DEFINED(c.pk)", [[undefined]]],
    ["ABS(c.pk) = 2", [[2], [-2]]],
    ["ABS(c.pk) = -2", "nothing"],
    ["udf.ABS(c.pk) = 2", "everything"],
    ["ARRAY_CONTAINS([1, 'x'], c.pk)", [[1], ["x"]]],
    ["ARRAY_CONTAINS(@list, c.pk, true)", [["p"], ["q"]]],
    ["ARRAY_CONTAINS(c.pk, 1)", "everything"],
    ["c.pk LIKE 'x'", [["x"]]],
    ["c.pk LIKE 'x%'", "everything"],
    ["c.pk LIKE '5!%' ESCAPE '!'", [["5%"]]],
    ["c.pk NOT LIKE 'x'", "everything"],
    ["false", "nothing"],
    ["1 = 1", "everything"],
    ["1 = 0", "nothing"],
    ["5", "nothing"],
    ["true AND c.pk = 1", [[1]]],
    ["c.pk = 1 AND c.n > 5", [[1]]],
    ["c.pk = 1 OR c.n > 5", "everything"],
    ["c.pk = 1 OR c.pk = 2 OR c.pk = 1", [[1], [2]]],
    ["c.pk = 1 AND c.pk = 2", "nothing"],
    ["c.pk IN (1, 2, 3) AND c.pk IN (2, 3, 4)", [[2], [3]]],
    ["NOT (c.pk != 1 OR c.n = 1)", [[1]]],
    ["c.id = 'a' AND c.pk = 1 OR c.id = 'b' AND c.pk = 2", [[1], [2]]],
    ["(LET x = c.pk IN x = 1)", [[1]]],
    ["(LET c = c.other IN c.pk = 1)", "everything"],
    ["c.pk ?? 1", "everything"],
  ]);
});

describe("filters on several levels", () => {
  table(TREE, [
    ["c.t = 1", [[1]]],
    ["c.u.v = 1", "everything"],
    ["c.t = 1 AND c.u.v = 'x'", [[1, "x"]]],
    [
      "c.t IN (1, 2) AND c.u.v IN ('x', 'y')",
      [
        [1, "x"],
        [1, "y"],
        [2, "x"],
        [2, "y"],
      ],
    ],
    ["c.t = 1 OR (c.t = 2 AND c.u.v = 'x')", [[1], [2, "x"]]],
    ["c.t = 1 OR (c.t = 1 AND c.u.v = 'x')", [[1]]],
    [
      "(c.t = 1 OR c.t = 2) AND c.u.v = 'x'",
      [
        [1, "x"],
        [2, "x"],
      ],
    ],
    ["c.t = 1 OR c.u.v = 'x'", "everything"],
  ]);
  table(PAIR, [
    ["c.a = 1", "everything"],
    ["c.a = 1 AND c.b = 2", [[1, 2]]],
  ]);
  table(DEEP, [
    ['c.a["b c"].d = 1', [[1]]],
    ['c.a["b c"] = 1', "everything"],
    ["c.a.d = 1", "everything"],
  ]);
  table(NONE, [
    ["NOT IS_DEFINED(c._partitionKey)", [[]]],
    ["c._partitionKey = 'x'", [["x"]]],
  ]);
});

describe("what a name stands for", () => {
  const rows: readonly (readonly [query: string, keys: Keys | "everything" | "nothing"])[] = [
    ["SELECT 5", "nothing"],
    ["SELECT * FROM Families f WHERE f.pk = 1", [[1]]],
    ["SELECT * FROM c.pk WHERE pk = 1", [[1]]],
    ["SELECT * FROM c.pk AS key WHERE key IN (1, 2)", [[1], [2]]],
    ["SELECT * FROM x IN c.list WHERE x.pk = 1", "everything"],
    ["SELECT c.id FROM c JOIN t IN c.tags WHERE t.pk = 1", "everything"],
    ["SELECT c.id FROM c JOIN c IN c.list WHERE c.pk = 1", "everything"],
    ["SELECT c.id FROM c JOIN x IN c.list WHERE c.pk = 1", [[1]]],
    ["SELECT c.id FROM c JOIN c.pk AS key WHERE key = 1", [[1]]],
    ["SELECT c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE c.pk = 1)", [[1]]],
    [
      "SELECT c.id FROM c WHERE EXISTS(SELECT VALUE 1 FROM c IN c.list WHERE c.pk = 1)",
      "everything",
    ],
    ["SELECT c.id FROM c WHERE NOT EXISTS(SELECT VALUE 1 FROM c WHERE c.pk = 1)", "everything"],
    ["SELECT c.id FROM c WHERE (SELECT VALUE c.n FROM c WHERE c.pk = 1) = 5", [[1]]],
    ["SELECT c.id FROM c WHERE (SELECT VALUE COUNT(1) FROM c WHERE c.pk = 1) = 0", "everything"],
    ["SELECT (SELECT VALUE 1 FROM c WHERE c.pk = 1) FROM c", "everything"],
    ["SELECT * FROM (SELECT VALUE c FROM c WHERE c.pk = 1) AS x", [[1]]],
    ["SELECT * FROM (SELECT VALUE 5) AS x", "nothing"],
    ["SELECT VALUE x FROM x IN (SELECT VALUE y FROM (SELECT VALUE [1]) AS y)", "nothing"],
    ["SELECT VALUE COUNT(1) FROM c WHERE c.pk = 1", [[1]]],
  ];
  test.each(rows)("%s", (query, keys) => {
    const found = rangesOf(query, { partitionKey: ONE });
    expect(found).toEqual(typeof keys === "string" ? keys : wanted(ONE, keys));
  });

  test("a computed property hides the stored one", () => {
    const query = "SELECT * FROM c WHERE c.pk = 1";
    const computedNames = new Set(["pk"]);
    expect(rangesOf(query, { partitionKey: ONE, computedNames })).toBe("everything");
  });
});

describe("bounds", () => {
  const list = (count: number): string => Array.from({ length: count }, (_, at) => at + 1).join();

  test("too many combinations are searched by their prefix", () => {
    const filter = `c.t IN (1, 2) AND c.u.v IN (${list(1_001)})`;
    const found = rangesOf(`SELECT * FROM c WHERE ${filter}`, { partitionKey: TREE });
    expect(found).toEqual(wanted(TREE, [[1], [2]]));
  });

  test("too many prefixes mean everything", () => {
    const filter = `c.pk IN (${list(2_001)})`;
    expect(rangesOf(`SELECT * FROM c WHERE ${filter}`, { partitionKey: ONE })).toBe("everything");
  });

  test("long chains are no trouble", () => {
    const chain = Array.from({ length: 1_500 }, (_, at) => `(c.id = '${at}' AND c.pk = ${at + 1})`);
    const query = `SELECT * FROM c WHERE c.x = 1 AND (${chain.join(" OR ")})`;
    expect(rangesOf(query, { partitionKey: ONE })).toHaveLength(1_500);
  });
});

/** Three-valued, as a filter sees it. */
type Truth = boolean | undefined;

interface Filter {
  readonly text: string;
  readonly holds: (item: JsonObject) => Truth;
}

describe("every item that a filter selects lies in its ranges", () => {
  test.each([ONE, PAIR, TREE, NONE, { ...ONE, version: 1 as const }])("%j", (definition) => {
    const paths = definition.paths.map((path) => path.slice(1).split("/"));
    fc.assert(
      fc.property(anyFilter(paths), fc.array(anyItem(paths), { minLength: 1 }), (filter, items) => {
        const found = rangesOf(`SELECT * FROM c WHERE ${filter.text}`, {
          partitionKey: definition,
        });
        for (const item of items) {
          if (filter.holds(item) === true) expect(isWithin(found, definition, item)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const SCALARS: readonly JsonValue[] = [null, true, false, 0, -0, 1, -1, "x", "5%"];
const anyValue = fc.constantFrom<JsonValue>(...SCALARS, [], [1], {}, { k: 1 });

function anyItem(paths: readonly (readonly string[])[]): fc.Arbitrary<JsonObject> {
  const anyPlaces = fc.tuple(...paths.map(() => fc.option(anyValue, { nil: undefined })));
  return fc.tuple(anyPlaces, fc.boolean()).map(([places, isOther]) => {
    const item: Record<string, JsonValue> = { other: isOther };
    places.forEach((value, level) => {
      const [first, second] = paths[level]!;
      if (value !== undefined) item[first!] = second === undefined ? value : { [second]: value };
    });
    return item;
  });
}

function anyFilter(paths: readonly (readonly string[])[]): fc.Arbitrary<Filter> {
  const anyPath = fc.constantFrom(...paths, ["other"]);
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small" },
      fc.tuple(anyPath, anyValue, fc.array(anyValue, { minLength: 1, maxLength: 3 })).chain(leaf),
      tie("filter").map(negated),
      fc.tuple(tie("filter"), tie("filter")).map(([a, b]) => and(a, b)),
      fc.tuple(tie("filter"), tie("filter")).map(([a, b]) => or(a, b)),
      tie("filter").chain(inSubquery),
    ),
  }));
  return filter;
}

function leaf([path, value, list]: [
  readonly string[],
  JsonValue,
  JsonValue[],
]): fc.Arbitrary<Filter> {
  const place = ["c", ...path].join(".");
  const at = (item: JsonObject): JsonValue | undefined =>
    path.reduce<JsonValue | undefined>(
      (found, name) => (isObject(found) ? property(found, name) : undefined),
      item,
    );
  const text = textOf(value);
  const listText = list.map(textOf).join(", ");
  const among = (found: JsonValue): boolean => list.some((one) => equalValues(one, found));
  const onDefined =
    (test: (found: JsonValue) => Truth) =>
    (item: JsonObject): Truth => {
      const found = at(item);
      return found === undefined ? undefined : test(found);
    };
  return fc.constantFrom<Filter>(
    { text: `(${place} = ${text})`, holds: onDefined((found) => equalValues(found, value)) },
    { text: `(${text} != ${place})`, holds: onDefined((found) => !equalValues(found, value)) },
    { text: `(${place} IN (${listText}))`, holds: onDefined(among) },
    { text: `(${place} NOT IN (${listText}))`, holds: onDefined((found) => !among(found)) },
    { text: `ARRAY_CONTAINS([${listText}], ${place})`, holds: onDefined(among) },
    { text: place, holds: onDefined((found) => (typeof found === "boolean" ? found : undefined)) },
    { text: `IS_NULL(${place})`, holds: (item) => at(item) === null },
    { text: `IS_BOOL(${place})`, holds: (item) => typeof at(item) === "boolean" },
    { text: `IS_DEFINED(${place})`, holds: (item) => at(item) !== undefined },
    {
      text: `(ABS(${place}) = ${text})`,
      holds: onDefined((found) =>
        typeof found === "number" ? equalValues(Math.abs(found), value) : undefined,
      ),
    },
    {
      text: `(${place} LIKE '5!%' ESCAPE '!')`,
      holds: onDefined((found) => (typeof found === "string" ? found === "5%" : undefined)),
    },
    {
      text: `(${place} > 0)`,
      holds: onDefined((found) => (typeof found === "number" ? found > 0 : undefined)),
    },
    { text: `(${text} = 1)`, holds: () => equalValues(value, 1) },
  );
}

/** The same question in the ways that subqueries ask it. */
function inSubquery({ text, holds }: Filter): fc.Arbitrary<Filter> {
  const isTrue = (item: JsonObject): boolean => holds(item) === true;
  const oneOrNone = (item: JsonObject): Truth => (isTrue(item) ? true : undefined);
  return fc.constantFrom<Filter>(
    { text: `EXISTS(SELECT VALUE 1 FROM c WHERE ${text})`, holds: isTrue },
    { text: `((SELECT VALUE 1 FROM c WHERE ${text}) = 1)`, holds: oneOrNone },
    { text: `((SELECT VALUE 1 FROM c WHERE ${text}) != 2)`, holds: oneOrNone },
    {
      text: `((SELECT VALUE COUNT(1) FROM c WHERE ${text}) = 0)`,
      holds: (item) => !isTrue(item),
    },
    { text: `(LET d = c IN ${text})`, holds },
  );
}

function negated({ text, holds }: Filter): Filter {
  const opposite = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);
  return { text: `NOT ${text}`, holds: (item) => opposite(holds(item)) };
}

function and(a: Filter, b: Filter): Filter {
  const holds = (item: JsonObject): Truth => {
    const both = [a.holds(item), b.holds(item)];
    if (both.includes(false)) return false;
    return both.includes(undefined) ? undefined : true;
  };
  return { text: `(${a.text} AND ${b.text})`, holds };
}

function or(a: Filter, b: Filter): Filter {
  const holds = (item: JsonObject): Truth => {
    const either = [a.holds(item), b.holds(item)];
    if (either.includes(true)) return true;
    return either.includes(undefined) ? undefined : false;
  };
  return { text: `(${a.text} OR ${b.text})`, holds };
}

const textOf = (value: JsonValue): string => (Object.is(value, -0) ? "-0" : JSON.stringify(value));

function isWithin(
  ranges: KeyRanges,
  definition: PartitionKeyDefinition,
  item: JsonObject,
): boolean {
  if (typeof ranges === "string") return ranges === "everything";
  const key = partitionKeyOf(definition, item);
  if (!key.ok) throw new Error(key.error);
  const epk = epkOf(definition, key.value);
  return ranges.some(({ range }) => contains(range, epk));
}

const PARAMETERS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["@x", "x"],
  ["@pk", "pk"],
  ["@list", ["p", "q"]],
]);

function rangesOf(text: string, setting: Omit<KeySetting, "parameters">): KeyRanges {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.error)}`);
  return keyRangesOf(parsed.value, { ...setting, parameters: PARAMETERS });
}

/** The ranges of these keys, in order. */
function wanted(definition: PartitionKeyDefinition, keys: Keys): KeyRanges {
  const isFull = (key: readonly KeyComponent[]): boolean =>
    key.length === definition.paths.length || definition.systemKey === true;
  const ranges = keys.map(
    (key): SelectedRange => ({
      range: rangeOfKey(definition, key),
      isPoint: isFull(key),
      key,
    }),
  );
  return ranges.sort((a, b) => (a.range.min < b.range.min ? -1 : 1));
}
