/**
 * Sockets: HTTP in, answers out. Checks what must hold before anything is read (form, host, path,
 * signature), reads the body within its limit, hands the request to the gateway and writes what
 * comes back. One of the three places that catch everything.
 *
 * A refusal that is known before the body is answered before the body. Not here: how long a client
 * may take, and how its connection ends (`connections/`).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Server } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "../base/world.ts";
import type { Account } from "../engine/account.ts";
import type { Refusal } from "../model/refusal.ts";
import { TOO_LARGE_MESSAGE } from "../model/refusal.ts";
import { ADMIN_ROOT, CERTIFICATE_PATH } from "../protocol/admin.ts";
import { refusalAnswer, transportAnswer } from "../protocol/answer/answers.ts";
import { programOf } from "../protocol/request/program.ts";
import type { ResourcePath } from "../protocol/request/resourcePath.ts";
import { parseResourcePath } from "../protocol/request/resourcePath.ts";
import type { SentRequest } from "../protocol/request/sentRequest.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import type { Gatekeeper } from "./access/gatekeeper.ts";
import type { AdminDoor } from "./admin/door.ts";
import type { Recordings } from "./admin/recordings.ts";
import { answerSent, answerToThrown } from "./answering.ts";
import type { Connections } from "./connections/connections.ts";
import { closingAnswer } from "./connections/connections.ts";
import { refuseMalformed } from "./connections/malformed.ts";
import type { TakeBinary } from "./door/door.ts";
import { openDoor } from "./door/door.ts";
import { healthAnswer, isHealthPath } from "./health.ts";
import { activityIdOf } from "./http/activityId.ts";
import type { Outbox } from "./http/outbox.ts";
import { discardBody, readBody } from "./http/requestBody.ts";
import { expectsContinue, formRefusal } from "./http/requestForm.ts";
import type { PageDoor } from "./page/pageDoor.ts";
import { isPageUrl } from "./page/pageDoor.ts";
import type { RequestLog } from "./requests/requestLog.ts";
import { absenceOf } from "./routes/absence.ts";
import type { RequestContext } from "./routes/requestContext.ts";
import type { ServedTls } from "./servedTls.ts";
import type { Log } from "./surroundings/log.ts";

export interface ListenerSetting {
  readonly account: Account;
  readonly gatekeeper: Gatekeeper;
  readonly log: Log;
  readonly outbox: Outbox;
  readonly connections: Connections;
  readonly clock: Pick<Clock, "now">;
  isAllowedHost(host: string | undefined): boolean;
  /** The address that clients are told to use; when absent, the one that a request came by. */
  readonly publicEndpoint: string | undefined;
  readonly tls: ServedTls | undefined;
  /** Who answers what is not of the imitated service; absent when nobody does. */
  readonly admin?: AdminDoor | undefined;
  /** Who answers for the web page; absent when it is off. */
  readonly page?: PageDoor | undefined;
  /** Who serves connections that speak no HTTP; absent when nobody does. */
  readonly takeBinary?: TakeBinary | undefined;
  /** Takes down what clients ask for. */
  readonly requests?: RequestLog | undefined;
  /** The recordings, which take requests down while somebody wants that. */
  readonly recordings?: Recordings | undefined;
}

const HEADER_BYTES_MAX = 16 * 1024;

const NO_BODY = Buffer.alloc(0);

export function createListener(setting: ListenerSetting): Server {
  const { connections, outbox, tls, takeBinary, log } = setting;
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    // Clients are told, so that they close first.
    keepAliveTimeout: connections.deadlines.idleMs,
    // Only Node knows that the beginning of a request came together with the one before.
    headersTimeout: connections.deadlines.headMs,
    connectionsCheckingInterval: Math.max(1, connections.deadlines.headMs / 4),
    // Node would count the time, too, in which a request waits for its turn.
    requestTimeout: 0,
    noDelay: true,
    // A missing host is refused with a body.
    requireHostHeader: false,
  });
  refuseMalformed(server, connections, outbox);
  const onRequest: RequestListener = (request, response) => {
    const isLate = connections.isClosing;
    connections.of(request.socket)?.begin(response, () => {
      serve(setting, request, response, isLate);
    });
  };
  server.on("request", onRequest);
  // What a client waits for it is told when its body is wanted, or why it is not.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  return openDoor({
    connections,
    outbox,
    http: server,
    tls: tls && {
      isOnly: tls.isOnly,
      identity: () => tls.identity.context,
      onFailure: (reason) => log("tlsFailed", { reason }),
    },
    takeBinary,
  });
}

function serve(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  isLate: boolean,
): void {
  const activityId = activityIdOf(request);
  const refuse = (answered: WireAnswer): void => sendEarly(setting, response, answered);
  try {
    const malformed = formRefusal(request);
    if (isLate) refuse(closingAnswer(activityId));
    else if (malformed !== undefined) {
      // Where such a request ends, and the next one begins, is not certain.
      discardBody(request);
      const answerOf = (id: string): WireAnswer => transportAnswer(malformed, id);
      setting.connections.of(request.socket)?.breakOff(answerOf, (to, answered) => {
        setting.outbox.send(to, answered);
      });
    } else if (!setting.isAllowedHost(request.headers.host)) {
      const message =
        `The host '${request.headers.host}' is not one of this server's. Allow it with ` +
        "--allow-host.";
      refuse(refusalAnswer({ kind: "forbidden", message }, activityId));
    } else if (setting.admin !== undefined && request.url?.startsWith(ADMIN_ROOT) === true) {
      response.setHeader(HEADER.activityId, activityId);
      response.once("finish", () => {
        const connection = setting.connections.of(request.socket);
        if (connection !== undefined && response.statusCode < 400) connection.isTrusted = true;
      });
      setting.admin(request, response);
    } else if (!serveOpen(setting, request, response, activityId)) {
      setting.requests?.begin(response);
      serveResource(setting, request, response, activityId);
    }
  } catch (defect) {
    failed(setting, response, activityId, defect);
  }
}

