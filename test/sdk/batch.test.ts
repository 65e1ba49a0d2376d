/** Transactional batches: all operations on one logical partition, or none of them. */
import type { Container, OperationInput, OperationResponse } from "@azure/cosmos";
import { PartitionKeyDefinitionVersion, PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

const create = (id: string, more: object = {}): OperationInput =>
  ({ operationType: "Create", resourceBody: { id, pk: "a", ...more } }) as OperationInput;
const patch = (id: string, ...operations: object[]): OperationInput =>
  ({ operationType: "Patch", id, resourceBody: { operations } }) as OperationInput;
const read = (id: string): OperationInput => ({ operationType: "Read", id });
const remove = (id: string): OperationInput => ({ operationType: "Delete", id });

async function run(
  operations: OperationInput[],
  key: string = "a",
): Promise<{ code: number; results: OperationResponse[]; charge: number }> {
  const { code, result, headers } = await container.items.batch(operations, key);
  return { code: code!, results: result!, charge: Number(headers["x-ms-request-charge"]) };
}

const statuses = (results: readonly OperationResponse[]): number[] =>
  results.map(({ statusCode }) => statusCode);

async function idsOf(key: string): Promise<string[]> {
  const { resources } = await container.items
    .query<string>("SELECT VALUE c.id FROM c", { partitionKey: key })
    .fetchAll();
  return resources.toSorted();
}

describe("a batch that succeeds", () => {
  test("has a result for each operation, and each sees what those before it did", async () => {
    const { code, results } = await run([
      create("one", { n: 1 }),
      read("one"),
      patch("one", { op: "incr", path: "/n", value: 4 }),
      read("one"),
      { operationType: "Upsert", resourceBody: { id: "one", pk: "a", n: 6 } },
      { operationType: "Upsert", resourceBody: { id: "two", pk: "a" } },
      { operationType: "Replace", id: "two", resourceBody: { id: "two", pk: "a", n: 2 } },
      remove("two"),
    ]);
    expect(code).toBe(200);
    expect(statuses(results)).toEqual([201, 200, 200, 200, 200, 201, 200, 204]);
    expect(results.map(({ resourceBody }) => resourceBody?.["n"])).toEqual([
      1,
      1,
      5,
      5,
      6,
      undefined,
      2,
      undefined,
    ]);
    const { resource, etag } = await container.item("one", "a").read();
    expect(resource).toEqual(results[4]!.resourceBody);
    expect(etag).toBe(results[4]!.eTag);
    expect((await container.item("two", "a").read()).statusCode).toBe(404);
  });

  test("moves the session by one, and costs what its operations cost", async () => {
    const before = await container.item("none", "b").read();
    const many = Array.from({ length: 100 }, (_, index) => ({
      operationType: "Create" as const,
      resourceBody: { id: `m${index}`, pk: "b" },
    }));
    const { code, results, charge } = await run(many, "b");
    expect(code).toBe(200);
    const sum = results.reduce((total, { requestCharge }) => total + requestCharge, 0);
    expect(charge).toBeCloseTo(sum, 1);
    const after = await container.item("m0", "b").read();
    const lsnOf = ({ headers }: { headers: Record<string, unknown> }): number =>
      Number(headers["lsn"]);
    expect(lsnOf(after) - lsnOf(before)).toBe(1);
    expect(await idsOf("b")).toHaveLength(100);
    expect(
      (
        await run(
          many.map(({ resourceBody }) => remove(resourceBody.id)),
          "b",
        )
      ).code,
    ).toBe(200);
    expect(await idsOf("b")).toEqual([]);
  });

  test("may delete an item and make it again", async () => {
    await run([create("again", { n: 1 })]);
    const { results } = await run([remove("again"), create("again", { n: 2 })]);
    expect(statuses(results)).toEqual([204, 201]);
    expect((await container.item("again", "a").read()).resource).toMatchObject({ n: 2 });
    const gone = await run([create("brief"), remove("brief")]);
    expect(statuses(gone.results)).toEqual([201, 204]);
    expect((await container.item("brief", "a").read()).statusCode).toBe(404);
  });

  test("says nothing of what it wrote to those who do not want to hear it", async () => {
    const { result } = await container.items.batch([create("quiet"), read("quiet")], "a", {
      contentResponseOnWriteEnabled: false,
    });
    expect(result!.map(({ resourceBody }) => resourceBody?.["id"])).toEqual([undefined, "quiet"]);
  });
});

describe("a batch that fails", () => {
  const failures: readonly [name: string, status: number, operation: OperationInput][] = [
    ["an id that is taken", 409, create("there")],
    ["an item that is not there", 404, read("missing")],
    ["a delete of what is not there", 404, remove("missing")],
    [
      "an etag of another version",
      412,
      {
        operationType: "Replace",
        id: "there",
        ifMatch: '"other"',
        resourceBody: { id: "there", pk: "a" },
      },
    ],
    ["a patch that does not apply", 400, patch("there", { op: "remove", path: "/none" })],
    [
      "a patch whose condition is not met",
      412,
      {
        operationType: "Patch",
        id: "there",
        resourceBody: {
          operations: [{ op: "set", path: "/n", value: 9 }],
          condition: "FROM c WHERE c.n > 100",
        },
      },
    ],
    ["an id that is none", 400, create(5 as never)],
    ["a ttl that is none", 400, create("odd", { ttl: -7 })],
    [
      "a body of another key",
      400,
      { operationType: "Create", resourceBody: { id: "else", pk: "z" } },
    ],
  ];

  beforeAll(async () => {
    await container.items.upsert({ id: "there", pk: "a", n: 1 });
  });

  test.each(failures)("with %s leaves nothing behind", async (_name, status, operation) => {
    const before = await idsOf("a");
    const stored = await container.item("there", "a").read();
    const { code, results } = await run([
      create("first"),
      patch("there", { op: "set", path: "/n", value: 77 }),
      operation,
      create("last"),
    ]);
    expect(code).toBe(207);
    expect(statuses(results)).toEqual([424, 424, status, 424]);
    expect(await idsOf("a")).toEqual(before);
    expect((await container.item("there", "a").read()).resource).toEqual(stored.resource);
  });

  test("is refused as a whole when it is no batch", async () => {
    const many = Array.from({ length: 101 }, (_, index) => create(`x${index}`));
    await expect(run(many)).rejects.toThrow("more than 100 operations");
    await expect(run([])).rejects.toThrow("no operations");
    const large = Array.from({ length: 3 }, (_, index) =>
      create(`x${index}`, { text: "x".repeat(800_000) }),
    );
    await expect(run(large)).rejects.toThrow("too large");
    await expect(run([{ ...create("x"), partitionKey: "b" } as OperationInput])).rejects.toThrow(
      "have a different partition key value than the request",
    );
    expect(await idsOf("a")).not.toContain("x0");
  });
});

test("an etag from inside the batch is good inside the batch only", async () => {
  const { results } = await run([create("tagged")]);
  const old = results[0]!.eTag!;
  const replace = (n: number, ifMatch: string): OperationInput => ({
    operationType: "Replace",
    id: "tagged",
    ifMatch,
    resourceBody: { id: "tagged", pk: "a", n },
  });
  expect((await run([replace(1, old), replace(2, old)])).code).toBe(207);
  expect((await container.item("tagged", "a").read()).etag).toBe(old);
  expect((await run([replace(1, old)])).code).toBe(200);
});

test("unique keys hold inside a batch and against what is stored", async () => {
  const { container: unique } = await stage.database.containers.create({
    id: "unique",
    partitionKey: { paths: ["/pk"] },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] },
  });
  const item = (id: string, mail: string): OperationInput => create(id, { mail });
  const batch = async (...operations: OperationInput[]): Promise<number[]> =>
    statuses((await unique.items.batch(operations, "a")).result!);
  expect(await batch(item("1", "x"), item("2", "x"))).toEqual([424, 409]);
  expect(await batch(item("1", "x"), item("2", "y"))).toEqual([201, 201]);
  const give = (id: string, mail: string): OperationInput =>
    patch(id, { op: "set", path: "/mail", value: mail });
  expect(await batch(give("1", "z"), give("2", "x"), give("1", "y"))).toEqual([200, 200, 200]);
  expect(await batch(item("3", "x"))).toEqual([409]);
  expect(await batch(item("3", "z"))).toEqual([201]);
});

test("hierarchical keys name all levels", async () => {
  const { container: levels } = await stage.database.containers.create({
    id: "levels",
    partitionKey: {
      paths: ["/pk", "/sub"],
      kind: PartitionKeyKind.MultiHash,
      version: PartitionKeyDefinitionVersion.V2,
    },
  });
  const { result } = await levels.items.batch(
    [create("1", { sub: "s" }), create("2", { sub: "s" }), read("1")],
    ["a", "s"],
  );
  expect(statuses(result!)).toEqual([201, 201, 200]);
  await expect(levels.items.batch([read("1")], ["a"])).rejects.toThrow("Partition key");
});
