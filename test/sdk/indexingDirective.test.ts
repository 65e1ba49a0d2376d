/**
 * Items that are left out of the index, by their own request or because the policy is not
 * automatic: read, listed and followed like any others, and seen by no query, whatever its plan.
 */
import type { Container, RequestOptions } from "@azure/cosmos";
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orrery } from "../backup/command.ts";
import { split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf, temporaryDirectory } from "./stage.ts";

const EXCLUDE: RequestOptions = { indexingDirective: "Exclude" };
const INCLUDE: RequestOptions = { indexingDirective: "Include" };

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

let count = 0;

async function open(settings: object = {}, { database } = stage): Promise<Container> {
  const id = `directive-${++count}`;
  const { container } = await database.containers.create({
    id,
    partitionKey: { paths: ["/pk"] },
    ...settings,
  });
  return container;
}

const QUERIES: readonly string[] = [
  "SELECT VALUE c.id FROM c",
  "SELECT VALUE c.id FROM c WHERE c.n = 1",
  "SELECT VALUE c.id FROM c WHERE c.n + 0 = 1",
  "SELECT VALUE c.id FROM c WHERE c.pk = 'a'",
  "SELECT VALUE c.id FROM c WHERE c.id IN ('seen', 'unseen')",
  "SELECT VALUE c.id FROM c ORDER BY c.n",
  "SELECT VALUE c.id FROM c ORDER BY c._ts DESC",
  "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.missing)",
];
const COUNTS: readonly string[] = [
  "SELECT VALUE COUNT(1) FROM c",
  "SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'a'",
  "SELECT VALUE COUNT(c.n) FROM c",
  "SELECT VALUE SUM(c.n) FROM c",
];

async function seen(
  container: Container,
  queries: readonly string[] = QUERIES,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const query of queries) {
    const { resources } = await container.items.query<string>(query).fetchAll();
    expect(resources, query).toEqual([...new Set(resources)]);
    found.add(resources.toSorted().join());
  }
  return found;
}

async function expectOnlySeen(container: Container): Promise<void> {
  expect(await seen(container)).toEqual(new Set(["seen"]));
  for (const query of COUNTS) {
    const { resources } = await container.items.query<number>(query).fetchAll();
    expect(resources, query).toEqual([1]);
  }
}

test("an item that its request excludes is there, and no query sees it", async () => {
  const container = await open();
  await container.items.create({ id: "seen", pk: "a", n: 1 });
  const written = await container.items.create({ id: "unseen", pk: "a", n: 1 }, EXCLUDE);
  expect(written.statusCode).toBe(201);
  await expectOnlySeen(container);

  expect((await container.item("unseen", "a").read()).resource?.["n"]).toBe(1);
  const start = ChangeFeedStartFrom.Beginning("a");
  const feed = container.items.getChangeFeedIterator({ changeFeedStartFrom: start });
  const { result } = await feed.readNext();
  expect(result.map(({ id }) => id)).toEqual(["seen", "unseen"]);
});

test("it costs less to write", async () => {
  const container = await open();
  const item = { pk: "a", list: Array.from({ length: 50 }, (_, each) => ({ each })) };
  const indexed = await container.items.create({ ...item, id: "1" });
  const excluded = await container.items.create({ ...item, id: "2" }, EXCLUDE);
  expect(excluded.requestCharge).toBeLessThan(indexed.requestCharge / 2);
});

