/**
 * Requests on their way to the node that works, over connections that are kept. Bodies are streamed
 * both ways. An attempt has one of four ends, and says nothing to the client but in the first:
 *
 * - `answered`: the client has its answer, or is gone;
 * - `refused`: the other node does not work, and has done nothing;
 * - `unreached`: there was no connection, so nobody has done anything;
 * - `lost`: the connection broke, and nobody knows what the other node has done.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request as ask } from "node:https";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { Connections } from "../connections/connections.ts";
import type { RequestOrigin } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody } from "../http/requestBody.ts";
import type { Errand } from "./errand.ts";
import { FORWARDED, forwardedText, REFUSED } from "./forwardedHeader.ts";
import { connectingTls } from "./nodeTls.ts";

/** Another node, or this one, by the port for nodes. */
export interface NodeTarget {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

type AttemptEnd = "answered" | "refused" | "unreached" | "lost";

interface ForwarderSetting {
  /** The name of this node. */
  readonly name: string;
  readonly secret: Buffer;
  readonly outbox: Outbox;
  readonly connections: Connections;
  readonly timer: Timer;
}

const CONNECT_MS: Millis = millis(1500);
/** A query or a script may take long; a node that hangs is found out by its tenure before that. */
const SILENCE_MS: Millis = millis(120_000);
/** Connections to one node; whoever finds them all busy waits. */
const SOCKETS_MAX = 512;
/** Answers up to here are written together with others; longer ones flow through. */
const GATHERED_BYTES_MAX = 64 * 1024;
const PROBE_MS: Millis = millis(1000);

/** Headers about the connection between nodes. */
const NOT_HANDED_ON: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
]);

export class Forwarder {
  readonly #setting: ForwarderSetting;
  readonly #agent: Agent;
  readonly #underWay = new Map<ClientRequest, NodeTarget>();
  readonly #tunnels = new Map<Duplex, NodeTarget>();
  #forwardedCount = 0;

