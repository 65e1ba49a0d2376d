/** What is kept of a query's text, what its parameters are compared with, and what is a secret. */
import { describe, expect, test } from "vitest";
import { parseItemPath, pathText } from "./itemPath.ts";
import type { QueryShape } from "./queryShape.ts";
import { queryShapeOf } from "./queryShape.ts";
import { Secrets } from "./secrets.ts";
import { timeIn } from "./timeValue.ts";

function secretsOf(...texts: string[]): Secrets {
  const secrets = Secrets.parse(texts);
  if (!secrets.ok) throw new Error(secrets.error);
  return secrets.value;
}

function shapeOf(text: string, ...secretPaths: string[]): QueryShape {
  const secrets = secretsOf(...secretPaths);
  const shape = queryShapeOf(text, { secrets, computedNames: new Set(["cpEmail"]) });
  if (shape === undefined) throw new Error("no query");
  return shape;
}

describe("what a parameter is compared with", () => {
  test.each<[string, string[]]>([
    ["SELECT * FROM c WHERE c.a = @x", ["/a equal"]],
    ["SELECT * FROM c WHERE @x = c.a.b", ["/a/b equal"]],
    ['SELECT * FROM c WHERE c["a b"] = @x', ['/"a b" equal']],
    ["SELECT * FROM c WHERE c.a >= @x", ["/a range"]],
    ["SELECT * FROM c WHERE c.a BETWEEN @x AND 5", ["/a range"]],
    ["SELECT * FROM c WHERE c.a IN (1, @x)", ["/a in"]],
    ["SELECT * FROM c WHERE ARRAY_CONTAINS(@x, c.a)", ["/a in"]],
    ["SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, @x)", ["/tags/[] equal"]],
    ["SELECT * FROM c WHERE c.a LIKE @x", ["/a other"]],
    ["SELECT * FROM c WHERE STARTSWITH(c.a, @x)", ["/a other"]],
    ["SELECT * FROM c WHERE StringEquals(c.a, @x, true)", ["/a equal"]],
    ["SELECT * FROM c WHERE c.a != @x", ["/a other"]],
    ["SELECT * FROM c WHERE c.a = @x OR c.b < @x", ["/a equal", "/b range"]],
    ["SELECT * FROM o IN c.orders WHERE o.a = @x", ["/orders/[]/a equal"]],
    ["SELECT t FROM c JOIN t IN c.tags WHERE t.n = @x", ["/tags/[]/n equal"]],
    ["SELECT * FROM c WHERE EXISTS(SELECT 1 FROM t IN c.tags WHERE t = @x)", ["/tags/[] equal"]],
    ["SELECT * FROM c WHERE LOWER(c.a) = @x", []],
    ["SELECT * FROM c WHERE c.a > c.b + @x", []],
  ])("%s", (text, expected) => {
    const shape = shapeOf(text);
    expect(shape.text).toBe(text);
    const compared = shape.parameters.get("@x")?.compared ?? [];
    expect(compared.map(({ path, comparison }) => `${path} ${comparison}`)).toEqual(expected);
  });

  test("what is no query has no shape", () => {
    const setting = { secrets: secretsOf(), computedNames: new Set<string>() };
    expect(queryShapeOf("SELECT FROM WHERE", setting)).toBeUndefined();
  });

  test("a chain of thousands of comparisons is no trouble", () => {
    const chain = Array.from({ length: 2_000 }, (_, at) => `c.a = ${at}`).join(" OR ");
    expect(shapeOf(`SELECT * FROM c WHERE ${chain}`, "/a").literals.size).toBe(2_000);
  });
});

