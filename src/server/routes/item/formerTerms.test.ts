/**
 * After a container was copied to another key and its copy has taken over the name: what clients
 * get that still go by the key, the ranges and the continuations of before.
 */
import { describe, expect, test } from "vitest";
import { simulatedScripts } from "../../../engine/script/simulatedScripts.fake.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import {
  type Asked,
  DOCS,
  formerStage,
  ITEM_COUNT,
  idsIn,
  idsWhere,
  itemOf,
  keyed,
  QUERY,
} from "./formerStage.fake.ts";

const ALL = { query: "SELECT * FROM c" };
const CHANGES = { "a-im": "Incremental Feed" };
const UPSERT = { [HEADER.isUpsert]: "true" };
const ITEM = `${DOCS}/i7`;
/** What item 7 had before, and what it has now. */
const { pk: OLD_KEY, tenant: KEY_NOW } = itemOf(7);

describe("one item", () => {
  test.each<[string, Asked, number]>([
    ["read by the old key", ["GET", ITEM, keyed(OLD_KEY)], 200],
    ["read by the key of now", ["GET", ITEM, keyed(KEY_NOW)], 200],
    ["read by a key that it never had", ["GET", ITEM, keyed("p0")], 404],
    ["read by a key that is too long", ["GET", ITEM, keyed("a", "b")], 400],
    ["created with the old key", ["POST", DOCS, keyed("p1"), { ...itemOf(7), id: "n" }], 201],
    ["created again with the old key", ["POST", DOCS, keyed(OLD_KEY), itemOf(7)], 409],
    ["replaced by the old key", ["PUT", ITEM, keyed(OLD_KEY), { ...itemOf(7), n: 1 }], 200],
    ["deleted by the old key", ["DELETE", ITEM, keyed(OLD_KEY)], 204],
    ["deleted by a key that it never had", ["DELETE", ITEM, keyed("p0")], 404],
    [
      "patched by the old key",
      ["PATCH", ITEM, keyed(OLD_KEY), { operations: [{ op: "set", path: "/n", value: 1 }] }],
      200,
    ],
    [
      "replaced by the old key, and given another key of now",
      ["PUT", ITEM, keyed(OLD_KEY), { ...itemOf(7), tenant: "other" }],
      200,
    ],
    [
      "upserted by the old key, and given another key of now",
      ["POST", DOCS, { ...keyed(OLD_KEY), ...UPSERT }, { ...itemOf(7), tenant: "other" }],
      200,
    ],
    [
      "given another key of now, if it is what it is not",
      ["PUT", ITEM, { ...keyed(OLD_KEY), "if-match": "x" }, { ...itemOf(7), tenant: "other" }],
      412,
    ],
  ])("%s", async (_what, asked, status) => {
    const { ask } = await formerStage();
    expect((await ask(...asked)).status).toBe(status);
  });

  test("written by the old key is read by it, and by the key of now", async () => {
    const { ask } = await formerStage();
    const item = { id: "n", pk: "fresh", tenant: "t1" };
    expect((await ask("POST", DOCS, keyed("fresh"), item)).status).toBe(201);
    expect((await ask("GET", `${DOCS}/n`, keyed("fresh"))).status).toBe(200);
    expect((await ask("GET", `${DOCS}/n`, keyed("t1"))).status).toBe(200);
    expect((await ask("DELETE", `${DOCS}/n`, keyed("fresh"))).status).toBe(204);
    expect((await ask("GET", `${DOCS}/n`, keyed("fresh"))).status).toBe(404);
  });

  test("of a container whose key is made up is read, and made with the key written in", async () => {
    const { ask } = await formerStage([], ["concat(/tenant, '-', hash(/id) % 4)"]);
    expect((await ask("GET", ITEM, keyed(OLD_KEY))).status).toBe(200);
    const made = await ask("POST", DOCS, keyed("p9"), { id: "m", pk: "p9", tenant: "t" });
    expect(made).toMatchObject({ status: 201, value: { partitionKey: expect.any(String) } });
    // A client that has read the new definition finds no value for it in what it sends.
    const none = { [HEADER.partitionKey]: "[{}]" };
    const more = await ask("POST", DOCS, none, { id: "k", pk: "p9", tenant: "t" });
    expect(more).toMatchObject({ status: 201, value: { partitionKey: expect.any(String) } });
    expect((await ask("PUT", `${DOCS}/k`, none, { id: "k", pk: "p9", tenant: "t" })).status).toBe(
      200,
    );
  });

  test("is counted by the program that goes by the old key, and by no other", async () => {
    const { ask, now } = await formerStage();
    const counts = (now.former as unknown as { counts: ReadonlyMap<string, number> }).counts;
    await ask("GET", ITEM, keyed(KEY_NOW));
    expect([...counts]).toEqual([]);
    await ask("GET", ITEM, keyed(OLD_KEY));
    await ask("PUT", ITEM, keyed(OLD_KEY), { ...itemOf(7), n: 1 });
    await ask("POST", DOCS, { ...QUERY, ...keyed("p1") }, ALL);
    expect([...counts]).toEqual([["test/1", 3]]);
  });
});

