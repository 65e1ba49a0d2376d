/** Queries of a container: bodies, scopes, continuations, and sources over the real store. */
import { beforeAll, describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { parseQueryBody } from "../../model/request/queryText.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import type { PreparedQueries } from "../partition/preparedQueries.ts";
import type { QueryAnswer, QueryCommand } from "./queryItems.ts";

interface Stage {
  readonly account: Account;
  readonly container: Container;
  readonly wall: { now: number };
  write(item: JsonObject): Promise<void>;
  ask(text: string, command?: Partial<QueryCommand>): Promise<QueryAnswer>;
  refused(text: string, command?: Partial<QueryCommand>): Promise<string>;
  rows(text: string, command?: Partial<QueryCommand>): Promise<readonly JsonValue[]>;
}

async function stageWith(partitionCount: number, members: JsonObject = {}): Promise<Stage> {
  const wall = { now: 1_700_000_000_000 };
  const account = await Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(0), wallNow: () => wall.now },
  });
  const database = await account.catalog.createDatabase("d", undefined);
  if (!database.ok) throw new Error("no database");
  const body = { id: "c", partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error(JSON.stringify(definition.error));
  const provisioning = { partitionCount, throughput: undefined };
  await account.catalog.createContainer(database.value, definition.value, provisioning);
  const container = account.catalog.container("d", "c")!;
  const result = (text: string, command: Partial<QueryCommand> = {}) =>
    account.queryItems(container, {
      text,
      parameters: new Map(),
      parameterNames: new Set(),
      scope: { kind: "container" },
      isFanOutAllowed: true,
      continuation: undefined,
      countMax: 1_000,
      ...command,
    });
  const ask: Stage["ask"] = async (text, command) => {
    const answer = await result(text, command);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    return answer.value;
  };
  return {
    account,
    container,
    wall,
    ask,
    write: async (item) => {
      const request = { kind: "upsert", body: item, key: [item["pk"] as string] } as const;
      const submitted = account.writeItem(container, request);
      if (!submitted.ok) throw new Error(submitted.error.kind);
      await submitted.value;
    },
    refused: async (text, command) => {
      const answer = await result(text, command);
      return answer.ok ? "answered" : JSON.stringify(answer.error);
    },
    rows: async (text, command = {}) => {
      const rows: JsonValue[] = [];
      let continuation: string | undefined;
      do {
        const answer = await ask(text, { ...command, continuation });
        rows.push(...answer.rows.map((row) => JSON.parse(row.toString()) as JsonValue));
        continuation = answer.continuation;
      } while (continuation !== undefined);
      return rows;
    },
  };
}

describe("the body of a query", () => {
  const parsed = (body: JsonValue): unknown => {
    const result = parseQueryBody(body);
    if (!result.ok) return result.error.kind;
    const { text, parameters, parameterNames } = result.value;
    return [text, Object.fromEntries(parameters), [...parameterNames]];
  };
  const query = "SELECT 1";
  test.each<readonly [JsonValue, unknown]>([
    [{ query }, [query, {}, []]],
    [{ query, parameters: [] }, [query, {}, []]],
    [{ query, parameters: null }, [query, {}, []]],
    [{ query, parameters: [{ name: "@a", value: 1 }] }, [query, { "@a": 1 }, ["@a"]]],
    [{ query, parameters: [{ name: "@a", value: null }] }, [query, { "@a": null }, ["@a"]]],
    [{ query, parameters: [{ name: "@a" }] }, [query, {}, ["@a"]]],
    [{ query, parameters: [{ name: "@a", value: [{}] }] }, [query, { "@a": [{}] }, ["@a"]]],
    [{ query, parameters: [{ name: "@a" }, { name: "@a" }] }, "queryRefused"],
    [{ query, parameters: [{ name: "a", value: 1 }] }, "badRequest"],
    [{ query, parameters: [{ name: "@1", value: 1 }] }, "badRequest"],
    [{ query, parameters: [{ value: 1 }] }, "badRequest"],
    [{ query, parameters: [1] }, "badRequest"],
    [{ query, parameters: {} }, "badRequest"],
    [{ query: 1 }, "badRequest"],
    [{}, "badRequest"],
    [[], "badRequest"],
    [null, "badRequest"],
    ["SELECT 1", "badRequest"],
  ])("%j: %j", (body, expected) => expect(parsed(body)).toEqual(expected));
});

