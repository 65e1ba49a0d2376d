/** What is told of a plan: which steps in which order, and never more than there is room for. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { ListContainer } from "../execute/listSource.fake.ts";
import { parseQuery } from "../language/parser.ts";
import type { Detail } from "./explain.ts";
import { explain } from "./explain.ts";

const ITEMS: readonly JsonObject[] = Array.from({ length: 200 }, (_, n) => ({
  id: `i${n}`,
  n,
  k: n % 3,
  tags: [`a${n % 4}`],
}));

const ROOMY: Detail = { textMax: 1_000, countMax: 100 };

async function explained(text: string, detail = ROOMY): Promise<JsonObject> {
  const list = new ListContainer(ITEMS, {
    policy: {
      compositeIndexes: [
        [
          { path: "/k", order: "ascending" },
          { path: "/n", order: "ascending" },
        ],
      ],
    },
  });
  const query = parseQuery(text);
  if (!query.ok) throw new Error(`no query: ${text}`);
  const plan = list.plan(text);
  const { work } = await list.page(plan, undefined, { countMax: 5 });
  return explain({ query: query.value, plan, work, compileMs: 1, partitionIds: ["0"] }, detail);
}

/** `outer < inner < access`, with what stands beside each. */
function steps(node: JsonValue | undefined): string {
  if (node === undefined || !isObject(node)) return "";
  const { step, of, lookups, ...rest } = node as Record<string, JsonValue>;
  const facts = [...Object.values(rest), ...(lookups === undefined ? [] : [lookups])]
    .map((fact) => (typeof fact === "string" ? fact : JSON.stringify(fact)))
    .join(" ");
  const told = facts === "" ? String(step) : `${step}(${facts})`;
  return of === undefined ? told : `${told} < ${steps(of)}`;
}

const used = (path: string, condition: string): string =>
  JSON.stringify({ path, condition, used: true });

describe("the steps of a plan", () => {
  test.each<[string, string]>([
    ["SELECT * FROM c", "project(*) < access(scan)"],
    [
      "SELECT c.id FROM c WHERE c.n = 3",
      `project(c.id) < filter((c.n = 3)) < access(seek [${used("/n", "=")}])`,
    ],
    [
      "SELECT TOP 2 VALUE t FROM c JOIN t IN c.tags WHERE t = 'a1' OR c.n < 4",
      'cut(2) < project(VALUE t) < filter(((t = "a1") OR (c.n < 4))) < join(["t IN c.tags"])' +
        ` < access(index [{"or":[${used("/tags/[]", "=")},${used("/n", "<")}]}])`,
    ],
    [
      "SELECT c.k, COUNT(1) AS n, SUM(c.n) AS s FROM c GROUP BY c.k OFFSET 1 LIMIT @n",
      'cut(1 @n) < project(c.k, COUNT(1) AS n, SUM(c.n) AS s) < group(c.k ["COUNT","SUM"])' +
        " < access(scan)",
    ],
    [
      "SELECT VALUE COUNT(1) FROM c",
      'project(VALUE COUNT(1)) < aggregate(["COUNT"]) < access(index only)',
    ],
    ["SELECT DISTINCT c.k, c.id FROM c", "distinct < project(c.k, c.id) < access(scan)"],
    [
      "SELECT VALUE c.n FROM c ORDER BY c.n DESC",
      'project(VALUE c.n) < access(order by index ["/n DESC"])',
    ],
    [
      "SELECT VALUE c.n FROM c ORDER BY c.k DESC, c.n DESC",
      'project(VALUE c.n) < access(order by composite index ["/k DESC","/n DESC"])',
    ],
    [
      "SELECT VALUE c.n FROM c WHERE c.n < 4 ORDER BY c.id",
      "sort(c.id) < project(VALUE c.n) < filter((c.n < 4))" +
        ` < access(index [${used("/n", "<")}])`,
    ],
    [
      "SELECT * FROM c WHERE c.k = 1 AND c.n > 100",
      "project(*) < filter(((c.k = 1) AND (c.n > 100))) < access(index " +
        `[${used("(/k ASC, /n ASC)", "composite")},` +
        '{"path":"/k","condition":"=","used":false},{"path":"/n","condition":">","used":false}])',
    ],
    [
      "SELECT COUNT(1) AS n FROM (SELECT DISTINCT VALUE c.k FROM c WHERE c.n = 1)",
      'project(COUNT(1) AS n) < aggregate(["COUNT"]) < collect < distinct < project(VALUE c.k)' +
        ` < filter((c.n = 1)) < access(seek [${used("/n", "=")}])`,
    ],
    ["SELECT VALUE 1", "project(VALUE 1) < constant"],
    [
      "SELECT * FROM c WHERE c.n = 1 AND c.k = c.n",
      `project(*) < filter(((c.n = 1) AND (c.k = c.n))) < access(seek [${used("/n", "=")}])`,
    ],
  ])("%s", async (text, expected) => {
    const plan = property(await explained(text.replace("@n", "3")), "plan");
    expect(steps(plan)).toBe(expected.replace("@n", "3"));
  });
});

test("the work is that of the page", async () => {
  const { work } = (await explained("SELECT * FROM c WHERE c.n >= 190 AND c.k = c.k")) as {
    readonly work: JsonObject;
  };
  expect(work).toMatchObject({ partitions: ["0"], access: ["index(10)"], rows: 5, misses: 0 });
  expect(work["items"]).toBeGreaterThanOrEqual(5);
  expect(work["terms"]).toBe(10);
});

test("an explanation has a bounded size, whatever the query", async () => {
  const name = fc.string({ minLength: 1, maxLength: 100, unit: "binary" });
  const condition = fc
    .tuple(name, fc.constantFrom("=", "<", ">"))
    .map(([path, operator]) => `c[${JSON.stringify(path)}] ${operator} 1`);
  const where = fc.array(condition, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(where, fc.constantFrom(" AND ", " OR "), async (conditions, joint) => {
      const text = `SELECT * FROM c WHERE ${conditions.join(joint)}`;
      const told = JSON.stringify(await explained(text, { textMax: 20, countMax: 2 }));
      expect(told.length).toBeLessThan(1_500);
    }),
    { numRuns: 20 },
  );
});
