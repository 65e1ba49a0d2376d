/** A server that begins with a seed: what clients find, what a second start does, and refusals. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { InitSeed, OrreryOptions } from "../../src/index.ts";
import { BadOption, startOrrery } from "../../src/index.ts";
import { clientOf, temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const folder = temporaryDirectory();
afterAll(() => folder[Symbol.dispose]());

function file(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}

async function refusalOf(options: OrreryOptions): Promise<string> {
  const started = startOrrery(options).then(async (server) => {
    await server.close();
    return undefined;
  });
  const error = await started.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BadOption);
  return (error as Error).message.replaceAll(`${folder.path}/`, "");
}

file(
  "lines.ndjson",
  '{"id":"2","customerId":"bob","n":12345678901234567890}\n{"id":"3","customerId":"bob"}\n',
);
file("array.json", '[\n  { "id": "4", "customerId": "eve" }\n]\n');
file("rows.csv", "id,customerId,total\n5,eve,1.5\n");
file("hello.js", "function hello() { getContext().getResponse().setBody('hello'); }\n");
const SEED = file(
  "seed.yaml",
  `
databases:
  shop:
    throughput: 1000
    containers:
      orders:
        partitionKey: /customerId
        autoscale: 4000
        defaultTtl: -1
        uniqueKeys: [[/number, /id]]
        computedProperties: [{ name: upper, query: SELECT VALUE UPPER(c.customerId) FROM c }]
        indexingPolicy: { excludedPaths: [{ path: /note/? }], includedPaths: [{ path: /* }] }
        items:
          - { id: "1", customerId: ada, number: 1 }
          - lines.ndjson
          - array.json
          - rows.csv
        storedProcedures: { hello: hello.js }
        userDefinedFunctions: { twice: "function twice(x) { return 2 * x; }" }
        triggers:
          stamp:
            type: Pre
            operation: Create
            body: |
              function stamp() {
                const item = getContext().getRequest().getBody();
                item.stamped = true;
                getContext().getRequest().setBody(item);
              }
      sessions:
        partitionKey: [/tenant, /user]
  empty:
`,
);

describe("a server that was started with a seed", () => {
  test("has all of it when it is ready", async () => {
    await using server = await startOrrery({ memory: true, init: SEED });
    expect(server.init).toEqual({
      from: [SEED],
      made: { databases: 2, containers: 2, scripts: 3, items: 5 },
      found: { databases: 0, containers: 0, scripts: 0, items: 0 },
      differingItems: 0,
      differences: [],
    });
    const client = clientOf(server);
    const shop = client.database("shop");
    const orders = shop.container("orders");
    const { resource: definition } = await orders.read();
    expect(definition).toMatchObject({
      partitionKey: { paths: ["/customerId"], kind: "Hash", version: 2 },
      defaultTtl: -1,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/number", "/id"] }] },
      computedProperties: [{ name: "upper" }],
    });
    expect(definition?.indexingPolicy?.excludedPaths?.[0]).toEqual({ path: "/note/?" });
    const offer = await orders.readOffer();
    expect(offer.resource?.content?.offerAutopilotSettings).toMatchObject({ maxThroughput: 4000 });
    expect((await shop.readOffer()).resource?.content?.offerThroughput).toBe(1000);
    const sessions = (await shop.container("sessions").read()).resource;
    expect(sessions?.partitionKey?.paths).toEqual(["/tenant", "/user"]);

    const { resources } = await orders.items
      .query("SELECT c.id, c.upper, udf.twice(c.total) AS twice FROM c ORDER BY c.id")
      .fetchAll();
    expect(resources).toEqual([
      { id: "1", upper: "ADA" },
      { id: "2", upper: "BOB" },
      { id: "3", upper: "BOB" },
      { id: "4", upper: "EVE" },
      { id: "5", upper: "EVE", twice: 3 },
    ]);
    const called = await orders.scripts.storedProcedure("hello").execute("ada");
    expect(called.resource).toBe("hello");
    const created = await orders.items.create(
      { id: "6", customerId: "ada" },
      { preTriggerInclude: ["stamp"] },
    );
    expect(created.resource).toMatchObject({ stamped: true });
    client.dispose();
  });

  test("has paid nothing for it", async () => {
    const items = Array.from({ length: 500 }, (_, n) => ({ id: String(n), text: "x".repeat(500) }));
    const init: InitSeed = {
      databases: { d: { containers: { c: { partitionKey: "/id", throughput: 400, items } } } },
    };
    await using server = await startOrrery({ memory: true, init });
    expect(server.init?.made.items).toBe(500);
    const client = clientOf(server, {
      connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } },
    });
    const read = await client.database("d").container("c").item("499", "499").read();
    expect(read.statusCode).toBe(200);
    client.dispose();
  });

  test("begins with all seeds of a folder, in the order of their names", async () => {
    const seeds = join(folder.path, "seeds");
    mkdirSync(seeds);
    const write = (name: string, text: string): void => writeFileSync(join(seeds, name), text);
    write("1.yaml", "databases: { d: { containers: { c: { partitionKey: /id } } } }");
    write("2.yml", "databases: { d: { containers: { c: { items: items.json } } } }");
    write(
      "init.json",
      '{ "databases": { "d": { "containers": { "e": { "partitionKey": "/id" } } } } }',
    );
    write("items.json", '[{ "id": "1" }, { "id": "2" }]');
    await using server = await startOrrery({ memory: true, init: seeds });
    expect(server.init?.made).toEqual({ databases: 1, containers: 2, scripts: 0, items: 2 });
    expect(server.init?.from.map((path) => path.slice(seeds.length + 1))).toEqual([
      "1.yaml",
      "2.yml",
      "init.json",
    ]);
  });
});

describe("a second start", () => {
  test("changes nothing that is there, and makes what is missing", async () => {
    using data = temporaryDirectory();
    const options = { data: data.path, init: SEED };
    {
      await using server = await startOrrery(options);
      const client = clientOf(server);
      const orders = client.database("shop").container("orders");
      await orders.item("1", "ada").replace({ id: "1", customerId: "ada", number: 7 });
      await orders.item("3", "bob").delete();
      client.dispose();
    }
    await using server = await startOrrery(options);
    expect(server.init).toEqual({
      from: [SEED],
      made: { databases: 0, containers: 0, scripts: 0, items: 1 },
      found: { databases: 2, containers: 2, scripts: 3, items: 4 },
      differingItems: 1,
      differences: [],
    });
    const client = clientOf(server);
    const orders = client.database("shop").container("orders");
    expect((await orders.item("1", "ada").read()).resource).toMatchObject({ number: 7 });
    expect((await orders.item("3", "bob").read()).statusCode).toBe(200);
    client.dispose();
  });

  test("says what is not as the seed says, and leaves it so", async () => {
    using data = temporaryDirectory();
    const seedOf = (container: object): InitSeed => ({
      databases: { d: { containers: { c: { partitionKey: "/id", ...container } } } },
    });
    const before = seedOf({ storedProcedures: { p: "function p() {}" }, throughput: 400 });
    await (await startOrrery({ data: data.path, init: before })).close();
    const after = seedOf({
      storedProcedures: { p: "function p() { 1; }" },
      throughput: 500,
      defaultTtl: 60,
    });
    {
      await using server = await startOrrery({ data: data.path, init: after });
      expect(server.init?.differences).toEqual([
        "init databases.d.containers.c: the container 'd/c' stays as it is. Its defaultTtl is absent, and the seed says 60.",
        "init databases.d.containers.c: the container 'd/c' stays as it is. Its throughput is 400 RU/s, and the seed says 500 RU/s.",
        `init databases.d.containers.c.storedProcedures.p: the stored procedure 'p' of 'd/c' stays as it is. Its body is "function p() {}", and the seed says "function p() { 1; }".`,
      ]);
      expect((await fetch(`${server.endpoint}/_health/ready`)).status).toBe(200);
    }
    const otherKey = { databases: { d: { containers: { c: { partitionKey: "/other" } } } } };
    expect(await refusalOf({ data: data.path, init: otherKey })).toContain(
      `The container 'd/c' is there already. Its partitionKey is {"paths":["/id"],"kind":"Hash","version":2}, and the seed says {"paths":["/other"],`,
    );
    // Nothing of a failed start stays open.
    await (await startOrrery({ data: data.path })).close();
  });
});

describe("a start ends", () => {
  const of = (container: string): string =>
    `databases:\n  d:\n    containers:\n      c:\n${container.replace(/^/gm, "        ")}\n`;
  test.each([
    [
      "a name that nobody knows",
      of("partitionKy: /id"),
      "bad.yaml:5:22 databases.d.containers.c.partitionKy: there is no setting 'partitionKy'. Did you mean 'partitionKey'?",
    ],
    [
      "a policy that makes no sense",
      of("partitionKey: /id\ndefaultTtl: 0"),
      "bad.yaml:5:9 databases.d.containers.c: The value of defaultTtl (unless it is -1) must be a whole number",
    ],
    [
      "a rate that cannot be",
      of("partitionKey: /id\nthroughput: 450"),
      "The manual throughput 450 is not valid",
    ],
    [
      "a view with a manual rate",
      of(`partitionKey: /id
throughput: 400
materializedViewDefinition: { sourceCollectionId: s, definition: SELECT c.a FROM c }`),
      "databases.d.containers.c: A view has autoscale throughput",
    ],
    [
      "a file that is not there",
      of("partitionKey: /id\nitems: gone.ndjson"),
      "bad.yaml:6:16 databases.d.containers.c.items: gone.ndjson does not exist.",
    ],
    [
      "a script that is not there",
      of("partitionKey: /id\nstoredProcedures: { p: gone.js }"),
      "databases.d.containers.c.storedProcedures.p: gone.js does not exist.",
    ],
    [
      "a line that is no JSON",
      of("partitionKey: /id\nitems: broken.ndjson"),
      "broken.ndjson:2:11 it is no JSON: ",
    ],
    [
      "an item without an id",
      of("partitionKey: /id\nitems: [{ n: 1 }]"),
      "databases.d.containers.c.items[0]: ",
    ],
    [
      "no key to make a container",
      of("items: []"),
      "databases.d.containers.c: the container is not there, and cannot be made without a partitionKey.",
    ],
  ])("by %s", async (_what, text, said) => {
    file("broken.ndjson", '{"id":"1"}\n{"id":"2",,}\n');
    const init = file("bad.yaml", text);
    expect(await refusalOf({ memory: true, init })).toContain(said);
  });

  test("and says what it has made, where that stays", async () => {
    using data = temporaryDirectory();
    const items = [
      { id: "1", k: "a", n: 1 },
      { id: "2", k: "a", n: 1 },
    ];
    const container = { partitionKey: "/k", uniqueKeys: ["/n"], items };
    const init: InitSeed = { databases: { d: { containers: { c: container } } } };
    expect(await refusalOf({ data: data.path, init })).toBe(
      "init databases.d.containers.c.items[1]: Unique index constraint violation.\nBefore that it " +
        `made 1 database, 1 container and 1 item, which stays in ${data.path}. Once the seed is ` +
        "mended, start again: what is there is found.",
    );
    expect(await refusalOf({ memory: true, init })).not.toContain("Before that");
  });

  test("where there is no seed to be found", async () => {
    expect(await refusalOf({ memory: true, init: "gone.yaml" })).toBe(
      "init names gone.yaml, which does not exist.",
    );
    using empty = temporaryDirectory();
    expect(await refusalOf({ memory: true, init: empty.path })).toContain("has no seed: a .yaml");
  });
});

test("the command takes a seed by its option or a variable, and ends at one that is wrong", () => {
  const init = file("wrong.yaml", "databases: { d: { contaners: {} } }");
  const said = `orrery: ${init}:1:30 databases.d.contaners: there is no setting 'contaners'. Did you mean 'containers'?\n`;
  const { PATH, HOME } = process.env;
  const run = (args: readonly string[], more: object) =>
    spawnSync(process.execPath, [CLI, "start", "--memory", "--port", "0", ...args], {
      cwd: folder.path,
      encoding: "utf8",
      env: { PATH, HOME, ...more },
    });
  for (const ran of [run(["--init", init], {}), run([], { ORRERY_INIT: init })]) {
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([2, "", said]);
  }
});
