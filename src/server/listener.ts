/**
 * Sockets: HTTP in, answers out. Checks what must hold before anything is read (host, path,
 * signature), reads the body within its limit, hands the request to the gateway and writes what
 * comes back. One of the three places that catch everything.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/world.ts";
import type { Account } from "../engine/account.ts";
import { storeRefusal } from "../engine/storeRefusal.ts";
import type { Refusal } from "../model/refusal.ts";
import { TOO_LARGE_MESSAGE } from "../model/refusal.ts";
import { ADMIN_ROOT } from "../protocol/admin.ts";
import { defectAnswer, refusalAnswer } from "../protocol/answers.ts";
import { errorBody } from "../protocol/refusal.ts";
import { parseResourcePath } from "../protocol/resourcePath.ts";
import type { WireAnswer } from "../protocol/wire.ts";
import { headerOf } from "../protocol/wire.ts";
import type { AdminDoor } from "./admin/door.ts";
import type { Recordings } from "./admin/recordings.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { refuseHttp2 } from "./http2Refusal.ts";
import type { Log } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { readBody } from "./requestBody.ts";
import type { GatewayRequest } from "./routes/gateway.ts";
import { answer } from "./routes/gateway.ts";

export interface ListenerSetting {
  readonly account: Account;
  readonly gatekeeper: Gatekeeper;
  readonly log: Log;
  readonly outbox: Outbox;
  readonly clock: Pick<Clock, "now">;
  isAllowedHost(host: string | undefined): boolean;
  /** Where clients are told to come; from the request's own host when absent. */
  readonly publicEndpoint: string | undefined;
  readonly tls:
    | { readonly key: string; readonly cert: string; readonly caCert: string }
    | undefined;
  /** Who answers what is not of the imitated service; absent when nobody does. */
  readonly admin?: AdminDoor | undefined;
  /** Who takes requests down, while somebody wants that. */
  readonly recordings?: Recordings | undefined;
}

const HEADER_BYTES_MAX = 16 * 1024;
/** Idle SDK connections are kept longer than the SDKs keep them, so the client closes first. */
const KEEP_ALIVE_MS = 130_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 5_000;
const CONNECTIONS_MAX = 20_000;

/** How much of a body is listened to (eight times over) when the answer is known before it. */
const EARLY_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Nothing is agreed on in the greeting. A client that offers HTTP/2 only would be turned away in it
 * without a word; so it says what it wants in the connection, and is told that HTTP/1.1 it is.
 */
const NO_ALPN = { ALPNProtocols: [] };

const NO_BODY = Buffer.alloc(0);

export function createListener(setting: ListenerSetting): Server {
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    noDelay: true,
    // A missing host is refused like a wrong one, with a body.
    requireHostHeader: false,
  };
  const newest = new WeakMap<Duplex, ServerResponse>();
  const onRequest: RequestListener = (request, response) => {
    newest.set(request.socket, response);
    // Requests sent without waiting for answers are taken one after the other: a response has no
    // socket before its turn. Otherwise a client that never reads could pile up answers here.
    if (response.socket === null) response.once("socket", () => serve(setting, request, response));
    else serve(setting, request, response);
  };
  const { tls } = setting;
  const server =
    tls === undefined
      ? createServer(options, onRequest)
      : createTlsServer({ ...options, ...NO_ALPN, key: tls.key, cert: tls.cert }, onRequest);
  server.maxConnections = CONNECTIONS_MAX;
  // Node's parser takes what TLS has decrypted straight from it, and while it is paused, because
  // an answer is still on its way out, loses the body of the next request. Once somebody listens
  // to the socket it gets its bytes by way of the stream, where a pause is a pause.
  server.on("secureConnection", (socket: Duplex) => socket.on("data", () => undefined));
  server.on("clientError", (error: Error, socket: Duplex) => {
    refuseMalformed(error, socket, newest.get(socket));
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    refuseExpectation(setting, request, response);
  });
  return server;
}

