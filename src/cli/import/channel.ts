/**
 * Several kept connections to a server, for requests whose bodies are bytes. Whatever keeps an
 * answer from arriving whole is a `LostAnswer`: nobody knows whether the request was carried out.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { text as textOf } from "node:stream/consumers";
import { isLoopback } from "../../server/options.ts";

export interface ChannelAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class LostAnswer extends Error {
  override readonly name = "LostAnswer";
}

/** A server that has said nothing for so long is taken for gone. */
const SILENCE_MS_MAX = 60_000;

export class Channel {
  readonly #endpoint: URL;
  readonly #host: string;
  readonly #agent: http.Agent;

  constructor(endpoint: URL, socketCount: number) {
    const options = { keepAlive: true, maxSockets: socketCount };
    this.#endpoint = endpoint;
    // Without the brackets that a URL puts around the addresses of version 6.
    this.#host = endpoint.hostname.replace(/^\[(.*)\]$/, "$1");
    // As in `connection.ts`: the local authority is known to nobody.
    this.#agent =
      endpoint.protocol === "https:"
        ? new https.Agent({ ...options, rejectUnauthorized: !isLoopback(this.#host) })
        : new http.Agent(options);
  }

  /** Throws a `LostAnswer`, and nothing else. */
  async post(path: string, headers: OutgoingHttpHeaders, body: Buffer): Promise<ChannelAnswer> {
    const { protocol, port } = this.#endpoint;
    const { request: open } = protocol === "https:" ? https : http;
    const options = {
      host: this.#host,
      port,
      path,
      method: "POST",
      headers: { ...headers, "content-length": body.length },
      agent: this.#agent,
      timeout: SILENCE_MS_MAX,
    };
    try {
      const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const request = open(options, resolve);
        request.on("error", reject);
        request.on("timeout", () => {
          request.destroy(new Error(`nothing was heard for ${SILENCE_MS_MAX / 1000} s`));
        });
        request.end(body);
      });
      return { status: answer.statusCode!, headers: answer.headers, body: await textOf(answer) };
    } catch (error) {
      throw new LostAnswer(error instanceof Error ? error.message : String(error));
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