describe.each([[1], [3]])("over %s physical partitions", (partitionCount) => {
  let stage: Stage;
  const ids = Array.from({ length: 40 }, (_, n) => `i${n}`);
  beforeAll(async () => {
    stage = await stageWith(partitionCount, {
      indexingPolicy: {
        compositeIndexes: [[{ path: "/n" }, { path: "/id", order: "descending" }]],
      },
    });
    for (const [n, id] of ids.entries()) {
      await stage.write({ id, pk: `k${n % 7}`, n: n % 5, ...(n % 4 !== 0 && { s: `s${n}` }) });
    }
  });

  test.each([
    ["SELECT VALUE c.id FROM c"],
    ["SELECT VALUE c.id FROM c WHERE c.n = 3"],
    ["SELECT VALUE c.id FROM c ORDER BY c.s DESC"],
    ["SELECT VALUE c.id FROM c ORDER BY c.n, c.id DESC"],
    ["SELECT DISTINCT VALUE c.n FROM c"],
    ["SELECT c.n, COUNT(1) AS n FROM c GROUP BY c.n"],
    ["SELECT VALUE c.id FROM c ORDER BY c._ts OFFSET 5 LIMIT 9"],
  ])("pages go on where they ended: %s", async (text) => {
    const whole = await stage.rows(text);
    expect(whole.length).toBeGreaterThan(4);
    for (const countMax of [1, 3]) {
      expect(await stage.rows(text, { countMax })).toEqual(whole);
    }
  });

  test("everything is there", async () => {
    expect([...(await stage.rows("SELECT VALUE c.id FROM c"))].sort()).toEqual([...ids].sort());
    expect(await stage.rows("SELECT VALUE COUNT(1) FROM c")).toEqual([ids.length]);
  });

  test("system properties are those of the item", async () => {
    const [item] = await stage.rows("SELECT * FROM c WHERE c.id = 'i1'");
    expect(item).toMatchObject({ id: "i1", pk: "k1", _rid: expect.any(String) });
    const [value] = await stage.rows("SELECT VALUE [c._ts, c._etag] FROM c WHERE c.id = 'i1'");
    const { _ts, _etag } = item as JsonObject;
    expect(value).toEqual([_ts, _etag]);
  });

  test("a key in the filter names its partition", async () => {
    const text = "SELECT VALUE c.id FROM c WHERE c.pk = 'k3'";
    const answer = await stage.ask(text, { isFanOutAllowed: false });
    expect(answer.partitions).toHaveLength(1);
    expect(answer.rows).toHaveLength(6);
    const none = await stage.ask("SELECT VALUE c.id FROM c WHERE c.pk = 'k3' AND c.pk = 'k4'");
    expect([none.rows, none.partitions]).toEqual([[], []]);
  });

  test("a scope is kept to, by every kind of query", async () => {
    const scope = {
      kind: "key",
      range: rangeOfKey(stage.container.definition.partitionKey, ["k2"]),
    } as const;
    for (const text of [
      "SELECT VALUE c.pk FROM c",
      "SELECT VALUE c.pk FROM c WHERE c.n >= 0",
      "SELECT VALUE c.pk FROM c ORDER BY c.s",
      "SELECT VALUE c.pk FROM c ORDER BY c.n, c.id DESC",
    ]) {
      for (const countMax of [2, 100]) {
        expect(await stage.rows(text, { scope, countMax })).toEqual(Array(6).fill("k2"));
      }
    }
    expect(await stage.rows("SELECT VALUE COUNT(1) FROM c", { scope })).toEqual([6]);
    expect(await stage.rows("SELECT DISTINCT VALUE c.pk FROM c", { scope })).toEqual(["k2"]);
    expect(await stage.rows("SELECT VALUE MAX(c.pk) FROM c", { scope })).toEqual(["k2"]);
    const other = "SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'k3'";
    expect(await stage.rows(other, { scope })).toEqual([0]);
  });

  test("refusals", async () => {
    const { refused } = stage;
    const text = "SELECT VALUE c.id FROM c";
    expect(await refused(text, { isFanOutAllowed: false })).toContain("fanOutNotAllowed");
    expect(await refused("SELECT VALUE 1", { isFanOutAllowed: false })).toBe("answered");
    expect(await refused("SELECT VALUE MAX(c.n) - MIN(c.n) FROM c")).toContain("Compositions");
    expect(await refused("SELECT VALUE c.n FROM")).toContain("SC1001");
    expect(await refused("SELECT TOP @p c.id FROM c")).toContain("SC2060");
    expect(await refused(text, { continuation: "{}" })).toContain("Continuation");
    const former = `{"c":"${stage.container.rid}","min":"","max":"FF","n":1,"o":[[1],[2]]}`;
    const inOrder = `${text} ORDER BY c.n, c.id DESC`;
    expect(await refused(inOrder, { continuation: former })).toContain("an earlier version");
  });

  test.each([
    ["an order without a composite index", "SELECT * FROM c ORDER BY c.s, c.n"],
    ["a function that is not registered", "SELECT * FROM c WHERE udf.nothing(c.n) > 0"],
  ])("%s has a plan, and is refused where it is asked", async (_rule, text) => {
    const { account, container, refused } = stage;
    const query = { text, parameters: new Map(), parameterNames: new Set<string>() };
    const terms = { supportedFeatures: new Set(["MultipleOrderBy", "OrderBy"]) };
    expect((await account.planQuery(container, query, terms)).ok).toBe(true);
    const { range } = container.map.entries[0]!;
    expect(await refused(text, { scope: { kind: "key", range } })).toMatch(
      /composite index|not registered/,
    );
  });

  test.each([
    ["in the list without a value", new Set(["@p"])],
    ["not in the list", new Set<string>()],
  ])("a parameter that is %s is undefined", async (_rule, parameterNames) => {
    const rows = (text: string): Promise<readonly unknown[]> =>
      stage.rows(text, { parameterNames });
    expect(await rows("SELECT VALUE 1 FROM c WHERE c.n = @p")).toEqual([]);
    expect(await rows("SELECT VALUE 1 FROM c WHERE NOT (c.n = @p)")).toEqual([]);
    expect(await rows("SELECT VALUE 1 FROM c WHERE c.n IN (@p, 1)")).toEqual(
      await rows("SELECT VALUE 1 FROM c WHERE c.n = 1"),
    );
    expect(await rows("SELECT VALUE c[@p] FROM c")).toEqual([]);
    expect(await rows("SELECT VALUE IS_DEFINED(@p)")).toEqual([false]);
    expect(await rows("SELECT VALUE @p ?? 'none'")).toEqual(["none"]);
    expect(await rows("SELECT VALUE {a: @p, b: 1}")).toEqual([{ b: 1 }]);
  });

  test("no key is undefined, so a query for one is about nothing and needs no fan-out", async () => {
    const command = { isFanOutAllowed: false };
    expect(await stage.rows("SELECT * FROM c WHERE c.pk = @p", command)).toEqual([]);
  });

  test("a plan leaves a parameter open that is not in the list", async () => {
    const { account, container } = stage;
    const text = "SELECT * FROM c WHERE c.pk = @p OR c.pk = 'k1'";
    const query = { text, parameters: new Map(), parameterNames: new Set<string>() };
    const terms = { supportedFeatures: new Set<string>() };
    expect(await account.planQuery(container, query, terms)).toMatchObject({
      value: { queryRanges: [{ min: "", max: "FF" }] },
    });
  });
});

