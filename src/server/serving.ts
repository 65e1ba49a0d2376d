/**
 * A request that may be looked at, on its way to its answer: to the admin API, to the page, or to
 * the resources of the service, whose signature is checked before anything is read. Then its body
 * is read within its limit, and what the gateway makes of it goes out.
 *
 * A refusal that is known before the body is answered before the body. Not here: what must hold of
 * any request (`listener.ts`), and how long a client may take (`connections/`).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../base/world.ts";
import type { Account } from "../engine/account.ts";
import type { Refusal } from "../model/refusal.ts";
import { TOO_LARGE_MESSAGE } from "../model/refusal.ts";
import { ADMIN_ROOT } from "../protocol/admin.ts";
import { refusalAnswer } from "../protocol/answer/answers.ts";
import { programOf } from "../protocol/request/program.ts";
import type { ResourcePath } from "../protocol/request/resourcePath.ts";
import { parseResourcePath } from "../protocol/request/resourcePath.ts";
import type { SentRequest } from "../protocol/request/sentRequest.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import type { Gatekeeper } from "./access/gatekeeper.ts";
import type { AdminDoor } from "./admin/door.ts";
import type { Recordings } from "./admin/recordings.ts";
import type { TenureHold } from "./answering.ts";
import { answerSent, answerToThrown } from "./answering.ts";
import type { Connections } from "./connections/connections.ts";
import type { TakeBinary } from "./door/door.ts";
import { originOf } from "./http/origin.ts";
import type { Outbox } from "./http/outbox.ts";
import { discardBody, readBody } from "./http/requestBody.ts";
import { expectsContinue } from "./http/requestForm.ts";
import type { PageDoor } from "./page/pageDoor.ts";
import { isPageUrl } from "./page/pageDoor.ts";
import type { RequestLog } from "./requests/requestLog.ts";
import { absenceOf } from "./routes/absence.ts";
import type { RequestContext } from "./routes/requestContext.ts";
import type { Log } from "./surroundings/log.ts";

export interface ServingSetting {
  readonly account: Account;
  readonly gatekeeper: Gatekeeper;
  readonly log: Log;
  readonly outbox: Outbox;
  readonly connections: Connections;
  readonly clock: Pick<Clock, "now">;
  /** The address that clients are told to use; when absent, the one that a request came by. */
  readonly publicEndpoint: string | undefined;
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
  /** Whether what this server knows is still true; absent where nothing can change that. */
  readonly tenure?: TenureHold | undefined;
}

const NO_BODY = Buffer.alloc(0);

/** Answers a request whose form and host are in order. */
export function serve(
  setting: ServingSetting,
  request: IncomingMessage,
  response: ServerResponse,
  activityId: string,
): void {
  const url = request.url ?? "";
  try {
    if (setting.admin !== undefined && url.startsWith(ADMIN_ROOT)) {
      response.setHeader(HEADER.activityId, activityId);
      response.once("finish", () => {
        const connection = setting.connections.of(request.socket);
        if (connection !== undefined && response.statusCode < 400) connection.isTrusted = true;
      });
      setting.admin(request, response);
    } else if (setting.page !== undefined && url.startsWith("/_") && isPageUrl(url)) {
      response.setHeader(HEADER.activityId, activityId);
      setting.page(request, response);
    } else {
      setting.requests?.begin(response);
      serveResource(setting, request, response, activityId);
    }
  } catch (defect) {
    failed(setting, response, activityId, defect);
  }
}

function serveResource(
  setting: ServingSetting,
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
  setting: ServingSetting,
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
  setting: ServingSetting,
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
function replicaHostFor(setting: ServingSetting, request: IncomingMessage): string | undefined {
  if (setting.takeBinary === undefined) return undefined;
  const { protocol, hostname, port } = new URL(endpointFor(setting, request));
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Clients send all later traffic here, so it must be the address that worked for them. */
function endpointFor(setting: ServingSetting, request: IncomingMessage): string {
  if (setting.publicEndpoint !== undefined) return setting.publicEndpoint;
  const scheme = originOf(request).isSecure ? "https" : "http";
  return `${scheme}://${request.headers.host}/`;
}

/** An answer that does not depend on the body: what comes of one is forgotten, within limits. */
export function sendEarly(
  { outbox }: Pick<ServingSetting, "outbox">,
  response: ServerResponse,
  answered: WireAnswer,
): void {
  discardBody(response.req);
  outbox.send(response, answered);
}

export function failed(
  { log, outbox }: Pick<ServingSetting, "log" | "outbox">,
  response: ServerResponse,
  activityId: string,
  thrown: unknown,
): void {
  const told = answerToThrown(log, activityId, thrown);
  if (response.headersSent) response.destroy();
  else outbox.send(response, told);
}
