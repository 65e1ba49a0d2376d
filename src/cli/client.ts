/**
 * Signed requests to a running server, over one connection that is kept.
 *
 * On a loopback address any certificate is accepted, because the local authority that signs there
 * is known to nobody; whoever can listen on a loopback address is on this machine already. Anywhere
 * else the certificate has to be one that this machine trusts.
 */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { buffer } from "node:stream/consumers";
import { millis } from "../base/units.ts";
import { isLoopback } from "../server/options.ts";
import { realClock, realTimer } from "../server/realWorld.ts";
import { CommandFailure } from "./failure.ts";

export interface Account {
  readonly endpoint: URL;
  /** Base64. */
  readonly key: string;
}

export interface ContainerName {
  readonly database: string;
  readonly container: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The version of the protocol that official clients of today name. */
const API_VERSION = "2020-07-15";
/** A server that keeps saying "later" is believed at last. */
const TRY_COUNT_MAX = 10;

export class Client {
  readonly #account: Account;
  readonly #agent: http.Agent;

  constructor(account: Account) {
    const { hostname, protocol } = account.endpoint;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#account = account;
    this.#agent =
      protocol === "https:"
        ? new https.Agent({ ...options, rejectUnauthorized: !isLoopback(bare(hostname)) })
        : new http.Agent(options);
  }

  /** One page. Waits and tries again when the server is too busy. */
  async query(
    { database, container }: ContainerName,
    body: string,
    headers: OutgoingHttpHeaders,
  ): Promise<Answer> {
    const link = `dbs/${database}/colls/${container}`;
    const path = `/dbs/${encodeURIComponent(database)}/colls/${encodeURIComponent(container)}/docs`;
    for (let tries = 1; ; tries++) {
      const date = new Date(realClock.wallNow()).toUTCString();
      const answer = await this.#post(path, body, {
        ...headers,
        "content-type": "application/query+json",
        "x-ms-documentdb-isquery": "True",
        "x-ms-version": API_VERSION,
        "x-ms-date": date,
        authorization: this.#signatureOf(`post\ndocs\n${link}\n${date.toLowerCase()}\n\n`),
      });
      if (answer.status !== 429 || tries === TRY_COUNT_MAX) return answer;
      await pause(Number(answer.headers["x-ms-retry-after-ms"] ?? 100));
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #signatureOf(text: string): string {
    const key = Buffer.from(this.#account.key, "base64");
    const signature = createHmac("sha256", key).update(text).digest("base64");
    return encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  }

  async #post(path: string, body: string, headers: OutgoingHttpHeaders): Promise<Answer> {
    const { endpoint } = this.#account;
    const { request: open } = endpoint.protocol === "https:" ? https : http;
    try {
      const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const request = open(
          {
            host: bare(endpoint.hostname),
            port: endpoint.port,
            path,
            method: "POST",
            headers: { ...headers, "content-length": Buffer.byteLength(body) },
            agent: this.#agent,
            maxHeaderSize: HEADER_BYTES_MAX,
          },
          resolve,
        );
        request.on("error", reject);
        request.end(body);
      });
      const text = (await buffer(answer)).toString();
      return { status: answer.statusCode!, headers: answer.headers, body: text };
    } catch (error) {
      throw failureOf(error, endpoint);
    }
  }
}

const HEADER_BYTES_MAX = 64 * 1024;

/** Without the brackets that a URL puts around the addresses of version 6. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    realTimer.after(millis(Number.isFinite(ms) ? ms : 100), resolve);
  });
}

function failureOf(error: unknown, { origin, protocol }: URL): CommandFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  if (code === "ECONNREFUSED") {
    return new CommandFailure(
      `Nobody listens at ${origin}. Start a server with \`orrery start\`, or name another one ` +
        "with --endpoint.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new CommandFailure(`There is no host of the name in ${origin}.`);
  }
  if (code === "EPROTO" && protocol === "https:") {
    return new CommandFailure(`The server at ${origin} does not speak TLS. Try http:// instead.`);
  }
  if (protocol === "http:" && (code.startsWith("HPE_") || code === "ECONNRESET")) {
    return new CommandFailure(
      `The server at ${origin} hung up or did not answer in HTTP (${message}). If it serves TLS, ` +
        "try https:// instead.",
    );
  }
  return new CommandFailure(`No answer from ${origin}: ${message}.`);
}
