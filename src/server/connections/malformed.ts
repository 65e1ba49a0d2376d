/**
 * What is no HTTP, or none that is spoken here: it gets a last word in HTTP, with the body every
 * client can read, and the connection ends. Who begins in HTTP/2 is told so in words of HTTP/2.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { TransportRefusal } from "../../protocol/answer/answers.ts";
import { transportAnswer } from "../../protocol/answer/answers.ts";
import { refuseHttp2 } from "../http/http2Refusal.ts";
import type { Outbox } from "../http/outbox.ts";
import type { AnswerOf, ClientConnection, Send } from "./connection.ts";
import type { Connections } from "./connections.ts";

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

export function refuseMalformed(server: Server, connections: Connections, outbox: Outbox): void {
  // If the body is no HTTP, that comes before whatever else is wrong with the request.
  const send: Send = (response, answer) => outbox.sendAtOnce(response, answer);
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const connection = connections.of(socket);
    if (connection === undefined) socket.destroy();
    else refuse(error, connection, send);
  });
  // Node gives the connection away with such a request, so there is nothing to answer it by.
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => undefined);
    const connection = connections.of(socket);
    if (connection === undefined) socket.destroy();
    else connection.refuse(answerOf(NO_TUNNEL), send);
  });
}

function refuse(error: ParserError, connection: ClientConnection, send: Send): void {
  const { socket } = connection;
  // A peer that is gone hears nothing; and a connection that is ending has had its last word.
  if (connection.stage === "ending") return;
  if (!socket.writable || GONE.includes(error.code ?? "")) socket.destroy();
  else if (error.code === TOOK_TOO_LONG) {
    // Node counts the time, too, in which this server serves a request and does not read on.
    if (["head", "idle"].includes(connection.stage)) connection.refuse(answerOf(LATE), send);
  } else if (error.code === HTTP2_BEGUN && connection.isNew && error.rawPacket !== undefined) {
    connection.giveAway();
    refuseHttp2(socket, error.rawPacket, () => connection.end());
  } else connection.refuse(answerOf(MALFORMED.get(error.code ?? "") ?? NO_HTTP), send);
}

const GONE: readonly string[] = ["ECONNRESET", "EPIPE"];
const TOOK_TOO_LONG = "ERR_HTTP_REQUEST_TIMEOUT";
/** What Node's parser says to the first words of HTTP/2. */
const HTTP2_BEGUN = "HPE_PAUSED_H2_UPGRADE";

const NO_HTTP: TransportRefusal = {
  status: 400,
  code: "BadRequest",
  message: "The request is not valid HTTP.",
};

const LATE: TransportRefusal = {
  status: 408,
  code: "RequestTimeout",
  message: "The request took too long to arrive.",
};

const NO_TUNNEL: TransportRefusal = {
  status: 405,
  code: "MethodNotAllowed",
  message: "The verb CONNECT is not allowed: this server is no proxy.",
};

const MALFORMED: ReadonlyMap<string, TransportRefusal> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: 431,
      code: "RequestHeaderFieldsTooLarge",
      message: "The headers are too large: together with the path they may have 16 KB.",
    },
  ],
  [
    "HPE_INVALID_TRANSFER_ENCODING",
    { ...NO_HTTP, message: "The transfer encoding is not supported; send 'chunked'." },
  ],
  ["HPE_INVALID_CHUNK_SIZE", { ...NO_HTTP, message: "A chunk of the body has no valid size." }],
  [
    "HPE_CHUNK_EXTENSIONS_OVERFLOW",
    { ...NO_HTTP, message: "The chunks of the body have extensions that are too large." },
  ],
  ["HPE_INVALID_EOF_STATE", { ...NO_HTTP, message: "The request ended before it was complete." }],
]);

function answerOf(refusal: TransportRefusal): AnswerOf {
  return (activityId) => transportAnswer(refusal, activityId);
}
