/**
 * Hierarchical partition keys of two and three levels, through every operation that takes a key:
 * a full key names one logical partition, a prefix all of those below it, and anything else is
 * refused before it touches an item.
 */
import type { Container, OperationInput, PartitionKey } from "@azure/cosmos";
import { PartitionKeyBuilder, PartitionKeyKind } from "@azure/cosmos";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rangeIds, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, ownPart, pagesOf, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** One level; `undefined` is an item that has nothing there. */
type Level = string | number | boolean | null | undefined;
type Key = readonly Level[];

const NAMES = ["tenant", "user", "session"] as const;

function openLevels(levelCount: number, throughput = 30_000): Promise<Container> {
  return openContainer(stage.database, {
    partitionKey: {
      paths: NAMES.slice(0, levelCount).map((name) => `/${name}`),
      kind: PartitionKeyKind.MultiHash,
      version: 2,
    },
    throughput,
  });
}

function keyOf(key: Key): PartitionKey {
  const builder = new PartitionKeyBuilder();
  for (const level of key) {
    if (level === undefined) builder.addNoneValue();
    else if (level === null) builder.addNullValue();
    else builder.addValue(level);
  }
  return builder.build();
}

/** The properties of an item under a key. */
function under(key: Key): Record<string, Level> {
  return Object.fromEntries(
    key.flatMap((level, index) => (level === undefined ? [] : [[NAMES[index], level]])),
  );
}

const COUNTS = [2, 3] as const;
const FULL: Key = ["t", "u", "s"];