describe("secret literals become parameters", () => {
  test.each<[string, string]>([
    [
      "SELECT * FROM c WHERE c.user.email = 'canary' AND c.n = 5",
      "SELECT * FROM c WHERE c.user.email = @literal1 AND c.n = 5",
    ],
    ["SELECT * FROM c WHERE c.user.email.x = 'canary'", "…= @literal1"],
    ["SELECT * FROM c WHERE c.user = {email: 'canary'}", "…{email: @literal1}"],
    ["SELECT * FROM c WHERE c = {user: {email: 'canary'}}", "…{user: {email: @literal1}}"],
    [
      "SELECT * FROM c WHERE CONTAINS(c.user.email, 'canary')",
      "…CONTAINS(c.user.email, @literal1)",
    ],
    ["SELECT * FROM c WHERE LOWER(c.user.email) = 'canary'", "…LOWER(c.user.email) = @literal1"],
    ["SELECT * FROM c WHERE c.user.email LIKE 'canary%'", "…LIKE @literal1"],
    ["SELECT * FROM c WHERE c.user.email IN ('canary', 'b')", "…IN (@literal1, @literal2)"],
    [
      "SELECT * FROM c WHERE ARRAY_CONTAINS(['canary'], c.user.email)",
      "…[@literal1], c.user.email)",
    ],
    ["SELECT * FROM c WHERE c['us' || 'er'].email = 'canary'", "…= @literal3"],
    ["SELECT * FROM u IN c.user WHERE u.email = 'canary'", "…= @literal1"],
    ["SELECT * FROM c WHERE (LET x = c.user.email IN x = 'canary')", "…x = @literal1)"],
    ["SELECT * FROM c WHERE c.cpEmail = 'canary'", "…= @literal1"],
    ["SELECT 'canary' AS x, c.user.email FROM c", "SELECT @literal1 AS x, c.user.email FROM c"],
    ["SELECT * FROM (SELECT VALUE c.user.email FROM c) e WHERE e = 'canary'", "…e = @literal1"],
    ["SELECT * FROM c WHERE c.user.email = true", "…= @literal1"],
    ["SELECT * FROM c WHERE c.user.email = -7", "…= -@literal1"],
    ["SELECT TOP 7 * FROM c WHERE c.user.email = 'canary'", "SELECT TOP 7 *…"],
    ["SELECT * FROM c WHERE c.user.email = @literal1 OR c.user.email = 'canary'", "…@literal_1"],
  ])("%s", (text, expected) => {
    const { text: kept, literals, parameters } = shapeOf(text, "/user/email");
    expect(kept).not.toContain("canary");
    if (expected.startsWith("…")) expect(kept.endsWith(expected.slice(1))).toBe(true);
    else if (expected.endsWith("…")) expect(kept.startsWith(expected.slice(0, -1))).toBe(true);
    else expect(kept).toBe(expected);
    for (const name of literals.keys()) expect(parameters.get(name)?.isSecret).toBe(true);
  });

  test.each([
    "SELECT * FROM c WHERE c.status = 'open'",
    "SELECT c.id, 5 AS n FROM c WHERE c.at > DateTimeAdd('day', -7, GetCurrentDateTime())",
    "SELECT VALUE c FROM c WHERE c.user.name = 'ada'",
  ])("nothing is changed that has nothing to do with it: %s", (text) => {
    expect(shapeOf(text, "/user/email").text).toBe(text);
  });

  test("comments are dropped, because anything may be in them", () => {
    const { text } = shapeOf("SELECT * FROM c -- canary\nWHERE c.a = '--'", "/user/email");
    expect(text).not.toContain("canary");
  });

  test("under * every value is secret, and so is every parameter", () => {
    const text = "SELECT 'canary' AS x FROM c WHERE c.a = 'canary' AND c.b = @b AND c.n = 17";
    const shape = shapeOf(text, "*");
    expect(shape.text).not.toMatch(/canary|17/);
    expect(shape.parameters.get("@b")?.isSecret).toBe(true);
  });

  test("names below a secret place are not told", () => {
    const { parameters } = shapeOf("SELECT * FROM c WHERE c.user.secretName = @x", "/user");
    expect(parameters.get("@x")?.compared).toEqual([{ path: "/user", comparison: "equal" }]);
  });
});

describe("secret places", () => {
  test.each<[string, string, string]>([
    ["/a/b", "/a/b", "secret"],
    ["/a/b", "/a/b/c", "secret"],
    ["/a/b", "/a", "above"],
    ["/a/b", "/a/bc", "apart"],
    ["/a/b", "/b", "apart"],
    ["/list/email", "/list/[]/email", "secret"],
    ["/list/0/email", "/list/[]/email", "secret"],
    ["/list/[]", "/list/[]/email", "secret"],
    ["/a/*", "/a/b", "secret"],
    ["/a/?", "/a", "secret"],
    ["*", "/anything", "secret"],
  ])("under %s, %s is %s", (secret, path, relation) => {
    expect(secretsOf(secret).relationOf(parseItemPath(path)!)).toBe(relation);
  });

  test.each(["", "a", "/", "//a", "/a//b", "/0", '/"a'])("'%s' is refused", (text) => {
    expect(Secrets.parse([text]).ok).toBe(false);
  });

  test.each(["/a", "/a/b", '/"a b"/c', '/"a/b"', "/tags/[]/n"])(
    "%s is read and written",
    (text) => {
      expect(pathText(parseItemPath(text)!)).toBe(text);
    },
  );
});

describe("instants", () => {
  const NOW = Date.UTC(2026, 4, 15, 14, 10);
  test.each<[string | number, string, string | undefined]>([
    ["2026-05-15T14:00:30Z", "2026-05-15T14:00:30.000Z", "second"],
    ["2026-05-15T14:07:00Z", "2026-05-15T14:07:00.000Z", "minute"],
    ["2026-05-15T16:00:00+02:00", "2026-05-15T14:00:00.000Z", "hour"],
    ["2026-05-15", "2026-05-15T00:00:00.000Z", "day"],
    ["2026-05", "2026-05-01T00:00:00.000Z", "month"],
    ["2026", "2026-01-01T00:00:00.000Z", "year"],
    [NOW - 1, "2026-05-15T14:09:59.999Z", "second"],
    [NOW / 1000 - 60, "2026-05-15T14:09:00.000Z", "minute"],
  ])("%s", (value, at, grain) => {
    expect(timeIn(value, NOW)).toEqual({ at: Date.parse(at), grain });
  });

  test.each(["1850-01-01", "2026-13-01", "order-2026", "17", 17, 4_000_000_000_000, Number.NaN])(
    "%s is none",
    (value) => {
      expect(timeIn(value, NOW)).toBeUndefined();
    },
  );
});