describe("pages of items", () => {
  test.each([
    ["by a key of before", { pk: "p1" }, "p1"],
    ["by a key of now", { tenant: "t2" }, "t2"],
  ])("a query, a feed and changes %s have the items of that key", async (_what, which, key) => {
    const { ask } = await formerStage();
    const [[member, value]] = Object.entries(which) as [[keyof ReturnType<typeof itemOf>, string]];
    const due = idsWhere((item) => item[member] === value);
    expect(idsIn(await ask("POST", DOCS, { ...QUERY, ...keyed(key) }, ALL))).toEqual(due);
    expect(idsIn(await ask("GET", DOCS, keyed(key)))).toEqual(due);
    expect(idsIn(await ask("GET", DOCS, { ...keyed(key), ...CHANGES }))).toEqual(due);
  });

  test("by a key of before have what was written a moment ago", async () => {
    const { ask } = await formerStage();
    await ask("POST", DOCS, keyed("p1"), { id: "n", pk: "p1", tenant: "new" });
    const { headers: _none, ...page } = await ask("POST", DOCS, { ...QUERY, ...keyed("p1") }, ALL);
    expect(idsIn({ ...page, headers: new Map() })).toContain("n");
    expect(idsIn(await ask("GET", DOCS, keyed("p1")))).toContain("n");
  });

  test.each([
    ["the beginning of a key of now", "t2", "tenant"],
    ["a key of before", "p1", "pk"],
  ] as const)("by %s, which has several levels now", async (_what, key, member) => {
    const { ask } = await formerStage([], ["/tenant", "/id"]);
    const due = idsWhere((item) => item[member] === key);
    expect(idsIn(await ask("POST", DOCS, { ...QUERY, ...keyed(key) }, ALL))).toEqual(due);
    expect(idsIn(await ask("GET", DOCS, { ...CHANGES, ...keyed(key) }))).toEqual(due);
  });

  test("by a key that fits the old container only are those of before", async () => {
    const { ask, old } = await formerStage([], ["/tenant"], {}, ["/pk", "/id"]);
    const page = await ask("POST", DOCS, { ...QUERY, ...keyed("p1", "i7") }, ALL);
    expect([page.status, idsIn(page)]).toEqual([200, ["i7"]]);
    const empty = await ask("POST", DOCS, { ...QUERY, ...keyed("p1", "none") }, ALL);
    expect(empty).toMatchObject({ status: 200, value: { _rid: old.rid, _count: 0 } });
    expect((await ask("GET", ITEM, keyed("p1", "i7"))).status).toBe(200);
    expect((await ask("GET", ITEM, keyed("p2", "i7"))).status).toBe(400);
  });

  test("of before are refused while the old container is not kept up to date", async () => {
    const { ask, account, old } = await formerStage();
    const { copying } = account.jobs;
    await copying.command(copying.runs[0]!, "pause", {});
    const page = await ask("POST", DOCS, { ...QUERY, ...keyed("p1") }, ALL);
    expect(page.status).toBe(503);
    const range = { [HEADER.rangeId]: old.map.entries[0]!.id };
    expect((await ask("POST", DOCS, { ...QUERY, ...range }, ALL)).status).toBe(503);
    expect((await ask("POST", DOCS, { ...QUERY, ...keyed("t1") }, ALL)).status).toBe(200);
    expect((await ask("GET", ITEM, keyed(OLD_KEY))).status).toBe(200);
  });

  test("by a range id of before, or of now, are whole", async () => {
    const { ask, old, now } = await formerStage();
    for (const { map } of [old, now]) {
      const seen = new Set<string>();
      for (const { id } of map.entries) {
        const ofRange = { [HEADER.rangeId]: id };
        const page = await ask("POST", DOCS, { ...QUERY, ...ofRange }, ALL);
        for (const one of idsIn(page)) seen.add(one);
        expect((await ask("GET", DOCS, { ...CHANGES, ...ofRange })).status).toBe(200);
      }
      expect(seen.size).toBe(ITEM_COUNT);
    }
  });

  test("by a range id that nobody has: the client looks at the map again", async () => {
    const { ask } = await formerStage();
    const page = await ask("POST", DOCS, { ...QUERY, [HEADER.rangeId]: "77" }, ALL);
    expect(page.status).toBe(410);
  });

  test("by a key of now beside a range id of before have the items of that key", async () => {
    const { ask, old } = await formerStage();
    const ids: string[] = [];
    for (const { id } of old.map.entries) {
      const headers = { ...QUERY, ...keyed("t2"), [HEADER.rangeId]: id };
      ids.push(...idsIn(await ask("POST", DOCS, headers, ALL)));
    }
    expect(ids.sort()).toEqual(idsWhere(({ tenant }) => tenant === "t2"));
  });

  test("by bounds beside a range id of before are those of before", async () => {
    const { ask, old } = await formerStage();
    const [{ id, range }] = old.map.entries as [(typeof old.map.entries)[number]];
    const bounds = { [HEADER.startEpk]: range.min, [HEADER.endEpk]: range.max };
    const page = await ask("POST", DOCS, { ...QUERY, ...bounds, [HEADER.rangeId]: id }, ALL);
    expect(page).toMatchObject({ status: 200, value: { _rid: old.rid } });
  });

  test("about one key of before are answered to who asks for no more than one key", async () => {
    const { ask } = await formerStage();
    const query = { query: "SELECT * FROM c WHERE c.pk = 'p1'" };
    const page = await ask("POST", DOCS, { [HEADER.isQuery]: "true" }, query);
    expect(idsIn(page)).toEqual(idsWhere(({ pk }) => pk === "p1"));
  });
});