/** What needs no signature: health, the certificate that clients are to trust, and the page. */
function serveOpen(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  activityId: string,
): boolean {
  const { account, tls } = setting;
  const url = request.url ?? "";
  if (isHealthPath(url)) {
    const { status, headers, body } = healthAnswer(url, account);
    const named = [...headers, HEADER.activityId, activityId];
    sendEarly(setting, response, { status, headers: named, body });
    return true;
  }
  if (!url.startsWith("/_")) return false;
  if (url === CERTIFICATE_PATH && tls !== undefined) {
    const headers = ["content-type", "application/x-pem-file", HEADER.activityId, activityId];
    const body = Buffer.from(tls.identity.caCert);
    sendEarly(setting, response, { status: 200, headers, body });
  } else if (setting.page !== undefined && isPageUrl(url)) {
    response.setHeader(HEADER.activityId, activityId);
    setting.page(request, response);
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
    sendEarly(setting, response, refusalAnswer(refusal, activityId));
    return;
  }
  const { method = "GET", headers } = request;
  const refusal = setting.gatekeeper.refusalOf({ method, path, headers });
  if (refusal === undefined) receive(setting, request, response, { path, activityId });
  else if (!(refusal instanceof Promise)) {
    sendEarly(setting, response, refusalAnswer(refusal, activityId));
  } else {
    const goOn = (late: Refusal | undefined): void => {
      if (late === undefined) receive(setting, request, response, { path, activityId });
      else sendEarly(setting, response, refusalAnswer(late, activityId));
    };
    refusal.then(goOn).catch((defect) => failed(setting, response, activityId, defect));
  }
}

/** Reads the body of a request that may come in, if it can have one, and answers. */
function receive(
  setting: ListenerSetting,
  request: IncomingMessage,
  response: ServerResponse,
  { path, activityId }: { readonly path: ResourcePath; readonly activityId: string },
): void {
  const connection = setting.connections.of(request.socket);
  if (connection !== undefined) connection.isTrusted = true;
  if (request.method === "GET") {
    discardBody(request);
    answerWith(
      setting,
      response,
      { method: "GET", path, headers: request.headers, body: NO_BODY },
      activityId,
    );
    return;
  }
  const absence = expectsContinue(request) ? absenceOf(setting.account, path) : undefined;
  if (absence !== undefined) {
    sendEarly(setting, response, refusalAnswer(absence, activityId));
    return;
  }
  const bytesMax = setting.account.limits.requestBytesMax;
  readBody(response, { bytesMax }, (outcome) => {
    if (outcome.kind === "aborted") return;
    if (outcome.kind === "body") {
      const { method = "GET", headers } = request;
      answerWith(setting, response, { method, path, headers, body: outcome.body }, activityId);
      return;
    }
    const tooLarge: Refusal = { kind: "tooLarge", message: TOO_LARGE_MESSAGE };
    setting.outbox.send(response, refusalAnswer(tooLarge, activityId));
  });
}

function answerWith(
  setting: ListenerSetting,
  response: ServerResponse,
  sent: SentRequest,
  activityId: string,
): void {
  const fail = (defect: unknown): void => failed(setting, response, activityId, defect);
  const incoming = response.req;
  const { kind } = sent.path;
  const context: RequestContext = {
    activityId,
    program: () => programOf(sent.headers),
    isGone: () => incoming.socket.destroyed,
    endpoint: kind === "account" ? endpointFor(setting, incoming) : "",
    replicaHost: isOfAddresses(sent.path) ? replicaHostFor(setting, incoming) : undefined,
    tokens: setting.gatekeeper.tokenMint,
  };
  const send = (value: WireAnswer): void => {
    // Where it was read: clients with several endpoints look which one it was.
    if (value.status === 200 && sent.method === "GET") {
      const endpoint = endpointFor(setting, incoming).replace(/\/$/, "");
      value.headers.push("content-location", `${endpoint}${incoming.url}`);
    }
    setting.outbox.send(response, value);
  };
  try {
    const outcome = answerSent(setting, context, sent);
    if (outcome instanceof Promise) outcome.then(send).catch(fail);
    else send(outcome);
  } catch (defect) {
    fail(defect);
  }
}

function isOfAddresses({ kind }: ResourcePath): boolean {
  return kind === "addresses" || kind === "rangeAddresses";
}

/** Replicas are where the client has found this server, for it is all of them. */
function replicaHostFor(setting: ListenerSetting, request: IncomingMessage): string | undefined {
  if (setting.takeBinary === undefined) return undefined;
  const { protocol, hostname, port } = new URL(endpointFor(setting, request));
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Clients send all later traffic here, so it must be the address that worked for them. */
function endpointFor(setting: ListenerSetting, request: IncomingMessage): string {
  if (setting.publicEndpoint !== undefined) return setting.publicEndpoint;
  const scheme = request.socket instanceof TLSSocket ? "https" : "http";
  return `${scheme}://${request.headers.host}/`;
}

/** An answer that does not depend on the body: what comes of one is forgotten, within limits. */
function sendEarly(
  { outbox }: ListenerSetting,
  response: ServerResponse,
  answered: WireAnswer,
): void {
  discardBody(response.req);
  outbox.send(response, answered);
}

function failed(
  { log, outbox }: ListenerSetting,
  response: ServerResponse,
  activityId: string,
  thrown: unknown,
): void {
  const told = answerToThrown(log, activityId, thrown);
  if (response.headersSent) response.destroy();
  else outbox.send(response, told);
}
