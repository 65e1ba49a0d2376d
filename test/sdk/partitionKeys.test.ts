/**
 * Where items go: containers of 1, 3 and 20 physical partitions under every kind of key. The same
 * keys are written, read back and listed in each, so a key that is hashed, sent or compared wrongly
 * shows as an item that cannot be found again.
 */
import type { Container, PartitionKey, PartitionKeyDefinition } from "@azure/cosmos";
import { PartitionKeyBuilder, PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, rangeIdOf, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** One component; `undefined` is an item that has no value there. */
type Component = string | number | boolean | null | undefined;

const COMPONENTS: readonly Component[] = [
  "",
  "a",
  "A",
  "1",
  "true",
  "null",
  'a/b?c#d%e "f" \\ g',
  "Ключ",
  "中文",
  "🔑🪐",
  "\u0000\u0001\u001f",
  "x".repeat(101),
  0,
  1,
  -1,
  0.1,
  -1e-7,
  1e21,
  2 ** 53,
  Number.MAX_VALUE,
  true,
  false,
  null,
  undefined,
  ...Array.from({ length: 40 }, (_, index) => `key-${index}`),
];

interface Scheme {
  readonly name: string;
  readonly definition: PartitionKeyDefinition;
  readonly keys: readonly (readonly Component[])[];
}

const single = COMPONENTS.map((component) => [component]);
const SCHEMES: readonly Scheme[] = [
  { name: "hash version 1", definition: { paths: ["/a"] }, keys: single },
  { name: "hash version 2", definition: { paths: ["/a"], version: 2 }, keys: single },
  {
    name: "two levels",
    definition: { paths: ["/a", "/b"], kind: PartitionKeyKind.MultiHash, version: 2 },
    keys: COMPONENTS.flatMap((component, index) => [
      ["tenant", component],
      [component, COMPONENTS[(index * 7) % COMPONENTS.length]],
    ]),
  },
  {
    name: "three levels",
    definition: { paths: ["/a", "/b", "/c"], kind: PartitionKeyKind.MultiHash, version: 2 },
    keys: COMPONENTS.flatMap((component, index) => [
      ["tenant", "user", component],
      [component, undefined, index],
    ]),
  },
];

const COUNTS = [
  { partitionCount: 1, throughput: 400 },
  { partitionCount: 3, throughput: 30_000 },
  { partitionCount: 20, throughput: 200_000 },
];

describe.each(SCHEMES)("with $name", ({ definition, keys }) => {
  test.each(COUNTS)("in $partitionCount physical partitions", async (count) => {
    const { partitionCount, throughput } = count;
    const container = await openContainer(stage.database, { partitionKey: definition, throughput });
    await expectRangesToTile(container, partitionCount);

    // The same id everywhere: only the key tells the items apart.
    const distinct = distinctKeys(keys);
    const created = await Promise.all(
      distinct.map((key, number) => container.items.create({ id: "same", number, ...bodyOf(key) })),
    );
    const used = new Set(created.map(rangeIdOf));
    expect(used.size).toBeGreaterThanOrEqual(partitionCount === 1 ? 1 : partitionCount * 0.6);

    await Promise.all(
      distinct.map(async (key, number) => {
        const read = await container.item("same", partitionKeyOf(key)).read();
        expect(read.resource).toEqual(created[number]?.resource);
        expect(rangeIdOf(read)).toBe(rangeIdOf(created[number]!));
      }),
    );

    const { resources } = await container.items.readAll().fetchAll();
    const numbers = resources.map((item) => Number(item["number"]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([...distinct.keys()]);

    const last = distinct.length - 1;
    await container.item("same", partitionKeyOf(distinct[last]!)).delete();
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(last);
  });
});

describe("a partition key", () => {
  test("in the request must be the one in the item", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    await container.items.create({ id: "item", pk: "a" });
    const { status, substatus } = await refusalOf(
      container.item("item", "a").replace({ id: "item", pk: "b" }),
    );
    expect([status, substatus]).toEqual([400, 1001]);
  });

  test("that is not the item's finds nothing", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    await container.items.create({ id: "item", pk: 1 });
    for (const key of ["1", true, null, 2, "b"]) {
      expect((await container.item("item", key).read()).statusCode).toBe(404);
    }
  });

  test("may lie below a property, and be of a name that needs quotes", async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ['/address/"zip code"'], version: 2 },
      throughput: 30_000,
    });
    const { resource } = await container.items.create({
      id: "item",
      address: { "zip code": "8001" },
    });
    expect((await container.item("item", "8001").read()).resource).toEqual(resource);
  });

  test("may be the id", async () => {
    const container = await openContainer(stage.database, { partitionKey: { paths: ["/id"] } });
    await container.items.create({ id: "own" });
    expect((await container.item("own", "own").read()).statusCode).toBe(200);
  });

  test("may have 2,048 bytes, and not one more", async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/pk"], version: 2 },
    });
    const longest = `${"€".repeat(682)}xx`;
    await container.items.create({ id: "item", pk: longest });
    expect((await container.item("item", longest).read()).statusCode).toBe(200);
    const refused = await refusalOf(container.items.create({ id: "item", pk: `${longest}x` }));
    expect(refused.status).toBe(400);
  });

  test("of too few levels addresses no item", async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/a", "/b"], kind: PartitionKeyKind.MultiHash, version: 2 },
    });
    await container.items.create({ id: "item", a: "x", b: "y" });
    expect((await refusalOf(container.item("item", ["x"]).read())).status).toBe(400);
  });

  test("of fewer levels lists every item below it", async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/a", "/b"], kind: PartitionKeyKind.MultiHash, version: 2 },
      throughput: 200_000,
    });
    const bodies = Array.from({ length: 60 }, (_, index) => ({
      id: `item-${index}`,
      a: `tenant-${index % 3}`,
      b: index,
    }));
    await Promise.all(bodies.map((body) => container.items.create(body)));
    const listed = await container.items.readAll({ partitionKey: ["tenant-1"] }).fetchAll();
    const expected = bodies.filter(({ a }) => a === "tenant-1").map(({ id }) => id);
    expect(listed.resources.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });
});

async function expectRangesToTile(container: Container, count: number): Promise<void> {
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  expect(resources.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
  expect(resources[0]?.minInclusive).toBe("");
  expect(resources.at(-1)?.maxExclusive).toBe("FF");
  for (const [index, range] of resources.entries()) {
    expect(range.minInclusive < range.maxExclusive).toBe(true);
    const next = resources[index + 1];
    if (next !== undefined) expect(range.maxExclusive).toBe(next.minInclusive);
  }
}

function distinctKeys(keys: Scheme["keys"]): Scheme["keys"] {
  const named = keys.map((key) => [JSON.stringify(key.map((part) => part ?? `${part}!`)), key]);
  return [...new Map(named as [string, readonly Component[]][]).values()];
}

function bodyOf(key: readonly Component[]): Record<string, Component> {
  const [a, b, c] = key;
  return { a, b, c };
}

function partitionKeyOf(key: readonly Component[]): PartitionKey {
  const builder = new PartitionKeyBuilder();
  for (const component of key) {
    if (component === undefined) builder.addNoneValue();
    else if (component === null) builder.addNullValue();
    else builder.addValue(component);
  }
  return builder.build();
}
