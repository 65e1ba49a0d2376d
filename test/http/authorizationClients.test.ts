/** The official client with each credential that is not an account key. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CosmosClientOptions } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { openIssuer } from "./cast.ts";

const issuer = openIssuer();
const folder = mkdtempSync(join(tmpdir(), "orrery-clients-"));
const clients: CosmosClient[] = [];

let server: OrreryServer;
let owner: CosmosClient;
beforeAll(async () => {
  const entraKeys = join(folder, "keys.json");
  writeFileSync(entraKeys, issuer.keySet);
  // The client sends bearer tokens over TLS only.
  const data = join(folder, "data");
  server = await startOrrery({ https: true, data, entraIssuer: issuer.name, entraKeys });
  owner = clientWith({ key: server.key });
  const { database } = await owner.databases.create({ id: "d" });
  const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  await container.items.create({ id: "kept", pk: "a" });
});
afterAll(async () => {
  for (const client of clients) client.dispose();
  await server.close();
  rmSync(folder, { recursive: true });
});

function clientWith(options: Omit<CosmosClientOptions, "endpoint">): CosmosClient {
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
  const agent = new Agent({ keepAlive: true, ca: server.caCertificate! });
  const { endpoint } = server;
  const client = new CosmosClient({ endpoint, agent, connectionPolicy, ...options });
  clients.push(client);
  return client;
}

const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "done",
    (error: { code?: unknown }) => error.code,
  );

test("a bearer token reads and writes data, and manages nothing", async () => {
  const bearer = clientWith({
    aadCredentials: {
      getToken: async () => ({
        token: issuer.tokenOf({ aud: server.endpoint }),
        expiresOnTimestamp: Date.now() + 3_600_000,
      }),
    },
  });
  const container = bearer.database("d").container("c");
  await container.items.create({ id: "by bearer", pk: "a" });
  const { resources } = await container.items.query("SELECT VALUE c.id FROM c").fetchAll();
  expect(resources).toEqual(["kept", "by bearer"]);
  expect(await codeOf(bearer.databases.create({ id: "more" }))).toBe(403);
  expect(await codeOf(container.scripts.storedProcedures.readAll().fetchAll())).toBe(403);
});

test("resource tokens, by name and as a list of permissions", async () => {
  const { user } = await owner.database("d").users.create({ id: "u" });
  const { resource: permission } = await user.permissions.create({
    id: "p",
    permissionMode: "all" as never,
    resource: "dbs/d/colls/c",
    resourcePartitionKey: ["a"] as never,
  });
  const token = (permission as unknown as { _token: string })._token;
  for (const client of [
    clientWith({ resourceTokens: { c: token } }),
    clientWith({ permissionFeed: [permission as never] }),
  ]) {
    const container = client.database("d").container("c");
    expect((await container.item("kept", "a").read()).statusCode).toBe(200);
    const own = container.items.query("SELECT * FROM c", { partitionKey: "a" });
    expect((await own.fetchAll()).resources.length).toBeGreaterThan(0);
    expect(await codeOf(container.items.query("SELECT * FROM c").fetchAll())).toBe(403);
    expect(await codeOf(container.items.create({ id: "x", pk: "b" }))).toBe(403);
    expect(await codeOf(container.delete())).toBe(403);
  }
});
