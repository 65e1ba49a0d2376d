/**
 * TLS with a local authority. Clients trust it in the three ways their users have: an agent that
 * knows the certificate, Node's own list of extra authorities, or a certificate of the user's own.
 */
import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import type { TemporaryDirectory } from "./stage.ts";
import { clientOf, openContainer, rangeIdOf, temporaryDirectory } from "./stage.ts";

let directory: TemporaryDirectory;
let server: OrreryServer;
let client: CosmosClient;
beforeAll(async () => {
  directory = temporaryDirectory();
  server = await startOrrery({ https: true, data: directory.path });
  client = clientOf(server, { agent: new Agent({ keepAlive: true, ca: server.caCertificate! }) });
});
afterAll(async () => {
  client.dispose();
  await server.close();
  directory[Symbol.dispose]();
});

describe("a client whose agent trusts the authority", () => {
  test("does everything it does without TLS", async () => {
    const { database } = await client.databases.create({ id: "Prüfung" });
    const container = await openContainer(database, { throughput: 30_000 });
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, n) => container.items.create({ id: "same", pk: n, n })),
    );
    expect(new Set(created.map(rangeIdOf)).size).toBe(3);
    for (const [n, { resource }] of created.entries()) {
      expect((await container.item("same", n).read()).resource).toEqual(resource);
    }
    const item = container.item("same", 7);
    await item.replace({ id: "same", pk: 7, n: 70 });
    await item.patch([{ op: "incr", path: "/n", value: 1 }]);
    await container.items.upsert({ id: "ключ?", pk: "€", text: "x".repeat(1_000_000) });
    expect((await item.read()).resource?.["n"]).toBe(71);
    expect((await container.items.readAll({ maxItemCount: 7 }).fetchAll()).resources).toHaveLength(
      41,
    );
    expect((await item.delete()).statusCode).toBe(204);
    expect((await database.delete()).statusCode).toBe(204);
  });

  test("is told an https address", async () => {
    const { resource } = await client.getDatabaseAccount();
    expect(resource?.writableLocations[0]?.databaseAccountEndpoint).toBe(`${server.endpoint}/`);
    expect(server.endpoint).toBe(`https://127.0.0.1:${server.port}`);
  });

  test("may use any name of this machine", async () => {
    const agent = new Agent({ ca: server.caCertificate! });
    const endpoint = `https://localhost:${server.port}`;
    const other = clientOf({ endpoint, key: server.key }, { agent });
    expect((await other.databases.readAll().fetchAll()).resources).toEqual([]);
    other.dispose();
  });
});

test("a client that does not trust the authority gets no connection", async () => {
  const fetched = fetch(`${server.endpoint}/_health/live`);
  await expect(fetched).rejects.toMatchObject({ cause: { message: /certificate/ } });
});

describe("the authority's certificate", () => {
  const pemOf = async (port: number, ca?: string): Promise<string> => {
    const agent = new Agent(ca === undefined ? { rejectUnauthorized: false } : { ca });
    const request = get({ host: "localhost", port, path: "/_explorer/emulator.pem", agent });
    const [answer] = await once(request, "response");
    expect(answer.statusCode).toBe(200);
    return text(answer);
  };

  test("can be fetched from the server, and is a certificate of an authority", async () => {
    const pem = await pemOf(server.port);
    expect(pem).toBe(server.caCertificate);
    expect(new X509Certificate(pem).ca).toBe(true);
    expect(await pemOf(server.port, pem)).toBe(pem);
  });

  test("stays the same when the server starts again", async () => {
    using other = temporaryDirectory();
    const certificates: (string | undefined)[] = [];
    for (let round = 0; round < 2; round++) {
      await using again = await startOrrery({ https: true, data: other.path });
      certificates.push(again.caCertificate);
    }
    expect(certificates[0]).toBeDefined();
    expect(certificates[1]).toBe(certificates[0]);
  });

  test("is made by a server of plain HTTP for whoever asks, and good for its TLS", async () => {
    await using plain = await startOrrery({ memory: true });
    const answer = await fetch(`${plain.endpoint}/_explorer/emulator.pem`);
    const agent = new Agent({ ca: await answer.text() });
    const secure = plain.endpoint.replace("http:", "https:");
    const [served] = await once(get(`${secure}/_health/ready`, { agent }), "response");
    expect(served.statusCode).toBe(200);
    served.resume();
  });
});

test("a server takes a certificate of the user's own", async () => {
  const [cert, certKey] = ["server.pem", "server.key"].map((name) =>
    join(directory.path, "tls", name),
  );
  await using own = await startOrrery({ memory: true, cert, certKey });
  const agent = new Agent({ ca: server.caCertificate! });
  const other = clientOf(own, { agent });
  expect((await other.databases.create({ id: "d" })).statusCode).toBe(201);
  other.dispose();
});

/** A program of its own, as a user would write it: no agent, no switched-off checks. */
const PROGRAM = `
  import { CosmosClient } from "@azure/cosmos";
  const [endpoint, key] = process.argv.slice(1);
  const client = new CosmosClient({ endpoint, key, connectionPolicy: { requestTimeout: 5000 } });
  const { database } = await client.databases.createIfNotExists({ id: "from a program" });
  const definition = { id: "c", partitionKey: "/pk" };
  const { container } = await database.containers.createIfNotExists(definition);
  await container.items.upsert({ id: "item", pk: "a" });
  const { resources } = await container.items.readAll().fetchAll();
  process.stdout.write(JSON.stringify(resources.map(({ id }) => id)));
  client.dispose();
`;

test("a program that names the authority to Node needs nothing else", async () => {
  const caFile = join(directory.path, "trusted.pem");
  writeFileSync(caFile, server.caCertificate!);
  const { NODE_TLS_REJECT_UNAUTHORIZED: _unset, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "--eval", PROGRAM, server.endpoint, server.key],
    { env: { ...environment, NODE_EXTRA_CA_CERTS: caFile }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(output).toBe('["item"]');
  expect(child.exitCode).toBe(0);
});
