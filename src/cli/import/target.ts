/**
 * The container that items go to: what it is, which physical partitions it has, and making it if it
 * is not there. Everything about it that is not an item goes over one connection.
 */

import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Answer } from "../connect/connection.ts";
import { ServerConnection } from "../connect/connection.ts";
import type { ContainerName, ServerAccount } from "../connect/serverOptions.ts";
import { type SignedPlace, Signer } from "../connect/signer.ts";
import { whileThrottled } from "../connect/whileThrottled.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { parseDefinition, parseRanges, type RangeMap } from "./placement.ts";

export interface Facts {
  readonly rid: string;
  readonly definition: PartitionKeyDefinition;
  /** A conflict may be about other properties than the id. */
  readonly hasUniqueKeys: boolean;
}

export interface Creation {
  readonly definition: PartitionKeyDefinition;
  readonly throughput: number | undefined;
}

export class ImportTarget {
  readonly link: string;
  readonly path: string;
  readonly signer: Signer;
  readonly #name: ContainerName;
  readonly #origin: string;
  readonly #connection: ServerConnection;

  constructor(account: ServerAccount, name: ContainerName) {
    this.#name = name;
    this.#origin = account.endpoint.origin;
    this.#connection = new ServerConnection(account);
    this.signer = new Signer(account.key, realClock);
    this.link = `dbs/${name.database}/colls/${name.container}`;
    const [database, container] = [name.database, name.container].map(encodeURIComponent);
    this.path = `/dbs/${database}/colls/${container}`;
  }

  /** Undefined when there is no such container. */
  async facts(): Promise<Facts | undefined> {
    const place = { method: "GET", resourceType: "colls", link: this.link } as const;
    const answer = await this.#ask(place, this.path);
    if (answer.status === 404) return undefined;
    const body = this.#bodyOf(answer);
    const definition = parseDefinition(body);
    if (!definition.ok) throw this.#nonsense(definition.error);
    const unique = property(body, "uniqueKeyPolicy");
    const keys = isObject(unique) ? property(unique, "uniqueKeys") : undefined;
    return {
      rid: String(property(body, "_rid")),
      definition: definition.value,
      hasUniqueKeys: Array.isArray(keys) && keys.length > 0,
    };
  }

  async ranges(): Promise<RangeMap> {
    const place = { method: "GET", resourceType: "pkranges", link: this.link } as const;
    const ranges = parseRanges(this.#bodyOf(await this.#ask(place, `${this.path}/pkranges`)));
    if (!ranges.ok) throw this.#nonsense(ranges.error);
    return ranges.value;
  }

  /** The database too, if it is not there. What somebody else makes meanwhile is as good. */
  async create({ definition, throughput }: Creation): Promise<void> {
    const { database, container } = this.#name;
    const { paths, kind, version } = definition;
    await this.#make({ resourceType: "dbs", link: "" }, "/dbs", { id: database }, undefined);
    const link = `dbs/${database}`;
    const body = { id: container, partitionKey: { paths, kind, version } };
    const path = `/dbs/${encodeURIComponent(database)}/colls`;
    await this.#make({ resourceType: "colls", link }, path, body, throughput);
  }

  async #make(
    place: Omit<SignedPlace, "method">,
    path: string,
    body: JsonObject,
    throughput: number | undefined,
  ): Promise<void> {
    const rate = throughput === undefined ? {} : { [HEADER.offerThroughput]: String(throughput) };
    const answer = await this.#ask({ method: "POST", ...place }, path, body, rate);
    if (answer.status !== 409) this.#bodyOf(answer);
  }

  close(): void {
    this.#connection.close();
  }

  /** What a refusal of the server means for whoever asked. */
  refusal(status: number, body: string): CommandFailure {
    const { database, container } = this.#name;
    if (status === 401) {
      return new CommandFailure(
        `The server at ${this.#origin} refuses the key. Give one with --key.`,
      );
    }
    if (status === 404) {
      return new CommandFailure(
        `There is no container '${database}/${container}' at ${this.#origin}. ` +
          "--create --partition-key <path> makes it.",
      );
    }
    return new CommandFailure(
      `The server at ${this.#origin} answered ${status}: ${messageIn(body)}`,
    );
  }

  #ask(
    place: SignedPlace,
    path: string,
    body?: JsonObject,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return whileThrottled(() =>
      this.#connection.ask({
        method: place.method,
        path,
        headers: {
          ...this.signer.headersFor(place),
          ...more,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        body: text,
      }),
    );
  }

  #bodyOf({ status, body }: Answer): JsonObject {
    if (status >= 300) throw this.refusal(status, body);
    const value = jsonIn(body);
    if (isObject(value)) return value;
    throw this.#nonsense("it is no JSON object");
  }

  #nonsense(why: string): CommandFailure {
    return new CommandFailure(`What the server at ${this.#origin} said makes no sense: ${why}.`);
  }
}

/** What a server says in words, without the number of the request. */
export function messageIn(body: string): string {
  const value = jsonIn(body);
  const message = isObject(value) ? property(value, "message") : undefined;
  return plainMessage(typeof message === "string" ? message : body);
}

export function plainMessage(text: string): string {
  return text.replace(/\s*\r?\nActivityId: [\s\S]*$/, "").trim();
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