function serve(setting: ListenerSetting, request: IncomingMessage, response: ServerResponse): void {
  const activityId = activityIdOf(request);
  try {
    if (!setting.isAllowedHost(request.headers.host)) {
      const message =
        `The host '${request.headers.host}' is not one of this server's. Allow it with ` +
        "--allow-host.";
      sendEarly(
        setting,
        request,
        response,
        refusalAnswer({ kind: "forbidden", message }, activityId),
      );
    } else if (setting.admin !== undefined && request.url?.startsWith(ADMIN_ROOT) === true) {
      setting.admin(request, response);
    } else if (!serveOpen(setting, request, response)) {
      serveResource(setting, request, response, activityId);
    }
  } catch (defect) {
    failed(setting, response, activityId, defect);
  }
}

/** Clients that number their requests get their own number back. */
function activityIdOf(request: IncomingMessage): string {
  const sent = headerOf(request.headers, "x-ms-activity-id");
  return sent !== undefined && ACTIVITY_ID.test(sent) ? sent : randomUUID();
}

const ACTIVITY_ID = /^[0-9a-fA-F-]{36}$/;

/** What needs no signature: health, and the certificate that clients are to trust. */
function serveOpen(
  { account, tls }: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const url = request.url ?? "";
  if (!url.startsWith("/_")) return false;
  if (url === "/_health/live") sendText(response, 200, "application/json", '{"status":"live"}');
  else if (url === "/_health/ready") {
    const { fault } = account;
    if (fault === undefined) sendText(response, 200, "application/json", '{"status":"ready"}');
    else {
      const body = JSON.stringify({ status: "failed", reason: fault.message });
      sendText(response, 503, "application/json", body);
    }
  } else if (url === "/_explorer/emulator.pem" && tls !== undefined) {
    sendText(response, 200, "application/x-pem-file", tls.caCert);
  } else return false;
  return true;
}

function serveResource(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  activityId: string,
): void {
  const path = parseResourcePath(request.url ?? "");
  if (path === undefined) {
    const refusal: Refusal = { kind: "badRequest", message: "The request path is not valid." };
    sendEarly(setting, request, response, refusalAnswer(refusal, activityId));
    return;
  }
  const { method = "GET", headers } = request;
  const refusal = setting.gatekeeper.refusalOf({ method, path, headers });
  if (refusal === undefined) receive(setting, request, response, { path, activityId });
  else if (!(refusal instanceof Promise)) {
    sendEarly(setting, request, response, refusalAnswer(refusal, activityId));
  } else {
    const goOn = (late: Refusal | undefined): void => {
      if (late === undefined) receive(setting, request, response, { path, activityId });
      else sendEarly(setting, request, response, refusalAnswer(late, activityId));
    };
    refusal.then(goOn).catch((defect) => failed(setting, response, activityId, defect));
  }
}

/** Reads the body of a request that may come in, if it can have one, and answers. */
function receive(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  { path, activityId }: Pick<GatewayRequest, "path" | "activityId">,
): void {
  if (request.method === "GET") {
    answerWith(setting, request, response, { path, activityId, body: NO_BODY });
    return;
  }
  const bytesMax = setting.account.limits.requestBytesMax;
  readBody(request, { bytesMax, isKept: true }, (outcome) => {
    if (outcome.kind === "aborted") return;
    if (outcome.kind === "body") {
      answerWith(setting, request, response, { path, activityId, body: outcome.body });
      return;
    }
    const tooLarge: Refusal = { kind: "tooLarge", message: TOO_LARGE_MESSAGE };
    setting.outbox.send(response, refusalAnswer(tooLarge, activityId));
  });
}

