/**
 * A container in memory, for tests of what the official client and a server do not do on command:
 * answers that get lost, connections that break, services that are busy.
 *
 * A logical partition holds `capacity` items. A fault hits the next call of its kind, before or
 * after the call had its effect. Queries know only what the patterns ask: which items there are.
 */
import type {
  ClientAnswer,
  ClientBulkAnswer,
  ClientBulkContainer,
  ClientContainer,
  ClientPages,
} from "./container.ts";

type Call = "create" | "upsert" | "read" | "replace" | "delete" | "query" | "bulk";

export interface Fault {
  readonly call: Call;
  readonly error: object;
  /** The call was done all the same, and only its answer got lost. */
  readonly isDone?: boolean;
}

type Body = { [name: string]: unknown };

export class FakeContainer {
  readonly capacity: number;
  readonly faults: Fault[] = [];
  readonly calls: Call[] = [];
  /** By key, then by id. */
  readonly stored: Map<string, Map<string, Body>> = new Map();
  #version = 0;

  constructor(capacity: number = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
  }

  get container(): ClientContainer & ClientBulkContainer {
    return {
      items: {
        create: (body) => this.#called("create", () => this.#write(body, "create")),
        upsert: (body) => this.#called("upsert", () => this.#write(body, "upsert")),
        query: (_query, options) => this.#query(String(options?.partitionKey)),
        bulk: (operations) =>
          this.#called("bulk", () =>
            operations.map(({ operationType, resourceBody }) =>
              this.#bulkAnswer(() =>
                this.#write(resourceBody, operationType === "Create" ? "create" : "upsert"),
              ),
            ),
          ),
      },
      item: (id, key) => ({
        read: () => this.#called("read", () => this.#read(id, String(key))),
        replace: (body, options) =>
          this.#called("replace", () => {
            const present = this.#items(String(key)).get(id);
            if (present === undefined) throw { code: 404 };
            const { condition } = options?.accessCondition ?? {};
            if (condition !== undefined && condition !== present["_etag"]) throw { code: 412 };
            return this.#write(body, "upsert");
          }),
        delete: () =>
          this.#called("delete", () => {
            if (!this.#items(String(key)).delete(id)) throw { code: 404 };
            return { statusCode: 204, requestCharge: 1 };
          }),
      }),
    };
  }

  ids(key: string): readonly string[] {
    return [...this.#items(key).keys()];
  }

  async #called<T>(call: Call, action: () => T): Promise<T> {
    this.calls.push(call);
    const at = this.faults.findIndex((fault) => fault.call === call);
    if (at === -1) return action();
    const [fault] = this.faults.splice(at, 1);
    if (fault!.isDone === true) action();
    throw fault!.error;
  }

  #items(key: string): Map<string, Body> {
    const items = this.stored.get(key) ?? new Map<string, Body>();
    this.stored.set(key, items);
    return items;
  }

  #write(body: Body, kind: "create" | "upsert"): ClientAnswer {
    const [id, items] = [String(body["id"]), this.#items(String(body["pk"]))];
    const isThere = items.has(id);
    if (isThere && kind === "create") throw { code: 409, message: "conflict" };
    if (!isThere && items.size >= this.capacity) {
      throw { code: 403, substatus: 1014, message: "full" };
    }
    const resource = { ...body, _etag: `"${++this.#version}"` };
    items.set(id, resource);
    return { statusCode: isThere ? 200 : 201, requestCharge: 5, resource };
  }

  #read(id: string, key: string): ClientAnswer {
    const resource = this.#items(key).get(id);
    return { statusCode: resource === undefined ? 404 : 200, requestCharge: 1, resource };
  }

  #bulkAnswer(action: () => ClientAnswer): ClientBulkAnswer {
    try {
      return action();
    } catch (error) {
      const { code, ...facts } = error as { readonly code: number };
      return { statusCode: code, requestCharge: 1, ...facts };
    }
  }

  #query<T>(key: string): ClientPages<T> {
    let isAsked = false;
    return {
      hasMoreResults: () => !isAsked,
      fetchNext: () =>
        this.#called("query", () => {
          isAsked = true;
          return { resources: [...this.#items(key).values()] as T[], requestCharge: 2 };
        }),
    };
  }
}

export const CONNECTION_LOST: object = { code: "ECONNRESET", message: "socket hang up" };
export const BUSY: object = { code: 503, message: "try again" };
export const RETRY_WITH: object = { code: 449, message: "retry with" };
export const THROTTLED: object = { code: 429, retryAfterInMs: 7, message: "rate is large" };