describe("behind a full last page", () => {
  const SCAN = "SELECT VALUE c.id FROM c";
  test.each<[rule: string, partitionCount: number, text: string, counts: readonly number[]]>([
    ["a scan of the one range has an empty one", 1, SCAN, [2, 2, 0]],
    ["so has one with JOIN", 1, "SELECT VALUE t FROM c JOIN t IN c.t", [2, 2, 2, 2, 0]],
    ["several ranges have none", 2, SCAN, [2, 2]],
    ["a filter has none", 1, `${SCAN} WHERE c.n = 1`, [2, 2]],
    ["a filter that the index does not know has none", 1, `${SCAN} WHERE c.n % 2 = 1`, [2, 2]],
    ["an order has none", 1, `${SCAN} ORDER BY c.id`, [2, 2]],
    ["TOP that is reached has none", 1, "SELECT TOP 4 VALUE c.id FROM c", [2, 2]],
    ["a page that is not full is the last", 1, `${SCAN} OFFSET 1 LIMIT 9`, [2, 1]],
  ])("%s", async (_rule, partitionCount, text, counts) => {
    const { write, ask } = await stageWith(partitionCount);
    for (const id of ["a", "b", "c", "d"]) await write({ id, pk: id, n: 1, t: [1, 2] });
    const pages: number[] = [];
    let continuation: string | undefined;
    do {
      const answer = await ask(text, { countMax: 2, continuation });
      pages.push(answer.rows.length);
      continuation = answer.continuation;
    } while (continuation !== undefined);
    expect(pages).toEqual(counts);
  });

  test("a scope has none", async () => {
    const { container, write, ask } = await stageWith(1);
    for (const id of ["a", "b"]) await write({ id, pk: "k", n: 1 });
    const scope = {
      kind: "key",
      range: rangeOfKey(container.definition.partitionKey, ["k"]),
    } as const;
    expect((await ask(SCAN, { countMax: 2, scope })).continuation).toBeUndefined();
  });
});

