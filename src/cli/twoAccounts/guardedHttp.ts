/**
 * The way of the official client to one account, and to nowhere else: only to the origin that was
 * named, never after a redirection, and never to an address that is none of an account.
 *
 * On a loopback address any certificate is accepted, as everywhere in this program: the local
 * authority that signs there is known to nobody.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { CosmosClientOptions } from "@azure/cosmos";
import { isLoopback } from "../../server/surroundings/addresses.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { ForbiddenAddress, guardedLookup, hostOf } from "./address.ts";

type HttpClient = NonNullable<CosmosClientOptions["httpClient"]>;
type PipelineRequest = Parameters<HttpClient["sendRequest"]>[0];
type PipelineResponse = Awaited<ReturnType<HttpClient["sendRequest"]>>;

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer without an end would fill the memory; a page has four megabytes at most. */
const ANSWER_BYTES_MAX: number = 64 * 1024 * 1024;
const HEADER_BYTES_MAX: number = 64 * 1024;
const SOCKET_COUNT = 16;

export class GuardedHttp implements HttpClient {
  readonly #origin: URL;
  readonly #agent: http.Agent;

  constructor(origin: URL) {
    this.#origin = origin;
    const options = { keepAlive: true, maxSockets: SOCKET_COUNT, lookup: guardedLookup };
    this.#agent =
      origin.protocol === "https:"
        ? new https.Agent({ ...options, rejectUnauthorized: !isLoopback(hostOf(origin)) })
        : new http.Agent(options);
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    const { method, body, abortSignal } = request;
    const headers = request.headers.toJSON({ preserveCase: true });
    const told = await this.exchange(new URL(request.url), {
      method,
      headers,
      body: body as string | Buffer | null | undefined,
      abortSignal,
    });
    return {
      request,
      status: told.status,
      headers: headersOf(told.headers),
      bodyAsText: told.body,
    };
  }

  async exchange(
    url: URL,
    request: {
      readonly method: string;
      readonly headers: Readonly<Record<string, unknown>>;
      readonly body?: string | Buffer | null | undefined;
      readonly abortSignal?: PipelineRequest["abortSignal"];
    },
  ): Promise<Told> {
    const { origin } = this.#origin;
    if (url.origin !== origin) {
      throw new CommandFailure(
        `The account at ${origin} led to ${url.origin}; that is not followed.`,
      );
    }
    const answer = await this.#sent(url, request);
    const status = answer.statusCode!;
    if (status >= 300 && status < 400 && status !== 304) {
      answer.destroy();
      throw new CommandFailure(
        `${origin} answers with a redirection (${status}), which no account does; it is not ` +
          "followed. Name the account itself.",
      );
    }
    return { status, headers: plainHeaders(answer.headers), body: await bodyOf(answer, origin) };
  }

  #sent(
    url: URL,
    { method, headers, body, abortSignal }: Parameters<GuardedHttp["exchange"]>[1],
  ): Promise<http.IncomingMessage> {
    const { request: open } = url.protocol === "https:" ? https : http;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body?.length;
    return new Promise((resolve, reject) => {
      const request = open(
        {
          host: hostOf(url),
          port: url.port,
          path: `${url.pathname}${url.search}`,
          method,
          headers: {
            ...(headers as http.OutgoingHttpHeaders),
            ...(length !== undefined && { "content-length": length }),
          },
          agent: this.#agent,
          maxHeaderSize: HEADER_BYTES_MAX,
        },
        resolve,
      );
      const abort = (): void => {
        request.destroy(Object.assign(new Error("aborted"), { name: "AbortError" }));
      };
      if (abortSignal?.aborted === true) abort();
      abortSignal?.addEventListener("abort", abort);
      request.on("close", () => abortSignal?.removeEventListener("abort", abort));
      request.on("error", (error) => reject(this.#failureOf(error)));
      request.end(body ?? undefined);
    });
  }

  /** The client tries again what has a code that it knows; what is forbidden has none. */
  #failureOf(error: Error): Error {
    if (!(error instanceof ForbiddenAddress)) return error;
    return new CommandFailure(`${this.#origin.origin} is not asked: ${error.message}.`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function bodyOf(answer: http.IncomingMessage, origin: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new CommandFailure(`The answer of ${origin} does not end.`);
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** As the client reads them. */
function headersOf(plain: Readonly<Record<string, string>>): PipelineResponse["headers"] {
  const held = new Map(Object.entries(plain));
  return {
    get: (name) => held.get(name.toLowerCase()),
    has: (name) => held.has(name.toLowerCase()),
    set: (name, value) => void held.set(name.toLowerCase(), String(value)),
    delete: (name) => void held.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(held),
    [Symbol.iterator]: () => held[Symbol.iterator](),
  };
}
