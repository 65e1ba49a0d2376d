/**
 * Vector search through the official client: the same rows in the same order, whether the server
 * merges its physical partitions or the client does. What distances are is beside their code.
 */
import type { Container, FeedOptions, SqlQuerySpec } from "@azure/cosmos";
import {
  VectorEmbeddingDataType,
  VectorEmbeddingDistanceFunction,
  VectorIndexType,
} from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  const made = await stage.database.containers.create({
    id: "vectors",
    partitionKey: { paths: ["/id"] },
    throughput: 30_000,
    indexingPolicy: {
      excludedPaths: [{ path: "/v/*" }],
      vectorIndexes: [{ path: "/v", type: VectorIndexType.DiskANN }],
    },
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [
        {
          path: "/v",
          dataType: VectorEmbeddingDataType.Float32,
          dimensions: 2,
          distanceFunction: VectorEmbeddingDistanceFunction.Euclidean,
        },
      ],
    },
  });
  container = made.container;
  const items = Array.from({ length: 12 }, (_, n) => ({ id: `${n}`, n, v: [n, n * n] }));
  await Promise.all(items.map((item) => container.items.create(item)));
});
afterAll(() => stage[Symbol.asyncDispose]());

const WAYS: readonly (readonly [way: string, options: FeedOptions])[] = [
  ["merged by the server", {}],
  ["merged by the client", { forceQueryPlan: true }],
];

const PRODUCT = "VectorDistance(c.v, [-1, 1], true, {distanceFunction: 'dotProduct'})";
const QUERIES: readonly (readonly [rule: string, query: string, rows: readonly unknown[]])[] = [
  ["best first", "SELECT TOP 3 VALUE c.n FROM c ORDER BY VectorDistance(c.v, @q)", [3, 2, 1]],
  ["as a rank", "SELECT TOP 3 VALUE c.n FROM c ORDER BY RANK VectorDistance(c.v, @q)", [3, 2, 1]],
  [
    "by a product",
    `SELECT TOP 2 c.n, ${PRODUCT} AS d FROM c ORDER BY ${PRODUCT}`,
    [
      { n: 11, d: 110 },
      { n: 10, d: 90 },
    ],
  ],
  [
    "some left out",
    "SELECT VALUE c.n FROM c WHERE c.n > 5 ORDER BY VectorDistance(c.v, @q) OFFSET 1 LIMIT 2",
    [7, 8],
  ],
  [
    "each once",
    "SELECT DISTINCT TOP 2 VALUE c.n % 2 FROM c ORDER BY VectorDistance(c.v, @q)",
    [1, 0],
  ],
];

describe.each(WAYS)("%s", (_, options) => {
  test.each(QUERIES)("%s", async (_rule, query, rows) => {
    expect(await answerTo(query, options)).toEqual(rows);
  });
});

test("without a bound the client has its say", async () => {
  const query = "SELECT VALUE c.n FROM c ORDER BY VectorDistance(c.v, @q)";
  await expect(answerTo(query)).rejects.toThrow("without TOP or LIMIT");
  const rows = await answerTo(query, { allowUnboundedNonStreamingQueries: true });
  expect(rows.slice(0, 3)).toEqual([3, 2, 1]);
  expect(rows.length).toBe(12);
  const within = await answerTo(query, { partitionKey: "7" });
  expect(within).toEqual([7]);
});

test("what is wrong with a call is told", async () => {
  const query = "SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, @q, true, {distance: 'x'})";
  const refusal = await refusalOf(answerTo(query));
  expect(refusal).toMatchObject({ status: 400 });
});

async function answerTo(query: string, options: FeedOptions = {}): Promise<readonly unknown[]> {
  const spec: SqlQuerySpec = { query, parameters: [{ name: "@q", value: [3, 8] }] };
  const { resources } = await container.items.query(spec, options).fetchAll();
  return resources;
}