function answerWith(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  { path, activityId, body }: Pick<GatewayRequest, "path" | "activityId" | "body">,
): void {
  const fail = (defect: unknown): void => failed(setting, response, activityId, defect);
  const { outbox, recordings, clock } = setting;
  const beganAt = clock.now();
  const asked: GatewayRequest = {
    method: request.method ?? "GET",
    path,
    headers: request.headers,
    body,
    activityId,
    isGone: () => request.socket.destroyed,
    endpoint: path.kind === "account" ? endpointFor(setting, request) : "",
    tokens: setting.gatekeeper.tokenMint,
  };
  const send = (value: WireAnswer): void => {
    // Where it was read: clients with several endpoints look which one it was.
    if (value.status === 200 && asked.method === "GET") {
      const endpoint = endpointFor(setting, request).replace(/\/$/, "");
      value.headers.push("content-location", `${endpoint}${request.url}`);
    }
    value.headers.push("x-ms-request-duration-ms", (clock.now() - beganAt).toFixed(3));
    outbox.send(response, value);
    if (recordings?.active !== undefined) recordings.note(asked, value);
  };
  try {
    const outcome = answer(setting.account, asked);
    if (outcome instanceof Promise) outcome.then(send).catch(fail);
    else send(outcome);
  } catch (defect) {
    fail(defect);
  }
}

/** Clients send all later traffic here, so it must be the address that worked for them. */
function endpointFor(setting: ListenerSetting, request: IncomingMessage): string {
  if (setting.publicEndpoint !== undefined) return setting.publicEndpoint;
  const scheme = setting.tls === undefined ? "http" : "https";
  return `${scheme}://${request.headers.host}/`;
}

/** An answer before the body was read: the body is listened to and forgotten, within limits. */
function sendEarly(
  { outbox }: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  answered: WireAnswer,
): void {
  if (request.method === "GET") {
    outbox.send(response, answered);
    return;
  }
  readBody(request, { bytesMax: EARLY_BYTES_MAX, isKept: false }, ({ kind }) => {
    if (kind !== "aborted") outbox.send(response, answered);
  });
}

function sendText(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function failed(
  { log, outbox }: ListenerSetting,
  response: ServerResponse,
  activityId: string,
  defect: unknown,
): void {
  const refusal = storeRefusal(defect);
  if (refusal !== undefined && !response.headersSent) {
    outbox.send(response, refusalAnswer(refusal, activityId));
    return;
  }
  const reason = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
  log("requestFailed", { activityId, reason });
  if (!response.headersSent) outbox.send(response, defectAnswer(activityId));
  else response.destroy();
}

/** What Node's parser says to the first words of HTTP/2. */
const HTTP2_BEGUN = "HPE_PAUSED_H2_UPGRADE";

const MALFORMED: ReadonlyMap<string, readonly [status: string, message: string]> = new Map([
  ["HPE_HEADER_OVERFLOW", ["431 Request Header Fields Too Large", "The headers are too large."]],
  ["ERR_HTTP_REQUEST_TIMEOUT", ["408 Request Timeout", "The request took too long to arrive."]],
]);

/**
 * What is no HTTP gets a last word in HTTP, with the body every client can read. Not before the
 * answers to the requests in front of it: the client would take it for one of those.
 */
function refuseMalformed(
  error: Error & { code?: string; rawPacket?: Buffer },
  socket: Duplex,
  pending: ServerResponse | undefined,
): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (error.code === HTTP2_BEGUN && pending === undefined && error.rawPacket !== undefined) {
    refuseHttp2(socket, error.rawPacket);
    return;
  }
  if (pending !== undefined && !pending.writableFinished && !pending.destroyed) {
    pending.once("close", () => socket.end());
    return;
  }
  const fallback = ["400 Bad Request", "The request is not valid HTTP."] as const;
  const [status, message] = MALFORMED.get(error.code ?? "") ?? fallback;
  const code = status.startsWith("408") ? "RequestTimeout" : "BadRequest";
  const body = errorBody(code, message, randomUUID());
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.toString()}`,
  );
}

function refuseExpectation(
  { outbox }: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const message = `The expectation '${request.headers.expect}' cannot be met.`;
  const body = errorBody("ExpectationFailed", message, randomUUID());
  const headers = ["content-type", "application/json", "connection", "close"];
  outbox.send(response, { status: 417, headers, body });
}
