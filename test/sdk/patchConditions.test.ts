/**
 * Patches that are applied only if the stored item meets a condition, through the official client:
 * what can be asked of it, and that it is decided where the item is written.
 */
import type { Container, PatchOperation } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a patch with a condition", () => {
  const operations: PatchOperation[] = [{ op: "incr", path: "/n", value: 1 }];

  test("is applied when the stored item meets it, and is a 412 of its own when not", async () => {
    await container.items.create({ id: "conditional", pk: "a", n: 1, state: "open" });
    const item = container.item("conditional", "a");
    const condition = "FROM c WHERE c.n = 1 AND c.state = 'open'";
    const { resource } = await item.patch({ condition, operations });
    expect(resource?.["n"]).toBe(2);
    const refusal = await refusalOf(item.patch({ condition, operations }));
    expect(refusal).toMatchObject({ status: 412, substatus: 1110 });
    expect((await item.read()).resource).toEqual(resource);
  });

  test("is applied once when many want to be the one", async () => {
    await container.items.create({ id: "claimed", pk: "a" });
    const item = container.item("claimed", "a");
    const claims = Array.from({ length: 10 }, (_, who) =>
      item.patch({
        condition: "from c where not is_defined(c.owner)",
        operations: [{ op: "set", path: "/owner", value: who }],
      }),
    );
    const outcomes = await Promise.allSettled(claims);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of nothing is a 404, and one that makes no sense a 400", async () => {
    const condition = "from c where c.n = 1";
    const nothing = container.item("nothing", "a").patch({ condition, operations });
    expect((await refusalOf(nothing)).status).toBe(404);
    await container.items.create({ id: "sense", pk: "a", n: 1 });
    for (const text of ["c.n = 1", "from c where c.n =", "from c where d.n = 1", ""]) {
      const patch = container.item("sense", "a").patch({ condition: text, operations });
      expect((await refusalOf(patch)).status).toBe(400);
    }
    expect((await container.item("sense", "a").read()).resource?.["n"]).toBe(1);
  });

  test("in a bulk request is judged for itself", async () => {
    await container.items.create({ id: "bulk", pk: "a", n: 1 });
    const patch = (n: number) => ({
      operationType: "Patch" as const,
      id: "bulk",
      partitionKey: "a",
      resourceBody: { condition: `from c where c.n = ${n}`, operations },
    });
    const results = await container.items.executeBulkOperations([patch(1), patch(1), patch(2)]);
    const statuses = results.map(({ response, error }) => response?.statusCode ?? error?.code);
    expect(statuses).toEqual([200, 412, 200]);
  });
});

