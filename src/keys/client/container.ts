/**
 * What the patterns use of a container of the official client, and nothing more.
 *
 * These are shapes, not imports: a `Container` of @azure/cosmos 4 fits them as it is, and so does
 * anything else that behaves like one. `test/sdk/keysTypes.test.ts` holds the two together.
 */
import type { ClientKey } from "../strategy.ts";

/** An item as an application has it in hand: any object, so that interfaces fit, too. */
export type Item = object;

/** Query text with its parameters. */
export interface QuerySpec {
  query: string;
  parameters?: { name: string; value: JsonLike }[];
}

export type JsonLike = string | number | boolean | null | JsonLike[] | { [name: string]: JsonLike };

export interface ClientContainer {
  readonly items: ClientItems;
  item(id: string, key?: ClientKey): ClientItem;
}

interface ClientItems {
  create(body: { [name: string]: unknown }, options?: WriteOptions): Promise<ClientAnswer>;
  upsert(body: { [name: string]: unknown }, options?: WriteOptions): Promise<ClientAnswer>;
  query<T>(query: string | QuerySpec, options?: ReadOptions): ClientPages<T>;
}

/** A container that takes many operations in one request, too. */
export interface ClientBulkContainer {
  readonly items: {
    bulk(
      operations: ClientBulkOperation[],
      options?: { continueOnError?: boolean },
    ): Promise<ClientBulkAnswer[]>;
  };
  item(id: string, key?: ClientKey): Pick<ClientItem, "read">;
}

interface ClientItem {
  /** An item that is not there is an answer: status 404, no resource. */
  read(): Promise<ClientAnswer>;
  replace(
    body: { [name: string]: unknown } & { id: string },
    options?: WriteOptions,
  ): Promise<ClientAnswer>;
  delete(): Promise<ClientAnswer>;
}

interface WriteOptions {
  accessCondition?: { type: string; condition: string };
}

interface ReadOptions {
  partitionKey?: ClientKey;
  maxItemCount?: number;
}

export interface ClientAnswer {
  readonly statusCode: number;
  readonly requestCharge: number;
  /** What is stored now, with `_etag` and `_ts`. Whose type it is, only the caller knows. */
  readonly resource?: unknown;
  readonly etag?: string;
}

export interface ClientPages<T> {
  hasMoreResults(): boolean;
  fetchNext(): Promise<ClientPage<T>>;
}

interface ClientPage<T> {
  /** The client leaves it out at the end of some queries. */
  readonly resources?: T[];
  readonly requestCharge: number;
}

export interface ClientBulkOperation {
  operationType: "Create" | "Upsert";
  partitionKey?: ClientKey;
  resourceBody: { [name: string]: JsonLike };
}

/** `subStatusCode`, `message` and `retryAfterMilliseconds` are there, whatever the types say. */
export interface ClientBulkAnswer {
  readonly statusCode: number;
  readonly requestCharge: number;
}

/** What a pattern cannot make itself: waiting, time and chance. */
export interface ClientWorld {
  /** Resolves after that many milliseconds: `setTimeout` of node:timers/promises does. */
  wait(ms: number): Promise<unknown>;
  /** Milliseconds, from anywhere: `performance.now`, `Date.now`. For times that are reported. */
  now?(): number;
  /** From 0 up to, but without, 1: `Math.random`. Spreads out those who wait for the same. */
  random?(): number;
}
