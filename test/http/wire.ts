/**
 * A server and a plain HTTP client that signs its own requests: what no official client would send
 * can be sent from here.
 *
 * Every answer passes `checked`, so whatever a test looks at, it also says: no request makes the
 * server fail, and every refusal has a body that clients can read.
 */
import { createHmac } from "node:crypto";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { splitAnswers } from "./rawAnswers.ts";

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Call {
  /** As it is, instead of the encoded segments. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Signs with this key instead of the server's own; `null` does not sign at all. */
  readonly key?: string | null;
}

export interface Wire extends AsyncDisposable {
  readonly server: OrreryServer;
  /** `segments` name the resource, and what is signed. */
  call(method: string, segments: readonly string[], call?: Call): Promise<Answer>;
  /** The same for an item of container `c`, with its partition key. */
  item(method: string, id: string, call?: Call): Promise<Answer>;
  /** Sends bytes as they are and takes what comes back until the server hangs up or is silent. */
  exchange(bytes: string | Buffer, options?: ExchangeOptions): Promise<Exchange>;
  /** The text of a signed request, for `exchange`. */
  requestText(method: string, segments: readonly string[], call?: Call): string;
  /** Fails unless the server still serves others. */
  assertAlive(): Promise<void>;
}

interface ExchangeOptions {
  /** Ends as soon as this many answers are there. */
  readonly answerCount?: number;
  /** Says that nothing more will be sent. */
  readonly isEnding?: boolean;
  /** How long the server may be silent. */
  readonly patienceMs?: number;
}

interface Exchange {
  readonly answers: readonly Answer[];
  /** The server ended the connection. */
  readonly isClosed: boolean;
}

export const ITEMS: readonly string[] = ["dbs", "d", "colls", "c", "docs"];
/** The partition key of every item that tests send to container `c`. */
export const PARTITION_KEY: Readonly<Record<string, string>> = {
  "x-ms-documentdb-partitionkey": '["a"]',
};

/** A server with database `d` and container `c`, which holds the item `kept`. */
export async function openWire(options: OrreryOptions = { memory: true }): Promise<Wire> {
  const server = await startOrrery({ rateLimit: false, ...options });
  const agent = new Agent({ keepAlive: true });
  const call = (method: string, segments: readonly string[], options: Call = {}) =>
    send(server, agent, method, segments, options);
  const item = (method: string, id: string, options: Call = {}) =>
    call(method, [...ITEMS, id], { ...options, headers: { ...PARTITION_KEY, ...options.headers } });
  await expectStatus(201, call("POST", ["dbs"], { body: '{"id":"d"}' }));
  const container = '{"id":"c","partitionKey":{"paths":["/pk"]}}';
  await expectStatus(201, call("POST", ["dbs", "d", "colls"], { body: container }));
  const kept = { body: '{"id":"kept","pk":"a"}', headers: PARTITION_KEY };
  await expectStatus(201, call("POST", ITEMS, kept));
  return {
    server,
    call,
    item,
    exchange: (bytes, options = {}) => exchange(server.port, bytes, options),
    requestText: (method, segments, options = {}) => textOf(server, method, segments, options),
    async assertAlive() {
      await expectStatus(200, call("GET", []));
      await expectStatus(200, item("GET", "kept"));
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server.close();
    },
  };
}

/** Whatever a client sent: the server did not fail, and a refusal says what is wrong. */
export function checked(
  answer: Answer,
  { hasBody = true }: { readonly hasBody?: boolean } = {},
): Answer {
  const { status, headers, body } = answer;
  expect(status).toBeGreaterThanOrEqual(100);
  expect(status, body.toString().slice(0, 200)).toBeLessThan(500);
  if (status === 204 || status === 304) expect(body).toHaveLength(0);
  if (status >= 400) {
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(headers["x-ms-activity-id"]).toMatch(/^[0-9a-f-]{36}$/i);
    if (hasBody) {
      expect(headers["content-length"]).toBe(String(body.length));
      const { code, message } = JSON.parse(body.toString()) as Record<string, unknown>;
      expect(code).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(message).toMatch(/\w{2}/);
    }
  }
  return answer;
}

