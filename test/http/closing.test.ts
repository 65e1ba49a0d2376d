/**
 * A server that is told to end while clients are busy. Whoever sent a request gets an answer: what
 * they asked for, or 503 and when to come back. Nobody is reset, and what was acknowledged is kept.
 */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { CosmosClient } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { splitAnswers } from "./rawAnswers.ts";
import { ITEMS, PARTITION_KEY, signatureOf, textOf } from "./wire.ts";

const BUSY_COUNT = 20;
/** Long enough for everybody to be in the middle of something. */
const ANSWERS_BEFORE = 300;

const portOf = ({ endpoint }: Server): number => Number(new URL(endpoint).port);

/** What one request came to: a status, or what the system said of its connection. */
type Outcome = number | string;

interface Load {
  readonly outcomes: readonly Outcome[];
  readonly acknowledged: readonly string[];
  /** When no new connection can be had any more. */
  readonly ended: Promise<unknown>;
}

function load(name: string, send: (id: string) => Promise<Outcome>): Load {
  const outcomes: Outcome[] = [];
  const acknowledged: string[] = [];
  let count = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const id = `${name}-${count++}`;
      const outcome = await send(id);
      outcomes.push(outcome);
      if (outcome === 201) acknowledged.push(id);
      if (outcome === "ECONNREFUSED") return;
    }
  };
  const ended = Promise.all(Array.from({ length: BUSY_COUNT }, client));
  return { outcomes, acknowledged, ended };
}

function plainSend(server: Server, agent: Agent | false): (id: string) => Promise<Outcome> {
  return (id) =>
    new Promise((resolve) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: portOf(server),
          method: "POST",
          path: "/dbs/d/colls/c/docs",
          headers: { ...signatureOf(server.key, "POST", ITEMS), ...PARTITION_KEY },
          agent,
        },
        (answer) => {
          answer.resume();
          answer.on("error", (error: Error) => resolve(`in the answer: ${error.message}`));
          answer.on("end", () => {
            const { statusCode = 0, headers } = answer;
            const isHelpful = headers["retry-after"] !== undefined;
            resolve(statusCode === 503 && !isHelpful ? "503 without retry-after" : statusCode);
          });
        },
      );
      sent.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
      sent.end(JSON.stringify({ id, pk: "a", text: "x".repeat(300) }));
    });
}

function officialSend(client: CosmosClient): (id: string) => Promise<Outcome> {
  const { items } = client.database("d").container("c");
  return (id) =>
    items.create({ id, pk: "a" }).then(
      ({ statusCode }) => statusCode,
      (error: { code: Outcome }) => error.code,
    );
}

async function prepared(data: string): Promise<{ server: Server; client: CosmosClient }> {
  const server = await startServer(data);
  const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
  const { database } = await client.databases.createIfNotExists({ id: "d" });
  await database.containers.createIfNotExists({ id: "c", partitionKey: "/pk" });
  return { server, client };
}

/** A machine with much else to do may keep a client from running for longer than a server waits. */
describe("SIGTERM while clients are busy", { retry: 2 }, () => {
  test.each([
    ["connections are kept", () => new Agent({ keepAlive: true })],
    ["each request has its own", () => false as const],
  ])("resets nobody and loses nothing when %s", async (_rule, agentOf) => {
    using directory = temporaryDirectory();
    const { server, client } = await prepared(directory.path);
    const agent = agentOf();
    const loads = [load("plain", plainSend(server, agent)), load("official", officialSend(client))];
    const count = (): number => loads.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
    await expect.poll(count).toBeGreaterThan(ANSWERS_BEFORE);
    expect(await server.end()).toBe(0);
    await Promise.all(loads.map(({ ended }) => ended));
    client.dispose();
    if (agent !== false) agent.destroy();

    const outcomes = new Set(loads.flatMap(({ outcomes }) => outcomes));
    expect([...outcomes].filter((one) => ![201, 503, "ECONNREFUSED"].includes(one))).toEqual([]);

    const again = await prepared(directory.path);
    const { items } = again.client.database("d").container("c");
    const kept = new Set(
      (await items.query<string>("SELECT VALUE c.id FROM c").fetchAll()).resources,
    );
    const acknowledged = loads.flatMap((one) => one.acknowledged);
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    again.client.dispose();
    await again.server.end();
  });
});

describe("a body that is on its way when SIGTERM comes", () => {
  const body = JSON.stringify({ id: "on-its-way", pk: "a" });

  async function halfSent(server: Server) {
    const socket = connect(portOf(server), "127.0.0.1");
    const heard: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => heard.push(chunk));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const text = textOf(server, "POST", ITEMS, { headers: PARTITION_KEY, body });
    const cut = text.length - 5;
    // The go-ahead tells that the server has begun to read.
    const asking = text.slice(0, cut).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    socket.write(asking);
    await expect.poll(() => heard.length).toBe(1);
    const ended = server.end();
    await expect.poll(() => canConnect(server)).toBe(false);
    const statuses = async (): Promise<readonly number[]> => {
      await closed;
      return splitAnswers(Buffer.concat(heard)).map(({ status }) => status);
    };
    return { socket, rest: text.slice(cut), statuses, ended };
  }

  test("may still arrive, and is served", async () => {
    using directory = temporaryDirectory();
    const { server, client } = await prepared(directory.path);
    const { socket, rest, statuses, ended } = await halfSent(server);
    socket.write(rest);
    expect(await statuses()).toEqual([100, 201]);
    expect(await ended).toBe(0);
    client.dispose();
  });

  test("is refused when a second signal comes, and the process ends in order", async () => {
    using directory = temporaryDirectory();
    const { server, client } = await prepared(directory.path);
    const { statuses, ended } = await halfSent(server);
    void server.end();
    expect(await statuses()).toEqual([100, 503]);
    expect(await ended).toBe(0);
    client.dispose();
  });
});

function canConnect(server: Server): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(portOf(server), "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
