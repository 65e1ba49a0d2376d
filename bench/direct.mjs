/**
 * Point reads and creates by the roads that clients take: gateway mode over HTTP and over TLS, and
 * direct mode, on many connections and, as the SDKs do it, many at a time on one. Each road is taken
 * in turns against the same server, and what counts is its processor time for a request.
 *
 * Exits with 1 only when an answer was wrong.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { parseArgs } from "node:util";
import { call } from "./client.mjs";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { spreadOf } from "./figures.mjs";
import { loadEngine } from "./inside.mjs";
import { itemTextOf, partitionKeyOf } from "./items.mjs";
import { cpuMicrosOf } from "./procfs.mjs";
import {
  CREATED_CONTAINER,
  DATABASE,
  itemsPathOf,
  LOADED_CONTAINER,
  loadedIdOf,
  RequestSource,
} from "./requests.mjs";
import { authorizationOf, signatureOf } from "./signing.mjs";
import { loadItems } from "./speed.mjs";

const USAGE = `Usage: npm run bench direct -- [options]

  --requests N  requests of each road and round (default 5000)
  --rounds N    measured rounds; one more is thrown away (default 5)
  --smoke       50 requests, once
  --json FILE   all figures as JSON
`;
const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    rounds: { type: "string", default: "5" },
    smoke: { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const rounds = options.smoke ? 1 : Number(options.rounds);
const count = options.smoke ? 50 : Number(options.requests);
const AT_A_TIME = 16;
const HEAD_END = "\r\n\r\n";
const LIMITS = { headBytesMax: 1 << 20, bodyBytesMax: 1 << 26 };
const NO_BODY = Buffer.alloc(0);

/** @typedef {typeof import("./directParts.ts")} DirectCode */
/** @typedef {import("./contestants.mjs").Server} Server */
/**
 * @typedef {object} Road
 * @property {string} name
 * @property {number} connections
 * @property {boolean} isTls
 * @property {boolean} isDirect
 */
/** @type {readonly Road[]} */
const ROADS = [
  { name: "gateway, HTTP", connections: AT_A_TIME, isTls: false, isDirect: false },
  { name: "gateway, TLS", connections: AT_A_TIME, isTls: true, isDirect: false },
  { name: "direct, TLS", connections: AT_A_TIME, isTls: true, isDirect: true },
  { name: "direct, one connection", connections: 1, isTls: true, isDirect: true },
];
/** @typedef {"point read" | "create"} Work */
/** @type {readonly Work[]} */
const WORKS = ["point read", "create"];

/** @typedef {{ verb: string, path: string, headers: Record<string, string>, body: string, status: number }} Asked */

