/**
 * What clients mean who do not know yet that their container has another key: they got it under the
 * old one, keep that in mind for as long as they run, and send the old keys of items.
 *
 * The old container is kept up to date until the job is completed. So it tells which item an old
 * key and an id stand for, and by its number where that item is now.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { withDigits } from "../../json/parse.ts";
import type { Caller } from "../../model/caller.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { BatchRequest, WriteRequest } from "../../model/request/writeRequest.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import { sameKey } from "../../partition/partitionKeyOf.ts";
import { overlapping } from "../../partition/partitionMap.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { draftOfValue, objectOf, parseItem } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "../item/itemKey.ts";
import type {
  Container,
  FormerKey,
  TranslatedBatch,
  TranslatedWrite,
} from "../partition/container.ts";
import { routeKey } from "../partition/itemRouting.ts";
import { itemsOfNumbers } from "./copyPlaces.ts";
import type { MoveSetting } from "./itemMove.ts";
import { moveItem } from "./itemMove.ts";
import type { KeyLevel } from "./madeKey.ts";
import { withKey } from "./madeKey.ts";

interface FormerSetting {
  readonly store: PartitionStore;
  readonly limits: Limits;
  /** The container that has the name now. */
  readonly container: Container;
  readonly old: Container;
  readonly levels: readonly KeyLevel[];
  /** False where the old container stays as it was at the switch. */
  readonly isFollowed: boolean;
  /** Resolves when the old container has everything that this one had at the call. */
  caughtUp(): Promise<boolean>;
  readonly moves: MoveSetting;
}

/** A write that carries the whole item. */
type SentBody = Exclude<WriteRequest, { readonly kind: "delete" }>;

interface TranslatedBody extends TranslatedWrite {
  readonly request: SentBody;
}

export class FormerTerms implements FormerKey {
  readonly #setting: FormerSetting;
  readonly #counts = new Map<string, number>();

  constructor(setting: FormerSetting) {
    this.#setting = setting;
  }

  get old(): Container {
    return this.#setting.old;
  }

  get isFollowed(): boolean {
    return this.#setting.isFollowed;
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
    const now = await this.#keyByNumber(oldKey, id);
    if (now !== undefined || !(await this.caughtUp())) return now;
    return this.#keyByNumber(oldKey, id);
  }

