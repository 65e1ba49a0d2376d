/**
 * Real sockets under a clock that only the test moves: every stage of a connection ends when its
 * time is over, not before, and in the way its peer can understand.
 */
import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { SimulatedTime } from "../../engine/simulatedAccount.fake.ts";
import { Outbox } from "../http/outbox.ts";
import { discardBody, readBody } from "../http/requestBody.ts";
import { realTimer } from "../surroundings/realWorld.ts";
import { Connections } from "./connections.ts";
import { refuseMalformed } from "./malformed.ts";

const DEADLINES = { headMs: 10_000, bodyMs: 60_000, idleMs: 130_000 };
const MOST = 40;

let time: SimulatedTime;
let logged: string[];
let connections: Connections;
let server: Server;
let clients: Client[];
/** Requests for `/work` wait here for the test to answer them. */
let working: ServerResponse[];
let answer: (response: ServerResponse, text?: string) => void;

interface Client {
  readonly socket: Socket;
  readonly heard: string;
  readonly isClosed: boolean;
}

beforeEach(async () => {
  time = new SimulatedTime();
  logged = [];
  clients = [];
  working = [];
  const { clock } = time;
  // Turns of the event loop are real: it has to look at real sockets.
  const timer = { ...time.timer, soon: () => realTimer.soon() };
  const outbox = new Outbox(timer, (defect) => {
    throw defect;
  });
  const log = (event: string): number => logged.push(event);
  connections = new Connections({ clock, timer, log, deadlines: DEADLINES, connectionsMax: MOST });
  server = createServer({ requestTimeout: 0 });
  // As behind the door, where the server of Node does not listen itself.
  server.closeIdleConnections = () => undefined;
  connections.watch(server, outbox);
  refuseMalformed(server, connections, outbox);
  answer = (response, text = "{}") => {
    outbox.send(response, { status: 200, headers: [], body: Buffer.from(text) });
  };
  server.on("request", (request, response) => {
    const connection = connections.of(request.socket)!;
    connection.begin(response, () => {
      if (request.url === "/trusted") connection.isTrusted = true;
      if (request.url === "/work") working.push(response);
      else if (request.url === "/read") {
        readBody(response, { bytesMax: 1000 }, ({ kind }) => {
          if (kind !== "aborted") answer(response, kind);
        });
      } else {
        discardBody(request);
        answer(response, request.url === "/large" ? "x".repeat(20_000_000) : "{}");
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await expect.poll(() => connections.count).toBe(0);
  if (server.listening) {
    server.close();
    await once(server, "close");
  }
  // Nobody looks at nothing.
  await pass(2000);
  expect(time.waitingCount).toBe(0);
});

/** A client that keeps its side open whatever the server does, unless it is told otherwise. */
async function open(bytes = "", { isPaused = false } = {}): Promise<Client> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const client = { socket, heard: "", isClosed: false };
  clients.push(client);
  socket.on("error", () => undefined);
  socket.on("end", () => {
    client.isClosed = true;
  });
  socket.on("close", () => {
    client.isClosed = true;
  });
  if (isPaused) socket.pause();
  else {
    socket.on("data", (chunk: Buffer) => {
      client.heard += chunk.toString("latin1");
    });
  }
  await once(socket, "connect");
  if (bytes !== "") socket.write(bytes);
  const { localPort } = socket;
  await expect.poll(() => stages().get(localPort!)).toBeDefined();
  return client;
}

/** What each connection is at, by the port of its client. */
function stages(): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const connection of connections.all()) {
    found.set(connection.socket.remotePort ?? 0, connection.stage);
  }
  return found;
}

const stageOf = ({ socket }: Client): string | undefined => stages().get(socket.localPort ?? -1);

async function pass(duration: number): Promise<void> {
  for (let passed = 0; passed < duration; passed += 500) {
    await time.advance(Math.min(500, duration - passed));
    for (let turn = 0; turn < 3; turn++) await realTimer.soon();
  }
}

const request = (path: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
const HALF_BODY = request("/read", "content-length: 100\r\n");

describe("a connection whose time is over", () => {
  test.each([
    ["says nothing", "", "head"],
    ["does not end its headers", "GET / HTTP/1.1\r\nhost: loc", "head"],
    ["does not send its body", HALF_BODY, "body"],
    ["does not end its body", `${HALF_BODY}{`, "body"],
    ["does not end its chunks", request("/read", "transfer-encoding: chunked\r\n"), "body"],
    ["does not end its trailer", trailerText(), "body"],
  ])("because it %s gets 408, then the end", async (_rule, bytes, stage) => {
    const client = await open(bytes);
    await expect.poll(() => stageOf(client)).toBe(stage);
    await pass(10_000);
    expect(client.heard).toBe("");
    await pass(1_000);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.heard).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(client.heard).toMatch(/\r\nconnection: close\r\n/);
    expect(client.heard).toMatch(/\r\nx-ms-activity-id: [0-9a-f-]{36}\r\n/);
    expect(client.heard).toContain('"code":"RequestTimeout"');
    // The client has not closed its side, and does not hold the server's descriptor by that.
    expect(connections.count).toBe(1);
    await pass(3_000);
    await expect.poll(() => connections.count).toBe(0);
  });

  test("while it sends a body that nobody wants is cut off soon after its answer", async () => {
    const client = await open(`${request("/", "content-length: 100\r\n")}{`);
    await expect.poll(() => stageOf(client)).toBe("rest");
    await pass(1_500);
    expect(client.isClosed).toBe(false);
    await pass(1_500);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.heard).toMatch(/^HTTP\/1\.1 200 /);
    expect(client.heard).not.toContain("408");
  });

  test("between requests ends without a word; sooner if nobody knows who it is", async () => {
    const stranger = await open(request("/"));
    const known = await open(request("/trusted"));
    await expect.poll(() => [stageOf(stranger), stageOf(known)]).toEqual(["idle", "idle"]);
    await pass(11_000);
    await expect.poll(() => stranger.isClosed).toBe(true);
    expect(known.isClosed).toBe(false);
    await pass(120_000);
    await expect.poll(() => known.isClosed).toBe(true);
    for (const { heard } of [stranger, known]) expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("because it does not take its answer is cut off", async () => {
    const client = await open(request("/large"), { isPaused: true });
    await expect.poll(() => stageOf(client)).toBe("answer");
    await pass(30_500);
    expect(connections.count).toBe(1);
    time.skip(20_000_000 / 16);
    await pass(2_000);
    await expect.poll(() => connections.count).toBe(0);
  });

  test("gets the answers to what it sent before", async () => {
    const client = await open(`${request("/")}${request("/work")}GET / HTTP/1.1\r\nx: `);
    await expect.poll(() => working).toHaveLength(1);
    await pass(60_000);
    expect(client.isClosed).toBe(false);
    answer(working[0]!);
    await expect.poll(() => client.heard.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    await pass(11_000);
    await expect.poll(() => client.isClosed).toBe(true);
  });
});

describe("a peer that has closed frees its connection at once", () => {
  test.each([
    ["before it said anything", ""],
    ["in its headers", "GET / HTTP/1.1\r\nhost: loc"],
    ["in its body", `${HALF_BODY}{`],
    ["in a body that nobody wants", `${request("/", "content-length: 100\r\n")}{`],
    ["between requests", request("/trusted")],
    ["in the middle of its own request's work", request("/work")],
    ["while another request of it waits", request("/work") + request("/")],
  ])("%s, by an end or a reset", async (_rule, bytes) => {
    const [one, other] = [await open(bytes), await open(bytes)];
    if (bytes !== "") await expect.poll(() => stageOf(other)).not.toBe(undefined);
    one.socket.end();
    other.socket.resetAndDestroy();
    await expect.poll(() => connections.count).toBe(0);
  });
});

test("whoever is served is not hurried, however long it takes", async () => {
  const client = await open(request("/work"));
  await expect.poll(() => working).toHaveLength(1);
  await pass(1_000);
  time.skip(600_000);
  await pass(1_000);
  answer(working[0]!);
  await expect.poll(() => client.heard).toMatch(/^HTTP\/1\.1 200 /);
});

test("what came while the process stood still is read before anybody is judged", async () => {
  const client = await open("GET / HTTP/1.1\r\n");
  await expect.poll(() => stageOf(client)).toBe("head");
  await pass(1_000);
  client.socket.write("host: localhost\r\n\r\n");
  await new Promise<void>((resolve) => client.socket.write("", () => resolve()));
  await time.advance(60_000);
  await expect.poll(() => client.heard).toMatch(/^HTTP\/1\.1 \d+/);
  expect(client.heard).toMatch(/^HTTP\/1\.1 200 /);
});

test("requests that are sent without waiting are not read in without end", async () => {
  const count = 3_000;
  const client = await open(request("/work"));
  await expect.poll(() => working).toHaveLength(1);
  client.socket.write(request("/").repeat(count));
  let seen = 0;
  server.on("request", () => seen++);
  await pass(5_000);
  const { bytesRead } = [...connections.all()][0]!.socket;
  expect(bytesRead).toBeLessThan(request("/").length * count);
  expect(seen).toBeLessThan(count);
  answer(working[0]!);
  await expect.poll(() => client.heard.match(/HTTP\/1\.1 200/g)).toHaveLength(count + 1);
});

describe("when connections become scarce", () => {
  test("who is idle or slow makes room soon, and who is served stays", async () => {
    const idle: Client[] = [];
    const work = await open(request("/work"));
    while (idle.length < MOST * 0.9 - 3) idle.push(await open(request("/trusted")));
    await pass(9_000);
    expect(idle.filter(({ isClosed }) => isClosed)).toEqual([]);
    const slow = [await open("GET / HTTP/1.1\r\n"), await open(HALF_BODY)];
    await pass(4_000);
    for (const client of [...idle, ...slow]) await expect.poll(() => client.isClosed).toBe(true);
    expect(work.isClosed).toBe(false);
  });

  test("it is written down, once in a while, and nobody falls over", () => {
    for (let round = 0; round < 100; round++) {
      server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
      server.emit("drop");
    }
    expect(logged).toEqual(["connectionsFailed"]);
    time.skip(60_000);
    server.emit("drop");
    expect(logged).toEqual(["connectionsFailed", "connectionsRefused"]);
  });
});

test("a server that cannot listen leaves it to its owner to say so", async () => {
  server.close();
  await once(server, "close");
  server.emit("error", new Error("listen EADDRINUSE"));
  expect(logged).toEqual([]);
});

describe("a server that closes", () => {
  const closing = { patience: millis(5_000), quiet: millis(1_000) };

  test("answers who is served, tells others to come back, and waits for a moment of quiet", async () => {
    const work = await open(request("/work"));
    const idle = await open(request("/trusted"));
    await expect.poll(() => [working.length, stageOf(idle)]).toEqual([1, "idle"]);
    const closed = connections.close(server, closing);
    await expect.poll(() => connections.isClosing).toBe(true);
    await pass(500);
    expect(idle.isClosed).toBe(false);
    await pass(1_000);
    await expect.poll(() => idle.isClosed).toBe(true);
    expect(work.isClosed).toBe(false);
    answer(working[0]!);
    await expect.poll(() => work.isClosed).toBe(true);
    expect(work.heard).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/);
    idle.socket.end();
    work.socket.end();
    await closed;
  });

  test("does not cut off requests that wait behind another", async () => {
    const client = await open(request("/work") + request("/") + request("/"));
    await expect.poll(() => working).toHaveLength(1);
    const closed = connections.close(server, closing);
    await expect.poll(() => connections.isClosing).toBe(true);
    answer(working[0]!);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.heard.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    expect(client.heard.match(/connection: close/g)).toHaveLength(1);
    client.socket.end();
    await closed;
  });

  test.each([
    ["work", request("/work")],
    ["a body", `${HALF_BODY}{`],
  ])("refuses what is not done when patience ends: %s", async (_rule, bytes) => {
    const client = await open(bytes);
    await expect.poll(() => stageOf(client)).toMatch(/work|body/);
    const closed = connections.close(server, closing);
    await expect.poll(() => connections.isClosing).toBe(true);
    await pass(4_000);
    expect(client.heard).toBe("");
    await pass(2_000);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.heard).toMatch(/^HTTP\/1\.1 503 /);
    expect(client.heard).toMatch(/\r\nx-ms-retry-after-ms: \d+\r\nretry-after: \d+\r\n/);
    await pass(3_000);
    await closed;
  });

  test("takes a body that arrives in time", async () => {
    const client = await open(`${HALF_BODY}${"x".repeat(50)}`);
    await expect.poll(() => stageOf(client)).toBe("body");
    const closed = connections.close(server, closing);
    await expect.poll(() => connections.isClosing).toBe(true);
    await pass(2_000);
    client.socket.write("x".repeat(50));
    await expect.poll(() => client.heard).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.end();
    await closed;
  });

  test("waits for nobody when it is hurried", async () => {
    const all = [await open(request("/work")), await open(request("/")), await open(HALF_BODY)];
    await expect.poll(() => all.map(stageOf)).toEqual(["work", "idle", "body"]);
    const closed = connections.close(server, closing);
    await expect.poll(() => connections.isClosing).toBe(true);
    connections.hurry();
    for (const client of all) await expect.poll(() => client.isClosed).toBe(true);
    const statuses = all.map(({ heard }) => heard.slice(9, 12));
    expect(statuses).toEqual(["503", "200", "503"]);
    await pass(3_000);
    await closed;
  });
});

function trailerText(): string {
  return `${request("/read", "transfer-encoding: chunked\r\n")}0\r\nx-trailer: `;
}