describe.each(COUNTS)("a key of %d levels", (levelCount) => {
  const key = FULL.slice(0, levelCount);
  const partitionKey = keyOf(key);

  test("leads to its item in every operation", async () => {
    const container = await openLevels(levelCount);
    const item = container.item("item", partitionKey);
    const body = { id: "item", ...under(key) };
    expect((await container.items.create(body)).statusCode).toBe(201);
    expect((await refusalOf(container.items.create(body))).status).toBe(409);
    expect((await item.replace({ ...body, n: 1 })).resource?.["n"]).toBe(1);
    expect((await container.items.upsert({ ...body, n: 2 })).statusCode).toBe(200);
    const patched = await item.patch([{ op: "incr", path: "/n", value: 1 }]);
    expect(ownPart(patched.resource)).toEqual({ ...body, n: 3 });
    expect((await item.read()).resource).toEqual(patched.resource);
    const asked = await container.items.query("SELECT * FROM c", { partitionKey }).fetchAll();
    expect(asked.resources).toEqual([patched.resource]);
    const listed = await container.items.readAll({ partitionKey }).fetchAll();
    expect(listed.resources).toEqual([patched.resource]);
    expect((await item.delete()).statusCode).toBe(204);
    expect((await item.read()).statusCode).toBe(404);
    expect((await container.items.upsert(body)).statusCode).toBe(201);
  });

  test("names another logical partition when any level differs", async () => {
    const container = await openLevels(levelCount);
    const keys = [key, ...key.map((_, index) => key.with(index, "other"))];
    for (const [n, each] of keys.entries()) {
      const { statusCode } = await container.items.create({ id: "same", n, ...under(each) });
      expect(statusCode).toBe(201);
    }
    for (const [n, each] of keys.entries()) {
      expect((await container.item("same", keyOf(each)).read()).resource?.["n"]).toBe(n);
    }
    expect((await container.item("same", keyOf(key.map(() => "nobody"))).read()).statusCode).toBe(
      404,
    );
  });

  const loads = {
    bulk: async (container: Container, operations: OperationInput[]) =>
      (await container.items.bulk(operations)).map(({ statusCode }) => statusCode),
    executeBulkOperations: async (container: Container, operations: OperationInput[]) =>
      (await container.items.executeBulkOperations(operations)).map(
        ({ response, error }) => response?.statusCode ?? error?.code,
      ),
  };

  test.each(Object.entries(loads))("goes through %s", async (_name, load) => {
    const container = await openLevels(levelCount);
    const keys = Array.from({ length: 15 }, (_, n) => key.with(levelCount - 1, `leaf-${n}`));
    const operations = [{ op: "incr" as const, path: "/n", value: 1 }];
    // Those about one item are carried out in their order.
    const stepsOf = (each: Key) => {
      const bodyOf = (n: number) => ({ id: "bulk", n, ...under(each) });
      return [
        [201, { operationType: "Create", resourceBody: bodyOf(0) }],
        [409, { operationType: "Create", resourceBody: bodyOf(0) }],
        [200, { operationType: "Replace", id: "bulk", resourceBody: bodyOf(1) }],
        [200, { operationType: "Upsert", resourceBody: bodyOf(2) }],
        [200, { operationType: "Patch", id: "bulk", resourceBody: { operations } }],
        [200, { operationType: "Read", id: "bulk" }],
      ].map(([status, step]) => ({
        status,
        step: { ...(step as object), partitionKey: [...each] },
      }));
    };
    const steps = keys.flatMap(stepsOf);
    const statuses = await load(container, steps.map(({ step }) => step) as OperationInput[]);
    expect(statuses).toEqual(steps.map(({ status }) => status));
    const { resources } = await container.items.query("SELECT VALUE c.n FROM c").fetchAll();
    expect(resources).toEqual(keys.map(() => 3));
    const removals = keys.map((each) => ({
      operationType: "Delete" as const,
      id: "bulk",
      partitionKey: [...each] as string[],
    }));
    expect(await load(container, removals)).toEqual(keys.map(() => 204));
    expect((await container.items.readAll().fetchAll()).resources).toEqual([]);
  });

  test("must be the one in the item, at every level", async () => {
    const container = await openLevels(levelCount);
    const body = { id: "item", ...under(key) };
    const { resource } = await container.items.create(body);
    const item = container.item("item", partitionKey);
    for (const name of NAMES.slice(0, levelCount)) {
      for (const changed of [
        { ...body, [name]: "other" },
        { ...body, [name]: null },
      ]) {
        const { status, substatus } = await refusalOf(item.replace(changed));
        expect([status, substatus]).toEqual([400, 1001]);
      }
      const { [name]: _gone, ...without } = body as Record<string, Level> & { id: string };
      expect((await refusalOf(item.replace(without as { id: string }))).substatus).toBe(1001);
      const patch = item.patch([{ op: "set", path: `/${name}`, value: "other" }]);
      expect((await refusalOf(patch)).message).toContain(`partition key path '/${name}'`);
    }
    expect((await item.read()).resource).toEqual(resource);
  });

  test("of too few levels names no item, and one of too many nothing at all", async () => {
    const container = await openLevels(levelCount);
    const body = { id: "item", ...under(key) };
    const { resource } = await container.items.create(body);
    const few = container.item("item", keyOf(key.slice(0, -1)));
    const many = container.item("item", keyOf([...key, "more"]));
    for (const item of [few, many]) {
      const attempts = [
        () => item.read(),
        () => item.replace({ ...body, n: 1 }),
        () => item.patch([{ op: "set", path: "/n", value: 1 }]),
        () => item.delete(),
      ];
      for (const attempt of attempts) expect((await refusalOf(attempt())).status).toBe(400);
    }
    expect((await refusalOf(few.delete())).substatus).toBe(1001);
    const tooMany = { partitionKey: keyOf([...key, "more"]) };
    const query = container.items.query("SELECT * FROM c", tooMany);
    expect((await refusalOf(query.fetchAll())).status).toBe(400);
    const feed = container.items.readAll(tooMany);
    expect((await refusalOf(feed.fetchAll())).status).toBe(400);
    expect((await container.item("item", partitionKey).read()).resource).toEqual(resource);
  });
});

