/** DISTINCT, ORDER BY and answers from the index; pages: what is on them, and where they end. */
import { describe, expect, test } from "vitest";
import { compareValues } from "../../json/compare.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { cutAt, ListContainer, type ListOptions, type RunOptions } from "./listSource.fake.ts";

const FAMILY: readonly JsonObject[] = [
  { id: "1", k: "a", n: 1, tags: ["x", "y"], o: { p: 3 }, m: [{ v: 1 }, { v: 2 }] },
  { id: "2", k: "b", n: 2, tags: [], o: { p: 1 } },
  { id: "3", k: "a", n: 3, tags: ["y"], o: { p: 2 }, m: [{ v: 3 }] },
  { id: "4", k: "c", n: null, o: {} },
];

function rows(
  text: string,
  items: readonly JsonObject[] = FAMILY,
  options: ListOptions & RunOptions = {},
): Promise<readonly JsonValue[]> {
  return new ListContainer(items, options).rows(text, options);
}

describe("DISTINCT", () => {
  test("of long strings that begin alike, one on a page", async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `${"x".repeat(250)}${index % 6}`);
    const items = texts.map((text, index) => ({ id: `${index}`, text }));
    const expected = [...new Set(texts)].sort();
    const found = await rows("SELECT DISTINCT VALUE c.text FROM c", items, { countMax: 1 });
    expect(found).toEqual(expected);
  });

  test.each<readonly [string, readonly unknown[]]>([
    ["SELECT DISTINCT VALUE c.k FROM c", ["a", "b", "c"]],
    ["SELECT DISTINCT c.k FROM c", [{ k: "a" }, { k: "b" }, { k: "c" }]],
    ["SELECT DISTINCT c.none FROM c", [{}]],
    ["SELECT DISTINCT VALUE c.none FROM c", []],
    ["SELECT DISTINCT VALUE c.k FROM c ORDER BY c.k DESC", ["c", "b", "a"]],
    ["SELECT DISTINCT VALUE c.k FROM c ORDER BY c.n", ["c", "a", "b"]],
    ["SELECT DISTINCT VALUE c.k FROM c ORDER BY c.n DESC", ["a", "b", "c"]],
    ["SELECT DISTINCT TOP 2 VALUE c.k FROM c", ["a", "b"]],
    ["SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags", ["x", "y"]],
    ["SELECT DISTINCT VALUE {a: 1} FROM c", [{ a: 1 }]],
  ])("%s", async (text, expected) => {
    for (const countMax of [1, 2, 100]) {
      expect(await rows(text, FAMILY, { countMax })).toEqual(expected);
    }
  });

  test("of every type of value, page by page", async () => {
    const values = [
      undefined,
      null,
      false,
      0,
      1,
      "",
      "a",
      [],
      [1],
      [0],
      {},
      { a: 1 },
      "z".repeat(300),
    ];
    const items = [...values, ...values].map((x) => (x === undefined ? {} : { x }));
    const expected = values.filter((x) => x !== undefined).sort(compareValues);
    for (const countMax of [1, 3, 100]) {
      const found = await rows("SELECT DISTINCT VALUE c.x FROM c", items, { countMax });
      expect(found).toEqual(expected);
    }
  });
});