  constructor(setting: ForwarderSetting) {
    this.#setting = setting;
    this.#agent = new Agent({
      ...connectingTls(setting.secret, setting.name),
      keepAlive: true,
      maxSockets: SOCKETS_MAX,
      maxCachedSessions: 0,
    });
  }

  /** Requests that were answered by another node. */
  get forwardedCount(): number {
    return this.#forwardedCount;
  }

  attempt(errand: Errand, target: NodeTarget): Promise<AttemptEnd> {
    const { request, response, body } = errand;
    return new Promise((resolve) => {
      const sent = ask({
        agent: this.#agent,
        host: target.host,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: errand.headersFrom(this.#setting.name),
      });
      this.#underWay.set(sent, target);
      let hasConnected = false;
      let isAnswering = false;
      const cancelConnect = this.#setting.timer.after(CONNECT_MS, () => {
        if (!hasConnected) sent.destroy();
      });
      const cancelSilence = this.#setting.timer.after(SILENCE_MS, () => {
        if (!isAnswering) sent.destroy();
      });
      const onGone = (): void => void sent.destroy();
      const end = (outcome: AttemptEnd): void => {
        cancelConnect();
        cancelSilence();
        response.off("close", onGone);
        body.leave();
        resolve(response.destroyed ? "answered" : outcome);
      };
      response.once("close", onGone);
      sent.on("socket", (socket) => {
        const begin = (): void => {
          hasConnected = true;
          if (errand.waitsForGoAhead) sent.flushHeaders();
          else body.sendTo(sent);
        };
        if (socket.connecting) socket.once("secureConnect", begin);
        else begin();
      });
      sent.on("continue", () => {
        response.writeContinue();
        body.sendTo(sent);
      });
      sent.on("close", () => this.#underWay.delete(sent));
      sent.on("response", (answer) => {
        isAnswering = true;
        const isRefused = answer.statusCode === 421 && answer.headers[REFUSED] !== undefined;
        if (isRefused) answer.resume();
        else this.#handOn(errand, answer);
        // What the other node does not want to read stands in the way of the next request.
        if (!sent.writableFinished) answer.once("end", () => sent.destroy());
        end(isRefused ? "refused" : "answered");
      });
      sent.on("error", () => {
        if (!isAnswering) end(hasConnected ? "lost" : "unreached");
      });
    });
  }

  /** Whether a node answers on its port for nodes. */
  probe(target: NodeTarget): Promise<boolean> {
    return new Promise((resolve) => {
      const sent = ask({
        agent: this.#agent,
        host: target.host,
        port: target.port,
        path: "/alive",
        headers: { [FORWARDED]: this.#word(HERE) },
      });
      const cancel = this.#setting.timer.after(PROBE_MS, () => sent.destroy());
      const end = (isReached: boolean): void => {
        cancel();
        resolve(isReached);
      };
      sent.on("response", (answer) => {
        answer.resume();
        end(true);
      });
      sent.on("error", () => end(false));
      sent.end();
    });
  }

  /** A connection of bytes, for clients in direct mode; rejects when there is none. */
  tunnel(target: NodeTarget, origin: RequestOrigin): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const sent = ask({
        agent: false,
        ...connectingTls(this.#setting.secret, this.#setting.name),
        host: target.host,
        port: target.port,
        path: "/",
        headers: {
          connection: "Upgrade",
          upgrade: TUNNEL,
          [FORWARDED]: this.#word(origin),
        },
      });
      const cancel = this.#setting.timer.after(CONNECT_MS, () => sent.destroy());
      sent.on("upgrade", (_answer, far, head) => {
        cancel();
        if (head.length > 0) far.unshift(head);
        this.#tunnels.set(far, target);
        far.once("close", () => this.#tunnels.delete(far));
        resolve(far);
      });
      sent.on("response", () => sent.destroy());
      sent.on("error", reject);
      sent.on("close", () => {
        cancel();
        reject(new Error("the other node does not take connections"));
      });
      sent.end();
    });
  }

  /** Nothing more is expected of a node. */
  giveUp(name: string): void {
    for (const [sent, target] of this.#underWay) if (target.name === name) sent.destroy();
    for (const [far, target] of this.#tunnels) if (target.name === name) far.destroy();
  }

  close(): void {
    for (const sent of this.#underWay.keys()) sent.destroy();
    for (const far of this.#tunnels.keys()) far.destroy();
    this.#agent.destroy();
  }

  #word(origin: RequestOrigin): string {
    return forwardedText(this.#setting.name, origin);
  }

  #handOn({ request, response }: Errand, answer: IncomingMessage): void {
    const { outbox, connections } = this.#setting;
    this.#forwardedCount++;
    const status = answer.statusCode!;
    const connection = connections.of(request.socket);
    if (connection !== undefined && status < 400) connection.isTrusted = true;
    if (!request.complete) discardBody(request);
    const headers = handedOn(answer.rawHeaders);
    const length = Number(answer.headers["content-length"] ?? Number.POSITIVE_INFINITY);
    if (length <= GATHERED_BYTES_MAX && request.method !== "HEAD") {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const body = length === 0 ? undefined : Buffer.concat(chunks);
        outbox.send(response, { status, headers, body });
      });
      answer.on("error", () => response.destroy());
      return;
    }
    if (Number.isFinite(length)) headers.push("content-length", String(length));
    if (outbox.isLast(response)) headers.push("connection", "close");
    response.writeHead(status, headers);
    pipeline(answer, response, () => undefined);
  }
}

/** What the other end of a tunnel is asked for. */
export const TUNNEL = "orrery-frames";

/** What is asked by nobody but this node. */
const HERE: RequestOrigin = { remoteAddress: undefined, isSecure: true };

function handedOn(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (!NOT_HANDED_ON.has(name.toLowerCase())) headers.push(name, rawHeaders[at + 1]!);
  }
  return headers;
}
