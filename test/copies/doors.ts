/**
 * Two ways to the items of a container: the official client, and requests that are signed by hand.
 * Both know the key that the container had when they were made, and no other, for as long as they
 * live. A request that is told to come back later does so, and nothing else is repeated.
 */
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ItemDefinition } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import type { Site } from "../crash/site.ts";

export type DoorStep =
  | { readonly kind: "create" | "upsert" | "replace"; readonly item: ItemDefinition }
  | { readonly kind: "delete"; readonly id: string; readonly key: string };

interface DoorAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Door {
  /** Rejects when no answer came. */
  call(step: DoorStep): Promise<DoorAnswer>;
  close(): void;
}

const METHODS = {
  create: "POST",
  upsert: "POST",
  replace: "PUT",
  delete: "DELETE",
} as const;
const RETRIES_MAX = 1000;

export class RawDoor implements Door {
  readonly #site: Site;
  readonly #link: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** `link` is that of the container, such as `dbs/d/colls/c`. */
  constructor(site: Site, link: string) {
    this.#site = site;
    this.#link = link;
  }

  async call(step: DoorStep): Promise<DoorAnswer> {
    for (let tries = 0; ; tries++) {
      const { retryAfterMs, ...answer } = await this.#send(step);
      if (answer.status !== 429 || tries >= RETRIES_MAX) return answer;
      await delay(retryAfterMs);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(step: DoorStep): Promise<DoorAnswer & { readonly retryAfterMs: number }> {
    const { kind } = step;
    const id = "id" in step ? step.id : String(step.item.id);
    const key = "key" in step ? step.key : step.item["pk"];
    const body = "item" in step ? JSON.stringify(step.item) : undefined;
    const isInto = kind === "create" || kind === "upsert";
    const link = isInto ? this.#link : `${this.#link}/docs/${id}`;
    const method = METHODS[kind];
    const date = new Date().toUTCString();
    const headers = {
      "x-ms-documentdb-partitionkey": JSON.stringify([key]),
      ...(kind === "upsert" && { "x-ms-documentdb-is-upsert": "true" }),
      "x-ms-date": date,
      "x-ms-version": "2020-07-15",
      authorization: this.#signature(method, link, date),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const url = new URL(isInto ? `/${link}/docs` : `/${link}`, this.#site.endpoint);
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("close", () => {
          if (!response.complete) return reject(new Error("the answer broke off"));
          const status = response.statusCode ?? 0;
          const text = Buffer.concat(chunks).toString();
          const retryAfterMs = Number(response.headers["x-ms-retry-after-ms"] ?? 1);
          return resolve({ status, text, retryAfterMs });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  #signature(method: string, link: string, date: string): string {
    const text = `${method.toLowerCase()}\ndocs\n${link}\n${date.toLowerCase()}\n\n`;
    const key = Buffer.from(this.#site.key, "base64");
    const digest = createHmac("sha256", key).update(text).digest("base64");
    return encodeURIComponent(`type=master&ver=1.0&sig=${digest}`);
  }
}

export class ClientDoor implements Door {
  readonly #client: CosmosClient;
  readonly #names: readonly [string, string];
  #hasRead = false;

  constructor({ endpoint, key }: Site, names: readonly [string, string]) {
    this.#client = new CosmosClient({ endpoint, key });
    this.#names = names;
  }

  async call(step: DoorStep): Promise<DoorAnswer> {
    const [database, name] = this.#names;
    const container = this.#client.database(database).container(name);
    const { items } = container;
    // By itself the client reads the key with the first create, which may come after the switch.
    if (!this.#hasRead) await container.read();
    this.#hasRead = true;
    try {
      switch (step.kind) {
        case "create":
          return answerOf(await items.create(step.item));
        case "upsert":
          return answerOf(await items.upsert(step.item));
        case "replace":
          return answerOf(
            await container.item(String(step.item.id), step.item["pk"]).replace(step.item),
          );
        case "delete":
          return answerOf(await container.item(step.id, step.key).delete());
      }
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") {
        throw error;
      }
      return { status: error.code, text: error.message };
    }
  }

  close(): void {
    this.#client.dispose();
  }
}

function answerOf({ statusCode }: { readonly statusCode: number }): DoorAnswer {
  return { status: statusCode, text: "" };
}
