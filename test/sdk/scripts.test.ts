/**
 * Stored procedures, triggers and user-defined functions as applications use them, through the
 * official client and the real sandbox.
 */
import type { Container } from "@azure/cosmos";
import { TriggerOperation, TriggerType } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  // A limit that a test of it does not have to wait long for.
  stage = await openStage({ memory: true, limits: { scriptTimeMs: 2000 } });
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

const LOGGED = "console.log('called with', first);";

let count = 0;

async function procedure(body: string): Promise<(key: string, ...args: unknown[]) => Promise<Ran>> {
  const id = `p${count++}`;
  await container.scripts.storedProcedures.create({ id, body });
  return async (key, ...args) => {
    const ran = await container.scripts
      .storedProcedure(id)
      .execute(key, args, { enableScriptLogging: true });
    const { resource, headers } = ran;
    return {
      resource,
      charge: Number(headers["x-ms-request-charge"]),
      log: decodeURIComponent(String(headers["x-ms-documentdb-script-log-results"] ?? "")),
    };
  };
}

interface Ran {
  readonly resource: unknown;
  readonly charge: number;
  readonly log: string;
}

interface Failure {
  readonly code: number;
  readonly substatus?: number;
  readonly message: string;
}

const failureOf = (running: Promise<unknown>): Promise<Failure> =>
  running.then(
    () => expect.fail("it should have failed"),
    (error: Failure) => error,
  );

async function idsOf(key: string): Promise<string[]> {
  const { resources } = await container.items
    .query<string>("SELECT VALUE c.id FROM c", { partitionKey: key })
    .fetchAll();
  return resources.toSorted();
}

describe("a stored procedure", () => {
  test("takes arguments, answers, and writes to its log", async () => {
    const run = await procedure(`function (first, second) {
      ${LOGGED}
      getContext().getResponse().setBody({ sum: first + second.n });
    }`);
    expect(await run("a", 1, { n: 2 })).toMatchObject({
      resource: { sum: 3 },
      log: expect.stringContaining("called with 1"),
    });
  });

  test("works on the items of its partition key, seeing its own writes", async () => {
    await container.items.create({ id: "there", pk: "b", n: 1 });
    await container.items.create({ id: "elsewhere", pk: "c", n: 1 });
    const run = await procedure(`function () {
      const items = getContext().getCollection();
      items.createDocument(items.getSelfLink(), { id: "made", pk: "b", n: 5 }, (error, made) => {
        if (error) throw error;
        items.queryDocuments(items.getSelfLink(), "SELECT VALUE SUM(c.n) FROM c", (problem, rows) => {
          if (problem) throw problem;
          getContext().getResponse().setBody({ total: rows[0], id: made.id, etag: made._etag });
        });
      });
    }`);
    const { resource } = await run("b");
    const { resource: made } = await container.item("made", "b").read();
    expect(resource).toEqual({ total: 6, id: "made", etag: made?.["_etag"] });
  });

  test("that throws leaves nothing behind, and its message reaches the client", async () => {
    const run = await procedure(`function () {
      __.createDocument(__.getSelfLink(), { id: "lost", pk: "d" }, () => {
        throw new Error("changed my mind");
      });
    }`);
    const failure = await failureOf(run("d"));
    expect(failure.code).toBe(400);
    expect(failure.message).toContain("changed my mind");
    expect(await idsOf("d")).toEqual([]);
  });

  test("is ended after its time, with nothing done", async () => {
    const run = await procedure(`function () {
      __.createDocument(__.getSelfLink(), { id: "lost", pk: "e" }, () => { for (;;); });
    }`);
    expect((await failureOf(run("e"))).code).toBe(408);
    expect(await idsOf("e")).toEqual([]);
  });

  test("that is no function is refused with its place", async () => {
    const failure = await failureOf((await procedure("function () { return }}"))("a"));
    expect(failure.code).toBe(400);
    expect(failure.message).toContain("line: 1, column: 24");
  });

  test("that throws a number has it as its substatus, and so has what it was told", async () => {
    const thrown = await failureOf((await procedure("() => { throw new Error(1234, 'x') }"))("a"));
    expect([thrown.code, thrown.substatus]).toEqual([400, 1234]);
    const create = '__.createDocument(__.getSelfLink(), { id: "twice", pk: "j" })';
    const told = await failureOf((await procedure(`() => { ${create}; ${create} }`))("j"));
    expect([told.code, told.substatus]).toEqual([400, 409]);
    expect(await idsOf("j")).toEqual([]);
  });

  test("of the service's own, which echoes, is there", async () => {
    const echo = container.scripts.storedProcedure("__.sys.echo");
    expect((await echo.execute("a", ["said"])).resource).toBe("said");
  });

  test("that many call at once adds up", async () => {
    await container.items.create({ id: "counter", pk: "f", n: 0 });
    const run = await procedure(`function () {
      const link = getContext().getCollection().getAltLink() + "/docs/counter";
      __.readDocument(link, (error, item) => {
        if (error) throw error;
        item.n++;
        __.replaceDocument(item._self, item, (problem) => { if (problem) throw problem; });
      });
    }`);
    await Promise.all(Array.from({ length: 20 }, () => run("f")));
    expect((await container.item("counter", "f").read()).resource).toMatchObject({ n: 20 });
  });

  test("hands on where it stopped", async () => {
    const run = await procedure(`function (items) {
      let count = 0;
      next();
      function next() {
        __.response.setBody(count);
        if (count === items.length || count === 30) return;
        const isAccepted = __.createDocument(__.getSelfLink(), items[count], (error) => {
          if (error) throw error;
          count++;
          next();
        });
        if (!isAccepted) __.response.setBody(count);
      }
    }`);
    const items = Array.from({ length: 100 }, (_, index) => ({ id: `i${index}`, pk: "g" }));
    for (let done = 0; done < items.length; ) {
      const { resource } = await run("g", items.slice(done));
      expect(resource).toBeGreaterThan(0);
      done += Number(resource);
    }
    expect((await idsOf("g")).length).toBe(100);
  });
});

