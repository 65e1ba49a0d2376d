/**
 * What clients put where the rewritten text of an order has its placeholder makes no other query of
 * it; whatever else is changed does.
 */
import { describe, expect, test } from "vitest";
import { firstAliasOf } from "../keyRanges/itemPaths.ts";
import type { Query } from "../language/ast.ts";
import { parseQuery } from "../language/parser.ts";
import { printQuery } from "../language/printer.ts";
import { rewriteOrderBy } from "./planRewrite.ts";
import { withoutResumeFilter } from "./resumeFilter.ts";

const PLACEHOLDER = "{documentdb-formattableorderbyquery-filter}";

function parsed(text: string): Query {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(`${text}: ${JSON.stringify(query.error)}`);
  return query.value;
}

/** As a client sends a query of its user to one range. */
function sent(text: string, condition: string): string {
  const query = parsed(text);
  const rewritten = printQuery(rewriteOrderBy(query, firstAliasOf(query.from)!));
  return rewritten.replace(PLACEHOLDER, condition);
}

const bare = (text: string): string => printQuery(withoutResumeFilter(parsed(text)));

const QUERIES = [
  "SELECT * FROM c ORDER BY c.a",
  "SELECT * FROM c ORDER BY c.a DESC, c.b",
  "SELECT * FROM c WHERE c.a > 5 ORDER BY c.a",
  "SELECT * FROM c WHERE c.a >= 1 AND c.b >= 2 ORDER BY c.a, c.b",
  "SELECT * FROM c WHERE c.x = 1 OR c.y = @y ORDER BY c.a, c.b DESC",
  "SELECT VALUE c.a FROM c ORDER BY c.a",
  "SELECT VALUE c.b FROM c WHERE IS_DEFINED(c.b) ORDER BY c.a, c.b",
  "SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = 'x' ORDER BY c.a",
  "SELECT TOP 3 c.id FROM c ORDER BY c.a",
];

/** What the clients of JavaScript, .NET and Java write for orders by `c.a`, or `c.a` and `c.b`. */
const ONE_COLUMN = [
  "(c.a > 5)",
  "(c.a <= 'it\\u0027s \\\\')",
  "(c.a >= null)",
  "(c.a >= -3)",
  "( c.a > 5 OR IS_STRING(c.a) OR IS_ARRAY(c.a) OR IS_OBJECT(c.a) )",
  '( c.a >= "B" OR IS_ARRAY(c.a) )',
  '( c.a > {"x": [1, true]} )',
  "IS_DEFINED(c.a)",
  "NOT IS_DEFINED(c.a)",
  "false",
];
const TWO_COLUMNS = [
  "(c.a >= 1 AND c.b >= 2)",
  "(c.a <= 1 AND c.b >= 'x')",
  "((c.a > 1 OR IS_STRING(c.a) )) OR ((c.a = 1 ) AND (c.b >= 2 OR IS_STRING(c.b) ))",
];

describe.each(QUERIES)("%s", (text) => {
  const hasTwo = /ORDER BY.*,/.test(text);

  test.each(hasTwo ? [...ONE_COLUMN, ...TWO_COLUMNS] : ONE_COLUMN)(
    "is the same query with the condition %s",
    (condition) => {
      expect(bare(sent(text, condition))).toBe(bare(sent(text, "true")));
      expect(bare(sent(text, "true"))).not.toContain("AND true");
    },
  );

  test.each(["c.other > 5", "c.a > c.b", "c.a > @p", "c.a > 5 OR c.other = 1", "udf.IS_X(c.a)"])(
    "is another query with the condition %s, which is not about its order",
    (condition) => expect(bare(sent(text, condition))).not.toBe(bare(sent(text, "true"))),
  );
});

test("no two of them become the same", () => {
  const texts = QUERIES.flatMap((text) => bare(sent(text, "true")));
  expect(new Set(texts).size).toBe(QUERIES.length);
});

test.each([
  "SELECT * FROM c WHERE c.a > 5 ORDER BY c.a",
  "SELECT c._rid, c.a AS orderByItems FROM c WHERE c.a > 5 ORDER BY c.a",
  "SELECT c._rid, c.a AS orderByItems, c AS payload FROM c WHERE c.a > 5",
])("what no client rewrote stays as it is: %s", (text) => {
  expect(bare(text)).toBe(printQuery(parsed(text)));
});
