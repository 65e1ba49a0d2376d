/** Rows of many keys as one stream: in order, with bounds, and without stumbling over errors. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareValues } from "./compareValues.ts";
import type { ClientPages } from "./container.ts";
import { keySource, MergedQuery } from "./mergedQuery.ts";

/** Pages of numbers by key; counts what is under way. */
function fakeOf(pagesByKey: ReadonlyMap<string, readonly (readonly number[])[]>) {
  const counts = { underWay: 0, underWayMax: 0, pages: 0 };
  const query = <T>(_text: unknown, options?: { partitionKey?: unknown }): ClientPages<T> => {
    const pages = pagesByKey.get(String(options?.partitionKey)) ?? [];
    let at = 0;
    return {
      hasMoreResults: () => at === 0 || at < pages.length,
      async fetchNext() {
        counts.underWayMax = Math.max(counts.underWayMax, ++counts.underWay);
        counts.pages++;
        const page = pages[at++];
        await new Promise((resolve) => setImmediate(resolve));
        counts.underWay--;
        if (page?.includes(-1) === true) throw new Error("this page is broken");
        return { requestCharge: 2, ...(page === undefined ? {} : { resources: [...page] as T[] }) };
      },
    };
  };
  return { counts, container: { items: { query } as never } };
}

const pageLists = fc.array(fc.array(fc.array(fc.nat(50), { maxLength: 4 }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test("is what sorting everything gives, within the bounds, each page paid once", async () => {
  const property = fc.asyncProperty(
    pageLists,
    fc.integer({ min: 1, max: 4 }),
    fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    async (lists, concurrency, limit) => {
      const sorted = lists.map((pages) => {
        const all = pages.flat().toSorted((a, b) => a - b);
        return pages.map((page) => all.splice(0, page.length));
      });
      const { counts, container } = fakeOf(new Map(sorted.map((pages, at) => [`k${at}`, pages])));
      const asked = { container, query: "", pageSize: 10, limit };
      const query = new MergedQuery<number>({
        groups: [sorted.map((_, at) => keySource([`k${at}`], asked))],
        compare: (a, b) => a - b,
        limit,
        concurrency,
      });
      const expected = lists.flat(2).toSorted((a, b) => a - b);
      expect(await collect(query.rows())).toEqual(expected.slice(0, limit));
      expect(counts.underWayMax).toBeLessThanOrEqual(concurrency);
      const paid = query.totals.reduce((sum, { ru }) => sum + ru, 0);
      expect(paid).toBe(2 * counts.pages);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

describe("groups", () => {
  const months = new Map(
    Array.from({ length: 6 }, (_, at) => [`m${at}`, [[at * 10, at * 10 + 1], [at * 10 + 2]]]),
  );
  const options = { compare: (a: number, b: number) => a - b, concurrency: 3 };
  type Fake = ReturnType<typeof fakeOf>["container"];
  const groupsOf = (container: Fake, limit?: number) =>
    [...months.keys()].map((key) => [
      keySource<number>([key], { container, query: "", pageSize: 10, limit }),
    ]);

  test("without a limit are opened ahead, as many as may be under way", async () => {
    const { counts, container } = fakeOf(months);
    const query = new MergedQuery<number>({ ...options, groups: groupsOf(container) });
    expect(await collect(query.rows())).toEqual([...months.values()].flat(2));
    expect(counts.underWayMax).toBe(3);
  });

  test("with a limit are opened when they are needed", async () => {
    const { container } = fakeOf(months);
    const groups = groupsOf(container, 4);
    const query = new MergedQuery<number>({ ...options, groups, limit: 4 });
    expect(await collect(query.rows())).toEqual([0, 1, 2, 10]);
    expect(query.totals.map(({ key }) => key)).toEqual([["m0"], ["m1"]]);
  });

  test("a page that fails ends the stream where it is, and nothing is left under way", async () => {
    const { counts, container } = fakeOf(new Map([...months, ["m3", [[30], [-1]]]]));
    const query = new MergedQuery<number>({ ...options, groups: groupsOf(container) });
    const rows: number[] = [];
    await expect(
      (async () => {
        for await (const row of query.rows()) rows.push(row);
      })(),
    ).rejects.toThrow("this page is broken");
    expect(rows.at(-1)).toBe(30);
    expect(counts.underWay).toBe(0);
  });
});

test("values are ordered as ORDER BY does", () => {
  const ordered = [undefined, null, false, true, -1, 0, 2, 10, "", "A", "a", "b", "\uffff", "😀"];
  for (const [at, a] of ordered.entries()) {
    for (const [other, b] of ordered.entries()) {
      expect(Math.sign(compareValues(a, b))).toBe(Math.sign(at - other));
    }
  }
});