test("what has expired is not seen by any kind of query", async () => {
  const stage = await stageWith(1, { defaultTtl: 10 });
  await stage.write({ id: "old", pk: "a", n: 1 });
  await stage.write({ id: "lasting", pk: "a", n: 2, ttl: -1 });
  stage.wall.now += 11_000;
  await stage.write({ id: "new", pk: "a", n: 3 });
  expect(await stage.rows("SELECT VALUE c.id FROM c")).toEqual(["lasting", "new"]);
  expect(await stage.rows("SELECT VALUE c.id FROM c WHERE c.n > 0")).toEqual(["lasting", "new"]);
  expect(await stage.rows("SELECT VALUE c.id FROM c ORDER BY c.n")).toEqual(["lasting", "new"]);
  expect(await stage.rows("SELECT VALUE c.id FROM c ORDER BY c.z DESC")).toEqual([
    "new",
    "lasting",
  ]);
  expect(await stage.rows("SELECT VALUE COUNT(1) FROM c")).toEqual([2]);
  expect(await stage.rows("SELECT VALUE COUNT(1) FROM c WHERE c.n = 1")).toEqual([0]);
  expect(await stage.rows("SELECT VALUE MIN(c.n) FROM c")).toEqual([2]);
  expect(await stage.rows("SELECT DISTINCT VALUE c.n FROM c")).toEqual([2, 3]);
});

