/**
 * Bodies that are longer than they may be. They are refused as soon as that is known, little more
 * is read of them, and their sender gets to see the answer.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { splitAnswers } from "./rawAnswers.ts";
import type { Wire } from "./wire.ts";
import { checked, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

const MB = 1024 * 1024;
/** How often each client tries: whether it sees the answer is a race. */
const ROUND_COUNT = process.env["ORRERY_LONG"] !== undefined ? 5 : 2;

let wire: Wire;
/** The server's ends of the connections of one test. */
let served: Socket[] = [];
const onSocket = (message: unknown): void => {
  served.push((message as { socket: Socket }).socket);
};
beforeAll(async () => {
  subscribe("net.server.socket", onSocket);
  wire = await openWire();
});
// Not afterwards: tests that end together ask by several connections whether the server is alive.
beforeEach(() => {
  served = [];
});
afterEach(() => wire.assertAlive());
afterAll(async () => {
  unsubscribe("net.server.socket", onSocket);
  await wire[Symbol.asyncDispose]();
});

const signedHead = (more: Readonly<Record<string, string>>, key?: null): string =>
  wire.requestText("POST", ITEMS, {
    headers: { ...PARTITION_KEY, ...more },
    ...(key === null && { key }),
  });

// A server waits before it closes, so these wait together; none of them looks at `served`.
describe.concurrent("a length that is declared", () => {
  test.each([
    ["an item", () => signedHead({ "content-length": String(2 * MB + 1) })],
    ["a terabyte", () => signedHead({ "content-length": String(1024 * 1024 * MB) })],
    ["a query", () => queryHead()],
    [
      "a question to the admin API",
      () => adminHead("POST /_orrery/v1/containers/d/c/split", 64 * 1024 + 1),
    ],
    ["a key's renewal", () => adminHead("POST /_orrery/v1/keys/primary/regenerate", 1025)],
    ["a backup's order", () => adminHead("POST /_orrery/v1/backup", 1025)],
  ])("is refused before anything of the body has come: %s", async (_rule, head) => {
    const { answers, isClosed } = await wire.exchange(head());
    expect(answers.map(({ status }) => status)).toEqual([413]);
    expect(isClosed).toBe(true);
  });

  test("is no reason to read the body of a stranger", async () => {
    const { answers, isClosed } = await wire.exchange(
      signedHead({ "content-length": String(100 * MB) }, null),
    );
    expect(answers.map(({ status }) => status)).toEqual([401]);
    expect(isClosed).toBe(true);
  });
});

function queryHead(): string {
  return signedHead({
    "x-ms-documentdb-isquery": "true",
    "content-type": "application/query+json",
    "content-length": String(3 * MB),
  });
}

function adminHead(start: string, bytes: number): string {
  return (
    `${start} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${wire.server.key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
  );
}

/** Sends a megabyte in chunks as often as it is taken, and says what comes back. */
async function sendEndlessly(head: string): Promise<readonly number[]> {
  const socket = connect({ port: wire.server.port, host: "127.0.0.1", allowHalfOpen: true });
  const heard: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => heard.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const chunk = Buffer.from(`100000\r\n${"x".repeat(MB)}\r\n`);
  socket.write(head);
  const sendNext = (error?: Error | null): void => {
    if (error == null && !socket.destroyed) socket.write(chunk, sendNext);
  };
  sendNext();
  await closed;
  return splitAnswers(Buffer.concat(heard)).map((answer) => checked(answer).status);
}

describe("a length that is not declared", () => {
  test.each([
    ["an item", 413, () => signedHead({ "transfer-encoding": "chunked" })],
    ["a stranger's item", 401, () => signedHead({ "transfer-encoding": "chunked" }, null)],
    ["a read with a body", 200, () => readHead()],
  ])("is read up to 3 MB and no further: %s", async (_rule, status, head) => {
    expect(await sendEndlessly(head())).toEqual([status]);
    const bytesRead = served.map((socket) => socket.bytesRead);
    expect(bytesRead).toHaveLength(1);
    // No read is begun once a limit is reached, but those under way bring 64 KB each.
    expect(bytesRead[0]).toBeLessThanOrEqual(4 * MB);
  });
});

function readHead(): string {
  const headers = { ...PARTITION_KEY, "transfer-encoding": "chunked" };
  return wire.requestText("GET", [...ITEMS, "kept"], { headers });
}

describe("who sends far too much at once sees the answer", () => {
  const item = (bytes: number) => ({ id: "large", pk: "a", text: "x".repeat(bytes) });

  test.each([3, 20])("by Node's client, %d MB", async (size) => {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const body = JSON.stringify(item(size * MB));
      const { status } = await wire.call("POST", ITEMS, { body, headers: PARTITION_KEY });
      expect(status).toBe(413);
      const chunked = { ...PARTITION_KEY, "transfer-encoding": "chunked" };
      expect((await wire.call("POST", ITEMS, { body, headers: chunked })).status).toBe(413);
      const strange = await wire.call("POST", ITEMS, { body, headers: PARTITION_KEY, key: null });
      expect(strange.status).toBe(401);
    }
  });

  test.each([3, 20])("by the official client, %d MB", async (size) => {
    const { endpoint, key } = wire.server;
    const client = new CosmosClient({ endpoint, key });
    const container = client.database("d").container("c");
    for (let round = 0; round < ROUND_COUNT; round++) {
      await expect(container.items.create(item(size * MB))).rejects.toMatchObject({ code: 413 });
      const { resource } = await container.item("kept", "a").read();
      expect(resource).toMatchObject({ id: "kept" });
    }
    client.dispose();
  });

  test.each([3, 20])("by fetch, %d MB", async (size) => {
    for (let round = 0; round < ROUND_COUNT; round++) {
      const answer = await fetch(`${wire.server.endpoint}/dbs/d/colls/c/docs`, {
        method: "POST",
        body: JSON.stringify(item(size * MB)),
      });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: "Unauthorized" });
    }
  });
});