export async function expectStatus(status: number, attempt: Promise<Answer>): Promise<Answer> {
  const answer = await attempt;
  expect(answer.status, answer.body.toString().slice(0, 300)).toBe(status);
  return answer;
}

/** The two headers of a signed request. */
export function signatureOf(
  key: string,
  method: string,
  segments: readonly string[],
  date: string = new Date().toUTCString(),
): Record<string, string> {
  const isFeed = segments.length % 2 === 1;
  const type = segments.at(isFeed ? -1 : -2) ?? "";
  const link = (isFeed ? segments.slice(0, -1) : segments).join("/");
  return { authorization: authorizationOf(key, [method, type, link, date]), "x-ms-date": date };
}

export function authorizationOf(
  key: string,
  [method, type, link, date]: readonly [method: string, type: string, link: string, date: string],
): string {
  const text = `${method.toLowerCase()}\n${type}\n${link}\n${date.toLowerCase()}\n\n`;
  const digest = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  return encodeURIComponent(`type=master&ver=1.0&sig=${digest}`);
}

const pathOf = (segments: readonly string[]): string =>
  `/${segments.map((segment) => encodeURIComponent(segment)).join("/")}`;

function headersOf(
  server: Pick<OrreryServer, "key">,
  method: string,
  segments: readonly string[],
  call: Call,
): Record<string, string> {
  const signature = call.key === null ? {} : signatureOf(call.key ?? server.key, method, segments);
  return { ...signature, ...call.headers };
}

async function send(
  server: OrreryServer,
  agent: Agent,
  method: string,
  segments: readonly string[],
  call: Call,
): Promise<Answer> {
  const headers = headersOf(server, method, segments, call);
  if (call.body !== undefined && headers["transfer-encoding"] === undefined) {
    headers["content-length"] ??= String(Buffer.byteLength(call.body));
  }
  const path = call.path ?? pathOf(segments);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { port } = server;
    const request = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent }, resolve);
    request.on("error", reject);
    request.end(call.body);
  });
  const body = await buffer(answer);
  const status = answer.statusCode ?? 0;
  const received = answer.headers as Record<string, string>;
  return checked({ status, headers: received, body }, { hasBody: method !== "HEAD" });
}

export function textOf(
  server: Pick<OrreryServer, "key">,
  method: string,
  segments: readonly string[],
  call: Call,
): string {
  const headers = { host: "127.0.0.1", ...headersOf(server, method, segments, call) };
  const body = call.body?.toString() ?? "";
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== "") lines.push(`content-length: ${Buffer.byteLength(body)}\r\n`);
  return `${method} ${call.path ?? pathOf(segments)} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

async function exchange(
  port: number,
  bytes: string | Buffer,
  options: ExchangeOptions,
): Promise<Exchange> {
  const { received, isClosed } = await receive(port, bytes, options);
  return { answers: splitAnswers(received).map((answer) => checked(answer)), isClosed };
}

/** Tests end with the last answer or with the connection, so only a failing one waits for it. */
const PATIENCE_MS = 15_000;

function receive(
  port: number,
  bytes: string | Buffer,
  { answerCount, isEnding = false, patienceMs = PATIENCE_MS }: ExchangeOptions,
): Promise<{ readonly received: Buffer; readonly isClosed: boolean }> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const finish = (isClosed: boolean): void => {
      socket.destroy();
      resolve({ received, isClosed });
    };
    socket.setTimeout(patienceMs, () => finish(false));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        if (splitAnswers(received).length === answerCount) finish(false);
      } catch (error) {
        reject(error);
      }
    });
    socket.on("error", () => finish(true));
    socket.on("end", () => finish(true));
    if (isEnding) socket.end(bytes);
    else socket.write(bytes);
  });
}
