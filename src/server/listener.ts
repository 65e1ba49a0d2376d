/**
 * Sockets: HTTP in, answers out. Checks what must hold of any request before it is looked at: its
 * form and its host. Health and the certificate to trust are told here, whatever else goes on; for
 * all else there is whoever answers. One of the three places that catch everything.
 *
 * Not here: how long a client may take, and how its connection ends (`connections/`).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Server } from "node:net";
import { CERTIFICATE_PATH } from "../protocol/admin.ts";
import { refusalAnswer, transportAnswer } from "../protocol/answer/answers.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import type { Connections } from "./connections/connections.ts";
import { closingAnswer } from "./connections/connections.ts";
import { refuseMalformed } from "./connections/malformed.ts";
import type { TakeBinary } from "./door/door.ts";
import { openDoor } from "./door/door.ts";
import { healthAnswer, isHealthPath } from "./health.ts";
import { activityIdOf } from "./http/activityId.ts";
import type { Outbox } from "./http/outbox.ts";
import { discardBody } from "./http/requestBody.ts";
import { formRefusal } from "./http/requestForm.ts";
import type { ServedTls } from "./servedTls.ts";
import type { ServingSetting } from "./serving.ts";
import { failed, sendEarly, serve } from "./serving.ts";
import type { Log } from "./surroundings/log.ts";

/** Answers a request whose form and host are in order. */
export type Take = (request: IncomingMessage, response: ServerResponse, activityId: string) => void;

interface FrontSetting {
  readonly log: Log;
  readonly outbox: Outbox;
  readonly connections: Connections;
  isAllowedHost(host: string | undefined): boolean;
  readonly tls: ServedTls | undefined;
  readonly take: Take;
  /** Who serves connections that speak no HTTP; absent when nobody does. */
  readonly takeBinary?: TakeBinary | undefined;
  /** What probes are told. */
  health(path: string): WireAnswer;
}

/** A front and all that is behind it, where one server does both from its start to its end. */
export interface ListenerSetting extends ServingSetting {
  isAllowedHost(host: string | undefined): boolean;
  readonly tls: ServedTls | undefined;
}

export function createListener(setting: ListenerSetting): Server {
  return createFront({
    ...setting,
    take: (request, response, activityId) => serve(setting, request, response, activityId),
    health: (path) => healthAnswer(path, setting.account),
  });
}

const HEADER_BYTES_MAX = 16 * 1024;

export function createFront(setting: FrontSetting): Server {
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
      admit(setting, request, response, isLate);
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

function admit(
  setting: FrontSetting,
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
    } else {
      const open = openAnswer(setting, request.url ?? "");
      if (open === undefined) setting.take(request, response, activityId);
      else refuse({ ...open, headers: [...open.headers, HEADER.activityId, activityId] });
    }
  } catch (defect) {
    failed(setting, response, activityId, defect);
  }
}

/** What needs no signature, and is told by whoever is asked: health, and whom to trust. */
function openAnswer({ health, tls }: FrontSetting, url: string): WireAnswer | undefined {
  if (isHealthPath(url)) return health(url);
  if (url !== CERTIFICATE_PATH || tls === undefined) return undefined;
  const headers = ["content-type", "application/x-pem-file"];
  return { status: 200, headers, body: Buffer.from(tls.identity.caCert) };
}
