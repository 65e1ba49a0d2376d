/**
 * What a client gets that goes on with an old map: it names ranges that have been split or merged
 * since.
 *
 * One client never asks for the map again when a query is refused, so queries by a retired range id
 * are answered as if it still were there. Read feeds, change feeds and bulks are refused with what
 * makes every client that sends them look at the map again.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askOf, merge, rangeIds, split } from "../sdk/inside.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire } from "./wire.ts";

const RANGE_ID = "x-ms-documentdb-partitionkeyrangeid";
const CONTAINER = { id: "c", database: { id: "d" } };
const ITEM_COUNT = 60;

let wire: Wire;
/** By range id, the numbers of the items it stands for. */
const numbersOf = new Map<string, readonly number[]>();
const boundsOf = new Map<string, Bounds>();

interface Bounds {
  readonly id: string;
  readonly minInclusive: string;
  readonly maxExclusive: string;
}

beforeAll(async () => {
  wire = await openWire();
  for (let n = 0; n < ITEM_COUNT; n++) {
    const pk = `pk-${n % 20}`;
    const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([pk]) };
    const body = JSON.stringify({ id: `item-${n}`, pk, n, group: n % 4 });
    await expectStatus(201, wire.call("POST", ITEMS, { headers, body }));
  }
  // 0 → 1, 2; then 1 → 3, 4; then 4 and 2 become 5. What is left is 3 and 5.
  await remember();
  await split(wire.server, CONTAINER, { partitionId: "0" });
  await remember();
  await split(wire.server, CONTAINER, { partitionId: "1" });
  await remember();
  await merge(wire.server, CONTAINER, "4", "2");
  await remember();
  expect(await rangeIds(wire.server, CONTAINER)).toEqual(["3", "5"]);
});
afterAll(() => wire[Symbol.asyncDispose]());

async function remember(): Promise<void> {
  const ranges = await expectStatus(200, wire.call("GET", [...ITEMS.slice(0, 4), "pkranges"]));
  const { PartitionKeyRanges: list } = JSON.parse(String(ranges.body)) as {
    readonly PartitionKeyRanges: readonly Bounds[];
  };
  for (const bounds of list) boundsOf.set(bounds.id, bounds);
  for (const id of await rangeIds(wire.server, CONTAINER)) {
    if (numbersOf.has(id)) continue;
    const found = await rowsOf(id, "SELECT VALUE c.n FROM c WHERE IS_DEFINED(c.n)");
    numbersOf.set(
      id,
      (found as number[]).toSorted((a, b) => a - b),
    );
  }
}

const RETIRED = ["0", "1", "2", "4"];

describe("the ranges as they were", () => {
  test("had all items, each in one of them", () => {
    const of = (...ids: readonly string[]): readonly number[] =>
      ids.flatMap((id) => numbersOf.get(id)!).toSorted((a, b) => a - b);
    expect(of("0")).toEqual(Array.from({ length: ITEM_COUNT }, (_, n) => n));
    expect(of("1", "2")).toEqual(of("0"));
    expect(of("3", "4")).toEqual(of("1"));
    expect(of("5")).toEqual(of("4", "2"));
    for (const id of numbersOf.keys()) expect(of(id).length).toBeGreaterThan(0);
  });
});

