/**
 * The linked list against a real wall: a logical partition holds 20 KB here instead of 20 GB, so
 * every few items the next suffix begins.
 */
import type { Container } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkedList } from "../../src/keys/client/linkedList.ts";
import { locate } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, temporaryDirectory } from "./stage.ts";

const LIMIT = 20 * 1024;
const SCALED = { limits: { logicalPartitionBytes: "20KB" } };
const FILL = "x".repeat(1500);
const OPTIONS = { paths: ["/pk"], key: "device" };

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true, ...SCALED });
});
afterAll(() => stage[Symbol.asyncDispose]());

const item = (n: number, fill = FILL) => ({ id: `item-${n}`, n, fill });
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("a list that outgrows one logical partition after the other", () => {
  let container: Container;
  const written: { readonly suffix: number }[] = [];
  beforeAll(async () => {
    container = await openContainer(stage.database);
    const list = linkedList(container, OPTIONS);
    for (const n of range(60)) written.push(await list.create(item(n)));
  });

  test("goes on under the next suffix, in order", async () => {
    const list = linkedList(container, OPTIONS);
    const suffixes = written.map(({ suffix }) => suffix);
    expect(suffixes).toEqual(suffixes.toSorted((a, b) => a - b));
    expect(suffixes[0]).toBe(1);
    expect(suffixes.at(-1)).toBeGreaterThanOrEqual(4);
    expect(await list.countSuffixes()).toBe(suffixes.at(-1));
    expect(list.keyOf(1)).toEqual(["device"]);
    expect(list.keyOf(3)).toEqual(["device~3"]);
  });

  test("fills each before it goes on", async () => {
    const list = linkedList(container, OPTIONS);
    for (const suffix of range((await list.countSuffixes()) - 1)) {
      const [key] = list.keyOf(suffix + 1);
      const { itemBytes } = await locate(stage.server, container, String(key));
      expect(itemBytes).toBeLessThanOrEqual(LIMIT);
      expect(itemBytes).toBeGreaterThan(LIMIT - 2500);
    }
  });

  test("reads an item wherever it is, and says when there is none", async () => {
    const list = linkedList(container, OPTIONS);
    for (const n of [0, 30, 59]) {
      const { resource, suffix, ru } = await list.read(`item-${n}`);
      expect(resource).toMatchObject({ id: `item-${n}`, n, listKey: "device" });
      expect(suffix).toBe(written[n]!.suffix);
      expect(ru).toBeGreaterThan(1);
    }
    expect(await list.read("none")).toMatchObject({ resource: undefined, suffix: undefined });
  });

  test("queries all suffixes, in either order, merged, and with a limit", async () => {
    const list = linkedList(container, OPTIONS);
    const text = "SELECT VALUE c.n FROM c ORDER BY c.n";
    const all = await list.query<number>(text);
    expect(all.rows).toEqual(range(60));
    expect(all.byKey).toHaveLength(await list.countSuffixes());
    const spent = all.byKey.reduce((sum, { ru }) => sum + ru, 0);
    expect(all.ru).toBeGreaterThan(spent); // The pointer was read.
    expect(all.ru - spent).toBeLessThan(3);

    const down = "SELECT VALUE c.n FROM c ORDER BY c.n DESC";
    const newest = await list.query<number>(down, { newestFirst: true, limit: 5 });
    expect(newest.rows).toEqual([59, 58, 57, 56, 55]);
    expect(newest.byKey.length).toBeLessThanOrEqual(2);

    const byRest = "SELECT VALUE c.n FROM c WHERE c.n % 7 = 0 ORDER BY c.n DESC";
    const merged = await list.query<number>(byRest, { compare: (a, b) => b - a, pageSize: 2 });
    expect(merged.rows).toEqual([56, 49, 42, 35, 28, 21, 14, 7, 0]);
  });

  test("can be asked for over the whole container by its plain key", async () => {
    await container.items.create({ id: "other", pk: "other", n: -1 });
    const query = {
      query: "SELECT VALUE COUNT(1) FROM c WHERE c.listKey = @key",
      parameters: [{ name: "@key", value: "device" }],
    };
    expect((await container.items.query(query).fetchAll()).resources).toEqual([60]);
  });

  test("writes over an item where it is, and moves one that has grown too large", async () => {
    const list = linkedList(container, OPTIONS);
    const same = await list.upsert({ ...item(2), changed: true });
    expect(same.suffix).toBe(1);
    const moved = await list.upsert(item(3, "y".repeat(9000)));
    expect(moved.suffix).toBeGreaterThan(1);
    const { resource, suffix } = await list.read("item-3");
    expect(suffix).toBe(moved.suffix);
    expect(resource).toMatchObject({ fill: "y".repeat(9000) });
    const copies = await list.query("SELECT VALUE c.id FROM c WHERE c.id = 'item-3'");
    expect(copies.rows).toEqual(["item-3"]);
    expect((await list.upsert(item(100))).suffix).toBe(await list.countSuffixes());
  });

  test("removes an item, once", async () => {
    const list = linkedList(container, OPTIONS);
    expect((await list.remove("item-5")).isRemoved).toBe(true);
    expect((await list.remove("item-5")).isRemoved).toBe(false);
    expect((await list.read("item-5")).resource).toBeUndefined();
  });

  test("says so if an item is larger than a logical partition, and stays as it is", async () => {
    const own = linkedList(container, { paths: ["/pk"], key: "tiny" });
    await own.create(item(0));
    for (const _ of range(3)) {
      await expect(own.create(item(1, "x".repeat(LIMIT)))).rejects.toThrow(/item-1.*larger than/);
    }
    expect(await own.countSuffixes()).toBe(2);
  });
});

