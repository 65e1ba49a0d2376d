/** What a query's text says about access, as a table: one line for each way to write it. */
import { describe, expect, test } from "vitest";
import { type Access, accessOf } from "./access.ts";
import type { ParameterShape } from "./workload.ts";

const NOTHING: ParameterShape = {
  like: undefined,
  distribution: undefined,
  agoDays: undefined,
  values: undefined,
};
const ago = (agoDays: number): ParameterShape => ({ ...NOTHING, agoDays });
const example = (...values: readonly unknown[]): ParameterShape => ({
  ...NOTHING,
  values: values as NonNullable<ParameterShape["values"]>,
});

function access(sql: string, parameters: Readonly<Record<string, ParameterShape>> = {}): Access {
  return accessOf({ sql, parameters: new Map(Object.entries(parameters)) });
}

const where = (filter: string): string => `SELECT * FROM c WHERE ${filter}`;

/** "/a@p" is a path bound to a parameter, "/a×3" to three values, "/a=1" to a value of the text. */
function boundBy({ equal }: Access): string {
  const texts = [...equal].map(([path, { parameter, values, count }]) => {
    if (count > 1) return `${path}×${count}`;
    return parameter === undefined ? `${path}=${JSON.stringify(values?.[0])}` : path + parameter;
  });
  return texts.join(" ");
}

describe("what is bound", () => {
  test.each([
    ["c.a = @p", "/a@p"],
    ["@p = c.a", "/a@p"],
    ["c.id = @id", "/id@id"],
    ["c.Item.id = @p", "/Item/id@p"],
    ['c["a"].b = @p', "/a/b@p"],
    ['c["with space"] = 1', '/"with space"=1'],
    ["c.a = 'x' AND c.b = 2 AND c.d = null", '/a="x" /b=2 /d=null'],
    ["c.a = @p AND (c.b = 1 OR c.d = 2)", "/a@p"],
    ["c.a = 1 OR c.b = 2", ""],
    ["c.a = 1 OR c.a = 2 OR c.a IN (3, 4)", "/a×4"],
    ["c.a IN (@x, @y, @z)", "/a×3"],
    ["c.a IN (@x)", "/a@x"],
    ["c.a NOT IN (1, 2)", ""],
    ["c.a IN (1, c.b)", ""],
    ["c.a IN (1, 2, 3) AND c.a = 2", "/a=2"],
    ["c.a != 1", ""],
    ["NOT (c.a = 1)", ""],
    ["c.a = c.b", ""],
    ["LOWER(c.a) = @p", ""],
    ["c.a = LOWER(@p)", ""],
    ["c.isOpen", "/isOpen=true"],
    ["NOT c.isOpen AND c.a = 1", "/isOpen=false /a=1"],
    ["IS_NULL(c.a)", "/a=null"],
    ["c.tags[0] = 1", ""],
    ["c = 1", ""],
    ["other.a = 1", ""],
    ["ARRAY_CONTAINS(['a', 'b'], c.a)", "/a×2"],
    ["ARRAY_CONTAINS(@list, c.a)", ""],
    ["ARRAY_CONTAINS(c.tags, @tag)", ""],
    ["EXISTS(SELECT VALUE 1 FROM t IN c.tags WHERE t = 'x')", ""],
    ["c.a = (SELECT VALUE 1)", ""],
    ["c.a LIKE 'x'", ""],
    ["c.a > 1", ""],
    ["true", ""],
  ])("%s", (filter, expected) => {
    expect(boundBy(access(where(filter)))).toBe(expected);
  });

  test.each([
    ["SELECT * FROM orders o WHERE o.a = 1", "/a=1"],
    ["SELECT * FROM c AS x WHERE x.a = 1 AND c.b = 1", "/a=1"],
    ["SELECT * FROM ROOT r WHERE r.a = 1", "/a=1"],
    ["SELECT * FROM c.Item WHERE Item.id = 1", "/Item/id=1"],
    ["SELECT * FROM c JOIN t IN c.tags WHERE t.a = 1 AND c.b = 2", "/b=2"],
    ["SELECT VALUE x FROM x IN c.list WHERE x.a = 1", ""],
    ["SELECT * FROM (SELECT * FROM c WHERE c.a = 1) AS s WHERE s.b = 1", ""],
    ["SELECT VALUE c.a FROM c WHERE c.a = 1", "/a=1"],
    ["SELECT 1", ""],
    ["this is no query", ""],
  ])("%s", (sql, expected) => {
    expect(boundBy(access(sql))).toBe(expected);
  });

  test("a list that a parameter has as its example", () => {
    const found = access(where("ARRAY_CONTAINS(@ids, c.id)"), { "@ids": example(["a", "b", "d"]) });
    expect(found.equal).toEqual(
      new Map([["/id", { parameter: "@ids", values: ["a", "b", "d"], count: 3 }]]),
    );
  });

  test("the examples of a parameter come with it", () => {
    const found = access(where("c.a = @p"), { "@p": example("x", "y") });
    expect(found.equal.get("/a")).toEqual({ parameter: "@p", values: ["x", "y"], count: 1 });
  });

  test("a long chain is no deeper than a short one", () => {
    const filter = Array.from({ length: 400 }, (_, at) => `c.p${at} = ${at}`).join(" AND ");
    expect(access(where(filter)).equal.size).toBe(400);
  });
});

