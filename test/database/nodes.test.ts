/**
 * Nodes that share a database: any of them takes any request, one works, and another one takes over
 * when that one ends.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import type { Container } from "@azure/cosmos";
import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import type { NodesAnswer } from "../../src/protocol/nodes.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";
import { connectDirect } from "../direct/directClient.ts";

describe.runIf(hasPostgres())("nodes on one PostgreSQL", () => {
  let postgres: LocalPostgres;
  let data: string;
  let store: string;
  let first: OrreryServer;
  let second: OrreryServer;

  const started = (folder: string, more: OrreryOptions = {}): Promise<OrreryServer> =>
    startOrrery({ store, data: join(data, folder), ...more });
  const containerAt = ({ endpoint, key }: OrreryServer) =>
    new CosmosClient({ endpoint, key }).database("shop").container("orders");

  beforeAll(async () => {
    postgres = await LocalPostgres.start({ isDurable: true });
    data = await mkdtemp(join(tmpdir(), "orrery-nodes-"));
    store = await postgres.newDatabase();
    first = await started("a");
    second = await started("b");
    const { endpoint, key } = second;
    const { database } = await new CosmosClient({ endpoint, key }).databases.create({ id: "shop" });
    await database.containers.create({ id: "orders", partitionKey: "/tenant" });
  });

  afterAll(async () => {
    await first?.close();
    await second?.close();
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  });

  test("what one was told is there at the others", async () => {
    expect([first.worker, second.worker]).toEqual([first.node, first.node]);
    const [here, there] = [containerAt(first), containerAt(second)];
    const big = "é".repeat(400_000);
    await there.items.create({ id: "1", tenant: "t", big });
    expect((await here.item("1", "t").read()).resource).toMatchObject({ big });
    expect((await there.item("1", "t").read()).resource).toMatchObject({ big });
    await here.items.create({ id: "2", tenant: "t", n: 1 });
    const rows = await there.items.query("SELECT VALUE c.n FROM c WHERE c.n = 1").fetchAll();
    expect(rows.resources).toEqual([1]);
    await expect(there.items.create({ id: "2", tenant: "t" })).rejects.toMatchObject({ code: 409 });
    const feed = there.items.getChangeFeedIterator({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
    });
    expect((await feed.readNext()).result.map(({ id }: { id: string }) => id)).toEqual(["1", "2"]);
  });

  test("an activity has one number, and a client's word of where it comes from counts nothing", async () => {
    const activity = "0123abcd-0000-4000-8000-0123456789ab";
    const answer = await ask(second, "/_orrery/v1/containers", {
      "x-ms-activity-id": activity,
      "orrery-forwarded": "from=x&for=10.1.2.3",
      connection: "x-secret, keep-alive",
      "x-secret": "1",
    });
    expect(answer.headers["x-ms-activity-id"]).toBe(activity);
    // Whoever came from 10.1.2.3 would be turned away.
    expect(answer.status).toBe(200);
    const elsewhere = await ask(second, "/_orrery/v1/containers", {
      "x-forwarded-for": "10.1.2.3",
    });
    expect(elsewhere.status).toBe(403);
    const unsigned = await ask(second, "/dbs/shop", { "x-ms-activity-id": activity });
    expect(unsigned.status).toBe(401);
    expect(unsigned.headers["x-ms-activity-id"]).toBe(activity);
    expect(unsigned.body).toContain(activity);
  });

  test("a body that waits for a go-ahead gets it from the one that works", async () => {
    const headers = { expect: "100-continue", "content-type": "application/json" };
    const go = request(`${second.endpoint}/_orrery/v1/jobs`, { method: "POST", headers });
    const heard: string[] = [];
    go.on("continue", () => {
      heard.push("continue");
      go.end("{}");
    });
    go.flushHeaders();
    await new Promise((resolve) => go.on("response", resolve));
    expect(heard).toEqual(["continue"]);
  });

  test("a client in direct mode is led through", async () => {
    for (const server of [first, second]) {
      const direct = await connectDirect(server);
      expect((await direct.call("GET", ["dbs", "shop", "colls", "orders"])).status).toBe(200);
      expect((await direct.call("GET", ["dbs", "absent"])).status).toBe(404);
      await direct[Symbol.asyncDispose]();
    }
  });

  test("the port for nodes takes nobody who does not know their secret", async () => {
    const { nodes } = await nodesAt(second);
    const { port } = new URL(`tcp://${nodes[0]!.address}`);
    const secret = { psk: Buffer.alloc(32, 1), identity: "stranger" };
    const socket = connectTls({
      port: Number(port),
      host: "127.0.0.1",
      ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
      maxVersion: "TLSv1.2",
      checkServerIdentity: () => undefined,
      pskCallback: () => secret,
    });
    await expect(
      new Promise((resolve, reject) => {
        socket.on("error", reject).on("secureConnect", resolve);
      }),
    ).rejects.toThrow();
  });

  test("each of them tells of all, and of itself in its health and metrics", async () => {
    const { answeredBy, worker, nodes } = await nodesAt(second);
    expect([answeredBy, worker]).toEqual([second.node, first.node]);
    expect(new Map(nodes.map(({ name, role, isReached }) => [name, [role, isReached]]))).toEqual(
      new Map([
        [first.node, ["works", true]],
        [second.node, ["forwards", true]],
      ]),
    );
    expect(nodes.find(({ name }) => name === second.node)!.endpoint).toBe(second.endpoint);
    const ready = await ask(second, "/ready");
    expect(JSON.parse(ready.body)).toEqual({
      status: "ready",
      node: second.node,
      role: "forwards",
      worker: first.node,
    });
    const roleIn = async (server: OrreryServer): Promise<string> =>
      (await ask(server, "/_orrery/metrics")).body;
    expect(await roleIn(second)).toContain('orrery_node_role{role="forwards"} 1');
    expect(await roleIn(second)).not.toContain("orrery_partition");
    expect(await roleIn(first)).toContain('orrery_node_role{role="works"} 1');
  });

  test("a node with other settings is turned away, with their names", async () => {
    const other = started("c", {
      limits: { partitionRate: 1000 },
      key: Buffer.alloc(64).toString("base64"),
    });
    await expect(other).rejects.toThrow(/other settings of account keys, limits/);
    expect((await nodesAt(first)).nodes).toHaveLength(2);
  });

  test("a key that is made anew counts on all of them", async () => {
    const { key } = second;
    const made = await ask(second, "/_orrery/v1/keys/secondary/regenerate", {
      method: "POST",
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
    });
    const { keys } = JSON.parse(made.body) as { keys: readonly { readonly key: string }[] };
    const client = new CosmosClient({ endpoint: first.endpoint, key: keys[0]!.key });
    expect((await client.databases.readAll().fetchAll()).resources).toHaveLength(1);
  });

  test("a node that ends hands over at once, and its clients' requests wait for that", async () => {
    const container = containerAt(second);
    const writing = writer(container, "handed");
    await expect.poll(() => writing.told.length).toBeGreaterThan(3);
    await first.close();
    const { length } = writing.told;
    await expect.poll(() => writing.told.length).toBeGreaterThan(length + 3);
    await writing.end();
    expect(writing.failures).toEqual([]);
    expect(second.worker).toBe(second.node);
    const kept = await container.items
      .query("SELECT VALUE c.id FROM c WHERE c.tenant = 'handed'")
      .fetchAll();
    expect(kept.resources.toSorted()).toEqual(writing.told.toSorted());
    first = await started("a");
    expect(first.worker).toBe(second.node);
    expect((await nodesAt(first)).nodes).toHaveLength(2);
  });

  test("the database may be gone for a while", async () => {
    await postgres.kill();
    const ready = await ask(second, "/ready");
    expect(ready.status === 200 || ready.body.includes("waiting")).toBe(true);
    await postgres.start();
    for (const server of [first, second]) {
      await expect
        .poll(() =>
          containerAt(server)
            .item("2", "t")
            .read()
            .then(({ statusCode }) => statusCode, String),
        )
        .toBe(200);
    }
  });
});

interface Writing {
  readonly told: string[];
  readonly failures: unknown[];
  end(): Promise<void>;
}

/** Creates one item after the other, until it is to end. */
function writer(container: Container, tenant: string): Writing {
  const told: string[] = [];
  const failures: unknown[] = [];
  let isEnding = false;
  const done = (async () => {
    for (let n = 0; !isEnding; n++) {
      const id = `${tenant}${n}`;
      await container.items.create({ id, tenant }).then(
        () => told.push(id),
        (error: unknown) => failures.push(error),
      );
    }
  })();
  return {
    told,
    failures,
    end: () => {
      isEnding = true;
      return done;
    },
  };
}

async function nodesAt(server: OrreryServer): Promise<NodesAnswer> {
  return JSON.parse((await ask(server, "/_orrery/v1/nodes")).body) as NodesAnswer;
}

/** `headers` may say the method, too. */
async function ask(
  { endpoint }: OrreryServer,
  path: string,
  { method = "GET", ...headers }: Readonly<Record<string, string>> = {},
) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const asking = request(`${endpoint}${path}`, { method, headers, agent: false });
      asking.on("error", reject);
      asking.on("response", (answer) => {
        text(answer).then(
          (body) => resolve({ status: answer.statusCode!, headers: answer.headers, body }),
          reject,
        );
      });
      asking.end(method === "POST" ? "{}" : "");
    },
  );
}
