/** A TLS port and clients that speak something else to it. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Agent, get } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import type { TemporaryDirectory } from "../sdk/stage.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { resetOf } from "./http2.ts";
import { splitAnswers } from "./rawAnswers.ts";
import type { Call } from "./wire.ts";
import { checked, ITEMS, PARTITION_KEY, textOf } from "./wire.ts";

let directory: TemporaryDirectory;
let server: OrreryServer;
beforeAll(async () => {
  directory = temporaryDirectory();
  server = await startOrrery({ https: true, data: directory.path, rateLimit: false });
});
afterEach(async () => {
  const agent = new Agent({ ca: server.caCertificate! });
  const [answer] = await once(get(`${server.endpoint}/_health/ready`, { agent }), "response");
  expect(answer.statusCode).toBe(200);
  answer.resume();
});
afterAll(async () => {
  await server.close();
  directory[Symbol.dispose]();
});

test.each([
  ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ["random bytes", randomBytes(1000)],
  ["half a greeting", Buffer.from("1603010200010001fc0303", "hex")],
  ["nothing", Buffer.alloc(0)],
])("%s gets no answer, and harms nobody", async (_rule, bytes) => {
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  socket.end(bytes);
  await once(socket, "close");
  expect(received).not.toContain("200 OK");
});

test("greetings that are broken off harm nobody", async () => {
  for (let round = 0; round < 50; round++) {
    const socket = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("error", () => undefined);
    if (round % 2 === 0) await once(socket, "secureConnect");
    socket.destroy();
  }
});

test("garbage inside TLS is no frame of direct mode, and ends the connection", async () => {
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.caCertificate! });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write("\u0000garbage\r\n\r\n");
  await once(socket, "end");
  socket.destroy();
  expect(Buffer.concat(chunks)).toHaveLength(0);
});

test("a client may offer HTTP/2, too, and is served", async () => {
  const options = { port: server.port, host: "127.0.0.1", rejectUnauthorized: false };
  const socket = connectTls({ ...options, ALPNProtocols: ["h2", "http/1.1"] });
  await once(socket, "secureConnect");
  expect(socket.alpnProtocol).toBe(false);
  socket.write("GET /_health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [first] = await once(socket, "data");
  expect((first as Buffer).toString()).toContain("HTTP/1.1 200 ");
  socket.destroy();
});

test("a client that offers HTTP/2 only is told that it is not", async () => {
  const options = { port: server.port, host: "127.0.0.1", rejectUnauthorized: false };
  const socket = connectTls({ ...options, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  expect(await resetOf(connectHttp2("https://localhost", { createConnection: () => socket }))).toBe(
    "NGHTTP2_HTTP_1_1_REQUIRED",
  );
});

test("old versions of TLS are refused", async () => {
  const socket = connectTls({
    port: server.port,
    host: "127.0.0.1",
    maxVersion: "TLSv1.1",
    minVersion: "TLSv1",
    ciphers: "DEFAULT@SECLEVEL=0",
    rejectUnauthorized: false,
  });
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  expect(error).toBeInstanceOf(Error);
});

/**
 * Sends requests one after the other, head and body each for itself, the next as soon as it has an
 * answer. On a thread of its own: it must be able to send while the server still thinks it writes.
 */
const HASTY_CLIENT = `
  const { parentPort, workerData: { port, ca, texts } } = require("node:worker_threads");
  const socket = require("node:tls").connect({ port, host: "127.0.0.1", ca });
  socket.setNoDelay(true);
  const statuses = [];
  let received = Buffer.alloc(0);
  const send = () => {
    const text = texts.shift();
    if (text === undefined) return parentPort.postMessage(statuses);
    const bodyAt = text.indexOf("\\r\\n\\r\\n") + 4;
    socket.write(text.slice(0, bodyAt));
    socket.write(text.slice(bodyAt));
  };
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    const headEnd = received.indexOf("\\r\\n\\r\\n");
    const length = Number(/content-length: (\\d+)/i.exec(received.toString("latin1"))?.[1]);
    if (headEnd < 0 || received.length < headEnd + 4 + length) return;
    statuses.push(Number(received.toString("latin1", 9, 12)));
    received = Buffer.alloc(0);
    send();
  });
  send();
`;

test("bodies that come while the answer before them is still on its way are not lost", async () => {
  const text = (segments: readonly string[], call: Call) => textOf(server, "POST", segments, call);
  const query = { ...PARTITION_KEY, "x-ms-documentdb-isquery": "true" };
  const texts = [
    text(["dbs"], { body: '{"id":"d"}' }),
    text(["dbs", "d", "colls"], { body: '{"id":"c","partitionKey":{"paths":["/pk"]}}' }),
    // Longer than what a socket takes without a pause.
    text(ITEMS, {
      headers: PARTITION_KEY,
      body: `{"id":"1","pk":"a","text":"${"x".repeat(30_000)}"}`,
    }),
    ...Array<string>(100).fill(
      text(ITEMS, { headers: query, body: '{"query":"SELECT * FROM c"}' }),
    ),
  ];
  const workerData = { port: server.port, ca: server.caCertificate!, texts };
  const client = new Worker(HASTY_CLIENT, { eval: true, workerData });
  const [statuses] = await once(client, "message");
  expect(statuses).toEqual([201, 201, 201, ...Array<number>(100).fill(200)]);
  await client.terminate();
});

describe("a client that is slow", () => {
  let hasty: OrreryServer;
  beforeAll(async () => {
    const deadlines = { headerTimeout: 0.5, bodyTimeout: 0.5, idleTimeout: 0.5 };
    hasty = await startOrrery({ https: true, data: `${directory.path}/hasty`, ...deadlines });
  });
  afterAll(() => hasty.close());

  test.each([
    ["with its greeting", "1603010200010001fc0303"],
    ["to say anything", ""],
  ])("%s is cut off", async (_rule, greeting) => {
    const socket = connect({ port: hasty.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.resume();
    socket.write(Buffer.from(greeting, "hex"));
    await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
    socket.destroy();
  });

  test.each([
    ["to say anything inside TLS", () => "", [408]],
    ["with its headers", () => "GET /dbs HTTP/1.1\r\nhost: localhost\r\n", [408]],
    ["with its body", () => halfBody(), [408]],
    ["with its next request", () => "GET /dbs HTTP/1.1\r\nhost: localhost\r\n\r\n", [401]],
  ])("%s is told so, and the connection ends", async (_rule, bytes, statuses) => {
    const socket = connectTls({ port: hasty.port, host: "127.0.0.1", ca: hasty.caCertificate! });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.write(bytes());
    await once(socket, "end");
    socket.destroy();
    const answers = splitAnswers(Buffer.concat(chunks));
    expect(answers.map((answer) => checked(answer).status)).toEqual(statuses);
  });

  function halfBody(): string {
    return textOf(hasty, "POST", ["dbs"], { headers: { "content-length": "100" } });
  }
});

test("requests that are sent without waiting are all answered, however many", async () => {
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.caCertificate! });
  const count = 500;
  let received = Buffer.alloc(0);
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (splitAnswers(received).length === count) resolve();
    });
  });
  socket.write(textOf(server, "GET", ["dbs"], {}).repeat(count));
  await answered;
  expect(new Set(splitAnswers(received).map(({ status }) => status))).toEqual(new Set([200]));
  socket.destroy();
});
