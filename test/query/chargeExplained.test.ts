/**
 * A charge explained through the official client: its parts add up to it, and what an index is said
 * to save is what it saves when it is there.
 */
import type { Container, IndexingPolicy, SqlQuerySpec } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainText } from "../../src/cli/query/explainText.ts";
import type { JsonObject } from "../../src/json/value.ts";
import type { Stage } from "../sdk/stage.ts";
import { openStage } from "../sdk/stage.ts";

interface Explained {
  readonly charge: {
    readonly ru: number;
    readonly parts: readonly {
      readonly part: string;
      readonly count: number;
      readonly ru: number;
    }[];
    readonly advice: readonly {
      readonly index: string;
      readonly paths: readonly string[];
      readonly ru: number;
      readonly saving: number;
    }[];
  };
}

const COUNT = 600;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function filled(id: string, indexingPolicy: IndexingPolicy): Promise<Container> {
  const made = { id, partitionKey: { paths: ["/pk"] }, indexingPolicy };
  const { container } = await stage.database.containers.create(made);
  const items = Array.from({ length: COUNT }, (_, at) => ({
    id: `${at}`,
    pk: "a",
    bus: `bus-${at % 30}`,
    at: 1_000_000 - at,
    note: `note-${at % 20}`,
  }));
  for (let from = 0; from < COUNT; from += 100) {
    const operations = items
      .slice(from, from + 100)
      .map((resourceBody) => ({ operationType: "Create", partitionKey: "a", resourceBody }));
    await container.items.bulk(operations as never);
  }
  return container;
}

interface Asked {
  readonly ru: number;
  readonly pages: readonly Explained[];
  readonly text: string;
}

/** All pages: on a busy machine one may end before it is full. */
async function asked(container: Container, query: SqlQuerySpec): Promise<Asked> {
  const iterator = container.items.query(query, {
    partitionKey: "a",
    initialHeaders: { "x-orrery-explain": "true" },
  });
  const pages: Explained[] = [];
  let ru = 0;
  while (iterator.hasMoreResults()) {
    const page = await iterator.fetchNext();
    const { headers } = page as unknown as { readonly headers: Record<string, string> };
    pages.push(JSON.parse(headers["x-orrery-explain"]!) as Explained);
    ru += page.requestCharge;
  }
  return { ru, pages, text: explainText(pages as unknown as readonly JsonObject[]) };
}

function partsIn(pages: readonly Explained[]): number {
  return pages.flatMap(({ charge }) => charge.parts).reduce((sum, { ru }) => sum + ru, 0);
}

/** What all pages together would have cost with the index that they advise. */
function advisedIn({ ru, pages }: Asked): number {
  const advice = pages.flatMap(({ charge }) => charge.advice);
  return ru - advice.reduce((sum, { saving }) => sum + saving, 0);
}

const EVERYTHING: IndexingPolicy = { includedPaths: [{ path: "/*" }] };
const BUS = [{ name: "@b", value: "bus-7" }];

describe("a charge", () => {
  test("of an order that passes over most entries says so, and what avoids it", async () => {
    const plain = await filled("plain", EVERYTHING);
    const query = "SELECT TOP 15 * FROM c WHERE c.bus = @b ORDER BY c.at DESC";
    const before = await asked(plain, { query, parameters: BUS });
    const { charge } = before.pages[0]!;
    expect(partsIn(before.pages)).toBeCloseTo(before.ru, 1);
    expect(charge.parts[0]).toMatchObject({ part: "orderedEntries" });
    expect(charge.advice[0]).toMatchObject({ index: "composite", paths: ["/bus ASC", "/at DESC"] });
    expect(charge.advice[0]!.ru + charge.advice[0]!.saving).toBeCloseTo(charge.ru, 1);
    expect(before.text).toMatch(
      /advice +[\d.]+ of [\d.]+ RU: [\d,]+ entries passed for ORDER BY; a composite index/,
    );
    expect(before.text).toContain(
      "a composite index on (/bus ASC, /at DESC) with ORDER BY c.bus, c.at DESC would avoid it",
    );

    const composite = await filled("composite", {
      ...EVERYTHING,
      compositeIndexes: [
        [
          { path: "/bus", order: "ascending" },
          { path: "/at", order: "descending" },
        ],
      ],
    });
    const other = "SELECT TOP 15 * FROM c WHERE c.bus = @b ORDER BY c.bus, c.at DESC";
    const then = await asked(composite, { query: other, parameters: BUS });
    expect(Math.abs(then.ru - advisedIn(before))).toBeLessThan(0.3);
    expect(then.pages.flatMap(({ charge }) => charge.advice)).toEqual([]);
  });

  test("of a filter that no index answers says which one would", async () => {
    const bare = await filled("bare", {
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/note/?" }],
    });
    const query = { query: "SELECT * FROM c WHERE c.note = 'note-3'" };
    const before = await asked(bare, query);
    const [advice] = before.pages[0]!.charge.advice;
    expect(advice).toMatchObject({ index: "path", paths: ["/note/?"] });
    expect(before.text).toMatch(/RU: 600 items read; an index on \/note\/\? would avoid it/);
    const plain = await filled("indexed", EVERYTHING);
    const then = await asked(plain, query);
    expect(then.ru).toBeLessThan(before.ru / 2);
    expect(Math.abs(then.ru - advisedIn(before))).toBeLessThan(0.3);
  });

  test("that no index would make less comes without advice", async () => {
    const plain = stage.database.container("plain");
    const { pages, text } = await asked(plain, {
      query: "SELECT * FROM c WHERE c.bus = @b",
      parameters: BUS,
    });
    expect(pages.flatMap(({ charge }) => charge.advice)).toEqual([]);
    expect(text).not.toContain("advice");
    expect(text).toContain("1 partition opened");
  });
});

test("shares of physical partitions add up to the charge, also those without room", async () => {
  const { container } = await stage.database.containers.create(
    { id: "shared", partitionKey: { paths: ["/pk"] } },
    { offerThroughput: 400_000 },
  );
  const items = Array.from({ length: 80 }, (_, at) => ({ id: `${at}`, pk: `${at}`, at }));
  await Promise.all(items.map((item) => container.items.create(item)));
  const iterator = container.items.query("SELECT * FROM c ORDER BY c.at", {
    maxItemCount: 1000,
    initialHeaders: { "x-orrery-explain": "true", "x-orrery-merge-query": "true" },
  });
  const page = await iterator.fetchNext();
  const { headers } = page as unknown as { readonly headers: Record<string, string> };
  const { charge, work } = JSON.parse(headers["x-orrery-explain"]!) as {
    readonly charge: { readonly partitions: readonly Readonly<Record<string, number>>[] };
    readonly work: { readonly indexMs: number; readonly loadMs: number };
  };
  const sum = (member: string): number =>
    charge.partitions.reduce((total, share) => total + Math.round(100 * share[member]!), 0) / 100;
  expect(sum("ru")).toBe(page.requestCharge);
  expect(sum("items")).toBe(80);
  expect(sum("rows")).toBe(80);
  // Hundredths of a millisecond of 40 partitions are rounded, each by itself.
  expect(Math.abs(sum("ms") - work.indexMs - work.loadMs)).toBeLessThan(0.5);
  expect(charge.partitions.filter(({ others }) => others !== undefined)).toHaveLength(1);
});