describe("a condition", () => {
  const operations: PatchOperation[] = [{ op: "add", path: "/done", value: true }];
  const ITEM = { n: 1, zero: 0, tags: ["x", "y"], deep: { a: null }, text: "It's" };

  const MET: readonly string[] = [
    "from c where c.n = 1",
    "FROM root WHERE root.n = 1",
    "from products p where p.n = 1",
    "\n from c\twhere c.n = 1 -- to the end",
    "from c where c.n = 1 and (c.text = 'It\\'s' or false)",
    'from c where c["n"] in (1, 2) and c.n between 0 and 1',
    "from c where is_null(c.deep.a) and not is_defined(c.missing)",
    "from c where c.tags[1] = 'y' and array_contains(c.tags, 'x')",
    "from c where exists(select value t from t in c.tags where t = 'x')",
    "from c where (select value count(1) from t in c.tags) = 2",
    "from c where c.id like 'met-%' and c.pk = 'a' and c._ts > 0",
    "from c where c.n < 2 ? true : false",
    "from c where true",
  ];

  test.each(MET)("%s is met", async (condition) => {
    const id = `met-${MET.indexOf(condition)}`;
    await container.items.create({ id, pk: "a", ...ITEM });
    const { resource } = await container.item(id, "a").patch({ condition, operations });
    expect(resource?.["done"]).toBe(true);
  });

  const UNMET: readonly string[] = [
    "from c where c.n = 2",
    "from c where c.missing = 1",
    "from c where c.missing != 1",
    "from c where c.n",
    "from c where c.zero",
    "from c where null",
    "from c where c.n = '1'",
    "from c where c.n / c.zero = 1",
    "from c where c._etag = 'other'",
    "from c where c.done",
  ];

  test.each(UNMET)("%s is not", async (condition) => {
    const id = `unmet-${UNMET.indexOf(condition)}`;
    const { resource } = await container.items.create({ id, pk: "a", ...ITEM });
    const item = container.item(id, "a");
    const refusal = await refusalOf(item.patch({ condition, operations }));
    expect(refusal).toMatchObject({ status: 412, substatus: 1110 });
    expect((await item.read()).resource).toEqual(resource);
  });

  const SENSELESS: readonly string[] = [
    "where c.n = 1",
    "c.n = 1",
    "from c where",
    "select * from c where c.n = 1",
    "from c where c.n = 1 order by c.n",
    "from c where c.n = 1 group by c.n",
    "from c join t in c.tags where t = 'x'",
    "from t in c.tags where t = 'x'",
    "from c where c.n = @n",
    "from c where count(1) > 0",
    "from c where nope(c.n)",
    "from c where udf.f(c.n)",
    "from c where d.n = 1",
    "from c where rand() >= 0",
    "from c where c.n = 1;",
  ];

  test.each(SENSELESS)("%s is refused", async (condition) => {
    const id = `senseless-${SENSELESS.indexOf(condition)}`;
    const { resource } = await container.items.create({ id, pk: "a", ...ITEM });
    const item = container.item(id, "a");
    const { status, message } = await refusalOf(item.patch({ condition, operations }));
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(20);
    expect((await item.read()).resource).toEqual(resource);
  });

  test("is as long as a query may be, and not longer", async () => {
    await container.items.create({ id: "long", pk: "a", ...ITEM });
    const item = container.item("long", "a");
    const conditionOf = (length: number) => `from c where c.text != '${"x".repeat(length)}'`;
    const met = { condition: conditionOf(100_000), operations };
    expect((await item.patch(met)).statusCode).toBe(200);
    const tooLong = { condition: conditionOf(600_000), operations };
    expect((await refusalOf(item.patch(tooLong))).status).toBe(400);
  });

  test("is about the item before the patch, and is asked before its operations", async () => {
    await container.items.create({ id: "before", pk: "a", n: 1 });
    const item = container.item("before", "a");
    const condition = "from c where c.n = 1";
    const { resource } = await item.patch({
      condition,
      operations: [{ op: "set", path: "/n", value: 5 }],
    });
    expect(resource?.["n"]).toBe(5);
    const wrong: PatchOperation[] = [{ op: "remove", path: "/missing" }];
    expect((await refusalOf(item.patch({ condition, operations: wrong }))).status).toBe(412);
  });

  test("goes together with an etag, of which each can refuse", async () => {
    const { resource } = await container.items.create({ id: "both", pk: "a", n: 1 });
    const item = container.item("both", "a");
    const withEtag = (condition: string) => ({
      accessCondition: { type: "IfMatch", condition },
    });
    const met = { condition: "from c where c.n = 1", operations };
    const unmet = { condition: "from c where c.n = 2", operations };
    const stale = await refusalOf(item.patch(met, withEtag('"stale"')));
    expect([stale.status, stale.substatus ?? 0]).toEqual([412, 0]);
    const etag = resource!._etag;
    expect((await refusalOf(item.patch(unmet, withEtag(etag)))).substatus).toBe(1110);
    expect((await item.patch(met, withEtag(etag))).statusCode).toBe(200);
    expect((await refusalOf(item.patch(met, withEtag(etag)))).status).toBe(412);
  });
});