const FEW = { [HEADER.maxItemCount]: "4" };

describe("what was begun before the switch", () => {
  test.each<[string, Asked]>([
    ["a query", ["POST", DOCS, { ...QUERY, ...FEW }, ALL]],
    ["a query by a key", ["POST", DOCS, { ...QUERY, ...FEW, ...keyed("p1") }, ALL]],
    ["a feed", ["GET", DOCS, FEW]],
    ["a feed by a key", ["GET", DOCS, { ...FEW, ...keyed("p1") }]],
  ])("%s goes on to its end, and misses nothing", async (_what, [method, url, headers, body]) => {
    const isOfKey = headers?.[HEADER.partitionKey] !== undefined;
    const { ask, before } = await formerStage([[method, url, headers, body]]);
    const seen = [...idsIn(before[0]!)];
    let continuation = before[0]!.headers.get(HEADER.continuation);
    while (continuation !== undefined) {
      const more = { ...headers, [HEADER.continuation]: continuation };
      const page = await ask(method, url, more, body);
      expect(page.status).toBe(200);
      seen.push(...idsIn(page));
      continuation = page.headers.get(HEADER.continuation);
    }
    expect(seen.sort()).toEqual(idsWhere(({ pk }) => !isOfKey || pk === "p1"));
  });

  test.each([
    ["a container", {}],
    ["a key", keyed("p1")],
  ])("the changes of %s go on, and none of those since is missed", async (_what, scope) => {
    const headers = { ...CHANGES, ...scope };
    // The log of the old container gets longer than that of the copy, so their numbers differ.
    const replaced: Asked = ["PUT", ITEM, keyed(OLD_KEY), itemOf(7)];
    const { ask, before } = await formerStage([replaced, ["GET", DOCS, headers]]);
    const etag = before[1]!.headers.get("etag")!;
    const nothing = await ask("GET", DOCS, { ...headers, "if-none-match": etag });
    expect(nothing.status).toBe(304);
    await ask("POST", DOCS, keyed("p1"), { id: "n", pk: "p1", tenant: "t1" });
    const next = await ask("GET", DOCS, { ...headers, "if-none-match": etag });
    expect([next.status, idsIn(next)]).toEqual([200, ["n"]]);
  });

  test("changes of now that are asked for from now on are those of the new container", async () => {
    const { ask, now } = await formerStage();
    const { headers } = await ask("GET", DOCS, { ...CHANGES, "if-none-match": "*" });
    await ask("POST", DOCS, keyed("t1"), { id: "n", pk: "p1", tenant: "t1" });
    const next = await ask("GET", DOCS, { ...CHANGES, "if-none-match": headers.get("etag")! });
    expect(next).toMatchObject({ status: 200, value: { _rid: now.rid } });
    expect(idsIn(next)).toEqual(["n"]);
  });

  test("a continuation that nobody gave is refused", async () => {
    const { ask } = await formerStage();
    const altered = { ...QUERY, [HEADER.continuation]: '{"a":1,"h":"0123456789abcdef"}' };
    expect((await ask("POST", DOCS, altered, ALL)).status).toBe(400);
  });

  test("a session of before or of now never keeps a read waiting", async () => {
    const { ask, old, now } = await formerStage();
    const [{ id: oldId }] = old.map.entries as [(typeof old.map.entries)[number]];
    const [{ id: newId }] = now.map.entries as [(typeof now.map.entries)[number]];
    for (const token of [`${oldId}:-1#999999`, `${oldId}:0#999999`]) {
      const read = await ask("GET", ITEM, { ...keyed(KEY_NOW), [HEADER.sessionToken]: token });
      expect(read.status).toBe(200);
    }
    const token = { [HEADER.sessionToken]: `${newId}:0#999999` };
    expect((await ask("POST", DOCS, { ...QUERY, ...keyed("p1"), ...token }, ALL)).status).toBe(200);
  });
});