  /**
   * True of a key, or the beginning of one, that fits the old container only, or under which there
   * is something in the old container and nothing in this one.
   */
  async isOldKey(key: PartitionKey): Promise<boolean> {
    const { container, old, isFollowed } = this.#setting;
    if (!isFollowed || !isFitting(old, key)) return false;
    if (!isFitting(container, key)) return true;
    if (await this.#hasItems(container, key)) return false;
    if (await this.#hasItems(old, key)) return true;
    return (await this.caughtUp()) && this.#hasItems(old, key);
  }

  /**
   * The request as one in terms of the key of now: made-up levels are written into the item, and an
   * old key is replaced. A request in terms of now is returned with its item completed.
   */
  async translated(
    request: WriteRequest,
    { program, mayMove }: Parameters<FormerKey["translated"]>[1],
  ): Promise<Result<TranslatedWrite, Refusal>> {
    if (!("body" in request) || request.kind === "patch") {
      return this.#translatedKey(request, program);
    }
    const translated = await this.#translatedBody(request, mayMove);
    if (translated.ok && translated.value.request.key !== request.key) this.note(program);
    return translated;
  }

  move({ request, leaves }: TranslatedWrite, caller: Caller): Promise<ItemOutcome> {
    return moveItem(this.#setting.moves, { request, leaves: leaves!, caller });
  }

  async #translatedBody(
    request: SentBody,
    mayMove: boolean,
  ): Promise<Result<TranslatedBody, Refusal>> {
    const { limits, container, old, levels } = this.#setting;
    const { body } = request;
    const draft = Buffer.isBuffer(body) ? parseItem(body, limits) : draftOfValue(body, limits);
    // Whoever is next says what is wrong with it.
    if (!draft.ok) return ok({ request });
    const { id, object, text } = draft.value;
    const keyed = withKey(levels, { object, text, number: 0 }, true);
    const full = keyed.kind === "keyed" ? keyed : { object, text };
    const key = container.readKey(full.object);
    const completed = full.text === text ? request : { ...request, body: full.text };
    if (!key.ok || request.key === undefined || sameKey(request.key, key.value)) {
      return ok({ request: completed });
    }
    const oldKey = old.readKey(object);
    if (!oldKey.ok) return ok({ request: completed });
    // Some clients read the definition of now, and find nothing of a made-up key in what they send.
    const bareKey = container.readKey(object);
    const isBare = bareKey.ok && sameKey(request.key, bareKey.value);
    if (!isBare && !sameKey(request.key, oldKey.value)) return ok({ request: completed });
    const named = "id" in request ? request.id : id;
    const present = await this.keyNowOf(oldKey.value, named);
    const translated = { request: { ...completed, key: key.value } };
    if (present === undefined || sameKey(present, key.value)) return ok(translated);
    if (request.kind === "create") return no({ kind: "idTaken" });
    return mayMove ? ok({ ...translated, leaves: { key: present, id: named } }) : no(MOVES);
  }

  /**
   * A batch in terms of the key of now. It is one only if all of its operations come to the same
   * key: one transaction is about one logical partition.
   */
  async translatedBatch<One extends BatchRequest>(
    key: PartitionKey,
    operations: readonly One[],
    program?: string,
  ): Promise<Result<TranslatedBatch<One>, Refusal>> {
    const moved: One[] = [];
    let now: PartitionKey | undefined;
    for (const operation of operations) {
      const one = await this.#operationOfNow(key, operation);
      if (!one.ok) return one;
      const { operation: said, key: found } = one.value;
      if (now !== undefined && found !== undefined && !sameKey(now, found)) return no(SEVERAL_KEYS);
      now ??= found;
      moved.push(said);
    }
    if (now !== undefined && !sameKey(now, key)) this.note(program);
    return ok({ key: now ?? key, operations: moved });
  }

  /** Without a key if it does not matter: there is no such item, or not yet. */
  async #operationOfNow<One extends BatchRequest>(
    sent: PartitionKey,
    operation: One,
  ): Promise<Result<{ readonly operation: One; readonly key?: PartitionKey }, Refusal>> {
    if (!("resource" in operation) || operation.kind === "patch") {
      const { id } = operation as { readonly id: string };
      const key = (await this.#isThere(sent, id)) ? sent : await this.keyNowOf(sent, id);
      return ok(key === undefined ? { operation } : { operation, key });
    }
    const { resource } = operation;
    const request = { ...(operation as object), key: sent, body: resource } as WriteRequest;
    const translated = await this.#translatedBody(request as SentBody, false);
    if (!translated.ok) return translated;
    const { key = sent, body } = translated.value.request;
    if (!Buffer.isBuffer(body)) return ok({ operation, key });
    return ok({ operation: { ...operation, resource: withDigits(body.toString("utf8")) }, key });
  }

  async #translatedKey(
    request: WriteRequest & { readonly id: string },
    program: string | undefined,
  ): Promise<Result<TranslatedWrite, Refusal>> {
    const { key, id } = request;
    if (key === undefined || (await this.#isThere(key, id))) return ok({ request });
    const now = await this.keyNowOf(key, id);
    if (now === undefined) return ok({ request });
    this.note(program);
    return ok({ request: { ...request, key: now } });
  }

  async #isThere(key: PartitionKey, id: string): Promise<boolean> {
    const { container } = this.#setting;
    const item = await this.#itemIn(container, key, id);
    return item !== undefined && isLiveIn(container, item);
  }

  /** Where the old container says that the item is, if that is still so. */
  async #keyByNumber(oldKey: PartitionKey, id: string): Promise<PartitionKey | undefined> {
    const { store, container, old } = this.#setting;
    const item = await this.#itemIn(old, oldKey, id);
    if (item === undefined) return undefined;
    const places = await itemsOfNumbers(store, container, [item.number]);
    // Where an expired item was is free, whether it has been swept or not.
    const now = places.get(item.number)?.find((place) => isLiveIn(container, place));
    if (now === undefined) return undefined;
    const object = objectOf(now.body);
    // The old container may be behind, and the item may have another id or key since.
    if (idOfKey(now.key) !== id || !old.isOfKey(object, oldKey)) return undefined;
    const key = container.readKey(object);
    return key.ok ? key.value : undefined;
  }

  async #itemIn(
    container: Container,
    key: PartitionKey,
    id: string,
  ): Promise<StoredItem | undefined> {
    const { store, limits } = this.#setting;
    const routed = routeKey(container, key, limits);
    if (!routed.ok) return undefined;
    const { partition, epk } = routed.value;
    return store.get(partition.entry.part, itemKeyOf(epk, id));
  }

  async #hasItems(container: Container, key: PartitionKey): Promise<boolean> {
    const range = rangeOfKey(container.definition.partitionKey, key);
    for (const { part } of overlapping(container.map, range)) {
      const page = await this.#setting.store.scanTallies(part, { range, countMax: 1 });
      if (page.tallies.length > 0) return true;
    }
    return false;
  }
}

function isLiveIn(container: Container, item: StoredItem): boolean {
  return container.ownerOf(epkOfKey(item.key)).isLive(item);
}

function isFitting({ definition }: Container, key: PartitionKey): boolean {
  return key.length <= definition.partitionKey.paths.length;
}

const PROGRAMS_MAX = 100;

const SEVERAL_KEYS: Refusal = badRequest(
  "The operations of the batch are about several partition keys, and one transaction is about " +
    "one. (The container has another key since it was copied. The batch goes by the former one, " +
    "and what had one key then has several now.)",
);

const MOVES: Refusal = badRequest(
  "The write would give the item another partition key, and with it another place. That is done " +
    "for a replace or an upsert by itself, not in a batch and not with triggers. (The container " +
    "has another key since it was copied; the request goes by the former one.)",
);
