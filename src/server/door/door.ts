/**
 * One port for everything that is spoken here: takes connections in, looks at their first bytes,
 * and hands each to the one who serves it.
 *
 * - TLS is greeted, and what comes out of it is looked at in the same way;
 * - HTTP, plain or out of TLS, goes to a server of Node that does not listen itself;
 * - binary frames, which clients in direct mode send, are taken out of TLS only.
 *
 * What nobody takes goes to the HTTP server, which refuses it in words that every client can show.
 * On a port of TLS alone, whoever comes without it is told so.
 *
 * Always: every connection is counted by `Connections`, and has a deadline in each stage, from the
 * moment it is accepted. Not here: what certificates say and where they are kept (`tls/`).
 */
import type { Server as HttpServer } from "node:http";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { SecureContextOptions, TLSSocket, Server as TlsServer } from "node:tls";
import { createServer as createTlsServer } from "node:tls";
import type { TransportRefusal } from "../../protocol/answer/answers.ts";
import { transportAnswer } from "../../protocol/answer/answers.ts";
import type { Send } from "../connections/connection.ts";
import type { Connections, LentConnection } from "../connections/connections.ts";
import type { Outbox } from "../http/outbox.ts";
import { peek } from "./peek.ts";

/**
 * Takes over a connection of TLS whose first bytes are no HTTP. Nothing of it has been read. What
 * is returned is told when the server closes. Errors of the socket are the taker's from now on, and
 * so is to end it when the client has ended its side.
 */
export type TakeBinary = (socket: TLSSocket) => LentConnection;

interface DoorTls {
  /** Whoever comes without TLS is refused. */
  readonly isOnly: boolean;
  /** Called for the first client that begins TLS; may throw, and is asked again then. */
  readonly identity: () => SecureContextOptions;
  /** A greeting has failed, for a reason that is ours or the client's. */
  onFailure(reason: string): void;
}

interface DoorSetting {
  readonly connections: Connections;
  readonly outbox: Outbox;
  readonly http: HttpServer;
  /** Absent where no TLS is served. */
  readonly tls: DoorTls | undefined;
  readonly takeBinary?: TakeBinary | undefined;
}

/**
 * Nothing is agreed on in the greeting. A client that offers HTTP/2 only would be turned away in it
 * without a word; so it says what it wants in the connection, and is told that HTTP/1.1 it is.
 */
const NO_ALPN = { ALPNProtocols: [] };

const NEEDS_TLS: TransportRefusal = {
  status: 400,
  code: "BadRequest",
  message:
    "This port serves TLS only, and the request came without it. " +
    "Begin the endpoint with https:// instead of http://.",
};

/** The server to listen with. */
export function openDoor(setting: DoorSetting): Server {
  const { connections, outbox, http, tls } = setting;
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  const greet = tls === undefined ? undefined : greeting(setting, tls);
  connections.watch(server, outbox);
  server.on("connection", (socket: Socket) => {
    peek(socket, {
      isEnding: () => isEnding(connections, socket),
      hasSpoken: (spoken) => {
        if (spoken === "tls" && greet !== undefined) greet(socket);
        else if (tls?.isOnly === true) refusePlain(connections, socket);
        else http.emit("connection", socket);
      },
    });
  });
  // A server of Node looks after slow headers from when it listens until it is closed.
  server.on("listening", () => http.emit("listening"));
  server.on("close", () => http.close());
  return server;
}

/** Greets connections that begin TLS; the certificate is asked for when the first one comes. */
function greeting(setting: DoorSetting, tls: DoorTls): (socket: Socket) => void {
  let greeter: TlsServer | undefined;
  return (socket) => {
    try {
      greeter ??= openGreeter(setting, tls);
    } catch (error) {
      tls.onFailure(error instanceof Error ? error.message : String(error));
      socket.destroy();
      return;
    }
    setting.connections.greet(socket);
    // Who goes in the middle of a greeting waits for nothing: without this its connection stayed
    // open, half of it, until its time was over.
    socket.allowHalfOpen = false;
    greeter.emit("connection", socket);
  };
}

function openGreeter({ connections, http, takeBinary }: DoorSetting, tls: DoorTls): TlsServer {
  const greeter = createTlsServer({ ...tls.identity(), ...NO_ALPN });
  greeter.on("secureConnection", (socket: TLSSocket) => {
    socket.allowHalfOpen = true;
    connections.welcome(socket);
    peek(socket, {
      isEnding: () => isEnding(connections, socket),
      hasSpoken: (spoken) => {
        if (spoken === "binary" && takeBinary !== undefined) {
          connections.lend(socket, takeBinary(socket));
        } else takeSecureHttp(http, socket);
      },
    });
  });
  greeter.on("tlsClientError", (error: Error & { code?: string }, socket: TLSSocket) => {
    if (error.code !== "ECONNRESET") tls.onFailure(error.message);
    socket.destroy();
  });
  return greeter;
}

/**
 * Node's parser takes what TLS has decrypted straight from it, and while it is paused, because an
 * answer is still on its way out, loses the body of the next request. Once somebody listens to the
 * socket it gets its bytes by way of the stream, where a pause is a pause.
 */
function takeSecureHttp(http: HttpServer, socket: TLSSocket): void {
  http.emit("connection", socket);
  socket.on("data", () => undefined);
}

function isEnding(connections: Connections, socket: Socket): boolean {
  return connections.of(socket)?.stage === "ending";
}

function refusePlain(connections: Connections, socket: Socket): void {
  // No request has come by the connection that anything could be sent for.
  const send: Send = () => undefined;
  socket.on("error", () => undefined);
  connections.of(socket)?.refuse((activityId) => transportAnswer(NEEDS_TLS, activityId), send);
}
