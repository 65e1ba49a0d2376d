/** What a server has, as a folder of files, and what becomes of that in another server. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CosmosClient } from "@azure/cosmos";
import { TriggerOperation, TriggerType } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { clientOf, temporaryDirectory } from "../sdk/stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The server is in this process: whoever waits for the command must let it answer. */
async function orrery(server: OrreryServer | undefined, ...args: readonly string[]): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const place = server === undefined ? [] : ["--endpoint", server.endpoint];
  const child = spawn(process.execPath, [CLI, "snapshot", ...args, ...place], {
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, errors };
}

/** All that clients can see of it, but for what the system gives. */
async function contentsOf(client: CosmosClient): Promise<object> {
  const found: Record<string, unknown> = {};
  for (const { id: databaseId } of (await client.databases.readAll().fetchAll()).resources) {
    const database = client.database(databaseId);
    const shared = (await database.readOffer()).resource?.content;
    const containers: Record<string, unknown> = {};
    for (const { id } of (await database.containers.readAll().fetchAll()).resources) {
      const container = database.container(id);
      const { scripts } = container;
      const lists = await Promise.all([
        scripts.storedProcedures.readAll().fetchAll(),
        scripts.triggers.readAll().fetchAll(),
        scripts.userDefinedFunctions.readAll().fetchAll(),
      ]);
      containers[id] = {
        definition: own((await container.read()).resource),
        offer: (await container.readOffer()).resource?.content,
        scripts: lists.map(({ resources }) => resources.map(own)),
        items: (await container.items.readAll().fetchAll()).resources.map(own),
      };
    }
    found[databaseId] = { shared, containers };
  }
  return found;
}

function own(resource: object | undefined): unknown {
  return JSON.parse(JSON.stringify(resource), (name, value: unknown) =>
    /^_(rid|self|etag|attachments|ts|docs|sprocs|triggers|udfs|conflicts)$/.test(name)
      ? undefined
      : value,
  );
}

async function fill(client: CosmosClient): Promise<void> {
  const { database: shop } = await client.databases.create({ id: "shop", throughput: 1000 });
  await client.databases.create({ id: "..odd name*" });
  const { container: orders } = await shop.containers.create({
    id: "orders",
    partitionKey: { paths: ["/customerId"], version: 1 },
    maxThroughput: 4000,
    defaultTtl: -1,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/number", "/id"] }] },
    computedProperties: [{ name: "upper", query: "SELECT VALUE UPPER(c.customerId) FROM c" }],
    indexingPolicy: {
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/note/?" }],
      compositeIndexes: [
        [
          { path: "/a", order: "ascending" },
          { path: "/b", order: "descending" },
        ],
      ],
    },
  });
  const { container: sessions } = await shop.containers.create({
    id: "Orders",
    partitionKey: { paths: ["/tenant", "/user"], kind: "MultiHash" as never, version: 2 },
  });
  for (let n = 0; n < 25; n++) {
    await orders.items.create({ id: `${n}`, customerId: `c${n % 4}`, text: "x: 'y'\n", deep: [n] });
  }
  await sessions.items.create({ id: "s", tenant: "t", user: "u" });
  await orders.scripts.storedProcedures.create({
    id: "hello",
    body: "function hello() {\n  getContext().getResponse().setBody('hello');\n}\n",
  });
  await orders.scripts.userDefinedFunctions.create({
    id: "twice",
    body: "function t(x) { return 2 * x; }",
  });
  await orders.scripts.triggers.create({
    id: "stamp",
    triggerType: TriggerType.Pre,
    triggerOperation: TriggerOperation.Create,
    body: "function stamp() {}",
  });
}

