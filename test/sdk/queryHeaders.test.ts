/** What answers say of their work, as the official client hands it on. */
import type { Container, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

let stage: Stage;
let container: Container;
const MERGED = { "x-orrery-merge-query": "true" };

beforeAll(async () => {
  stage = await openStage();
  const definition = {
    id: "c",
    partitionKey: "/pk",
    throughput: 20_000,
    indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/secret/?" }] },
  };
  ({ container } = await stage.database.containers.create(definition));
  for (let n = 0; n < 40; n++) {
    await container.items.create({ id: `i${n}`, pk: `p${n % 4}`, n, secret: n, "50 %+é": n });
  }
});

afterAll(() => stage[Symbol.asyncDispose]());

async function headersOf(
  query: string,
  headers: Readonly<Record<string, string>>,
  options: FeedOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const iterator = container.items.query(query, {
    ...options,
    initialHeaders: headers,
  } as FeedOptions);
  return headersIn(await iterator.fetchNext());
}

/** The client keeps them to itself, but for a few. */
function headersIn(page: object): Readonly<Record<string, string>> {
  return Reflect.get(page, "headers") as Record<string, string>;
}

/** Of the one answer that the page was made from. */
function metricsIn(page: object): Readonly<Record<string, number>> {
  const byRange: object = Object(headersIn(page)["x-ms-documentdb-query-metrics"]);
  return Object.values(byRange)[0] as Record<string, number>;
}

describe("index utilization", () => {
  test("is read by the client, whatever the names are made of", async () => {
    const query = 'SELECT * FROM c WHERE c["50 %+é"] = 3 AND c.secret = 3';
    const { indexMetrics } = await container.items
      .query(query, { populateIndexMetrics: true })
      .fetchNext();
    expect(JSON.parse(indexMetrics)).toEqual({
      UtilizedIndexes: { SingleIndexes: [{ IndexSpec: '/"50 %+é"/?' }], CompositeIndexes: [] },
      PotentialIndexes: {
        SingleIndexes: [{ IndexSpec: "/secret/?", IndexImpactScore: "High" }],
        CompositeIndexes: [],
      },
    });
  });

  test("is there on every page, and when the client merges ranges itself", async () => {
    for (const query of ["SELECT * FROM c WHERE c.n < 9", "SELECT * FROM c ORDER BY c.n"]) {
      const iterator = container.items.query(query, {
        populateIndexMetrics: true,
        maxItemCount: 3,
      });
      const { indexMetrics } = await iterator.fetchNext();
      expect(indexMetrics).toContain('"/n/?"');
    }
  });

  test("has an older form, which names the scope of one logical partition", async () => {
    const asked = { "x-ms-cosmos-populateindexmetrics": "true" };
    const headers = await headersOf("SELECT * FROM c", asked, { partitionKey: "p1" });
    const text = Buffer.from(headers["x-ms-cosmos-index-utilization"]!, "base64").toString();
    expect(JSON.parse(text)).toMatchObject({
      UtilizedSingleIndexes: [{ IndexSpec: "/_epk/?", FilterExpression: "" }],
      PotentialSingleIndexes: [],
      UtilizedCompositeIndexes: [],
      PotentialCompositeIndexes: [],
    });
  });

  test("is not told unasked", async () => {
    const headers = await headersOf("SELECT * FROM c", {});
    expect(headers).not.toHaveProperty("x-ms-cosmos-index-utilization");
    expect(headers).not.toHaveProperty("x-orrery-explain");
  });
});

describe("query metrics", () => {
  test.each<[string, string, number, number]>([
    ["items that the filter turned down are no hits", "c.n < 10 AND c.secret < 5", 10, 5],
    ["what the index found are", "c.n < 10", 10, 10],
  ])("%s", async (_rule, where, read, hit) => {
    const query = `SELECT * FROM c WHERE ${where}`;
    const page = await container.items
      .query(query, {
        populateQueryMetrics: true,
        maxItemCount: 100,
        initialHeaders: MERGED,
      })
      .fetchNext();
    const metrics = metricsIn(page);
    expect(metrics).toMatchObject({
      retrievedDocumentCount: read,
      outputDocumentCount: hit,
      indexHitDocumentCount: hit,
    });
  });

  test("count the rows of the outer query only", async () => {
    const query = "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.pk FROM c)";
    const options = { populateQueryMetrics: true, initialHeaders: MERGED };
    const page = await container.items.query(query, options).fetchNext();
    const metrics = metricsIn(page);
    expect([page.resources, metrics["outputDocumentCount"]]).toEqual([[4], 1]);
  });
});

describe("an explanation", () => {
  const EXPLAIN = { "x-orrery-explain": "true" };

  test("is a tree of steps and the counted work", async () => {
    const query = "SELECT TOP 2 c.id FROM c WHERE c.n > 30";
    const headers = await headersOf(query, { ...EXPLAIN, ...MERGED });
    const told = JSON.parse(headers["x-orrery-explain"]!);
    expect(told.plan).toMatchObject({
      step: "cut",
      top: "2",
      of: { step: "project", of: { step: "filter", of: { step: "access", read: "index" } } },
    });
    expect(told.work).toMatchObject({ rows: 2 });
  });

  test.each<[string, string]>([
    ["a long list", `SELECT * FROM c WHERE c.n IN (${Array.from({ length: 5_000 }).fill(1)})`],
    ["many conditions", `SELECT * FROM c WHERE ${conditions(400)}`],
    ["long names", `SELECT * FROM c WHERE c["${"é".repeat(5_000)}"] = 1`],
  ])("fits into the headers of an answer: %s", async (_rule, query) => {
    const headers = await headersOf(query, EXPLAIN, { populateIndexMetrics: true });
    expect(headers["x-orrery-explain"]!.length).toBeLessThanOrEqual(6 * 1024);
    expect(JSON.parse(headers["x-orrery-explain"]!).work).toBeDefined();
  });
});

function conditions(count: number): string {
  return Array.from({ length: count }, (_, at) => `c.property${at} = ${at}`).join(" OR ");
}
