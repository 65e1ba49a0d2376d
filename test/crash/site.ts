/**
 * A server that is killed now and then and comes back at the same address, and how its clients live
 * with that: whoever lost his answer to a kill waits until it is back. Any other failure is one.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "./serverProcess.ts";
import { startServer } from "./serverProcess.ts";

/** What became of a request; nobody knows what a lost one did. */
type Asked<T> =
  | { readonly kind: "answered"; readonly value: T }
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "lost" };

export class Site {
  readonly #data: string;
  readonly #args: readonly string[];
  #server: Server;
  #isUp = true;
  killCount = 0;
  openMsMax = 0;

  private constructor(data: string, args: readonly string[], server: Server) {
    this.#data = data;
    this.#args = args;
    this.#server = server;
  }

  static async open(data: string, args: readonly string[]): Promise<Site> {
    return new Site(data, args, await startServer(data, { args }));
  }

  get endpoint(): string {
    return this.#server.endpoint;
  }

  get key(): string {
    return this.#server.key;
  }

  async kill(): Promise<void> {
    this.killCount++;
    this.#isUp = false;
    await this.#server.kill();
    await this.#start();
  }

  /** In good order, and back again. Resolves with the exit code. */
  async restart(): Promise<number | null> {
    const code = await this.#server.end();
    await this.#start();
    return code;
  }

  async close(): Promise<void> {
    await this.#server.kill();
  }

  /** For requests that may be lost with the server, and may be refused. */
  async ask<T>(attempt: () => Promise<T>): Promise<Asked<T>> {
    await this.#back();
    const { killCount } = this;
    try {
      return { kind: "answered", value: await attempt() };
    } catch (error) {
      const status = statusOf(error);
      if (status >= 500) throw error;
      if (killCount === this.killCount) {
        if (status === 0) throw error;
        return { kind: "refused", status };
      }
      await this.#back();
      return { kind: "lost" };
    }
  }

  /** For requests that can be repeated, and must not be refused. */
  async persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      const asked = await this.ask(attempt);
      if (asked.kind === "answered") return asked.value;
      if (asked.kind === "refused") throw new Error(`refused with ${asked.status}`);
    }
  }

  async #back(): Promise<void> {
    while (!this.#isUp) await delay(5);
  }

  async #start(): Promise<void> {
    const port = Number(new URL(this.endpoint).port);
    this.#server = await startServer(this.#data, { port, args: this.#args });
    this.openMsMax = Math.max(this.openMsMax, this.#server.openMs);
    this.#isUp = true;
  }
}

/** What the server said, 0 if it did not come to that. Around bulks clients wrap it. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const code = "code" in error ? error.code : 0;
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  return error.cause === undefined ? 0 : statusOf(error.cause);
}