describe("answers from the index alone", () => {
  const values: readonly JsonValue[] = [...Array.from({ length: 100 }, (_, n) => n), [1], [2], {}];
  const items = [...values, ...values].map((x, n) => ({ id: `${n}`, x, k: n % 3 }));

  test("distinct values, up to where the index does not have them", async () => {
    for (const countMax of [1, 7]) {
      const found = await rows("SELECT DISTINCT VALUE c.x FROM c", items, { countMax });
      expect(found).toEqual(values);
    }
  });

  test.each<readonly [string, unknown]>([
    ["COUNT(1) FROM c", 206],
    ["COUNT(1) FROM c WHERE c.k = 0", 69],
    ["COUNT(1) FROM c WHERE c.k = 0 AND c.x < 50", 33],
    ["COUNT(1) FROM c WHERE c.k = 0 OR c.x < 50", 136],
    ["COUNT(1) FROM c WHERE (c.k = 0 AND c.x < 50) OR c.id = '3'", 33],
    ["COUNT(1) FROM c WHERE c.x != 5", 204],
    ["COUNT(c.x) FROM c", 206],
    ["SUM(c.x) FROM c WHERE c.x >= 98", 394],
    ["AVG(c.x) FROM c WHERE c.x IN (1, 2, 5, 5)", 16 / 6],
    ["MIN(c.x) FROM c WHERE c.x > 3.5", 4],
    ["MAX(c.x) FROM c WHERE IS_NUMBER(c.x)", 99],
    ["MAX(c.x) FROM c", undefined],
    ["MIN(c.x) FROM c WHERE c.x != 0", undefined],
    ["SUM(c.x) FROM c", undefined],
    ["COUNT(1) FROM c WHERE c.none = 1", 0],
    ["MAX(c.none) FROM c", undefined],
  ])("%s is %s", async (text, expected) => {
    for (const ranges of [cutAt(), cutAt("50", "A0")]) {
      expect((await rows(`SELECT VALUE ${text}`, items, { ranges }))[0]).toBe(expected);
    }
  });
});

describe("ORDER BY", () => {
  test.each([
    ["SELECT VALUE c.id FROM c ORDER BY c.n", ["4", "1", "2", "3"]],
    ["SELECT VALUE c.id FROM c ORDER BY c.n DESC", ["3", "2", "1", "4"]],
    ["SELECT VALUE c.id FROM c ORDER BY c.o.p", ["4", "2", "3", "1"]],
    ["SELECT VALUE c.id FROM c ORDER BY c['o']['p'] DESC", ["1", "3", "2", "4"]],
    ["SELECT VALUE c.o.p FROM c ORDER BY c.o.p", [1, 2, 3]],
    ["SELECT VALUE c.id FROM c ORDER BY c.k DESC", ["4", "2", "1", "3"]],
    ["SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY c.n DESC", ["y", "x", "y"]],
    ["SELECT VALUE p FROM c.o ORDER BY o.p", "refused"],
    ["SELECT VALUE o.p FROM c.o ORDER BY o.p DESC", [3, 2, 1]],
    ["SELECT VALUE f.id FROM c f WHERE f.n > 1 ORDER BY f.n DESC", ["3", "2"]],
    ["SELECT VALUE x.id FROM (SELECT VALUE c FROM c) x ORDER BY x.o.p", ["4", "2", "3", "1"]],
  ] as readonly (readonly [string, readonly unknown[] | "refused"])[])(
    "%s",
    async (text, expected) => {
      for (const countMax of [1, 100]) {
        const found = rows(text, FAMILY, { countMax, ranges: cutAt("30", "60") });
        if (expected === "refused") await expect(found).rejects.toThrow("'p'");
        else expect(await found).toEqual(expected);
      }
    },
  );

  test("computed properties are values like others, but not in *", async () => {
    const computed = { twice: "c.n * 2", low: "LOWER(c.k)", id2: "c.id" };
    const items = [{ id: "1", n: 3, k: "B", low: 7 }, { id: "2", n: 1, k: "a" }, { id: "3" }];
    const query = (text: string): Promise<readonly JsonValue[]> => rows(text, items, { computed });
    expect(await query("SELECT * FROM c")).toEqual(items);
    expect(await query("SELECT VALUE c.twice FROM c")).toEqual([6, 2]);
    expect(await query("SELECT c.low, c.k FROM c WHERE c.low = 'b'")).toEqual([
      { low: "b", k: "B" },
    ]);
    expect(await query("SELECT VALUE c.id FROM c ORDER BY c.twice DESC")).toEqual(["1", "2", "3"]);
    expect(await query("SELECT c.low, COUNT(1) AS n FROM c GROUP BY c.low")).toEqual([
      { n: 1 },
      { low: "a", n: 1 },
      { low: "b", n: 1 },
    ]);
    expect(await query("SELECT VALUE (SELECT VALUE c.twice) FROM c")).toEqual([6, 2]);
    expect(await query("SELECT VALUE x.twice FROM (SELECT * FROM c) x")).toEqual([]);
  });
});