describe("null and nothing", () => {
  const KEYS: readonly Key[] = [
    ["t", "u", "s"],
    ["t", "u", null],
    ["t", "u", undefined],
    ["t", "u", ""],
    ["t", "u", 0],
    ["t", "u", false],
    ["t", null, "s"],
    ["t", undefined, "s"],
    ["t", undefined, undefined],
    ["t", null, null],
    ["t", null, undefined],
    [null, "u", "s"],
    [undefined, "u", "s"],
    [undefined, undefined, undefined],
  ];

  test("are levels like others, each a logical partition of its own", async () => {
    const container = await openLevels(3);
    for (const [n, key] of KEYS.entries()) {
      const { statusCode } = await container.items.create({ id: "same", n, ...under(key) });
      expect(statusCode).toBe(201);
    }
    for (const [n, key] of KEYS.entries()) {
      const partitionKey = keyOf(key);
      const item = container.item("same", partitionKey);
      expect((await item.read()).resource?.["n"]).toBe(n);
      const query = container.items.query("SELECT VALUE c.n FROM c", { partitionKey });
      expect((await query.fetchAll()).resources).toEqual([n]);
      expect((await item.patch([{ op: "set", path: "/seen", value: true }])).statusCode).toBe(200);
      expect((await item.replace({ id: "same", n, ...under(key) })).statusCode).toBe(200);
    }
    for (const key of KEYS) {
      expect((await container.item("same", keyOf(key)).delete()).statusCode).toBe(204);
    }
    expect((await container.items.readAll().fetchAll()).resources).toEqual([]);
  });
});