describe("prepared queries", () => {
  test("are kept for a text, until the definition changes", async () => {
    const { container, account } = await stageWith(1);
    const text = "SELECT * FROM c WHERE c.n = 1";
    const first = container.queries.get(container, text);
    expect(container.queries.get(container, text)).toEqual(first);
    const plan = first.ok ? first.value.plan : undefined;
    const again = container.queries.get(container, text);
    expect(again.ok && again.value.plan).toBe(plan);
    const body = {
      id: "c",
      partitionKey: { paths: ["/pk"] },
      indexingPolicy: { includedPaths: [{ path: "/a/?" }], excludedPaths: [{ path: "/*" }] },
    };
    const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
    if (!definition.ok) throw new Error("not a definition");
    await account.catalog.replaceContainer(container, definition.value);
    const current = account.catalog.container("d", "c")!;
    const later = current.queries.get(current, text);
    expect(later.ok && later.value.plan).not.toBe(plan);
    expect(
      later.ok && later.value.plan.kind === "items" && later.value.plan.filter.lookups,
    ).toEqual([]);
  });

  test("are bounded, and the least lately used go first", async () => {
    const { container } = await stageWith(1);
    const planOf = (n: number): unknown => {
      const made = container.queries.get(container, `SELECT VALUE ${n} FROM c`);
      return made.ok ? made.value : undefined;
    };
    const [first, second] = [planOf(0), planOf(1)];
    for (let n = 2; n < 256; n++) planOf(n);
    expect(planOf(0)).toBe(first);
    planOf(256);
    expect(planOf(0)).toBe(first);
    expect(planOf(1)).not.toBe(second);
  });

  test("are kept for a name that a parameter gives to a step, and for no other", async () => {
    const { container, ask, rows, write } = await stageWith(1);
    for (let n = 0; n < 9; n++) await write({ id: `${n}`, pk: "k", n, m: -n });
    const text = "SELECT VALUE c.id FROM c WHERE c[@name] = @value";
    const command = (name: JsonValue, value: JsonValue): Partial<QueryCommand> => ({
      parameters: new Map([
        ["@name", name],
        ["@value", value],
      ]),
      parameterNames: new Set(["@name", "@value"]),
    });
    expect(await rows(text, command("n", 3))).toEqual(["3"]);
    expect(await rows(text, command("m", -3))).toEqual(["3"]);
    expect(await rows(text, command("n", -3))).toEqual([]);
    expect(await rows(text, command(7, 3))).toEqual([]);
    const { work, prepared } = await ask(text, command("n", 4));
    expect(work.itemCount).toBe(1);
    expect((await ask(text, command("n", 5))).prepared).toBe(prepared);
    expect((await ask(text, command("m", 5))).prepared).not.toBe(prepared);
    expect(container.queries.get(container, text, command("n", 0).parameters)).toMatchObject({
      value: prepared,
    });
  });

  test("of long texts the last is kept, and others have turns while one is made", async () => {
    const { container } = await stageWith(1);
    let turnCount = 0;
    const world = {
      timer: {
        soon: () => {
          turnCount++;
          return Promise.resolve();
        },
      },
    };
    const textOf = (first: number): string => {
      const conditions = Array.from({ length: 1_900 }, (_, n) => `c.n = ${first + n}`);
      return `SELECT * FROM c WHERE ${conditions.join(" OR ")}`;
    };
    const find = (text: string): ReturnType<PreparedQueries["find"]> =>
      container.queries.find(container, text, new Map(), world);
    const first = await find(textOf(0));
    expect(turnCount).toBeGreaterThanOrEqual(3);
    const madeBefore = turnCount;
    expect(await find(textOf(0))).toEqual(first);
    expect(turnCount).toBe(madeBefore);
    await find(textOf(1));
    const again = await find(textOf(0));
    expect(first.ok && again.ok && again.value.plan === first.value.plan).toBe(false);
    expect((await find("SELECT * FROM c")).ok).toBe(true);
  });

  test("what is made while the definition changes is not kept", async () => {
    const { container } = await stageWith(1);
    const text = `SELECT * FROM c WHERE c.s = '${"x".repeat(3_000)}'`;
    const timer = {
      soon: () => {
        container.queries.clear();
        return Promise.resolve();
      },
    };
    const made = await container.queries.find(container, text, new Map(), { timer });
    const later = container.queries.get(container, text);
    expect(made.ok && later.ok && made.value.plan === later.value.plan).toBe(false);
  });

  test("of a mistake there is none to keep", async () => {
    const { container } = await stageWith(1);
    expect(container.queries.get(container, "SELECT").ok).toBe(false);
    expect(container.queries.get(container, "SELECT").ok).toBe(false);
  });
});
