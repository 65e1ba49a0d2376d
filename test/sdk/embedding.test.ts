/** A server inside the caller's own process: how it starts, how it ends, what it refuses to be. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { BadOption, startOrrery } from "../../src/index.ts";
import { clientOf, openContainer, openStage, temporaryDirectory } from "./stage.ts";

describe("a server in this process", () => {
  test("is ready when it was awaited, and gone after its block", async () => {
    let endpoint: string;
    {
      await using server = await startOrrery({ memory: true });
      endpoint = server.endpoint;
      expect(endpoint).toBe(`http://127.0.0.1:${server.port}`);
      expect(server.connectionString).toBe(
        `AccountEndpoint=${endpoint}/;AccountKey=${server.key};`,
      );
      expect(server.data).toBeUndefined();
      expect(server.caCertificate).toBeUndefined();
      for (const probe of ["live", "ready"]) {
        const answer = await fetch(`${endpoint}/_health/${probe}`);
        expect([answer.status, await answer.json()]).toEqual([200, { status: probe }]);
      }
    }
    await expect(fetch(`${endpoint}/_health/live`)).rejects.toThrow();
  });

  test("takes a client by its connection string", async () => {
    await using server = await startOrrery({ memory: true });
    const { CosmosClient } = await import("@azure/cosmos");
    const client = new CosmosClient(server.connectionString);
    expect((await client.databases.create({ id: "d" })).statusCode).toBe(201);
    client.dispose();
  });

  test("does not share anything with the others", async () => {
    const stages = await Promise.all(Array.from({ length: 5 }, () => openStage()));
    expect(new Set(stages.map(({ server }) => server.port)).size).toBe(5);
    await Promise.all(
      stages.map(async ({ database }, n) => {
        const container = await openContainer(database);
        await container.items.create({ id: "item", pk: "a", n });
        expect((await container.item("item", "a").read()).resource?.["n"]).toBe(n);
      }),
    );
    for (const { client } of stages) {
      expect((await client.databases.readAll().fetchAll()).resources).toHaveLength(1);
    }
    for (const stage of stages) await stage[Symbol.asyncDispose]();
  });

  test("has its directory for itself, also in one process, until it is closed", async () => {
    using directory = temporaryDirectory();
    const first = await startOrrery({ data: directory.path });
    const second = startOrrery({ data: `${directory.path}/.` });
    await expect(second).rejects.toThrow(`in use by process ${process.pid}`);
    // Whoever starts the next one while the last one closes waits for that.
    const [next] = await Promise.all([startOrrery({ data: directory.path }), first.close()]);
    await next.close();
  });

  test("says why a directory cannot be used", async () => {
    using directory = temporaryDirectory();
    const file = `${directory.path}/file`;
    writeFileSync(file, "");
    const refused = startOrrery({ data: file });
    await expect(refused).rejects.toThrow(BadOption);
    await expect(refused).rejects.toThrow(`${file} cannot be used: it is not a directory`);
    for (const data of ["", "a\0b"]) {
      await expect(startOrrery({ data })).rejects.toThrow("data is no path");
    }
  });

  test("closes once, however often it is asked to", async () => {
    const server = await startOrrery({ memory: true });
    await Promise.all([server.close(), server.close()]);
    await server.close();
  });

  test("closes while clients keep their connections open", async () => {
    await using stage = await openStage();
    const container = await openContainer(stage.database);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => container.items.create({ id: `${n}`, pk: n })),
    );
  });

  test("tells clients where else to go", async () => {
    await using front = await openStage();
    const publicEndpoint = `${front.server.endpoint}/`;
    await using signpost = await startOrrery({ memory: true, publicEndpoint });
    const client = clientOf(signpost);
    await client.databases.create({ id: "by the signpost" });
    expect((await front.client.database("by the signpost").read()).statusCode).toBe(200);
    client.dispose();
  });

  test("can listen on another loopback address", async () => {
    await using server = await startOrrery({ memory: true, host: "127.0.0.2" });
    expect(server.endpoint).toBe(`http://127.0.0.2:${server.port}`);
    const client = clientOf(server);
    expect((await client.databases.create({ id: "d" })).statusCode).toBe(201);
    client.dispose();
  });
});

describe("a data directory", () => {
  test("has one server at a time, also in one process", async () => {
    using directory = temporaryDirectory();
    const server = await startOrrery({ data: directory.path });
    expect(server.data).toBe(directory.path);
    const second = startOrrery({ data: directory.path });
    await expect(second).rejects.toThrow(`in use by process ${process.pid}`);
    await server.close();
    await using third = await startOrrery({ data: directory.path });
    expect(third.data).toBe(directory.path);
  });

  test("is given back when the server cannot start", async () => {
    using directory = temporaryDirectory();
    await using other = await startOrrery({ memory: true });
    const taken = startOrrery({ data: directory.path, port: other.port });
    await expect(taken).rejects.toThrow(`Port ${other.port} is taken`);
    await using server = await startOrrery({ data: directory.path });
    expect(existsSync(server.data!)).toBe(true);
  });

  test("holds no lock after the server closed", async () => {
    using directory = temporaryDirectory();
    await (await startOrrery({ data: directory.path })).close();
    expect(readdirSync(directory.path).filter((name) => name.startsWith("lock"))).toEqual([]);
  });
});

describe("options that could only be mistakes", () => {
  const mistakes: Readonly<Record<string, OrreryOptions>> = {
    "data to keep and nothing to keep": { memory: true, data: "somewhere" },
    "a key that is no base64": { memory: true, key: "not base64!" },
    "a key that is too short": { memory: true, key: "c2hvcnQ=" },
    "a bad secondary key": { memory: true, secondaryKey: "" },
    "a bad read-only key": { memory: true, readOnlyKey: "%%%%" },
    "a certificate without its key": { memory: true, cert: "cert.pem" },
    "a certificate that is not there": { memory: true, cert: "none.pem", certKey: "none.key" },
    "a public endpoint that is no URL": { memory: true, publicEndpoint: "here" },
  };

  test.each(Object.entries(mistakes))("%s", async (_rule, options) => {
    await expect(startOrrery(options)).rejects.toThrow(BadOption);
  });
});

describe("closing in the middle of a request", () => {
  test("answers it first, and then does not wait for the client to hang up", async () => {
    await using stage = await openStage();
    const { id } = await openContainer(stage.database);
    const body = JSON.stringify({ id: "late", pk: "a" });
    const path = `dbs/${stage.database.id}/colls/${id}`;
    const socket = connect(stage.server.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.write(createHead(stage.server, path, body.length));
    // The server has seen the head when it asks for the body.
    while (!answer.includes("100 Continue")) await once(socket, "data");

    const ended = once(socket, "end");
    const closed = stage.server.close();
    socket.write(body);
    const isClosed = closed.then(() => true);
    const isSoon = await Promise.race([isClosed, wait(3_000, false, { ref: false })]);
    await Promise.race([ended, wait(3_000, undefined, { ref: false })]);
    expect(answer).toContain("HTTP/1.1 201 Created");
    expect(answer).toContain('"id":"late"');
    socket.destroy();
    expect(isSoon).toBe(true);
  });
});

function createHead(server: OrreryServer, link: string, bodyBytes: number): string {
  const date = new Date().toUTCString();
  const text = `post\ndocs\n${link}\n${date.toLowerCase()}\n\n`;
  const digest = createHmac("sha256", Buffer.from(server.key, "base64")).update(text);
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${digest.digest("base64")}`);
  return (
    `POST /${link}/docs HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\n` +
    `Authorization: ${authorization}\r\nX-Ms-Date: ${date}\r\n` +
    `X-Ms-DocumentDb-PartitionKey: ["a"]\r\nContent-Length: ${bodyBytes}\r\n\r\n`
  );
}
