/**
 * How the server is, for whoever starts and watches it: `/alive` as long as the process serves at
 * all, `/ready` once it serves data and unless a disk has failed it. Under the names of the
 * emulator and under our own; on the main port, and by plain HTTP on a port of its own where one is
 * wanted. That one listens before the data is opened, and says so until it is. Where data is in
 * several databases, those that cannot be reached are named; the server is ready nevertheless.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Account } from "../engine/account.ts";
import { RETRY_LATER } from "../protocol/answer/answers.ts";
import { withoutPaths } from "../protocol/answer/withoutPaths.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import { portTaken } from "./portTaken.ts";

const LIVE_PATHS: ReadonlySet<string> = new Set(["/alive", "/_health/live"]);
const READY_PATHS: ReadonlySet<string> = new Set(["/ready", "/status", "/_health/ready"]);

export function isHealthPath(path: string): boolean {
  return LIVE_PATHS.has(path) || READY_PATHS.has(path);
}

/** What of an account there is to be told. */
interface Watched extends Pick<Account, "fault"> {
  /** Databases that cannot be reached, with what is in them. */
  readonly outOfReach?: readonly object[] | undefined;
}

/** What a node among several tells besides: what it does, and whom it misses. */
interface NodeHealth {
  readonly node: string;
  readonly role: "works" | "forwards" | "waits";
  /** Which node works, if that is known. */
  readonly worker?: string | undefined;
  /** Nodes that have not been heard of for a while. */
  readonly silent?: readonly string[] | undefined;
  /** Why nothing can be answered: the database is out of reach, or the node that works. */
  readonly trouble?: string | undefined;
}

/** `account` is absent before it is open and after it has been closed. */
export function healthAnswer(
  path: string,
  account: Watched | undefined,
  node?: NodeHealth,
): WireAnswer {
  if (LIVE_PATHS.has(path)) return told(200, { status: "live", ...node });
  if (account === undefined) return told(503, { status: "starting", ...node });
  const { fault, outOfReach = [] } = account;
  if (fault !== undefined) {
    return told(503, { status: "failed", reason: withoutPaths(fault.message), ...node });
  }
  if (node?.trouble !== undefined) return told(503, { status: "waiting", ...node });
  const away = outOfReach.length === 0 ? {} : { outOfReach };
  return told(200, { status: "ready", ...node, ...away });
}

function told(status: number, body: object): WireAnswer {
  const headers = ["content-type", "application/json", ...(status === 503 ? RETRY_LATER : [])];
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

export interface HealthPort {
  readonly port: number;
  /** Who knows how the server is, from when somebody does. */
  answer: ((path: string) => WireAnswer) | undefined;
  close(): Promise<void>;
}

/** Probes are few and short; a port for them must not become a door for crowds. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };
const CONNECTIONS_MAX = 64;

export async function openHealthPort(port: number, host: string): Promise<HealthPort> {
  const server = createServer({ ...LIMITS, maxHeaderSize: 4096 }, (request, response) => {
    const path = (request.url ?? "").replace(/\?.*$/s, "");
    request.resume();
    const { status, headers, body } = isHealthPath(path)
      ? (opened.answer?.(path) ?? healthAnswer(path, undefined))
      : told(404, { message: "This port tells of health only: /alive, /ready, /status." });
    response.writeHead(status, headers).end(body);
  });
  server.maxConnections = CONNECTIONS_MAX;
  const opened: HealthPort = {
    get port() {
      return (server.address() as AddressInfo).port;
    },
    answer: undefined,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  server.listen(port, host);
  // It rejects with what the server says instead of listening.
  await once(server, "listening").catch((error: unknown) => {
    throw portTaken(error as Error, port, "--health-port");
  });
  return opened;
}