describe("several writers", () => {
  test("of one process at the same time: nothing is lost, nothing is left empty", async () => {
    const container = await openContainer(stage.database);
    const list = linkedList(container, OPTIONS);
    await Promise.all(range(120).map((n) => list.create(item(n))));
    await expectAll(list, 120);
  });

  test("of several processes, each with what it remembers", async () => {
    const container = await openContainer(stage.database);
    const lists = range(5).map(() => {
      const client = clientOf(stage.server);
      const own = client.database("stage").container(container.id);
      return { list: linkedList(own, OPTIONS), client };
    });
    for (const round of range(4)) {
      await Promise.all(
        lists.flatMap(({ list }, at) =>
          range(8).map((n) => list.create(item(round * 40 + at * 8 + n))),
        ),
      );
    }
    await expectAll(lists[0]!.list, 160);
    for (const { client } of lists) client.dispose();
  });

  async function expectAll(list: ReturnType<typeof linkedList>, count: number): Promise<void> {
    const { rows, byKey } = await list.query<number>("SELECT VALUE c.n FROM c");
    expect(rows.toSorted((a, b) => a - b)).toEqual(range(count));
    // 11 items of this size fit: every suffix was filled before the next one was begun.
    expect(byKey).toHaveLength(Math.ceil(count / 11));
    expect(byKey.slice(0, -1).map(({ rowCount }) => rowCount)).toEqual(
      byKey.slice(1).map(() => 11),
    );
  }
});

