/**
 * One server asked in one shape many times: the requests are made beforehand, signed, and the
 * processor time that the server takes for them is read around the load.
 */
import { call, runLoad } from "./client.mjs";
import { cpuMicrosOf } from "./procfs.mjs";
import { packed } from "./requests.mjs";
import { authorizationOf } from "./signing.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {import("./growthShapes.mjs").Shape} Shape */
/** @typedef {import("./growthShapes.mjs").Asked} Asked */

const CONNECTIONS = 8;
const LOAD_MS_MAX = 300_000;

/**
 * Server CPU per request in microseconds.
 * @type {(server: Server, itemCount: number, shape: Shape, turn: { count: number, random: () => number }) => Promise<number>}
 */
export async function cpuOfTurn(server, itemCount, shape, { count, random }) {
  const { ask, status = 200, skipsPages = 0 } = shape;
  const keyBytes = Buffer.from(server.key, "base64");
  const date = new Date().toUTCString();
  const later =
    skipsPages === 0 ? undefined : await skipping(server, ask(0, itemCount), skipsPages);
  const pool = packed(count, () => {
    const asked = later ?? ask(Math.floor(random() * itemCount), itemCount);
    const { verb, path, headers = {}, body } = asked;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head =
      `${verb} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nx-ms-date: ${date}\r\n` +
      `authorization: ${authorizationOf(keyBytes, verb, path, date)}\r\n` +
      `x-ms-version: 2020-07-15\r\n${lines.join("")}`;
    return body === undefined
      ? `${head}\r\n`
      : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  const { port, pid } = server;
  const before = cpuMicrosOf(pid) ?? Number.NaN;
  await runLoad({ port, pool, connections: CONNECTIONS, status, timeoutMs: LOAD_MS_MAX });
  return ((cpuMicrosOf(pid) ?? Number.NaN) - before) / count;
}

/** @type {(server: Server, asked: Asked, status: number) => Promise<{ text: string, headers: import("node:http").IncomingHttpHeaders }>} */
export async function answerTo(server, { verb, path, headers = {}, body }, status) {
  const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
  const answer = await call(server, verb, path, sent);
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
}

/**
 * What asks for the page that comes after so many pages.
 * @type {(server: Server, asked: Asked, pageCount: number) => Promise<Asked>}
 */
export async function skipping(server, asked, pageCount) {
  let next = asked;
  for (let count = 0; count < pageCount; count++) {
    const { headers } = await answerTo(server, next, 200);
    const continuation = headers["x-ms-continuation"];
    if (typeof continuation !== "string") throw new Error("there are fewer pages");
    next = { ...asked, headers: { ...asked.headers, "x-ms-continuation": continuation } };
  }
  return next;
}
