/** One port: HTTP, TLS, HTTP in TLS and frames in TLS each find who serves them. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { SimulatedTime } from "../../engine/simulatedAccount.fake.ts";
import type { LentConnection } from "../connections/connections.ts";
import { Connections } from "../connections/connections.ts";
import { refuseMalformed } from "../connections/malformed.ts";
import { Outbox } from "../http/outbox.ts";
import { discardBody } from "../http/requestBody.ts";
import { realClock, realRandom, realTimer } from "../surroundings/realWorld.ts";
import { caCertificateOf, leafCertificateOf, newKey } from "../tls/certificate.ts";
import type { TakeBinary } from "./door.ts";
import { openDoor } from "./door.ts";

const SOURCE = { wallNow: realClock.wallNow, randomBytes: realRandom.bytes };
const IDENTITY = newIdentity();
const GET = "GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
/** The first frame of a client in direct mode, as far as it matters here. */
const FRAME = Buffer.from("3400000000000000", "hex");

let time: SimulatedTime;
let connections: Connections;
let servers: Server[];
let sockets: Socket[];
let failures: string[];
let identityCount: number;

function newIdentity(): { readonly key: string; readonly cert: string } {
  const authority = createPrivateKey(newKey());
  const certificate = new X509Certificate(caCertificateOf(authority, SOURCE));
  const key = newKey();
  const hosts = [{ kind: "dns", name: "localhost" }] as const;
  const leaf = { key: createPrivateKey(key), hosts };
  return { key, cert: leafCertificateOf({ key: authority, certificate }, leaf, SOURCE) };
}

beforeEach(() => {
  servers = [];
  sockets = [];
  failures = [];
  identityCount = 0;
  time = new SimulatedTime();
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => connections.count).toBe(0);
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
});

interface Stage {
  readonly isOnly?: boolean;
  readonly hasTls?: boolean;
  readonly takeBinary?: TakeBinary;
  readonly identity?: () => typeof IDENTITY;
}

/** Answers every request with whether it came by TLS. */
async function open({ isOnly = false, hasTls = true, takeBinary, identity }: Stage = {}) {
  const { clock } = time;
  const timer = { ...time.timer, soon: () => realTimer.soon() };
  const outbox = new Outbox(timer, (defect) => {
    throw defect;
  });
  const deadlines = { headMs: 10_000, bodyMs: 60_000, idleMs: 130_000 };
  const log = (): void => undefined;
  connections = new Connections({ clock, timer, log, deadlines, connectionsMax: 40 });
  const http: HttpServer = createServer();
  refuseMalformed(http, connections, outbox);
  http.on("request", (request, response) => {
    connections.of(request.socket)?.begin(response, () => {
      discardBody(request);
      const body = Buffer.from("encrypted" in request.socket ? "secure" : "plain");
      outbox.send(response, { status: 200, headers: [], body });
    });
  });
  const made = (): typeof IDENTITY => {
    identityCount++;
    return identity === undefined ? IDENTITY : identity();
  };
  const onFailure = (reason: string): number => failures.push(reason);
  const tls = hasTls ? { isOnly, identity: made, onFailure } : undefined;
  const server = openDoor({ connections, outbox, http, tls, takeBinary });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function plain(server: Server): Promise<Socket> {
  const socket = connect({ port: portOf(server), host: "127.0.0.1", allowHalfOpen: true });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

async function secure(server: Server): Promise<TLSSocket> {
  const port = portOf(server);
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

/** A server looks at real sockets in between. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 0.5) {
    await time.advance(500);
    for (let turn = 0; turn < 3; turn++) await realTimer.soon();
  }
}

/** What has been heard when `pattern` is in it. */
async function heard(socket: Socket, pattern: RegExp): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  await expect.poll(() => text).toMatch(pattern);
  return text;
}

function answered(socket: Socket, bytes: string): Promise<string> {
  socket.write(bytes);
  return heard(socket, /secure$|plain$|\}$/);
}

test("plain HTTP and HTTP in TLS are served by one port", async () => {
  const server = await open();
  expect(await answered(await plain(server), GET)).toMatch(/200 OK[\s\S]*plain$/);
  expect(identityCount).toBe(0);
  expect(await answered(await secure(server), GET)).toMatch(/200 OK[\s\S]*secure$/);
  expect(await answered(await secure(server), GET)).toMatch(/200 OK[\s\S]*secure$/);
  expect(identityCount).toBe(1);
});

test.each([
  ["plain", plain],
  ["in TLS", secure],
])("requests that come byte by byte are served, each after the other, %s", async (_how, reach) => {
  const socket = await reach(await open());
  for (let round = 0; round < 2; round++) {
    const answer = heard(socket, /secure$|plain$/);
    for (const byte of GET) {
      socket.write(byte);
      await realTimer.soon();
    }
    await answer;
    socket.removeAllListeners("data");
  }
});

test("what comes together with the first byte is not lost", async () => {
  const socket = await plain(await open());
  socket.write(GET + GET + GET);
  const text = await heard(socket, /plain[\s\S]*plain[\s\S]*plain$/);
  expect(text.match(/200 OK/g)).toHaveLength(3);
});

test("who begins without TLS on a port of TLS is told so", async () => {
  const server = await open({ isOnly: true });
  const socket = await plain(server);
  const text = await answered(socket, GET);
  expect(text).toMatch(/^HTTP\/1.1 400 /);
  expect(text).toContain("https://");
  expect(await answered(await secure(server), GET)).toMatch(/secure$/);
  // What it goes on to send is let go, so that it can end its side.
  socket.end("more".repeat(100_000));
  await expect.poll(() => connections.count).toBe(1);
});

test("where no TLS is served, its greeting is refused as what it is not", async () => {
  const socket = await plain(await open({ hasTls: false }));
  socket.write(Buffer.from("1603010200010001fc0303", "hex"));
  expect(await heard(socket, /\}$/)).toContain("not valid HTTP");
});