describe("where the list is", () => {
  test("is known after a restart of both", async () => {
    using directory = temporaryDirectory();
    const options = { data: directory.path, ...SCALED };
    const before = await (async () => {
      await using first = await openStage(options);
      await first.database.containers.create({ id: "kept", partitionKey: "/pk" });
      const list = linkedList(first.database.container("kept"), OPTIONS);
      for (const n of range(30)) await list.create(item(n));
      return await list.countSuffixes();
    })();
    await using second = await openStage(options);
    const list = linkedList(second.database.container("kept"), OPTIONS);
    expect(before).toBeGreaterThanOrEqual(3);
    const { suffix } = await list.create(item(30));
    expect([before, before + 1]).toContain(suffix);
    expect((await list.query<number>("SELECT VALUE c.n FROM c")).rows).toHaveLength(31);
  });

  test("is found from the items if nobody kept it, over a gap, and kept from then on", async () => {
    const container = await openContainer(stage.database);
    // A key that was full before anybody thought of suffixes; suffixes that expired.
    for (const n of range(11)) await container.items.create({ ...item(n), pk: "device" });
    for (const suffix of [3, 9]) {
      await container.items.create({ ...item(suffix * 100), pk: `device~${suffix}` });
    }
    const list = linkedList(container, OPTIONS);
    expect(await list.countSuffixes()).toBe(9);
    expect((await container.item("list", "device~list").read()).statusCode).toBe(404);
    expect((await list.create(item(50))).suffix).toBe(9);
    const { resource } = await container.item("list", "device~list").read();
    expect(resource).toMatchObject({ count: 9, ttl: -1 });
    expect((await list.read("item-7")).suffix).toBe(1);
  });

  test("outlives items that expire", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 3 });
    const list = linkedList(container, OPTIONS);
    for (const n of range(25)) await list.create(item(n));
    await expect
      .poll(async () => (await list.query("SELECT VALUE c.id FROM c")).rows.length)
      .toBe(0);
    const later = linkedList(container, OPTIONS);
    const { suffix } = await later.create(item(99));
    expect(suffix).toBeGreaterThanOrEqual(2);
    expect((await later.read("item-99")).suffix).toBe(suffix);
  });
});

describe("what a key may be", () => {
  test("several levels: the last one gets the suffix", async () => {
    const partitionKey = {
      paths: ["/tenant", "/user/name"],
      kind: PartitionKeyKind.MultiHash,
      version: 2,
    };
    const container = await openContainer(stage.database, { partitionKey });
    const [one, two] = ["t1", "t2"].map((tenant) =>
      linkedList(container, { paths: ["/tenant", "/user/name"], key: [tenant, "u"] }),
    );
    for (const n of range(30)) await one!.create({ ...item(n), user: { age: 5 } });
    await two!.create(item(0));
    expect(await one!.countSuffixes()).toBeGreaterThanOrEqual(3);
    expect(await two!.countSuffixes()).toBe(1);
    const { resource } = await one!.read("item-29");
    const name = `u~${await one!.countSuffixes()}`;
    expect(resource).toMatchObject({ tenant: "t1", user: { age: 5, name } });
    expect((await one!.query("SELECT VALUE c.id FROM c")).rows).toHaveLength(30);
  });

  test.each([
    [{ paths: ["/pk"], key: "a~2" }, /ends like a suffix/],
    [{ paths: ["/pk"], key: "a~list" }, /ends like a suffix/],
    [{ paths: ["/pk"], key: 7 }, /has to be a text/],
    [{ paths: ["/pk"], key: ["a", "b"] }, /2 components.*1 paths/],
    [{ paths: ["pk"], key: "a" }, /"pk" is no path/],
    [{ paths: ["/pk"], key: "a", concurrency: 0 }, /concurrency: 0/],
  ])("%j: no", (options, message) => {
    expect(() => linkedList(stage.database.container("any"), options)).toThrow(message);
  });

  test("an item has to have an id, or a repeated write would make two", async () => {
    const list = linkedList(await openContainer(stage.database), OPTIONS);
    await expect(list.create({ n: 1 })).rejects.toThrow("no id");
    await expect(list.upsert({ n: 1 })).rejects.toThrow("no id");
  });

  test("what is refused for another reason is the caller's", async () => {
    const list = linkedList(await openContainer(stage.database), OPTIONS);
    await list.create(item(1));
    await expect(list.create(item(1))).rejects.toMatchObject({ code: 409 });
    expect(await list.countSuffixes()).toBe(1);
  });
});