describe.each(RETIRED)("the retired range %s", (id) => {
  test("is asked by a query, and answers with what it stood for", async () => {
    const rows = await rowsOf(id, "SELECT VALUE c.n FROM c WHERE IS_DEFINED(c.n)");
    expect((rows as number[]).toSorted((a, b) => a - b)).toEqual(numbersOf.get(id));
  });

  test.each([1, 7, 1000])("in order and in pages of %i", async (pageCount) => {
    const rows = await rowsOf(id, "SELECT VALUE c.n FROM c ORDER BY c.n DESC", pageCount);
    expect(rows).toEqual(numbersOf.get(id)!.toReversed());
  });

  test("aggregates", async () => {
    const numbers = numbersOf.get(id)!;
    expect(await rowsOf(id, "SELECT VALUE COUNT(c.n) FROM c")).toEqual([numbers.length]);
    expect(await rowsOf(id, "SELECT VALUE MAX(c.n) FROM c")).toEqual([Math.max(...numbers)]);
    const groups = await rowsOf(id, "SELECT c['group'] AS g FROM c GROUP BY c['group']", 1);
    const expected = new Set(numbers.map((n) => n % 4));
    const found = (groups as { readonly g?: number }[]).flatMap(({ g }) => g ?? []);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test("is no longer read as a feed: 410/1002, unless bounds say which keys are meant", async () => {
    for (const headers of [{}, { "a-im": "Incremental feed" }]) {
      const answer = await expectStatus(410, feed(id, { headers }));
      expect(answer.headers["x-ms-substatus"]).toBe("1002");
    }
    const { minInclusive, maxExclusive } = boundsOf.get(id)!;
    const headers = { "x-ms-start-epk": minInclusive, "x-ms-end-epk": maxExclusive };
    expect(await numbersIn(id, { headers })).toEqual(numbersOf.get(id));
  });

  test("takes no bulk: 410/1002, and nothing is done", async () => {
    const answer = await expectStatus(410, bulk(id, [upsert("by-bulk", "pk-1")]));
    expect(answer.headers["x-ms-substatus"]).toBe("1002");
    const headers = { "x-ms-documentdb-partitionkey": '["pk-1"]' };
    await expectStatus(404, wire.call("GET", [...ITEMS, "by-bulk"], { headers }));
  });
});

describe("a query that was begun", () => {
  test.each(["SELECT VALUE c.n FROM c WHERE c.n >= 0", "SELECT VALUE c.n FROM c ORDER BY c.n"])(
    "before a split goes on after it, by the old range: %s",
    async (text) => {
      const [, last] = await rangeIds(wire.server, CONTAINER);
      const expected = await rowsOf(last!, text);
      const first = await expectStatus(200, query(last!, text, 5));
      const [left, right] = await split(wire.server, CONTAINER, { partitionId: last! });
      const rows = [...documentsIn(first)];
      let continuation = first.headers["x-ms-continuation"];
      while (continuation !== undefined) {
        const page = await expectStatus(200, query(last!, text, 5, continuation));
        rows.push(...documentsIn(page));
        continuation = page.headers["x-ms-continuation"];
      }
      const inOrder = (values: readonly unknown[]) =>
        text.includes("ORDER BY") ? values : (values as number[]).toSorted((a, b) => a - b);
      expect(inOrder(rows)).toEqual(inOrder(expected));
      await merge(wire.server, CONTAINER, left!, right!);
      expect(inOrder(await rowsOf(last!, text))).toEqual(inOrder(expected));
    },
  );
});

describe("the cursor of a query by range", () => {
  const TEXT = "SELECT VALUE c.n FROM c WHERE c.n >= 0";

  test("is good for the children after a split, and for the whole within its bounds", async () => {
    const [, last] = await rangeIds(wire.server, CONTAINER);
    const expected = (await rowsOf(last!, TEXT)) as number[];
    const first = await expectStatus(200, query(last!, TEXT, 5));
    const token = first.headers["x-ms-continuation"]!;
    const children = await split(wire.server, CONTAINER, { partitionId: last! });
    await remember();
    const found = [...(documentsIn(first) as number[])];
    for (const child of children) {
      found.push(...((await rowsOf(child, TEXT, 1000, token)) as number[]));
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));

    const part = await expectStatus(200, query(children[0]!, TEXT, 1));
    const partToken = part.headers["x-ms-continuation"]!;
    await expectStatus(400, query(children[1]!, TEXT, 1, partToken));
    const [whole] = await merge(wire.server, CONTAINER, children[0]!, children[1]!);
    // Of the first part nothing says what became of the second.
    await expectStatus(400, query(whole!, TEXT, 1, partToken));
    const { minInclusive, maxExclusive } = boundsOf.get(children[0]!)!;
    const bounds = { "x-ms-start-epk": minInclusive, "x-ms-end-epk": maxExclusive };
    const rest = await expectStatus(200, query(whole!, TEXT, 1000, partToken, bounds));
    expect([...documentsIn(part), ...documentsIn(rest)]).toEqual(await rowsOf(children[0]!, TEXT));
  });
});

describe("a read feed that was begun", () => {
  test("before a split goes on in the children, each with the cursor of the parent", async () => {
    const [, last] = await rangeIds(wire.server, CONTAINER);
    const expected = await numbersIn(last!);
    const first = await expectStatus(200, feed(last!));
    const children = await split(wire.server, CONTAINER, { partitionId: last! });
    const continuation = first.headers["x-ms-continuation"]!;
    await expectStatus(410, feed(last!, { continuation }));
    const found = numbersAmong(first);
    for (const child of children) found.push(...(await numbersIn(child, { continuation })));
    expect(found.toSorted((a, b) => a - b)).toEqual(expected);
    await merge(wire.server, CONTAINER, children[0]!, children[1]!);
  });

  test("before a merge goes on in the whole, within its own bounds", async () => {
    const [first, second] = await rangeIds(wire.server, CONTAINER);
    await remember();
    const bounds = boundsOf.get(first!)!;
    const expected = await numbersIn(first!);
    const page = await expectStatus(200, feed(first!));
    const [whole] = await merge(wire.server, CONTAINER, first!, second!);
    const headers = {
      "x-ms-start-epk": bounds.minInclusive,
      "x-ms-end-epk": bounds.maxExclusive,
    };
    const continuation = page.headers["x-ms-continuation"]!;
    const found = [...numbersAmong(page), ...(await numbersIn(whole!, { headers, continuation }))];
    expect(found.toSorted((a, b) => a - b)).toEqual(expected);
    // The whole is more than the cursor was given for.
    await expectStatus(400, feed(whole!, { continuation }));
    await split(wire.server, CONTAINER, { partitionId: whole! });
  });
});

describe("a bulk", () => {
  test("without operations is answered with no results", async () => {
    for (const id of await rangeIds(wire.server, CONTAINER)) {
      const answer = await expectStatus(200, bulk(id, []));
      expect(String(answer.body)).toBe("[]");
    }
  });

  test("for a range that is there is done", async () => {
    const { partitionId } = await askOf<{ readonly partitionId: string }>(
      wire.server,
      CONTAINER,
      `locate?key=${encodeURIComponent('["pk-1"]')}`,
    );
    const answer = await expectStatus(200, bulk(partitionId, [upsert("done", "pk-1")]));
    expect(JSON.parse(String(answer.body))).toMatchObject([{ statusCode: 201 }]);
  });
});

describe("a range that never was", () => {
  test.each(["99", "-1", "x", "0x0"])("%s is gone for everybody: 410/1002", async (id) => {
    for (const attempt of [query(id, "SELECT * FROM c"), feed(id), bulk(id, [])]) {
      const answer = await expectStatus(410, attempt);
      expect(answer.headers["x-ms-substatus"]).toBe("1002");
    }
  });
});

async function rowsOf(
  rangeId: string,
  text: string,
  pageCount?: number,
  from?: string,
): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let continuation = from;
  do {
    const answer = await expectStatus(200, query(rangeId, text, pageCount, continuation));
    rows.push(...documentsIn(answer));
    continuation = answer.headers["x-ms-continuation"];
  } while (continuation !== undefined);
  return rows;
}