describe("triggers", () => {
  beforeAll(async () => {
    await container.scripts.triggers.create({
      id: "stamp",
      triggerType: TriggerType.Pre,
      triggerOperation: TriggerOperation.All,
      body: `function () {
        const request = getContext().getRequest();
        const item = request.getBody();
        item.stamped = true;
        request.setBody(item);
      }`,
    });
    await container.scripts.triggers.create({
      id: "count",
      triggerType: TriggerType.Post,
      triggerOperation: TriggerOperation.Create,
      body: `function () {
        const made = getContext().getResponse().getBody();
        const link = __.getAltLink() + "/docs/count";
        __.readDocument(link, (error, found) => {
          const n = error ? 1 : found.n + 1;
          __.upsertDocument(__.getSelfLink(), { id: "count", pk: made.pk, n }, (problem) => {
            if (problem) throw problem;
            if (made.id === "bad") throw new Error("not this one");
          });
        });
      }`,
    });
  });

  test("run before and after a write, in one transaction with it", async () => {
    const options = { preTriggerInclude: "stamp", postTriggerInclude: "count" };
    const { resource } = await container.items.create({ id: "one", pk: "h" }, options);
    await container.items.create({ id: "two", pk: "h" }, options);
    expect(resource).toMatchObject({ id: "one", stamped: true });
    await failureOf(container.items.create({ id: "bad", pk: "h" }, options));
    expect(await idsOf("h")).toEqual(["count", "one", "two"]);
    expect((await container.item("count", "h").read()).resource).toMatchObject({ n: 2 });
  });

  test("cannot run with a batch", async () => {
    const operation = { operationType: "Create", resourceBody: { id: "b", pk: "k" } } as const;
    const batch = container.items.batch([operation], "k", { preTriggerInclude: "stamp" });
    expect((await failureOf(batch)).message).toContain("Triggers cannot run with a batch");
    expect(await idsOf("k")).toEqual([]);
  });

  test("run only when they are named, and only for what they were made for", async () => {
    const { resource, item } = await container.items.create({ id: "plain", pk: "i" });
    expect(resource).not.toHaveProperty("stamped");
    const wrong = item.replace({ id: "plain", pk: "i" }, { postTriggerInclude: "count" });
    expect((await failureOf(wrong)).code).toBe(400);
    const unknown = container.items.create({ id: "x", pk: "i" }, { preTriggerInclude: "nobody" });
    expect((await failureOf(unknown)).code).toBe(400);
  });
});

describe("a user-defined function", () => {
  beforeAll(async () => {
    await container.scripts.userDefinedFunctions.create({
      id: "half",
      body: "function (value) { return typeof value === 'number' ? value / 2 : undefined; }",
    });
    for (const n of [1, 2, 3, 4]) await container.items.create({ id: `u${n}`, pk: `u${n}`, u: n });
  });

  test("is called in any clause of a query across partitions", async () => {
    const { resources } = await container.items
      .query("SELECT c.u, udf.half(c.u) AS half FROM c WHERE udf.half(c.u) > 1 ORDER BY c.u DESC")
      .fetchAll();
    expect(resources).toEqual([
      { u: 4, half: 2 },
      { u: 3, half: 1.5 },
    ]);
    const { resources: groups } = await container.items
      .query("SELECT VALUE SUM(udf.half(c.u)) FROM c WHERE IS_DEFINED(c.u)")
      .fetchAll();
    expect(groups).toEqual([5]);
  });

  test("that fails, fails the query with its message", async () => {
    const body = "function (value) { return value.missing.more; }";
    await container.scripts.userDefinedFunctions.create({ id: "broken", body });
    const failure = await failureOf(
      container.items.query("SELECT udf.broken(c.u) FROM c WHERE c.u = 1").fetchAll(),
    );
    expect(failure.code).toBe(400);
    expect(failure.message).toContain("broken");
  });

  test("that never ends is ended, and nobody else waits for it", async () => {
    await container.scripts.userDefinedFunctions.create({
      id: "endless",
      body: "function () { for (;;); }",
    });
    let reads = 0;
    let isOver = false;
    const failing = failureOf(
      container.items.query("SELECT udf.endless() FROM c WHERE c.u = 1").fetchAll(),
    ).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await container.item("u1", "u1").read();
      reads++;
    }
    expect((await failing).code).toBe(408);
    expect(reads).toBeGreaterThan(10);
  });
});
