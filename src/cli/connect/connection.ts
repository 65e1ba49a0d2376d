/**
 * Connections to a running server, kept between requests.
 *
 * On a loopback address any certificate is accepted, because the local authority that signs there
 * is known to nobody; whoever can listen on a loopback address is on this machine already. Anywhere
 * else the certificate has to be one that this machine trusts, unless the connection string says
 * that it is not to be looked at.
 *
 * There are two ways to ask. `ask` ends the command with a failure that can be read when no answer
 * comes. `attempt` throws a `LostAnswer` instead, for requests that are sent again: nobody knows
 * whether such a request was carried out.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { text as textOf } from "node:stream/consumers";
import { isLoopback } from "../../server/surroundings/addresses.ts";
import { NoAnswer } from "../terminal/failure.ts";
import type { ServerAccount } from "./serverOptions.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
}

export class LostAnswer extends Error {
  override readonly name = "LostAnswer";
}

/** What is said about a query, such as how it was answered, is in headers. */
const HEADER_BYTES_MAX = 64 * 1024;
/** For attempts: a server that has said nothing for so long is taken for gone. */
const SILENCE_MS_MAX = 60_000;

export class ServerConnection {
  readonly #endpoint: URL;
  readonly #host: string;
  readonly #agent: http.Agent;

  /** `socketCount`: requests under way at once. */
  constructor({ endpoint, isUnverified }: Omit<ServerAccount, "key">, socketCount = 1) {
    const options = { keepAlive: true, maxSockets: socketCount };
    this.#endpoint = endpoint;
    // Without the brackets that a URL puts around the addresses of version 6.
    this.#host = endpoint.hostname.replace(/^\[(.*)\]$/, "$1");
    this.#agent =
      endpoint.protocol === "https:"
        ? new https.Agent({
            ...options,
            rejectUnauthorized: isUnverified !== true && !isLoopback(this.#host),
          })
        : new http.Agent(options);
  }

  /** Throws a `NoAnswer`, and nothing else. It waits for as long as the server takes. */
  async ask(request: ServerRequest): Promise<Answer> {
    try {
      return await this.#exchange(request, undefined);
    } catch (error) {
      throw failureOf(error, this.#endpoint);
    }
  }

  /** Throws a `LostAnswer`, and nothing else. */
  async attempt(request: ServerRequest): Promise<Answer> {
    try {
      return await this.#exchange(request, SILENCE_MS_MAX);
    } catch (error) {
      throw new LostAnswer(error instanceof Error ? error.message : String(error));
    }
  }

  async #exchange(
    { method, path, headers, body }: ServerRequest,
    silenceMsMax: number | undefined,
  ): Promise<Answer> {
    const { protocol, port } = this.#endpoint;
    const { request: open } = protocol === "https:" ? https : http;
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = {
      host: this.#host,
      port,
      path,
      method,
      headers: { ...headers, ...length },
      agent: this.#agent,
      maxHeaderSize: HEADER_BYTES_MAX,
      ...(silenceMsMax !== undefined && { timeout: silenceMsMax }),
    };
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = open(options, resolve);
      request.on("error", reject);
      request.on("timeout", () => {
        request.destroy(new Error(`nothing was heard for ${silenceMsMax! / 1000} s`));
      });
      request.end(body);
    });
    return { status: answer.statusCode!, headers: answer.headers, body: await textOf(answer) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function failureOf(error: unknown, { origin, protocol }: URL): NoAnswer {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  if (code === "ECONNREFUSED") {
    return new NoAnswer(
      `Nobody listens at ${origin}. Start a server with \`orrery start\`, or name another one ` +
        "with --endpoint.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new NoAnswer(`There is no host of the name in ${origin}.`);
  }
  if (code === "EPROTO" && protocol === "https:") {
    return new NoAnswer(`The server at ${origin} does not speak TLS. Try http:// instead.`);
  }
  if (protocol === "http:" && (code.startsWith("HPE_") || code === "ECONNRESET")) {
    return new NoAnswer(
      `The server at ${origin} hung up or did not answer in HTTP (${message}). If it serves TLS, ` +
        "try https:// instead.",
    );
  }
  return new NoAnswer(`No answer from ${origin}: ${message}.`);
}