function query(
  rangeId: string,
  text: string,
  pageCount = 1000,
  continuation?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "true",
    "x-ms-documentdb-query-enablecrosspartition": "true",
    "x-ms-max-item-count": String(pageCount),
    [RANGE_ID]: rangeId,
    ...(continuation !== undefined && { "x-ms-continuation": continuation }),
    ...more,
  };
  return wire.call("POST", ITEMS, { headers, body: JSON.stringify({ query: text }) });
}

interface FeedCall {
  readonly continuation?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function feed(rangeId: string, { continuation, headers }: FeedCall = {}): Promise<Answer> {
  const all = {
    "x-ms-max-item-count": "9",
    [RANGE_ID]: rangeId,
    ...(continuation !== undefined && { "x-ms-continuation": continuation }),
    ...headers,
  };
  return wire.call("GET", ITEMS, { headers: all });
}

/** Of the items of a read feed, from a cursor to the end. */
async function numbersIn(rangeId: string, call: FeedCall = {}): Promise<readonly number[]> {
  const found: number[] = [];
  let { continuation } = call;
  do {
    const answer = await expectStatus(200, feed(rangeId, { ...call, continuation }));
    found.push(...numbersAmong(answer));
    continuation = answer.headers["x-ms-continuation"];
  } while (continuation !== undefined);
  return found.toSorted((a, b) => a - b);
}

function numbersAmong(answer: Answer): number[] {
  return (documentsIn(answer) as { readonly n?: number }[]).flatMap(({ n }) => n ?? []);
}

function bulk(rangeId: string, operations: readonly object[]): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    "x-ms-cosmos-is-batch-request": "true",
    "x-ms-cosmos-batch-atomic": "false",
    "x-ms-cosmos-batch-continue-on-error": "true",
    [RANGE_ID]: rangeId,
  };
  return wire.call("POST", ITEMS, { headers, body: JSON.stringify(operations) });
}

function upsert(id: string, pk: string): object {
  const partitionKey = JSON.stringify([pk]);
  return { operationType: "Upsert", partitionKey, resourceBody: { id, pk } };
}

function documentsIn({ body }: Answer): readonly unknown[] {
  return (JSON.parse(String(body)) as { readonly Documents: readonly unknown[] }).Documents;
}