describe("ranges", () => {
  const parameters = {
    "@from": ago(7),
    "@to": ago(2),
    "@day": example("2026-05-01"),
    "@next": example("2026-05-03T12:00:00Z"),
    "@what": NOTHING,
  };
  const rangeText = ({ range }: Access): string =>
    range === undefined
      ? "none"
      : `${range.path} ${range.spanDays ?? "?"} days${range.isOpenEnded ? " and on" : ""}` +
        ` to ${range.endsDaysAgo ?? "?"} ago`;

  test.each([
    ["c.ts >= @from", "/ts 7 days and on to 0 ago"],
    ["@from <= c.ts", "/ts 7 days and on to 0 ago"],
    ["c.ts > @from AND c.ts < @to", "/ts 5 days to 2 ago"],
    ["c.ts BETWEEN @from AND @to", "/ts 5 days to 2 ago"],
    ["c.ts >= @day AND c.ts < @next", "/ts 2.5 days to ? ago"],
    ["c.ts >= '2026-05-01' AND c.ts < '2026-05-02'", "/ts 1 days to ? ago"],
    ["c._ts >= 1767225600 AND c._ts < 1767312000", "/_ts 1 days to ? ago"],
    ["c.ts < @to", "/ts ? days to 2 ago"],
    ["c.ts >= @unknown", "/ts ? days and on to 0 ago"],
    ["c.ts >= @what AND c.ts < @unknown", "/ts ? days to ? ago"],
    ["c.ts >= @from AND c.ts < @unknown", "/ts ? days to ? ago"],
    ["c.ts >= GetCurrentDateTime()", "/ts 0 days and on to 0 ago"],
    ["c.ts >= DateTimeAdd('dd', -30, GetCurrentDateTime())", "/ts 30 days and on to 0 ago"],
    ["c.ts >= GetCurrentTimestamp() - 172800000", "/ts 2 days and on to 0 ago"],
    ["c.price > 10 AND c.price < 20", "/price ? days to ? ago"],
    ["c.price > 10 AND c.ts >= @from", "/ts 7 days and on to 0 ago"],
    ["c.a = @from", "none"],
    ["c.ts NOT BETWEEN @from AND @to", "none"],
    ["c.ts >= @from OR c.a = 1", "none"],
    ["c.from < c.to", "none"],
  ])("%s", (filter, expected) => {
    expect(rangeText(access(where(filter), parameters))).toBe(expected);
  });

  test("all of them are there", () => {
    const { ranges } = access(where("c.price > 10 AND c.ts >= @from"), parameters);
    expect(ranges.map(({ path }) => path)).toEqual(["/price", "/ts"]);
  });
});

describe("what is made of it", () => {
  const bare = { top: undefined, order: undefined, isAggregate: false, hasJoin: false };
  test.each([
    ["SELECT * FROM c", bare],
    ["SELECT TOP 5 * FROM c", { top: 5 }],
    ["SELECT TOP @n * FROM c", { top: 9 }],
    ["SELECT * FROM c OFFSET 20 LIMIT 10", { top: 30 }],
    ["SELECT * FROM c ORDER BY c.ts DESC, c.a", { order: { path: "/ts", isDescending: true } }],
    ["SELECT * FROM c ORDER BY c.a", { order: { path: "/a", isDescending: false } }],
    ["SELECT COUNT(1) AS n FROM c", { isAggregate: true, hasGroupBy: false }],
    ["SELECT VALUE MAX(c.ts) FROM c", { isAggregate: true }],
    ["SELECT c.a, COUNT(1) FROM c GROUP BY c.a", { isAggregate: true, hasGroupBy: true }],
    ["SELECT DISTINCT c.a FROM c", { isDistinct: true, isAggregate: false }],
    ["SELECT * FROM c JOIN t IN c.tags", { hasJoin: true }],
    ["SELECT * FROM c WHERE CONTAINS(c.a, 'x', true)", { usesContains: true }],
    ["SELECT * FROM c WHERE c.a LIKE '%x'", { usesContains: true }],
    ["SELECT * FROM c WHERE c.a LIKE 'x%'", { usesContains: false }],
    ["SELECT * FROM c WHERE ENDSWITH(c.a, 'x') OR c.b = 1", { usesContains: true }],
    ["SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 'x')", { usesContains: false }],
  ])("%s", (sql, expected) => {
    expect(access(sql, { "@n": example(9) })).toMatchObject(expected);
  });

  test("a point operation has no text and binds nothing", () => {
    expect(accessOf({ sql: undefined, parameters: new Map() }).equal.size).toBe(0);
  });
});