test("a certificate that cannot be had ends the greeting, and is asked for again", async () => {
  let isDamaged = true;
  const identity = (): typeof IDENTITY => {
    if (isDamaged) throw new Error("ca.key is damaged");
    return IDENTITY;
  };
  const server = await open({ identity });
  await expect(secure(server)).rejects.toThrow();
  expect(failures).toEqual(["ca.key is damaged"]);
  isDamaged = false;
  expect(await answered(await secure(server), GET)).toMatch(/secure$/);
});

test("frames in TLS go to their taker, whole, and are counted", async () => {
  const taken: Buffer[] = [];
  const takeBinary: TakeBinary = (socket) => {
    socket.on("data", (chunk: Buffer) => {
      taken.push(chunk);
      socket.write("taken");
    });
    socket.on("error", () => undefined).on("end", () => socket.end());
    return { close: () => socket.end(), look: () => undefined };
  };
  const server = await open({ takeBinary });
  const socket = await secure(server);
  socket.write(FRAME.subarray(0, 1));
  socket.write(FRAME.subarray(1));
  await expect.poll(() => Buffer.concat(taken)).toEqual(FRAME);
  expect(connections.count).toBe(1);
  expect([...connections.all()]).toEqual([]);
  await pass(100);
  socket.write("again");
  await expect.poll(() => Buffer.concat(taken).toString("latin1")).toContain("again");
  expect(await answered(await secure(server), GET)).toMatch(/secure$/);
});

test("without a taker frames are refused in words", async () => {
  const socket = await secure(await open());
  socket.write(FRAME);
  expect(await heard(socket, /\}$/)).toMatch(/^HTTP\/1.1 400 [\s\S]*not valid HTTP/);
});

test("frames without TLS are no matter of their taker", async () => {
  const takeBinary = (): LentConnection => {
    throw new Error("taken");
  };
  const socket = await plain(await open({ takeBinary }));
  socket.write(FRAME);
  expect(await heard(socket, /\}$/)).toMatch(/^HTTP\/1.1 400 /);
});

test.each([
  ["nothing", plain, ""],
  ["one letter", plain, "G"],
  ["nothing in TLS", secure, ""],
  ["half of TLS", plain, "\u0016\u0003\u0001\u0002"],
])("a connection that sends %s has a deadline", async (_what, reach, text) => {
  const socket = await reach(await open());
  socket.resume();
  if (text !== "") socket.write(Buffer.from(text, "latin1"));
  await expect.poll(() => connections.count).toBe(1);
  // Whatever was sent has been looked at.
  for (let turn = 0; turn < 20; turn++) await realTimer.soon();
  const ended = once(socket, "end");
  await pass(9);
  expect(connections.count).toBe(1);
  await pass(6);
  await ended;
  socket.end();
  await expect.poll(() => connections.count).toBe(0);
});

test("a server that closes tells the takers of frames, and cuts them off when it is hurried", async () => {
  const told: string[] = [];
  const takeBinary: TakeBinary = (socket) => {
    socket.on("error", () => undefined).resume();
    return { close: () => void told.push("close"), look: () => undefined };
  };
  const server = await open({ takeBinary });
  const socket = await secure(server);
  socket.write(FRAME);
  await expect.poll(() => [...connections.all()].length).toBe(0);
  const closed = connections.close(server, { patience: millis(5_000), quiet: millis(100) });
  servers = [];
  await expect.poll(() => told).toEqual(["close"]);
  expect(connections.count).toBe(1);
  connections.hurry();
  await closed;
});
