/**
 * What one server hosts: the catalogue over a store, and the operations on items that need both.
 * The surface of the engine to whoever speaks to clients.
 */
import type { MaybePromise, Result } from "../base/result.ts";
import { ok } from "../base/result.ts";
import type { JsonValue } from "../json/value.ts";
import type { Limits } from "../model/limits.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import type { Refusal } from "../model/refusal.ts";
import type { PartitionStore, StoreFault } from "../store/partitionStore.ts";
import type { CatalogSetting } from "./catalog.ts";
import { Catalog } from "./catalog.ts";
import type { Container } from "./container.ts";
import { parseBody } from "./itemBody.ts";
import type { Condition, ItemOutcome } from "./itemCommand.ts";
import type { FeedPage, FeedPosition, FeedScope } from "./itemFeed.ts";
import { readFeed } from "./itemFeed.ts";
import type { WriteRequest } from "./itemRouting.ts";
import { routeKey, routeWrite } from "./itemRouting.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

export interface ReadRequest extends Condition {
  readonly key: PartitionKey | undefined;
  readonly id: string;
  /** Refuses the read when the physical partition is not as far as the client has seen it. */
  admit?(partition: PhysicalPartition): Refusal | undefined;
}

export class Account {
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly #store: PartitionStore;

  private constructor(catalog: Catalog, store: PartitionStore, limits: Limits) {
    this.catalog = catalog;
    this.limits = limits;
    this.#store = store;
  }

  static async open(setting: CatalogSetting): Promise<Account> {
    return new Account(await Catalog.open(setting), setting.store, setting.limits);
  }

  /** Set once the store has stopped taking writes. */
  get fault(): StoreFault | undefined {
    return this.#store.fault;
  }

  /** `wrappingDepth`: levels that the request has around the items it carries. */
  parseBody(bytes: Buffer, wrappingDepth = 0): Result<JsonValue, Refusal> {
    return parseBody(bytes, this.limits, wrappingDepth);
  }

  readItem(container: Container, request: ReadRequest): Result<MaybePromise<ItemOutcome>, Refusal> {
    const routed = routeKey(container, request.key, this.limits);
    if (!routed.ok) return routed;
    const { partition, epk } = routed.value;
    const refusal = request.admit?.(partition);
    if (refusal !== undefined) return { ok: false, error: refusal };
    return ok(partition.read(epk, request.id, request));
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

  /** Finishes what was accepted, then closes the store. */
  async close(): Promise<void> {
    await this.catalog.settled();
    await this.#store.close();
  }
}