const PLAN = { [HEADER.isQueryPlan]: "true", [HEADER.queryFeatures]: "" };

test.each([
  ["a filter on the key of now names all ranges", {}, "c.tenant = 't1'", false],
  ["a filter on the key of before names all ranges", {}, "c.pk = 'p1'", false],
  ["a key of before names one", keyed("p1"), "true", true],
  ["a key of now names one", keyed("t1"), "true", true],
])("in a plan, %s", async (_rule, headers, filter, isOne) => {
  const { ask } = await formerStage();
  const query = { query: `SELECT * FROM c WHERE ${filter}` };
  const plan = await ask("POST", DOCS, { ...PLAN, ...headers }, query);
  const { queryRanges } = plan.value as unknown as {
    readonly queryRanges: readonly { readonly min: string; readonly max: string }[];
  };
  expect(plan.status).toBe(200);
  expect(queryRanges).toHaveLength(1);
  expect(queryRanges[0]!.min === queryRanges[0]!.max).toBe(isOne);
  if (!isOne) expect(queryRanges[0]).toMatchObject({ min: "", max: "FF" });
});

const BULK = { [HEADER.isBatch]: "true" };
const BATCH = { ...BULK, [HEADER.isBatchAtomic]: "true" };

function operation(kind: string, index: number, more = {}): Record<string, unknown> {
  const { pk } = itemOf(index);
  return { operationType: kind, id: `i${index}`, partitionKey: JSON.stringify([pk]), ...more };
}

function statusesIn({ value }: { readonly value: unknown }): readonly number[] {
  return (value as readonly { readonly statusCode: number }[]).map(({ statusCode }) => statusCode);
}

