/**
 * What clients mean who do not know yet that their container has another key: they got it under the
 * old one, keep that in mind for as long as they run, and send the old keys of items.
 *
 * The old container is kept up to date until the job is completed. So it tells which item an old
 * key and an id stand for, and by its number where that item is now.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import { sameKey } from "../../partition/partitionKeyOf.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { draftOfValue, objectOf, parseItem } from "../item/itemBody.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import { routeKey } from "../partition/itemRouting.ts";
import { itemOfNumber } from "./copyPlaces.ts";
import type { KeyLevel } from "./madeKey.ts";
import { withKey } from "./madeKey.ts";

interface FormerSetting {
  readonly store: PartitionStore;
  readonly limits: Limits;
  /** The container that has the name now. */
  readonly container: Container;
  readonly old: Container;
  readonly levels: readonly KeyLevel[];
  /** Resolves when the old container has everything that this one had at the call. */
  caughtUp(): Promise<boolean>;
}

export class FormerTerms {
  readonly #setting: FormerSetting;
  readonly #counts = new Map<string, number>();

  constructor(setting: FormerSetting) {
    this.#setting = setting;
  }

  get old(): Container {
    return this.#setting.old;
  }

  caughtUp(): Promise<boolean> {
    return this.#setting.caughtUp();
  }

  /** Requests in terms of the old key, by the program that sent them. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  note(program = "unknown"): void {
    if (this.#counts.size >= PROGRAMS_MAX && !this.#counts.has(program)) return;
    this.#counts.set(program, (this.#counts.get(program) ?? 0) + 1);
  }

  /** The key that an item has now; `undefined` if there is no such item, or nobody can tell. */
  async keyNowOf(oldKey: PartitionKey, id: string): Promise<PartitionKey | undefined> {
    const { store, container } = this.#setting;
    const item = await this.#oldItem(oldKey, id);
    const now = item && (await itemOfNumber(store, container, item.number));
    const key = now && container.readKey(objectOf(now.body));
    return key?.ok === true ? key.value : undefined;
  }

  /** Whether a logical partition of the old container has items, and none of this one does. */
  async isOldKey(key: PartitionKey): Promise<boolean> {
    const { store, container, old, limits } = this.#setting;
    const own = routeKey(container, key, limits);
    if (own.ok && (await this.#hasItems(own.value.partition.entry.part, own.value.epk))) {
      return false;
    }
    const former = routeKey(old, key, limits);
    if (!former.ok || !(await this.caughtUp())) return false;
    const { partition, epk } = former.value;
    return (await store.tally(partition.entry.part, epk)).itemCount > 0;
  }

  /**
   * The request as one in terms of the key of now: made-up levels are written into the item, and an
   * old key is replaced. A request in terms of now is returned with its item completed.
   */
  async translated(
    request: WriteRequest,
    program?: string,
  ): Promise<Result<WriteRequest, Refusal>> {
    if (!("body" in request) || request.kind === "patch") {
      return this.#translatedKey(request, program);
    }
    const { limits, container, old, levels } = this.#setting;
    const { body } = request;
    const draft = Buffer.isBuffer(body) ? parseItem(body, limits) : draftOfValue(body, limits);
    // Whoever is next says what is wrong with it.
    if (!draft.ok) return ok(request);
    const { id, object, text } = draft.value;
    const keyed = withKey(levels, { object, text, number: 0 }, true);
    const full = keyed.kind === "keyed" ? keyed : { object, text };
    const key = container.readKey(full.object);
    const completed = { ...request, body: full.text } as WriteRequest;
    if (!key.ok || request.key === undefined || sameKey(request.key, key.value)) {
      return ok(completed);
    }
    const oldKey = old.readKey(object);
    if (!oldKey.ok || !sameKey(request.key, oldKey.value)) return ok(completed);
    this.note(program);
    const named = "id" in request && typeof request.id === "string" ? request.id : id;
    const present = await this.keyNowOf(oldKey.value, named);
    if (present !== undefined && !sameKey(present, key.value)) {
      return request.kind === "create" ? no({ kind: "idTaken" }) : no(MOVES);
    }
    return ok({ ...completed, key: key.value });
  }

  async #translatedKey(
    request: WriteRequest & { readonly id: string },
    program: string | undefined,
  ): Promise<Result<WriteRequest, Refusal>> {
    const { key, id } = request;
    if (key === undefined || (await this.#isThere(key, id))) return ok(request);
    const now = await this.keyNowOf(key, id);
    if (now === undefined) return ok(request);
    this.note(program);
    return ok({ ...request, key: now });
  }

  async #isThere(key: PartitionKey, id: string): Promise<boolean> {
    const { store, container, limits } = this.#setting;
    const routed = routeKey(container, key, limits);
    if (!routed.ok) return false;
    const { partition, epk } = routed.value;
    return (await store.get(partition.entry.part, itemKeyOf(epk, id))) !== undefined;
  }

  async #oldItem(key: PartitionKey, id: string): Promise<StoredItem | undefined> {
    const { store, old, limits } = this.#setting;
    const routed = routeKey(old, key, limits);
    if (!routed.ok || !(await this.caughtUp())) return undefined;
    const { partition, epk } = routed.value;
    return store.get(partition.entry.part, itemKeyOf(epk, id));
  }

  async #hasItems(part: number, family: string): Promise<boolean> {
    return (await this.#setting.store.tally(part, family)).itemCount > 0;
  }
}

const PROGRAMS_MAX = 100;

const MOVES: Refusal = badRequest(
  "The write would give the item another partition key, and with it another place. Delete the " +
    "item and create it anew. (The container has another key since it was copied; the request " +
    "goes by the former one.)",
);
