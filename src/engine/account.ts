/**
 * What one server hosts: the catalogue over a store, and the operations on items that need both.
 * The surface of the engine to whoever speaks to clients.
 */
import type { MaybePromise, Result } from "../base/result.ts";
import { ok } from "../base/result.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import type { Limits } from "../model/limits.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import type { Refusal } from "../model/refusal.ts";
import { PagesAtWork } from "../query/execute/pagesAtWork.ts";
import type { PartitionStore, StoreFault } from "../store/partitionStore.ts";
import type { CatalogSetting } from "./catalog.ts";
import { Catalog } from "./catalog.ts";
import type { Container } from "./container.ts";
import { parseBody } from "./itemBody.ts";
import type { ItemOutcome } from "./itemCommand.ts";
import type { FeedPage, FeedPosition, FeedScope } from "./itemFeed.ts";
import { readFeed } from "./itemFeed.ts";
import type { RoutedKey, WriteRequest } from "./itemRouting.ts";
import { routeKey, routeWrite } from "./itemRouting.ts";
import type { ListAnswer, ListQuery } from "./listQuery.ts";
import { queryList } from "./listQuery.ts";
import type { QueryAnswer, QueryCommand, QueryText } from "./queryItems.ts";
import { planItems, queryItems } from "./queryItems.ts";

export class Account {
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly #store: PartitionStore;
  readonly #world: Pick<CatalogSetting, "clock" | "timer" | "random">;
  readonly #pages: PagesAtWork;

  private constructor(catalog: Catalog, setting: CatalogSetting) {
    this.catalog = catalog;
    this.limits = setting.limits;
    this.#store = setting.store;
    this.#world = setting;
    this.#pages = new PagesAtWork(setting.timer, setting.clock);
  }

  static async open(setting: CatalogSetting): Promise<Account> {
    return new Account(await Catalog.open(setting), setting);
  }

  /** Set once the store has stopped taking writes. */
  get fault(): StoreFault | undefined {
    return this.#store.fault;
  }

  /** `wrappingDepth`: levels that the request has around the items it carries. */
  parseBody(bytes: Buffer, wrappingDepth = 0): Result<JsonValue, Refusal> {
    return parseBody(bytes, this.limits, wrappingDepth);
  }

  /** The physical partition that owns a full partition key. */
  route(container: Container, key: PartitionKey | undefined): Result<RoutedKey, Refusal> {
    return routeKey(container, key, this.limits);
  }

  /**
   * The id of the item that a path names: by its id or, as self links do, by its rid. An item whose
   * id looks like a rid is found by its id. `undefined` when no item can have such a name.
   */
  itemIdOf(
    container: Container,
    key: PartitionKey | undefined,
    name: string,
  ): MaybePromise<string> | undefined {
    const isTooLong = name.length * 3 > this.limits.itemIdBytesMax;
    if (isTooLong && Buffer.byteLength(name) > this.limits.itemIdBytesMax) return undefined;
    const number = container.itemNumberIn(name);
    if (number === undefined) return name;
    const routed = this.route(container, key);
    if (!routed.ok) return name;
    const { partition, epk } = routed.value;
    return partition.idByName(epk, name, number);
  }

  writeItem(container: Container, request: WriteRequest): Result<Promise<ItemOutcome>, Refusal> {
    const routed = routeWrite(container, request, this.limits);
    if (!routed.ok) return routed;
    return ok(routed.value.partition.submit(routed.value.command));
  }

  readItems(
    container: Container,
    request: {
      readonly scope: FeedScope;
      readonly position: FeedPosition | undefined;
      readonly countMax: number;
    },
  ): Promise<FeedPage> {
    return readFeed({ store: this.#store, limits: this.limits }, container, request);
  }

  queryItems(container: Container, command: QueryCommand): Promise<Result<QueryAnswer, Refusal>> {
    return queryItems(
      { ...this.#world, store: this.#store, limits: this.limits, pages: this.#pages },
      container,
      command,
    );
  }

  /** A query over resources that are no items. */
  queryList(query: ListQuery): Promise<Result<ListAnswer, Refusal>> {
    return queryList({ ...this.#world, limits: this.limits, pages: this.#pages }, query);
  }

  /** The plan for a client that asks each range itself. */
  planQuery(
    container: Container,
    query: QueryText,
    features: ReadonlySet<string>,
  ): Result<JsonObject, Refusal> {
    return planItems(container, query, features);
  }

  /** Finishes what was accepted, then closes the store. */
  async close(): Promise<void> {
    try {
      await this.catalog.close();
    } finally {
      await this.#store.close();
    }
  }
}
