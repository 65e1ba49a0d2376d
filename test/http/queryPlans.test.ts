/** Query plans as plain requests: what a key in the headers makes of them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, openWire } from "./wire.ts";

type Headers = Readonly<Record<string, string>>;

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  for (const [id, paths, kind] of [
    ["wide", ["/pk"], "Hash"],
    ["tree", ["/tenant", "/user"], "MultiHash"],
  ] as const) {
    const body = JSON.stringify({ id, partitionKey: { paths, kind, version: 2 } });
    const headers = { "x-ms-offer-throughput": "30000" };
    await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body, headers }));
  }
  for (let n = 0; n < 12; n++) {
    const item = { id: String(n), pk: `p${n % 2}`, tenant: "t", user: `u${n % 2}`, n: n % 4 };
    await write("wide", item, [item.pk]);
    await write("tree", item, [item.tenant, item.user]);
  }
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const itemsOf = (container: string): readonly string[] => ["dbs", "d", "colls", container, "docs"];
const keyHeader = (key: unknown): Headers => ({
  "x-ms-documentdb-partitionkey": JSON.stringify(key),
});

async function write(container: string, item: unknown, key: unknown): Promise<void> {
  const request = { body: JSON.stringify(item), headers: keyHeader(key) };
  await expectStatus(201, wire.call("POST", itemsOf(container), request));
}

interface WirePlan {
  readonly queryInfo: Readonly<Record<string, unknown>>;
  readonly queryRanges: readonly { readonly min: string; readonly max: string }[];
}

/** What Java's client can do, but for counting distinct rows. */
const FEATURES = "Aggregate, Distinct, MultipleOrderBy, OffsetAndLimit, OrderBy, Top, GroupBy";

function askPlan(container: string, query: string, headers: Headers = {}): Promise<Answer> {
  return wire.call("POST", itemsOf(container), {
    body: JSON.stringify({ query }),
    headers: {
      "x-ms-cosmos-is-query-plan-request": "True",
      "x-ms-cosmos-supported-query-features": FEATURES,
      "content-type": "application/query+json",
      ...headers,
    },
  });
}

async function planOf(container: string, query: string, headers?: Headers): Promise<WirePlan> {
  const { body } = await expectStatus(200, askPlan(container, query, headers));
  return JSON.parse(body.toString()) as WirePlan;
}

async function rowsOf(query: string, headers: Headers): Promise<readonly unknown[]> {
  const asked = {
    body: JSON.stringify({ query }),
    headers: {
      "x-ms-documentdb-isquery": "true",
      "content-type": "application/query+json",
      ...headers,
    },
  };
  const { body } = await expectStatus(200, wire.call("POST", itemsOf("wide"), asked));
  return (JSON.parse(body.toString()) as { readonly Documents: readonly unknown[] }).Documents;
}

describe("with a full key in the headers", () => {
  test.each([
    ["a subquery over all rows", "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT c.n FROM c)", [2]],
    ["rows of TOP", "SELECT VALUE x.n FROM (SELECT TOP 1 * FROM c) x", [0]],
    ["groups inside", "SELECT VALUE g.k FROM (SELECT c.pk AS k FROM c GROUP BY c.pk) g", ["p0"]],
    ["aggregates that are part of more", "SELECT VALUE MAX(c.n) - MIN(c.n) FROM c", [2]],
    ["what the client cannot merge", "SELECT VALUE COUNTIF(c.n = 2) FROM c", [3]],
  ])("%s: not refused, and left to who has the key", async (_rule, query, expected) => {
    const refused = await expectStatus(400, askPlan("wide", query));
    expect(refused.body.toString()).toMatch(/not supported|not allowed|does not support/);
    const { queryInfo } = await planOf("wide", query, keyHeader(["p0"]));
    expect(queryInfo).toMatchObject({
      rewrittenQuery: "",
      hasSelectValue: true,
      orderBy: [],
      aggregates: [],
      distinctType: "None",
    });
    expect(await rowsOf(query, keyHeader(["p0"]))).toEqual(expected);
  });

  test("the range of the plan is that of the key, whatever the filter says", async () => {
    const [own] = (await planOf("wide", "SELECT * FROM c WHERE c.pk = 'p1'")).queryRanges;
    const { min } = own!;
    const point = { min, max: min, isMinInclusive: true, isMaxInclusive: true };
    for (const query of ["SELECT * FROM c", "SELECT * FROM c WHERE c.pk = 'p1' AND c.n > 1"]) {
      expect((await planOf("wide", query, keyHeader(["p1"]))).queryRanges).toEqual([point]);
    }
    const other = await planOf("wide", "SELECT * FROM c WHERE c.pk = 'p0'", keyHeader(["p1"]));
    expect(other.queryRanges).toMatchObject([{ min: "", max: "" }]);
  });

  test("what clients merge they are told to, as without a key", async () => {
    const query = "SELECT c.n FROM c ORDER BY c.n";
    const { queryInfo } = await planOf("wide", query, keyHeader(["p0"]));
    expect(queryInfo).toEqual((await planOf("wide", query)).queryInfo);
  });

  test("so is a hierarchical one", async () => {
    const query = "SELECT VALUE x.n FROM (SELECT TOP 1 * FROM c) x";
    await planOf("tree", query, keyHeader(["t", "u0"]));
  });
});

describe("with another key in the headers", () => {
  test("the beginning of one narrows the ranges, and several keys stay several", async () => {
    const [range] = (await planOf("tree", "SELECT * FROM c", keyHeader(["t"]))).queryRanges;
    expect(range!.min).not.toBe("");
    expect(range!.max).toBe(`${range!.min}FF`);
    const whole = "SELECT VALUE x.n FROM (SELECT TOP 1 * FROM c) x";
    await expectStatus(400, askPlan("tree", whole, keyHeader(["t"])));
  });

  test.each([
    ["too many components", ["p0", "p1"]],
    ["what is no key", { a: 1 }],
  ])("%s: refused", async (_rule, key) => {
    await expectStatus(400, askPlan("wide", "SELECT * FROM c", keyHeader(key)));
  });

  test("a query that is wrong is refused with a key, too", async () => {
    await expectStatus(400, askPlan("wide", "SELECT TOP @n * FROM c", keyHeader(["p0"])));
    await expectStatus(400, askPlan("wide", "SELECT x.n FROM c", keyHeader(["p0"])));
  });
});
