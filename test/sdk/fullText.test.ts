/**
 * Full-text search through the official client, which ranks rows itself when it has a plan: the
 * same order whether it does or we do. What the functions make of texts is beside their code.
 */
import type { Container, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf } from "./stage.ts";

const TEXTS = [
  "A red bicycle, red all over",
  "The bicycle has two wheels and a bell",
  "Mountain bicycle for hard roads",
  "Wheels, red wheels",
  "Nothing of the kind",
  "A road bike",
  "A bell and a bike",
];

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  const made = await stage.database.containers.create({
    id: "texts",
    partitionKey: { paths: ["/id"] },
    throughput: 30_000,
    indexingPolicy: { fullTextIndexes: [{ path: "/text" }] },
    fullTextPolicy: {
      defaultLanguage: "en-US",
      fullTextPaths: [{ path: "/text", language: "en-US" }],
    },
  });
  container = made.container;
  const items = TEXTS.map((text, n) => ({ id: `${n}`, n, text, place: [n, 1] }));
  await Promise.all(items.map((item) => container.items.create(item)));
});
afterAll(() => stage[Symbol.asyncDispose]());

const WAYS: readonly (readonly [way: string, options: FeedOptions])[] = [
  ["ranked by the server", {}],
  ["ranked by the client", { forceQueryPlan: true, allowUnboundedNonStreamingQueries: true }],
  [
    "ranked by the client with an order for each score",
    { forceQueryPlan: true, disableHybridSearchQueryPlanOptimization: true },
  ],
];

const QUERIES: readonly (readonly [rule: string, query: string, rows: readonly number[]])[] = [
  [
    "one score",
    "SELECT TOP 2 VALUE {n: c.n} FROM c ORDER BY RANK FullTextScore(c.text, 'red')",
    [0, 3],
  ],
  [
    "some left out",
    "SELECT c.n FROM c WHERE c.n < 4 ORDER BY RANK FullTextScore(c.text, @terms) OFFSET 1 LIMIT 1",
    [2],
  ],
  [
    "a text and a place",
    "SELECT TOP 2 c.n FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'wheel'), " +
      "VectorDistance(c.place, [2, 1], true, {distanceFunction: 'euclidean'}), [1, 2])",
    [2, 3],
  ],
  [
    "the worst of one and the best of the other",
    "SELECT TOP 1 c.n FROM c WHERE c.n IN (0, 1, 3) " +
      "ORDER BY RANK RRF(FullTextScore(c.text, 'red'), FullTextScore(c.text, 'bell'), [-1, 1])",
    [1],
  ],
];

describe.each(WAYS)("%s", (_, options) => {
  test.each(QUERIES)("%s", async (_rule, query, rows) => {
    const parameters = [{ name: "@terms", value: ["mountain", "red"] }];
    const { resources } = await container.items.query({ query, parameters }, options).fetchAll();
    expect(resources.map(({ n }) => n)).toEqual(rows);
  });
});

test("conditions need no plan, and a phrase stands together", async () => {
  const query =
    "SELECT VALUE c.n FROM c WHERE FullTextContains(c.text, 'red wheels') " +
    "OR FullTextContainsAll(c.text, 'bell', 'bikes')";
  const { resources } = await container.items.query(query).fetchAll();
  expect(resources.sort()).toEqual([3, 6]);
});

test("a score is nothing but an order", async () => {
  const query = "SELECT FullTextScore(c.text, 'red') FROM c";
  const refusal = await refusalOf(container.items.query(query).fetchAll());
  expect(refusal.status).toBe(400);
});