test("bulk in terms of before does each operation, reads too, for a range of before", async () => {
  const { ask, old } = await formerStage();
  const operations = [
    operation("Read", 1),
    operation("Replace", 2, { resourceBody: { ...itemOf(2), n: 1 } }),
    operation("Delete", 3),
    operation("Create", 100, { resourceBody: itemOf(100) }),
    operation("Upsert", 4, { resourceBody: { ...itemOf(4), n: 1 } }),
    operation("Read", 3),
    operation("Read", 100),
  ];
  const headers = { ...BULK, [HEADER.rangeId]: old.map.entries[0]!.id };
  const done = await ask("POST", DOCS, headers, operations as never);
  expect(statusesIn(done)).toEqual([200, 200, 204, 201, 200, 404, 200]);
  const gone = await ask("POST", DOCS, { ...BULK, [HEADER.rangeId]: "77" }, operations as never);
  expect(gone.status).toBe(410);
});

describe("a transaction in terms of before", () => {
  // Items 1 and 16 have both keys in common, 1 and 4 only that of before.
  const bare = (kind: string, index: number, more = {}): Record<string, unknown> => {
    return { operationType: kind, id: `i${index}`, ...more };
  };

  test("is done if all of it has one key now", async () => {
    const { ask } = await formerStage();
    const operations = [
      bare("Read", 1),
      bare("Replace", 16, { resourceBody: { ...itemOf(16), n: 1 } }),
      bare("Create", 31, { resourceBody: itemOf(31) }),
      bare("Read", 31),
      bare("Delete", 1),
    ];
    const done = await ask("POST", DOCS, { ...BATCH, ...keyed("p1") }, operations as never);
    expect([done.status, statusesIn(done)]).toEqual([200, [200, 200, 201, 200, 204]]);
    expect((await ask("GET", `${DOCS}/i1`, keyed("p1"))).status).toBe(404);
  });

  test("is refused, with a reason, if it has several keys now, and nothing is done", async () => {
    const { ask } = await formerStage();
    const operations = [bare("Delete", 1), bare("Delete", 4)];
    const refused = await ask("POST", DOCS, { ...BATCH, ...keyed("p1") }, operations as never);
    expect(refused).toMatchObject({
      status: 400,
      value: { message: expect.stringContaining("several partition keys") },
    });
    expect((await ask("GET", `${DOCS}/i1`, keyed("p1"))).status).toBe(200);
  });

  test("with the key of now is as ever", async () => {
    const { ask } = await formerStage();
    const operations = [bare("Delete", 1), bare("Delete", 16)];
    const done = await ask("POST", DOCS, { ...BATCH, ...keyed("t1") }, operations as never);
    expect([done.status, statusesIn(done)]).toEqual([200, [204, 204]]);
  });

  test("writes made-up keys into what it creates", async () => {
    const { ask } = await formerStage([], ["concat(/tenant, '-', hash(/pk) % 4)"]);
    const create = bare("Create", 31, { resourceBody: { ...itemOf(31), n: 0.1 } });
    const done = await ask("POST", DOCS, { ...BATCH, ...keyed("p1") }, [create] as never);
    expect([done.status, statusesIn(done)]).toEqual([200, [201]]);
    const { value } = await ask("GET", `${DOCS}/i31`, keyed("p1"));
    expect(value).toMatchObject({ n: 0.1, partitionKey: expect.stringMatching(/^t1-[0-3]$/) });
  });
});

describe("what is done under a key as a whole", () => {
  const SPROCS = "/dbs/d/colls/c/sprocs";
  const DELETION = "/dbs/d/colls/c/operations/partitionkeydelete";

  test.each([
    ["a key of now", "t1", 200, 1],
    ["a key of before", "p1", 400, 0],
    ["a key of neither", "x", 200, 1],
  ])("a procedure is called with %s", async (_what, key, status, runCount) => {
    const scripts = simulatedScripts({ p: async () => "1" });
    const stored: Asked = ["POST", SPROCS, {}, { id: "p", body: "p" }];
    const { ask, runs } = {
      ...(await formerStage([stored], ["/tenant"], { scripts })),
      ...scripts,
    };
    await ask(...stored);
    const called = await ask("POST", `${SPROCS}/p`, keyed(key), []);
    expect([called.status, runs.length]).toEqual([status, runCount]);
  });

  test("deletion by a key of before is refused, and deletes nothing", async () => {
    const { ask, time } = await formerStage();
    const refused = await ask("POST", DELETION, keyed("p1"));
    expect(refused).toMatchObject({
      status: 400,
      value: { message: expect.stringContaining("another partition key") },
    });
    await time.advance(2000);
    expect((await ask("GET", `${DOCS}/i1`, keyed("p1"))).status).toBe(200);
  });
});

