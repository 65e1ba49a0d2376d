/**
 * Unique keys through the official client: in one logical partition no two items have the same
 * values at the paths of a unique key, whatever is done in whatever order, and by how many at once.
 */
import type { Container, UniqueKeyPolicy } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rangeIds, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openStage, ownPart, refusalOf, temporaryDirectory } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

let count = 0;

/** Each argument is the paths of one unique key. */
function openUnique(...keys: readonly (readonly string[])[]): Promise<Container> {
  return openWith({ uniqueKeyPolicy: policyOf(...keys) });
}

async function openWith(settings: object, { database } = stage): Promise<Container> {
  const id = `unique-${++count}`;
  const { container } = await database.containers.create({
    id,
    partitionKey: { paths: ["/pk"] },
    ...settings,
  });
  return container;
}

function policyOf(...keys: readonly (readonly string[])[]): UniqueKeyPolicy {
  return { uniqueKeys: keys.map((paths) => ({ paths: [...paths] })) };
}

/** 201 or the status of the refusal. */
async function statusOf(attempt: Promise<{ readonly statusCode: number }>): Promise<number> {
  return attempt.then(
    ({ statusCode }) => statusCode,
    (error: { readonly code: number }) => error.code,
  );
}

describe("two items of a logical partition", () => {
  type Rule = readonly [rule: string, paths: readonly string[], a: object, b: object];
  const CLASHING: readonly Rule[] = [
    ["the same text", ["/mail"], { mail: "x" }, { mail: "x" }],
    ["the same number", ["/n"], { n: 1 }, { n: 1.0 }],
    ["the same boolean", ["/b"], { b: false }, { b: false }],
    ["null twice", ["/mail"], { mail: null }, { mail: null }],
    ["nothing twice", ["/mail"], {}, {}],
    ["null and nothing", ["/mail"], { mail: null }, {}],
    ["an empty text twice", ["/mail"], { mail: "" }, { mail: "" }],
    ["the same below a property", ["/a/b"], { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    ["nothing below a property", ["/a/b"], { a: {} }, { a: 7 }],
    ["both of two values", ["/a", "/b"], { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["one value and nothing", ["/a", "/b"], { a: 1 }, { a: 1, b: null }],
    ["a name in quotes", ['/"e mail"'], { "e mail": "x" }, { "e mail": "x" }],
    ["the same list", ["/l"], { l: [1, 2] }, { l: [1, 2] }],
  ];
  const APART: readonly Rule[] = [
    ["another case of letters", ["/mail"], { mail: "x" }, { mail: "X" }],
    ["another form of the same letter", ["/mail"], { mail: "\u00e9" }, { mail: "e\u0301" }],
    ["a number and its text", ["/n"], { n: 1 }, { n: "1" }],
    ["false and nothing", ["/b"], { b: false }, {}],
    ["an empty text and nothing", ["/mail"], { mail: "" }, {}],
    ["one of two values", ["/a", "/b"], { a: 1, b: 2 }, { a: 1, b: 3 }],
    ["two values the other way round", ["/a", "/b"], { a: 1, b: 2 }, { a: 2, b: 1 }],
    ["what only looks alike in a row", ["/a", "/b"], { a: "x,y" }, { a: "x", b: "y" }],
    ["lists in another order", ["/l"], { l: [1, 2] }, { l: [2, 1] }],
  ];

  test.each(CLASHING)("cannot have %s", async (_rule, paths, a, b) => {
    const container = await openUnique(paths);
    expect(await statusOf(container.items.create({ id: "1", pk: "a", ...a }))).toBe(201);
    const refusal = await refusalOf(container.items.create({ id: "2", pk: "a", ...b }));
    expect(refusal).toMatchObject({ status: 409, substatus: 3301 });
    expect(refusal.message).toContain("Unique index constraint violation.");
    expect(await statusOf(container.items.create({ id: "2", pk: "b", ...b }))).toBe(201);
  });

  test.each(APART)("may have %s", async (_rule, paths, a, b) => {
    const container = await openUnique(paths);
    expect(await statusOf(container.items.create({ id: "1", pk: "a", ...a }))).toBe(201);
    expect(await statusOf(container.items.create({ id: "2", pk: "a", ...b }))).toBe(201);
  });

  test("keep every unique key of the container by itself", async () => {
    const container = await openUnique(["/mail"], ["/phone"], ["/first", "/last"]);
    const first = { mail: "m1", phone: 1, first: "A", last: "B" };
    const free = { mail: "m2", phone: 2, first: "A", last: "C" };
    await container.items.create({ id: "1", pk: "a", ...first });
    for (const taken of [{ mail: "m1" }, { phone: 1 }, { last: "B" }]) {
      const attempt = container.items.create({ id: "2", pk: "a", ...free, ...taken });
      expect((await refusalOf(attempt)).status).toBe(409);
    }
    expect(await statusOf(container.items.create({ id: "2", pk: "a", ...free }))).toBe(201);
  });

  test("share a hierarchical key as a whole, or are apart", async () => {
    const container = await openWith({
      partitionKey: { paths: ["/a", "/b"], kind: PartitionKeyKind.MultiHash, version: 2 },
      uniqueKeyPolicy: policyOf(["/mail"]),
    });
    await container.items.create({ id: "1", a: "x", b: "y", mail: "m" });
    expect(await statusOf(container.items.create({ id: "2", a: "x", b: "y", mail: "m" }))).toBe(
      409,
    );
    expect(await statusOf(container.items.create({ id: "2", a: "x", b: "z", mail: "m" }))).toBe(
      201,
    );
    expect(await statusOf(container.items.create({ id: "2", a: "x", mail: "m" }))).toBe(201);
  });
});

describe("a value that is taken", () => {
  async function openTwo(settings: object = {}): Promise<Container> {
    const container = await openWith({ uniqueKeyPolicy: policyOf(["/mail"]), ...settings });
    await container.items.create({ id: "1", pk: "a", mail: "x" });
    await container.items.create({ id: "2", pk: "a", mail: "y" });
    return container;
  }

  test("is refused to replace, upsert, patch and bulk, which change nothing", async () => {
    const container = await openTwo();
    const before = (await container.items.readAll().fetchAll()).resources;
    const clash = { id: "2", pk: "a", mail: "x" };
    const second = container.item("2", "a");
    const attempts = [
      () => second.replace(clash),
      () => container.items.upsert(clash),
      () => container.items.upsert({ ...clash, id: "3" }),
      () => second.patch([{ op: "set", path: "/mail", value: "x" }]),
      () => second.patch([{ op: "replace", path: "/mail", value: "x" }]),
    ];
    for (const attempt of attempts) {
      const { status, substatus } = await refusalOf(attempt());
      expect([status, substatus]).toEqual([409, 3301]);
    }
    const results = await container.items.bulk([
      { operationType: "Create", partitionKey: "a", resourceBody: { ...clash, id: "4" } },
      { operationType: "Upsert", partitionKey: "a", resourceBody: clash },
    ]);
    expect(results.map(({ statusCode }) => statusCode)).toEqual([409, 409]);
    expect((await container.items.readAll().fetchAll()).resources).toEqual(before);
  });

  test("is its holder's own: it may be written again", async () => {
    const container = await openTwo();
    const item = container.item("1", "a");
    expect(await statusOf(item.replace({ id: "1", pk: "a", mail: "x", n: 1 }))).toBe(200);
    expect(await statusOf(container.items.upsert({ id: "1", pk: "a", mail: "x" }))).toBe(200);
    expect(await statusOf(item.patch([{ op: "set", path: "/mail", value: "x" }]))).toBe(200);
    // Whoever wants to create the very same item is told that its id is taken.
    const refusal = await refusalOf(container.items.create({ id: "1", pk: "a", mail: "x" }));
    expect([refusal.status, refusal.substatus ?? 0]).toEqual([409, 0]);
  });

  test("is free once its holder says something else, or is gone", async () => {
    const container = await openTwo();
    const claim = (id: string) => statusOf(container.items.create({ id, pk: "a", mail: "x" }));
    const releases: Readonly<Record<string, () => Promise<unknown>>> = {
      "3": () => container.item("1", "a").patch([{ op: "set", path: "/mail", value: "z" }]),
      "4": () => container.item("3", "a").replace({ id: "3", pk: "a", mail: "3" }),
      "5": () => container.items.upsert({ id: "4", pk: "a", mail: "4" }),
      "6": () => container.item("5", "a").delete(),
      "7": () => container.item("6", "a").patch([{ op: "remove", path: "/mail" }]),
    };
    for (const [id, release] of Object.entries(releases)) {
      expect(await claim(id)).toBe(409);
      await release();
      expect(await claim(id)).toBe(201);
    }
  });

  test("is free once its holder has expired", async () => {
    const container = await openTwo({ defaultTtl: -1 });
    await container.item("1", "a").patch([{ op: "set", path: "/ttl", value: 2 }]);
    const claim = () => container.items.create({ id: "3", pk: "a", mail: "x" });
    expect(await statusOf(claim())).toBe(409);
    await expect.poll(() => statusOf(claim()), { interval: 100 }).toBe(201);
    expect((await container.item("1", "a").read()).statusCode).toBe(404);
    const { resources } = await container.items.query("SELECT VALUE c.id FROM c").fetchAll();
    expect(resources.toSorted()).toEqual(["2", "3"]);
  });
});

describe("under concurrency", () => {
  test("one of many creators has the value, and the others are told", async () => {
    const container = await openUnique(["/seat"]);
    const attempts = Array.from({ length: 40 }, (_, n) =>
      statusOf(container.items.create({ id: `guest-${n}`, pk: "hall", seat: n % 4 })),
    );
    const statuses = await Promise.all(attempts);
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    expect(statuses.filter((status) => status === 409)).toHaveLength(36);
    const { resources } = await container.items.query("SELECT VALUE c.seat FROM c").fetchAll();
    expect(resources.toSorted()).toEqual([0, 1, 2, 3]);
  });

  test("whatever is done at once, no value is there twice", async () => {
    const anySteps = fc.array(
      fc.record({
        kind: fc.constantFrom("create", "upsert", "replace", "patch", "delete"),
        id: fc.constantFrom("1", "2", "3", "4", "5", "6"),
        mail: fc.constantFrom("x", "y", "z"),
      }),
      { minLength: 150, maxLength: 150 },
    );
    const [steps = []] = fc.sample(anySteps, { numRuns: 1, seed: 7 });
    const container = await openUnique(["/mail"]);
    for (let start = 0; start < steps.length; start += 15) {
      await Promise.all(
        steps.slice(start, start + 15).map(({ kind, id, mail }) => {
          const body = { id, pk: "a", mail };
          const item = container.item(id, "a");
          switch (kind) {
            case "create":
              return statusOf(container.items.create(body));
            case "upsert":
              return statusOf(container.items.upsert(body));
            case "replace":
              return statusOf(item.replace(body));
            case "patch":
              return statusOf(item.patch([{ op: "set", path: "/mail", value: mail }]));
            default:
              return statusOf(item.delete());
          }
        }),
      );
      const { resources } = await container.items.readAll().fetchAll();
      const mails = resources.map((item) => String(item["mail"]));
      expect(new Set(mails).size).toBe(mails.length);
      // And none is held by something that is not there.
      for (const mail of ["x", "y", "z"]) {
        const status = await statusOf(container.items.create({ id: "probe", pk: "a", mail }));
        expect(status).toBe(mails.includes(mail) ? 409 : 201);
        if (status === 201) await container.item("probe", "a").delete();
      }
    }
  });
});

describe("a container with unique keys", () => {
  test("keeps them through a split and a restart", async () => {
    using directory = temporaryDirectory();
    const create = (container: Container, id: string, n: number) =>
      statusOf(container.items.create({ id, pk: `pk-${n}`, mail: "x" }));
    const keys = Array.from({ length: 12 }, (_, n) => n);
    let id = "";
    {
      await using kept = await openStage({ data: directory.path });
      const container = await openWith({ uniqueKeyPolicy: policyOf(["/mail"]) }, kept);
      id = container.id;
      for (const n of keys) expect(await create(container, "1", n)).toBe(201);
      await split(kept.server, container);
      expect(await rangeIds(kept.server, container)).toHaveLength(2);
      for (const n of keys) expect(await create(container, "2", n)).toBe(409);
      await container.item("1", "pk-0").delete();
    }
    await using kept = await openStage({ data: directory.path });
    const container = kept.database.container(id);
    for (const n of keys) expect(await create(container, "3", n)).toBe(n === 0 ? 201 : 409);
  });

  test("tells them as they were sent, up to ten of up to sixteen paths", async () => {
    const paths = Array.from({ length: 16 }, (_, n) => `/deep/"name ${n}"`);
    const uniqueKeyPolicy = policyOf(
      paths,
      ...Array.from({ length: 9 }, (_, n) => [`/b${n}`, "/a/b"]),
    );
    const container = await openWith({ uniqueKeyPolicy });
    const { resource } = await container.read();
    expect(resource?.uniqueKeyPolicy).toEqual(uniqueKeyPolicy);
    const replaced = await container.replace({ ...resource!, defaultTtl: 60 });
    expect(replaced.resource?.uniqueKeyPolicy).toEqual(uniqueKeyPolicy);
    await container.items.create({ id: "1", pk: "a" });
    expect(await statusOf(container.items.create({ id: "2", pk: "a" }))).toBe(409);
  });

  const MISTAKES: readonly (readonly [rule: string, policy: unknown])[] = [
    ["eleven keys", policyOf(...Array.from({ length: 11 }, (_, n) => [`/a${n}`]))],
    ["seventeen paths", policyOf(Array.from({ length: 17 }, (_, n) => `/a${n}`))],
    ["a key without paths", policyOf([])],
    ["a path without a slash", policyOf(["mail"])],
    ["a path that ends in a slash", policyOf(["/mail/"])],
    ["a wildcard", policyOf(["/mail/*"])],
    ["elements of a list", policyOf(["/mails/[]"])],
    ["the same path twice", policyOf(["/mail", "/mail"])],
    ["the same key twice", policyOf(["/a", "/b"], ["/b", "/a"])],
    ["a text for a key", { uniqueKeys: ["/mail"] }],
  ];

  test.each(MISTAKES)("is not made with %s", async (_rule, uniqueKeyPolicy) => {
    const { status, message } = await refusalOf(openWith({ uniqueKeyPolicy }));
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(30);
  });

  test("keeps them for good", async () => {
    const container = await openUnique(["/mail"]);
    await container.items.create({ id: "1", pk: "a", mail: "x" });
    const { resource } = await container.read();
    const { uniqueKeyPolicy: _left, ...without } = resource!;
    const changes = [
      without,
      { ...without, uniqueKeyPolicy: { uniqueKeys: [] } },
      { ...without, uniqueKeyPolicy: policyOf(["/other"]) },
      { ...without, uniqueKeyPolicy: policyOf(["/mail"], ["/other"]) },
    ];
    for (const change of changes) {
      const { message } = await refusalOf(container.replace(change));
      expect(message).toContain("The unique index cannot be modified");
    }
    const plain = await openWith({});
    const added = { ...(await plain.read()).resource!, uniqueKeyPolicy: policyOf(["/mail"]) };
    const { message } = await refusalOf(plain.replace(added));
    expect(message).toContain("The unique index cannot be modified");
    expect((await container.read()).resource).toEqual(resource);
    expect(ownPart((await container.item("1", "a").read()).resource)).toEqual({
      id: "1",
      pk: "a",
      mail: "x",
    });
  });
});