describe("a page", () => {
  const items = Array.from({ length: 10 }, (_, n) => ({ id: `${n}`, n }));
  const container = new ListContainer(items);
  const counts = async (text: string, options: RunOptions): Promise<readonly number[]> =>
    (await container.pages(text, options)).map(({ rows: found }) => found.length);

  test.each<readonly [string, RunOptions, readonly number[]]>([
    ["SELECT * FROM c", {}, [10]],
    ["SELECT * FROM c", { countMax: 10 }, [10]],
    ["SELECT * FROM c", { countMax: 5 }, [5, 5]],
    ["SELECT * FROM c", { countMax: 4 }, [4, 4, 2]],
    ["SELECT * FROM c", { bytesMax: 30 }, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ["SELECT * FROM c", { bytesMax: 36 }, [2, 2, 2, 2, 2]],
    ["SELECT * FROM c", { bytesMax: 1 }, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ["SELECT * FROM c WHERE c.n > 100", { countMax: 1 }, [0]],
    ["SELECT TOP 4 * FROM c", { countMax: 3 }, [3, 1]],
    ["SELECT TOP 3 * FROM c", { countMax: 3 }, [3]],
    ["SELECT TOP 0 * FROM c", {}, [0]],
    ["SELECT TOP @n * FROM c", { parameters: { "@n": 2 } }, [2]],
    ["SELECT * FROM c OFFSET 8 LIMIT 5", { countMax: 1 }, [1, 1]],
    ["SELECT * FROM c OFFSET 10 LIMIT 5", { countMax: 1 }, [0]],
    ["SELECT * FROM c OFFSET 4294967295 LIMIT 4294967295", {}, [0]],
    ["SELECT * FROM c OFFSET 0 LIMIT 0", {}, [0]],
    [
      "SELECT * FROM c OFFSET @n LIMIT @m",
      { parameters: { "@n": 2, "@m": 3 }, countMax: 2 },
      [2, 1],
    ],
    ["SELECT * FROM c ORDER BY c.n OFFSET 1 LIMIT 5", { countMax: 2 }, [2, 2, 1]],
    ["SELECT DISTINCT c.n FROM c OFFSET 1 LIMIT 5", { countMax: 2 }, [2, 2, 1]],
    ["SELECT c.n FROM c GROUP BY c.n OFFSET 1 LIMIT 5", { countMax: 2 }, [2, 2, 1]],
    ["SELECT VALUE x FROM (SELECT DISTINCT VALUE c.n FROM c) x", { countMax: 4 }, [4, 4, 2]],
    ["SELECT VALUE COUNT(1) FROM c", { countMax: 1 }, [1]],
    ["SELECT VALUE 1", { countMax: 1 }, [1]],
  ])("%s with %j: %j", async (text, options, expected) => {
    expect(await counts(text, options)).toEqual(expected);
  });

  test.each([
    ["TOP @n", { "@n": 1.5 }],
    ["TOP @n", { "@n": "1" }],
    ["TOP @n", {}],
    ["TOP @n", { "@n": -1 }],
    ["TOP @n", { "@n": 2 ** 32 }],
  ])("is refused for %s of %j", async (clause, parameters) => {
    await expect(container.rows(`SELECT ${clause} * FROM c`, { parameters })).rejects.toThrow(
      "TOP",
    );
  });

  test("ends after its time, wherever it is, and goes on there", async () => {
    const many = new ListContainer(Array.from({ length: 2_000 }, (_, n) => ({ n })));
    const text = "SELECT VALUE c.n FROM c WHERE c.n = c.m OR c.n % 500 = 499";
    const pages = await many.pages(text, { timeSliceMs: 5 });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ rows: found }) => found)).toEqual([499, 999, 1499, 1999]);
  });

  test("ends in the middle of an item when its rows take too long", async () => {
    const l = Array.from({ length: 3_000 }, (_, n) => n);
    const one = new ListContainer([{ l }, { l }]);
    const text = "SELECT VALUE e FROM c JOIN e IN c.l WHERE e = 2999";
    const pages = await one.pages(text, { timeSliceMs: 4 });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ rows: found }) => found)).toEqual([2999, 2999]);
  });

  test("counts the work it takes", async () => {
    const plan = container.plan("SELECT * FROM c WHERE c.n = 3");
    const { work } = await container.page(plan);
    expect(work).toMatchObject({ itemCount: 1, lookupCount: 1, rowCount: 1 });
    const scan = await container.page(container.plan("SELECT * FROM c WHERE c.n = c.n"));
    expect(scan.work).toMatchObject({ itemCount: 10, rowCount: 10 });
  });

  describe("of one source", () => {
    const ranges = cutAt("30", "31", "A0");
    const options = { ranges, isOfOneSource: true };

    test.each<readonly [string, RunOptions, readonly number[]]>([
      ["SELECT * FROM c", {}, [2, 0, 6, 2]],
      ["SELECT * FROM c", { countMax: 4 }, [2, 0, 4, 2, 2]],
      ["SELECT * FROM c", { countMax: 2 }, [2, 0, 2, 2, 2, 2]],
      ["SELECT * FROM c WHERE c.n IN (0, 5)", {}, [1, 0, 0, 1]],
      ["SELECT * FROM c WHERE c.n = 0", {}, [1]],
      ["SELECT * FROM c WHERE c.n > 100", {}, [0, 0, 0, 0]],
      ["SELECT * FROM c WHERE c.n = 5", {}, [0, 0, 0, 1]],
      [
        "SELECT VALUE x FROM c JOIN x IN (SELECT VALUE [1, 2])",
        { countMax: 3 },
        [3, 1, 0, 3, 3, 3, 3, 3, 1],
      ],
      ["SELECT * FROM c ORDER BY c.n", {}, [10]],
      ["SELECT DISTINCT c.n FROM c", {}, [10]],
      ["SELECT VALUE COUNT(1) FROM c", {}, [1]],
    ])("%s with %j: %j", async (text, more, expected) => {
      expect(await counts(text, { ...options, ...more })).toEqual(expected);
    });

    test("leaves what is behind it to the next one, so they add up to the whole", async () => {
      for (const text of [
        "SELECT * FROM c",
        "SELECT * FROM c WHERE c.n % 2 = 0",
        "SELECT * FROM c WHERE c.n < 6",
      ]) {
        const [whole] = await container.pages(text, { ranges });
        const pages = await container.pages(text, options);
        const sum = (of: (work: (typeof pages)[number]["work"]) => number): number =>
          pages.reduce((total, { work }) => total + of(work), 0);
        const { itemCount, lookupCount, visits } = whole!.work;
        expect(sum((work) => work.itemCount)).toBe(itemCount);
        expect(sum((work) => work.lookupCount)).toBe(lookupCount);
        expect(sum((work) => work.visits.length)).toBe(visits.length);
      }
    });
  });

  test("scoped to a part of the key space gives that part", async () => {
    const ranges = cutAt("30", "60");
    for (const text of [
      "SELECT VALUE c.n FROM c",
      "SELECT VALUE c.n FROM c ORDER BY c.n",
      "SELECT VALUE c.n FROM c WHERE c.n >= 0",
      "SELECT DISTINCT VALUE c.n FROM c",
      "SELECT VALUE COUNT(1) FROM c",
    ]) {
      for (const range of ranges) {
        const whole = await container.rows(text, { ranges: [range] });
        const part = await container.rows(text, { ranges: [range], isScoped: true, countMax: 2 });
        expect({ text, part }).toEqual({ text, part: whole });
      }
    }
  });
});
