/**
 * An account as one end of a copy: asked for what it is before anything else is sent, and then in
 * the hands of the official client.
 */
import type { Container, CosmosClient } from "@azure/cosmos";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { OfficialClient } from "../connect/officialClient.ts";
import type { ContainerName, ServerAccount } from "../connect/serverOptions.ts";
import { Signer } from "../connect/signer.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { GuardedHttp } from "./guardedHttp.ts";

/** Waits as long as it is told; a copy has time. */
const RETRIES = {
  maxRetryAttemptCount: 1000,
  fixedRetryIntervalInMilliseconds: 0,
  maxWaitTimeInSeconds: 600,
};

/** Whoever does not say by then what it is, is none. */
const INTRODUCTION_MS = 60_000;

export class CopyAccount {
  readonly origin: string;
  readonly client: CosmosClient;
  readonly official: OfficialClient;
  readonly #http: GuardedHttp;
  readonly #account: ServerAccount;
  /** How far its clock is ahead of ours. */
  #aheadMs = 0;

  private constructor(official: OfficialClient, account: ServerAccount) {
    const { endpoint, key } = account;
    this.origin = endpoint.origin;
    this.official = official;
    this.#account = account;
    this.#http = new GuardedHttp(endpoint);
    this.client = new official.CosmosClient({
      endpoint: endpoint.href,
      key,
      httpClient: this.#http,
      // An account names the addresses of its regions itself; only the one that was given is asked.
      connectionPolicy: { enableEndpointDiscovery: false, retryOptions: RETRIES },
    });
  }

  static async open(official: OfficialClient, account: ServerAccount): Promise<CopyAccount> {
    const opened = new CopyAccount(official, account);
    try {
      await opened.#introduce();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** Its own time, in milliseconds since 1970: stamps and lives of items are by it. */
  wallNow(): number {
    return realClock.wallNow() + this.#aheadMs;
  }

  container({ database, container }: ContainerName): Container {
    return this.client.database(database).container(container);
  }

  /** What a refusal of the account means for whoever asked; anything else is what it was. */
  failureOf(error: unknown): unknown {
    const known = causeOf(error);
    if (known instanceof CommandFailure) return known;
    const { code, message } = known as { readonly code?: unknown; readonly message?: unknown };
    const said = plainText(String(message ?? known));
    if (code === 401) return new CommandFailure(this.#refusedKey());
    if (typeof code === "number") {
      return new CommandFailure(`The account at ${this.origin} answered ${code}: ${said}`);
    }
    if (typeof code === "string" || /^(Timeout|Abort)Error$/.test((known as Error).name)) {
      return new CommandFailure(`No answer from ${this.origin}: ${said}.`);
    }
    return error;
  }

  close(): void {
    this.client.dispose();
    this.#http.close();
  }

  async #introduce(): Promise<void> {
    const { endpoint, key } = this.#account;
    const signer = new Signer(key, realClock);
    const headers = signer.headersFor({ method: "GET", resourceType: "", link: "" });
    let told: Awaited<ReturnType<GuardedHttp["exchange"]>>;
    try {
      const accept = { accept: "application/json" };
      told = await this.#http.exchange(endpoint, {
        method: "GET",
        headers: { ...headers, ...accept },
        abortSignal: AbortSignal.timeout(INTRODUCTION_MS),
      });
    } catch (error) {
      throw this.failureOf(error);
    }
    if (told.status === 401 || told.status === 403) throw new CommandFailure(this.#refusedKey());
    if (told.status !== 200 || !isAccount(jsonIn(told.body))) {
      throw new CommandFailure(
        `${this.origin} is no account: asked what it is, it answered ${told.status} and not with ` +
          "the properties of one.",
      );
    }
    const at = Date.parse(told.headers["date"] ?? "");
    // To the second: what is less is the way of the answer.
    if (Number.isFinite(at) && Math.abs(at - realClock.wallNow()) > 2000) {
      this.#aheadMs = at - realClock.wallNow();
    }
  }

  #refusedKey(): string {
    const { keyOption = "--account-key" } = this.#account;
    return `The account at ${this.origin} refuses the key. Give the right one with ${keyOption}.`;
  }
}

/** Without the number of the request; of a query that is wrong, what is wrong with it. */
function plainText(message: string): string {
  const [first = ""] = message.split(/\r?\n/);
  const [, inside] = /"message":("(?:[^"\\]|\\.)*")/.exec(first) ?? [];
  return inside === undefined ? first : String(JSON.parse(inside));
}

/** Around a bulk the client wraps what the service said. */
export function causeOf(error: unknown): unknown {
  let known = error;
  while (known instanceof Error && known.cause !== undefined && known.cause !== null) {
    known = known.cause;
  }
  return known;
}

function isAccount(body: JsonValue | undefined): boolean {
  if (body === undefined || !isObject(body)) return false;
  const { readableLocations, writableLocations } = body as JsonObject;
  const policy = property(body, "userConsistencyPolicy");
  return [readableLocations, writableLocations].some(Array.isArray) || isObject(policy ?? null);
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
