/**
 * The admin API of a running server, for commands: questions, and answers or a failure that can be
 * read. The key is sent only to a server that asks for it; one on this machine does not, and so
 * never gets to see it.
 */
import type { AdminError } from "../../protocol/admin.ts";
import { ADMIN_API } from "../../protocol/admin.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { Answer } from "./connection.ts";
import { ServerConnection } from "./connection.ts";
import type { ContainerName, ServerAccount } from "./serverOptions.ts";

export class AdminClient {
  readonly #account: ServerAccount;
  readonly #connection: ServerConnection;
  #isKeyWanted = false;

  constructor(account: ServerAccount) {
    this.#account = account;
    this.#connection = new ServerConnection(account);
  }

  /** `route` is what comes after the prefix; the answer is what its type says. */
  get<T>(route: string): Promise<T> {
    return this.#ask<T>("GET", route);
  }

  post<T>(route: string, body: object): Promise<T> {
    return this.#ask<T>("POST", route, JSON.stringify(body));
  }

  /** `text` is JSON already. */
  postText<T>(route: string, text: string | Buffer): Promise<T> {
    return this.#ask<T>("POST", route, text);
  }

  delete<T>(route: string): Promise<T> {
    return this.#ask<T>("DELETE", route);
  }

  close(): void {
    this.#connection.close();
  }

  async #ask<T>(method: string, route: string, body?: string | Buffer): Promise<T> {
    let answer = await this.#send(method, route, body);
    if (answer.status === 401 && !this.#isKeyWanted) {
      this.#isKeyWanted = true;
      answer = await this.#send(method, route, body);
    }
    const value = jsonIn(answer.body);
    if (answer.status < 300 && typeof value === "object" && value !== null) return value as T;
    throw new CommandFailure(refusalText(answer.status, value, this.#account));
  }

  #send(method: string, route: string, body: string | Buffer | undefined): Promise<Answer> {
    const headers = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(this.#isKeyWanted && { authorization: `Bearer ${this.#account.key}` }),
    };
    return this.#connection.ask({ method, path: ADMIN_API + route, headers, body });
  }
}

/** The part of a route that names a container. */
export function routeOf({ database, container }: ContainerName, what: string): string {
  return `containers/${encodeURIComponent(database)}/${encodeURIComponent(container)}/${what}`;
}

function refusalText(
  status: number,
  body: unknown,
  { endpoint: { origin }, keyOption = "--key" }: ServerAccount,
): string {
  if (status === 401) {
    return `The server at ${origin} refuses the key. Give one with ${keyOption}.`;
  }
  const { message } = (body ?? {}) as Partial<AdminError>;
  if (typeof message === "string") return message.replace(/\s*\r?\nActivityId: [\s\S]*$/, "");
  return `The server at ${origin} has no admin API: it said ${status}.`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