describe("a prefix", () => {
  const anyLevel = fc.constantFrom<Level>("a", "b", "", 0, true, null, undefined);
  const anyKeys = fc.uniqueArray(fc.tuple(anyLevel, anyLevel, anyLevel), {
    minLength: 5,
    maxLength: 60,
    selector: (key) => JSON.stringify(key.map((level) => level ?? `${level}!`)),
  });

  test("gives what lies below it, by query and by list, as a model says", async () => {
    const [keys = []] = fc.sample(anyKeys, { numRuns: 1, seed: 42 });
    const container = await openLevels(3, 60_000);
    await Promise.all(
      keys.map((key, n) => container.items.create({ id: `item-${n}`, n, ...under(key) })),
    );
    const prefixes = [...keys.map((key) => key.slice(0, 1)), ...keys.map((key) => key.slice(0, 2))];
    for (const prefix of [...prefixes, ["nobody"], ["a", "nobody"]]) {
      const expected = keys.flatMap((key, n) =>
        prefix.every((level, index) => level === key[index]) ? [n] : [],
      );
      const partitionKey = keyOf(prefix);
      const query = container.items.query<number>("SELECT VALUE c.n FROM c", { partitionKey });
      const asked = (await query.fetchAll()).resources;
      expect(asked.toSorted((a, b) => a - b)).toEqual(expected);
      const listed = (await container.items.readAll({ partitionKey }).fetchAll()).resources;
      const numbers = listed.map((item) => Number(item["n"]));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(expected);
    }
  });

  async function openTenants(): Promise<Container> {
    const container = await openLevels(3, 40_000);
    const bodies = Array.from({ length: 90 }, (_, n) => ({
      id: `item-${n}`,
      tenant: `tenant-${n % 3}`,
      user: `user-${n % 9}`,
      session: n,
      n,
    }));
    await Promise.all(bodies.map((body) => container.items.create(body)));
    return container;
  }

  const numbersOf = (matches: (n: number) => boolean): number[] =>
    Array.from({ length: 90 }, (_, n) => n).filter(matches);

  test("orders, counts, groups and pages over all of it", async () => {
    const container = await openTenants();
    const partitionKey = ["tenant-1"];
    const ask = async (query: string, key: PartitionKey = partitionKey) =>
      (await container.items.query<unknown>(query, { partitionKey: key }).fetchAll()).resources;
    const tenant = numbersOf((n) => n % 3 === 1);
    expect(await ask("SELECT VALUE c.n FROM c ORDER BY c.n DESC")).toEqual(tenant.toReversed());
    expect(await ask("SELECT VALUE COUNT(1) FROM c")).toEqual([30]);
    expect(await ask("SELECT VALUE MAX(c.n) FROM c")).toEqual([88]);
    const groups = await ask("SELECT c.user, COUNT(1) AS items FROM c GROUP BY c.user");
    expect(groups).toHaveLength(3);
    expect(groups).toContainEqual({ user: "user-4", items: 10 });
    const user = numbersOf((n) => n % 9 === 4);
    const ordered = "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 1 LIMIT 3";
    expect(await ask(ordered, ["tenant-1", "user-4"])).toEqual(user.slice(1, 4));
    expect(await ask("SELECT VALUE COUNT(1) FROM c", ["tenant-1", "user-0"])).toEqual([0]);
    const options = { partitionKey, maxItemCount: 7 };
    const pages = await pagesOf(container.items.query<number>("SELECT VALUE c.n FROM c", options));
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(7);
    expect(pages.flat().toSorted((a, b) => a - b)).toEqual(tenant);
    const listed = await pagesOf(container.items.readAll<{ n: number }>(options));
    expect(
      listed
        .flat()
        .map(({ n }) => n)
        .toSorted((a, b) => a - b),
    ).toEqual(tenant);
  });

  test("in a filter finds the same, whoever merges", async () => {
    const container = await openTenants();
    const query = {
      query: "SELECT VALUE c.n FROM c WHERE c.tenant = @t AND c.user IN ('user-4', 'user-7')",
      parameters: [{ name: "@t", value: "tenant-1" }],
    };
    const expected = numbersOf((n) => n % 9 === 4 || n % 9 === 7);
    for (const options of [{}, { forceQueryPlan: true }, { maxDegreeOfParallelism: 3 }]) {
      const { resources } = await container.items.query<number>(query, options).fetchAll();
      expect(resources.toSorted((a, b) => a - b)).toEqual(expected);
    }
  });

  test("goes on when the tenant is spread by a split in the middle of its pages", async () => {
    const container = await openTenants();
    const partitionKey = ["tenant-2"];
    const iterator = container.items.query<number>("SELECT VALUE c.n FROM c", {
      partitionKey,
      maxItemCount: 4,
    });
    const seen: number[] = [];
    const before = await rangeIds(stage.server, container);
    while (iterator.hasMoreResults()) {
      seen.push(...(await iterator.fetchNext()).resources);
      if (seen.length === 8) {
        for (let round = 0; round < 4; round++) await split(stage.server, container);
      }
    }
    expect((await rangeIds(stage.server, container)).length).toBeGreaterThan(before.length);
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbersOf((n) => n % 3 === 2));
    const again = await container.items.readAll({ partitionKey }).fetchAll();
    expect(again.resources).toHaveLength(30);
  });
});

describe("many items at once, by id and key", () => {
  test("are found with one query, and no others", async () => {
    const container = await openLevels(2);
    const keys: readonly Key[] = Array.from({ length: 30 }, (_, n) => [`t-${n % 5}`, n]);
    await Promise.all(
      keys.map((key, n) => container.items.create({ id: `item-${n % 3}`, n, ...under(key) })),
    );
    const wanted = [3, 8, 13, 29];
    const query = wanted
      .map((_, at) => `(c.id = @i${at} AND c.tenant = @t${at} AND c.user = @u${at})`)
      .join(" OR ");
    const parameters = wanted.flatMap((n, at) => [
      { name: `@i${at}`, value: `item-${n % 3}` },
      { name: `@t${at}`, value: `t-${n % 5}` },
      { name: `@u${at}`, value: n },
    ]);
    const text = { query: `SELECT VALUE c.n FROM c WHERE ${query}`, parameters };
    for (const forceQueryPlan of [false, true]) {
      const found = await container.items.query<number>(text, { forceQueryPlan }).fetchAll();
      expect(found.resources.toSorted((a, b) => a - b)).toEqual(wanted);
    }
  });
});