const code = /** @type {DirectCode} */ (
  /** @type {unknown} */ (await loadEngine("directParts.ts"))
);
const folder = mkdtempSync(join(tmpdir(), "orrery-direct-"));
/** @type {Map<string, number[]>} microseconds by work and road */
const samples = new Map();
let createdCount = 0;
try {
  const server = await start(CONTESTANTS.orrery, folder);
  try {
    await prepare(server);
    await loadItems(server, new RequestSource({ ...server, itemCount: count }), count);
    const replicas = {
      "point read": await replicaOf(server, LOADED_CONTAINER),
      create: await replicaOf(server, CREATED_CONTAINER),
    };
    for (let round = 0; round <= rounds; round += 1) {
      for (const work of WORKS) {
        for (const road of ROADS) {
          const cost = await measure(server, road, work, replicas[work]);
          if (round === 0) continue;
          const cell = `${work} ${road.name}`;
          samples.set(cell, [...(samples.get(cell) ?? []), cost]);
        }
      }
    }
    report();
  } finally {
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @type {(server: Server, work: Work) => Asked} */
function askedFor({ key }, work) {
  const keyBytes = Buffer.from(key, "base64");
  const date = new Date().toUTCString();
  const isRead = work === "point read";
  const verb = isRead ? "GET" : "POST";
  const index = isRead ? Math.floor(Math.random() * count) : createdCount++;
  const id = isRead ? loadedIdOf(index) : `direct-${String(index).padStart(7, "0")}`;
  const path = isRead ? `${itemsPathOf(LOADED_CONTAINER)}/${id}` : itemsPathOf(CREATED_CONTAINER);
  const headers = {
    "x-ms-date": date,
    authorization: authorizationOf(keyBytes, verb, path, date),
    "x-ms-version": "2020-07-15",
    "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]),
  };
  const body = isRead ? "" : itemTextOf(id, index, 0);
  return { verb, path, headers, body, status: isRead ? 200 : 201 };
}

/** @type {(server: Server, road: Road, work: Work, replicaPath: string) => Promise<number>} */
async function measure(server, road, work, replicaPath) {
  const asked = Array.from({ length: count }, () => askedFor(server, work));
  const bytes = asked.map((one, index) =>
    road.isDirect ? frameOf(one, index + 1, replicaPath) : requestOf(one, server.port),
  );
  const sockets = await Promise.all(
    Array.from({ length: Math.min(road.connections, count) }, () => opened(server, road)),
  );
  try {
    const before = cpuMicrosOf(server.pid) ?? Number.NaN;
    let sent = 0;
    const next = () => (sent < count ? bytes[sent++] : undefined);
    const { status } = /** @type {Asked} */ (asked[0]);
    const each = Math.max(1, Math.floor(AT_A_TIME / sockets.length));
    await Promise.all(sockets.map((socket) => drive(socket, road, next, status, each)));
    return ((cpuMicrosOf(server.pid) ?? Number.NaN) - before) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** @type {(asked: Asked, port: number) => Buffer} */
function requestOf({ verb, path, headers, body }, port) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(
    `${verb} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join("")}${length}\r\n${body}`,
  );
}

/** @type {(asked: Asked, requestId: number, replicaPath: string) => Buffer} */
function frameOf({ verb, path, headers, body }, requestId, replicaPath) {
  const named = code.parseResourcePath(path);
  if (named === undefined) throw new Error(`${path} is no path`);
  const terms = { activityId: randomUUID(), requestId, replicaPath };
  const request = { method: verb, path: named, headers, body: Buffer.from(body) };
  const frame = code.encodeRequestFrame(request, terms);
  if (frame === undefined) throw new Error(`${verb} ${path} has no frame`);
  return frame;
}

/** @type {(server: Server, road: Road) => Promise<import("node:net").Socket>} */
async function opened({ port }, { isTls, isDirect }) {
  const where = { port, host: "127.0.0.1" };
  const socket = isTls ? connectTls({ ...where, rejectUnauthorized: false }) : connectPlain(where);
  socket.setNoDelay(true);
  await once(socket, isTls ? "secureConnect" : "connect");
  if (!isDirect) return socket;
  const greeting = { version: "2020-07-15", userAgent: "orrery-bench" };
  socket.write(code.encodeContext(greeting, randomUUID()));
  await once(socket, "data");
  return socket;
}

/**
 * Sends what there is, so much of it at a time, until there is no more.
 * @type {(socket: import("node:net").Socket, road: Road, next: () => Buffer | undefined, status: number, each: number) => Promise<void>}
 */
function drive(socket, { isDirect }, next, status, each) {
  return new Promise((resolve, reject) => {
    let waiting = 0;
    const send = () => {
      const bytes = next();
      if (bytes === undefined) return;
      waiting += 1;
      socket.write(bytes);
    };
    const readStatuses = isDirect ? statusesOfFrames() : statusesOfText();
    socket.on("data", (/** @type {Buffer} */ bytes) => {
      for (const got of readStatuses(bytes)) {
        if (got !== status) reject(new Error(`expected ${status}, got ${got}`));
        waiting -= 1;
        send();
      }
      if (waiting === 0) resolve();
    });
    socket.on("error", reject).on("close", () => reject(new Error("the server hung up")));
    for (let index = 0; index < each; index += 1) send();
    if (waiting === 0) resolve();
  });
}

/** @type {() => (bytes: Buffer) => number[]} */
function statusesOfFrames() {
  const reader = new code.FrameReader(LIMITS, code.answerHasBody);
  return (bytes) => [...reader.push(bytes)].map(({ word }) => word);
}

/** @type {() => (bytes: Buffer) => number[]} */
function statusesOfText() {
  /** @type {Buffer} */
  let held = NO_BODY;
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const statuses = [];
    for (;;) {
      const end = held.indexOf(HEAD_END);
      if (end < 0) return statuses;
      const head = held.toString("latin1", 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (Number.isNaN(length)) throw new Error(`no content-length\n${head}`);
      const after = end + HEAD_END.length + length;
      if (held.length < after) return statuses;
      statuses.push(Number(head.slice(9, 12)));
      held = held.subarray(after);
    }
  };
}

/** The path of the primary of the first range, as a client in direct mode learns it. */
/** @type {(server: Server, container: string) => Promise<string>} */
async function replicaOf(server, container) {
  const shown = await call(server, "GET", `/dbs/${DATABASE}/colls/${container}`);
  const { _self: self } = JSON.parse(shown.text);
  const date = new Date().toUTCString();
  const rid = String(self).split("/")[3]?.toLowerCase() ?? "";
  const keyBytes = Buffer.from(server.key, "base64");
  const signature = signatureOf(keyBytes, "GET", { type: "docs", link: rid }, date);
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  const path = `//addresses/?$resolveFor=${encodeURIComponent(`${self}docs`)}`;
  const listed = await call(server, "GET", path, { headers: { "x-ms-date": date, authorization } });
  const found = JSON.parse(listed.text).Addresss?.find(
    (/** @type {{ isPrimary: boolean }} */ one) => one.isPrimary,
  );
  if (found === undefined) throw new Error(`no addresses of ${container}: ${listed.text}`);
  return new URL(found.physcialUri.replace("rntbd:", "http:")).pathname.replace(/\/$/, "");
}

function report() {
  const width = Math.max(...ROADS.map(({ name }) => name.length)) + 2;
  console.log(
    `server CPU for a request in µs, ${AT_A_TIME} at a time, ${rounds} rounds of ${count}`,
  );
  for (const work of WORKS) {
    const [first] = ROADS.map(({ name }) => samples.get(`${work} ${name}`) ?? []);
    for (const { name } of ROADS) {
      const own = samples.get(`${work} ${name}`) ?? [];
      const ratio = spreadOf(own.map((cost, round) => cost / (first?.[round] ?? Number.NaN)));
      const median = spreadOf(own)?.median.toFixed(0) ?? "n/a";
      const times =
        ratio === undefined
          ? "n/a"
          : `${ratio.median.toFixed(2)} × (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`;
      console.log(`${work.padEnd(12)}${name.padEnd(width)}${median.padStart(8)}   ${times}`);
    }
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, JSON.stringify(Object.fromEntries(samples), undefined, 2));
  }
}