describe("a snapshot", () => {
  test("is a seed: another server begins with it, or loads it, and has the same", async () => {
    using folder = temporaryDirectory();
    const saved = join(folder.path, "fixture");
    await using server = await startOrrery({ memory: true, rateLimit: false });
    const client = clientOf(server);
    await fill(client);
    const contents = await contentsOf(client);
    const save = await orrery(server, "save", saved);
    expect([save.code, save.output]).toEqual([0, ""]);
    expect(save.errors).toContain(`2 databases, 2 containers, 26 items\nwritten: ${saved}\n`);
    const files = readdirSync(saved, { recursive: true, encoding: "utf8" }).toSorted();
    expect(files).toEqual([
      "init.yaml",
      "shop",
      "shop/Orders-2.ndjson",
      "shop/orders",
      "shop/orders.ndjson",
      "shop/orders/hello.js",
      "shop/orders/stamp.js",
      "shop/orders/twice.js",
    ]);

    await using second = await startOrrery({ memory: true, rateLimit: false, init: saved });
    const secondClient = clientOf(second);
    expect(await contentsOf(secondClient)).toEqual(contents);

    await using third = await startOrrery({ memory: true });
    const load = await orrery(third, "load", saved);
    expect([load.code, load.errors]).toEqual([0, ""]);
    expect(load.output).toMatch(
      /^made 2 databases, 2 containers, 3 scripts and 26 items, in \d+\.\d s\n$/,
    );
    const thirdClient = clientOf(third);
    expect(await contentsOf(thirdClient)).toEqual(contents);
    const again = await orrery(third, "load", saved);
    expect(again.output).toMatch(
      /^made nothing; found 2 databases, 2 containers, 3 scripts and 26 /,
    );

    await thirdClient.database("shop").container("orders").item("3", "c3").delete();
    expect((await orrery(third, "load", saved, "--reset")).code).toBe(0);
    expect(await contentsOf(thirdClient)).toEqual(contents);
    for (const one of [client, secondClient, thirdClient]) one.dispose();
  });

  test("keeps digits that a double does not hold", async () => {
    using folder = temporaryDirectory();
    const seed = join(folder.path, "seed.yaml");
    const line = '{"id":"1","n":123456789012345678901234567890}\n';
    writeFileSync(
      seed,
      "databases: { d: { containers: { c: { partitionKey: /id, items: n.ndjson } } } }",
    );
    writeFileSync(join(folder.path, "n.ndjson"), line);
    await using server = await startOrrery({ memory: true });
    expect((await orrery(server, "load", seed)).code).toBe(0);
    const saved = join(folder.path, "saved");
    expect((await orrery(server, "save", saved, "--database", "d")).code).toBe(0);
    expect(readFileSync(join(saved, "d/c.ndjson"), "utf8")).toBe(line);
  });

  test("is saved of a data directory that no server has open", async () => {
    using folder = temporaryDirectory();
    using data = temporaryDirectory();
    const init = {
      databases: { d: { containers: { c: { partitionKey: "/id", items: [{ id: "1" }] } } } },
    };
    {
      await using server = await startOrrery({ data: data.path, init });
      const taken = await orrery(undefined, "save", join(folder.path, "no"), "--data", data.path);
      expect([taken.code, server.data]).toEqual([2, data.path]);
      expect(existsSync(join(folder.path, "no"))).toBe(false);
    }
    const saved = join(folder.path, "saved");
    expect((await orrery(undefined, "save", saved, "--data", data.path)).code).toBe(0);
    expect(readFileSync(join(saved, "init.yaml"), "utf8")).toContain("items: d/c.ndjson");
  });

  test("is not written over anything unless told so", async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, "mine.txt"), "");
    await using server = await startOrrery({ memory: true });
    const refused = await orrery(server, "save", folder.path);
    expect(refused).toEqual({
      code: 2,
      output: "",
      errors: `orrery: '${folder.path}' has files already. --force writes over those of a snapshot.\n`,
    });
    expect((await orrery(server, "save", folder.path, "--force")).code).toBe(0);
    expect(readdirSync(folder.path).toSorted()).toEqual(["init.yaml", "mine.txt"]);
  });
});

describe("seeds over the admin API", () => {
  const post = (server: OrreryServer, path: string, body: unknown): Promise<Response> =>
    fetch(`${server.endpoint}/_orrery/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  test.each([
    [
      "seed",
      { databases: { d: { contaners: {} } } },
      400,
      "seed databases.d.contaners: there is no setting 'contaners'. Did you mean 'containers'?",
    ],
    [
      "seed",
      { databases: { d: { containers: { c: { partitionKey: "/id", items: "/etc/passwd" } } } } },
      400,
      "seed databases.d.containers.c.items: it names a file, and a request has to bring all it needs.",
    ],
    [
      "seed",
      {
        databases: {
          d: { containers: { c: { partitionKey: "/id", storedProcedures: { p: "p.js" } } } },
        },
      },
      400,
      "seed databases.d.containers.c.storedProcedures.p: it names a file, and a request has to bring all it needs.",
    ],
    ["seed", "{", 400, "The body must be a JSON object."],
    ["containers/no/c/seedItems", { items: [] }, 400, "There is no container 'no/c'."],
    ["containers/d/c/seedItems", { items: [3] }, 400, "items[0]: an item is an object."],
    ["containers/d/c/seedItems", {}, 400, "The body must have a list of items."],
  ])("%s %j is refused", async (path, body, status, message) => {
    const init = { databases: { d: { containers: { c: { partitionKey: "/id" } } } } };
    await using server = await startOrrery({ memory: true, init });
    const answer = await post(server, path, body);
    expect([answer.status, await answer.json()]).toEqual([status, { code: "BadRequest", message }]);
  });

  test("a reset is for servers that keep nothing", async () => {
    using data = temporaryDirectory();
    await using kept = await startOrrery({ data: data.path });
    expect((await post(kept, "reset", {})).status).toBe(409);
    await using server = await startOrrery({ memory: true });
    await post(server, "seed", { databases: { d: null } });
    expect((await post(server, "reset", {})).status).toBe(200);
    const answer = await fetch(`${server.endpoint}/_orrery/v1/seed`);
    expect(await answer.json()).toEqual({ seed: { databases: {} }, left: [] });
    const plain = await fetch(`${server.endpoint}/_orrery/v1/reset`, {
      method: "POST",
      body: "{}",
    });
    expect(plain.status).toBe(415);
    expect((await fetch(`${server.endpoint}/_orrery/v1/reset`)).status).toBe(405);
  });
});