test.each(["replace", "upsert", "patch"] as const)(
  "the next version is indexed again if it is not excluded: %s",
  async (verb) => {
    const container = await open();
    const write = (options: RequestOptions): Promise<unknown> => {
      const body = { id: "x", pk: "a", n: 2 };
      if (verb === "replace") return container.item("x", "a").replace(body, options);
      if (verb === "upsert") return container.items.upsert(body, options);
      const operations = [{ op: "set" as const, path: "/n", value: 2 }];
      return container.item("x", "a").patch({ operations }, options);
    };
    const ids = async (): Promise<readonly string[]> => {
      const query = "SELECT VALUE c.id FROM c WHERE c.n = 2";
      return (await container.items.query<string>(query).fetchAll()).resources;
    };
    await container.items.create({ id: "x", pk: "a", n: 1 }, EXCLUDE);
    await write({});
    expect(await ids()).toEqual(["x"]);
    await write(EXCLUDE);
    expect(await ids()).toEqual([]);
    await write(INCLUDE);
    expect(await ids()).toEqual(["x"]);
    await write(EXCLUDE);
    await container.item("x", "a").delete();
    await container.items.create({ id: "x", pk: "a", n: 2 });
    expect(await ids()).toEqual(["x"]);
  },
);

test("a policy that is not automatic indexes what asks for it", async () => {
  const container = await open({ indexingPolicy: { automatic: false } });
  expect((await container.read()).resource?.indexingPolicy?.automatic).toBe(false);
  await container.items.create({ id: "seen", pk: "a", n: 1 }, INCLUDE);
  await container.items.create({ id: "unseen", pk: "a", n: 1 });
  await expectOnlySeen(container);
});

test("what has no index hides nothing", async () => {
  const container = await open({ indexingPolicy: { indexingMode: "none", automatic: false } });
  await container.items.create({ id: "seen", pk: "a", n: 1 }, EXCLUDE);
  const unordered = QUERIES.filter((query) => !query.includes("ORDER BY"));
  expect(await seen(container, unordered)).toEqual(new Set(["seen"]));
});

test("unique keys hold for it all the same", async () => {
  const container = await open({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/n"] }] } });
  await container.items.create({ id: "1", pk: "a", n: 1 }, EXCLUDE);
  const { status } = await refusalOf(container.items.create({ id: "2", pk: "a", n: 1 }));
  expect(status).toBe(409);
});

test("a script may say it, too", async () => {
  const container = await open();
  const { storedProcedure } = await container.scripts.storedProcedures.create({
    id: "write",
    body: `function write(action) {
      const items = getContext().getCollection();
      items.createDocument(items.getSelfLink(), { id: "seen", pk: "a", n: 1 });
      items.createDocument(items.getSelfLink(), { id: "unseen", pk: "a", n: 1 },
        { indexAction: action });
    }`,
  });
  expect((await refusalOf(storedProcedure.execute("a", ["never"]))).status).toBe(400);
  await storedProcedure.execute("a", ["exclude"]);
  await expectOnlySeen(container);
});

test("a directive that there is not is refused", async () => {
  const container = await open();
  const options = { indexingDirective: "Sometimes" } as RequestOptions;
  const refused = await refusalOf(container.items.create({ id: "1", pk: "a" }, options));
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("Sometimes") });
});

describe("it stays out of the index", () => {
  test("through a change of the policy, a split and a restart, and a check is content", async () => {
    using directory = temporaryDirectory();
    const data = { data: directory.path };
    {
      await using durable = await openStage(data);
      const container = await open({}, durable);
      await container.items.create({ id: "seen", pk: "a", n: 1 });
      await container.items.create({ id: "unseen", pk: "a", n: 1 }, EXCLUDE);
      await container.items.create({ id: "elsewhere", pk: "b", n: 1 }, EXCLUDE);
      const { resource } = await container.read();
      const policy = { ...resource!.indexingPolicy, compositeIndexes: COMPOSITE };
      await container.replace({ ...resource!, indexingPolicy: policy } as never);
      await expectOnlySeen(container);
      await split(durable.server, container);
      await expectOnlySeen(container);
    }
    await using again = await openStage(data);
    const [first] = (await again.database.containers.readAll().fetchAll()).resources;
    await expectOnlySeen(again.database.container(first!.id));
    await again.server.close();
    const checked = await orrery(directory.path, "check", directory.path);
    expect(checked.code, checked.output + checked.complaints).toBe(0);
  });
});

const COMPOSITE = [
  [
    { path: "/n", order: "ascending" },
    { path: "/pk", order: "ascending" },
  ],
];