describe("the old container, by its rid or the name that it has now", () => {
  const WRITES: readonly (readonly [string, string, Record<string, string>, unknown])[] = [
    ["POST", "docs", keyed("p1"), { ...itemOf(1), id: "n" }],
    ["PUT", "docs/i1", keyed("p1"), itemOf(1)],
    ["DELETE", "docs/i1", keyed("p1"), undefined],
    ["POST", "docs", { ...BATCH, ...keyed("p1") }, [{ operationType: "Delete", id: "i1" }]],
    ["POST", "operations/partitionkeydelete", keyed("p1"), undefined],
    ["POST", "sprocs/p", keyed("p1"), []],
    ["POST", "docs", { ...keyed("p1"), [HEADER.preTrigger]: "g" }, { ...itemOf(1), id: "n" }],
  ];

  test.each(["rid", "name"])("is read by its %s, and not written", async (by) => {
    const scripts = simulatedScripts({ p: async () => "1", g: async () => undefined });
    const trigger = { id: "g", body: "g", triggerType: "Pre", triggerOperation: "All" };
    const stored: readonly Asked[] = [
      ["POST", "/dbs/d/colls/c/sprocs", {}, { id: "p", body: "p" }],
      ["POST", "/dbs/d/colls/c/triggers", {}, trigger],
    ];
    const { ask, old, time } = await formerStage(stored, ["/tenant"], { scripts });
    await time.advance(2000);
    const root =
      by === "rid" ? `/dbs/${old.databaseRid}/colls/${old.rid}` : "/dbs/d/colls/c-former";
    for (const [method, path, headers, body] of WRITES) {
      const refused = await ask(method, `${root}/${path}`, headers, body as never);
      expect([path, refused.status]).toEqual([path, 403]);
    }
    const remove = [operation("Delete", 1)] as never;
    expect(statusesIn(await ask("POST", `${root}/docs`, BULK, remove))).toEqual([403]);
    expect((await ask("GET", `${root}/docs/i1`, keyed("p1"))).status).toBe(200);
    expect(idsIn(await ask("POST", `${root}/docs`, QUERY, ALL))).toHaveLength(ITEM_COUNT);
  });
});

test.each<[string, string, Record<string, string>, unknown, number]>([
  ["a write", "docs", keyed("p1"), { ...itemOf(1), id: "n" }, 201],
  ["a write with a trigger", "docs", { ...keyed("p1"), [HEADER.preTrigger]: "g" }, itemOf(31), 201],
  ["bulk", "docs", BULK, [operation("Delete", 1)], 200],
  ["a batch", "docs", { ...BATCH, ...keyed("p1") }, [{ operationType: "Delete", id: "i1" }], 200],
  ["a procedure", "sprocs/p", keyed("t1"), [], 200],
  ["a deletion", "operations/partitionkeydelete", keyed("t1"), undefined, 200],
])("%s that found the old container just before the switch is led on", async (...row) => {
  const [, path, headers, body, status] = row;
  const scripts = simulatedScripts({ p: async () => "1", g: async () => undefined });
  const trigger = { id: "g", body: "g", triggerType: "Pre", triggerOperation: "All" };
  const stored: readonly Asked[] = [
    ["POST", "/dbs/d/colls/c/sprocs", {}, { id: "p", body: "p" }],
    ["POST", "/dbs/d/colls/c/triggers", {}, trigger],
  ];
  const { ask, old, time } = await formerStage(stored, ["/tenant"], { scripts });
  const asked = ask(
    "POST",
    `/dbs/${old.databaseRid}/colls/${old.rid}/${path}`,
    headers,
    body as never,
  );
  await time.advance(500);
  expect((await asked).status).toBe(status);
});

test("the name means the new container", async () => {
  const { ask, now } = await formerStage();
  expect(await ask("GET", "/dbs/d/colls/c")).toMatchObject({ value: { _rid: now.rid } });
  const ranges = await ask("GET", "/dbs/d/colls/c/pkranges");
  expect(ranges).toMatchObject({ value: { _rid: now.rid } });
});
