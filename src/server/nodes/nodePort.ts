/**
 * The port on which a node takes requests from other nodes. Whoever knows the secret of the
 * database comes in, and says of each request where it came from. What comes here is answered here
 * or refused, and never handed on a second time.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { RequestOrigin } from "../http/origin.ts";
import { noteOrigin } from "../http/origin.ts";
import { forwardedOrigin, REFUSED } from "./forwardedHeader.ts";
import { TUNNEL } from "./forwarder.ts";
import { listeningTls } from "./nodeTls.ts";

interface NodePortSetting {
  readonly host: string;
  readonly port: number;
  readonly secret: Buffer;
  /** Answers a request that another node has handed on, or refuses it. */
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a client in direct mode; false where nobody does. */
  takeBinary(socket: TLSSocket): boolean;
  onFailure(reason: string): void;
}

/** A little more than a client may send: a node adds a word of its own. */
const HEADER_BYTES_MAX = 32 * 1024;
const SILENCE_MS = 10_000;

export class NodePort {
  readonly #server: ReturnType<typeof createServer>;
  readonly #served = new Set<ServerResponse>();
  #onIdle: () => void = () => undefined;

  static async open(setting: NodePortSetting): Promise<NodePort> {
    const port = new NodePort(setting);
    port.#server.listen(setting.port, setting.host);
    await once(port.#server, "listening");
    return port;
  }

  private constructor(setting: NodePortSetting) {
    this.#server = createServer({
      ...listeningTls(setting.secret),
      maxHeaderSize: HEADER_BYTES_MAX,
      noDelay: true,
      handshakeTimeout: SILENCE_MS,
      headersTimeout: SILENCE_MS,
      // The other node looks after slow clients, and its connections are kept.
      requestTimeout: 0,
      keepAliveTimeout: 0,
      requireHostHeader: false,
    });
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#take(setting, request, response);
    };
    this.#server.on("request", onRequest);
    this.#server.on("checkContinue", onRequest);
    this.#server.on("checkExpectation", onRequest);
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => undefined);
      const isWanted = request.headers.upgrade === TUNNEL && forwardedOrigin(request) !== undefined;
      if (head.length > 0) socket.unshift(head);
      if (isWanted) socket.write(WELCOME);
      if (!isWanted || !setting.takeBinary(socket as TLSSocket)) socket.destroy();
    });
    this.#server.on("tlsClientError", (error) => setting.onFailure(error.message));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    if (this.#served.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #take(setting: NodePortSetting, request: IncomingMessage, response: ServerResponse): void {
    this.#served.add(response);
    response.once("close", () => {
      this.#served.delete(response);
      if (this.#served.size === 0) this.#onIdle();
    });
    const origin: RequestOrigin | undefined = forwardedOrigin(request);
    if (origin === undefined) {
      request.resume();
      response.writeHead(400).end();
    } else {
      noteOrigin(request, origin);
      setting.take(request, response);
    }
  }
}

const WELCOME = [
  "HTTP/1.1 101 Switching Protocols",
  "Connection: Upgrade",
  `Upgrade: ${TUNNEL}`,
  "\r\n",
].join("\r\n");

/** Says that this node does not work, and has done nothing. */
export function refuseToWork(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(421, [REFUSED, "notWorking", "content-length", "0"]).end();
}
