/**
 * A client that writes items of its own and reads them, one request at a time, waits when it is
 * told to, and keeps a session: what it has seen of a physical partition it must see again.
 */
import { lsn } from "../../src/base/units.ts";
import type { ItemOutcome } from "../../src/engine/item/itemCommand.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { JsonObject } from "../../src/json/value.ts";
import type { Caller } from "../../src/model/caller.ts";
import { HIGH_CALLER, LOW_CALLER } from "../../src/model/caller.ts";
import type { Refusal } from "../../src/model/refusal.ts";
import type { WriteRequest } from "../../src/model/request/writeRequest.ts";
import { epkOf } from "../../src/partition/epk.ts";
import type { SessionPoint } from "../../src/protocol/wire/sessionToken.ts";
import { isLater, requiredLsn } from "../../src/protocol/wire/sessionToken.ts";
import type { Life } from "./life.ts";
import type { ContainerSlot, ItemHistory } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

const VERBS = ["create", "create", "upsert", "upsert", "replace", "patch", "delete"] as const;
/** Now and then somebody asks one container as fast as he can. */
const RUSH_SHARE = 0.04;
const RUSH_COUNT = 60;
/** What the server adds to an item, at most. */
const SYSTEM_BYTES_MAX = 400;
const ETAG_OF_NOBODY = '"00000000-0000-0000-0000-000000000000"';

export class ItemClient {
  readonly #number: number;
  readonly #itemCount: number;
  readonly #caller: Caller;
  /** By container and range id. Outlives the machine, as clients do. */
  readonly #session = new Map<string, Map<string, SessionPoint>>();
  #writeCount = 0;
  acknowledgedCount = 0;
  fullCount = 0;

  constructor(number: number, itemCount: number) {
    this.#number = number;
    this.#itemCount = itemCount;
    this.#caller = number % 3 === 2 ? LOW_CALLER : HIGH_CALLER;
  }

  async act(life: Life): Promise<void> {
    const slot = life.pick(life.model.slots);
    const isRush = life.chance(RUSH_SHARE);
    for (let left = isRush ? RUSH_COUNT : 1; left > 0 && !life.isPaused; left--) {
      await this.#actOn(life, slot);
    }
  }

  async #actOn(life: Life, slot: ContainerSlot): Promise<void> {
    const container = life.containerOf(slot);
    if (container === undefined) return;
    const item = this.#item(life, slot);
    if (life.chance(0.35)) await this.#read(life, slot, container, item);
    else await this.#write(life, slot, container, item);
  }

  #item(life: Life, slot: ContainerSlot): ItemHistory {
    const index = life.below(this.#itemCount);
    // Some logical partitions get far more than others.
    const place = index < 3 ? 0 : 1 + ((index * 7 + this.#number) % 13);
    const key =
      slot.kind.paths.length === 1 ? [`p${place}`] : [`t${place % 3}`, `u${Math.floor(place / 3)}`];
    return slot.item(`c${this.#number}-${index}`, key);
  }

  async #read(
    life: Life,
    slot: ContainerSlot,
    container: Container,
    item: ItemHistory,
  ): Promise<void> {
    let since = life.model.now;
    const outcome = await life.patiently(
      container,
      () => {
        since = life.model.tick();
        const routed = life.account.route(container, item.key);
        demand(routed.ok, "a full key was not routed");
        const { partition, epk } = routed.value;
        this.#checkSession(container, partition.entry.id, partition.entry.parents, partition.lsn);
        return partition.read(epk, item.id, { caller: this.#caller, consistency: "session" });
      },
      refusalOf,
    );
    if (container.isDeleted) return;
    this.#settle(life, container, outcome);
    const body = outcome.kind === "found" ? bodyOf(outcome) : undefined;
    const isKnownKind = outcome.kind === "found" || refusalOf(outcome)?.kind === "notFound";
    demand(isKnownKind, `a read of ${item.id} came to ${outcome.kind}`);
    const marker = (body?.["marker"] as string | undefined) ?? null;
    life.note(`read ${slot.name} ${item.id} ${marker} ${outcome.charge}`);
    demand(item.mayBe(marker, since), `a read of ${slot.name}/${item.id} gave ${marker}`);
  }

  async #write(
    life: Life,
    slot: ContainerSlot,
    container: Container,
    item: ItemHistory,
  ): Promise<void> {
    const request = this.#request(life, slot, item);
    const tallies = [tallyOf(life, container, item)];
    const since = life.model.now;
    const outcome = await life.patiently(
      container,
      () => {
        const submitted = life.account.writeItem(container, request, this.#caller);
        demand(submitted.ok, "a well-formed request was refused");
        return submitted.value;
      },
      refusalOf,
    );
    const refusal = refusalOf(outcome);
    life.note(`${request.kind} ${slot.name} ${item.id} ${refusal?.kind} ${outcome.charge}`);
    if (slot.rid !== container.rid || container.isDeleted) return;
    demand(refusal?.kind !== "ownerNotFound", "a container that is there was not found");
    this.#settle(life, container, outcome);
    if (outcome.kind !== "refused") {
      this.acknowledgedCount++;
      item.acknowledge(life.model.tick(), outcome.etag, outcome.itemLsn);
      return;
    }
    tallies.push(tallyOf(life, container, item));
    const { logicalPartitionBytesMax: bytesMax } = life.account.limits;
    this.#checkRefusal({ bytesMax, slot, item, request, refusal: outcome.refusal, tallies, since });
    item.withdraw();
  }

  #request(life: Life, slot: ContainerSlot, item: ItemHistory): WriteRequest {
    const kind = life.pick(VERBS);
    const { id, key } = item;
    const condition = life.chance(0.1)
      ? { ifMatch: life.chance(0.7) ? item.known.etag : ETAG_OF_NOBODY }
      : {};
    if (kind === "delete") {
      item.begin(null);
      return { kind, key, id, ...condition };
    }
    const marker = `m${this.#number}-${++this.#writeCount}`;
    if (kind === "patch") {
      item.begin(marker, item.known.unique);
      const operations = [
        { op: "set", path: "/marker", value: marker },
        { op: "set", path: "/n", value: life.below(50) },
      ];
      return { kind, key, id, body: Buffer.from(JSON.stringify({ operations })), ...condition };
    }
    const unique = slot.kind.hasUniqueKey ? `u${life.below(40)}` : undefined;
    item.begin(marker, unique);
    const names = slot.kind.paths.map((path) => path.slice(1));
    const body: JsonObject = {
      id,
      ...Object.fromEntries(names.map((name, level) => [name, key[level]!])),
      marker,
      n: life.below(50),
      s: `text ${life.below(5)}`,
      tags: Array.from({ length: life.below(4) }, () => `t${life.below(6)}`),
      ...(unique !== undefined && { u: unique }),
      filler: "x".repeat(life.chance(0.2) ? 500 : life.below(150)),
    };
    const sent = { key, body: Buffer.from(JSON.stringify(body)), ...condition };
    return kind === "replace" ? { kind, id, ...sent } : { kind, ...sent };
  }

  #checkRefusal({
    bytesMax,
    slot,
    item,
    request,
    refusal,
    tallies,
    since,
  }: {
    readonly bytesMax: number;
    readonly slot: ContainerSlot;
    readonly item: ItemHistory;
    readonly request: WriteRequest;
    readonly refusal: Refusal;
    readonly tallies: readonly number[];
    readonly since: number;
  }): void {
    const { marker, etag } = item.known;
    const isThere = marker !== null;
    const neighbours = [...slot.items.values()].filter(
      (other) => other !== item && other.key.join() === item.key.join(),
    );
    const isFair = (): boolean => {
      switch (refusal.kind) {
        case "idTaken":
          return isThere && request.kind === "create";
        case "notFound":
          return !isThere;
        case "preconditionFailed":
          return request.ifMatch !== undefined && (!isThere || request.ifMatch !== etag);
        case "uniqueKeyTaken":
          return neighbours.some(
            (other) =>
              other.undecided !== undefined ||
              !other.isUntouched(since) ||
              other.known.unique === item.undecided?.unique,
          );
        case "logicalPartitionFull": {
          this.fullCount++;
          const sentBytes = "body" in request ? (request.body as Buffer).length : 0;
          const bytes = Math.max(...tallies) + sentBytes + SYSTEM_BYTES_MAX;
          const isQuiet = neighbours.every(
            (other) => other.undecided === undefined && !wasTouched(other, since),
          );
          return !isQuiet || bytes > bytesMax;
        }
        default:
          return false;
      }
    };
    demand(isFair(), `${request.kind} of ${slot.name}/${item.id} was refused: ${refusal.kind}`);
  }

  #settle(life: Life, container: Container, outcome: ItemOutcome): void {
    life.ledger.note(container, [[outcome.rangeId, outcome.charge]]);
    const { rangeId } = outcome;
    const points = this.#session.get(container.rid) ?? new Map<string, SessionPoint>();
    this.#session.set(container.rid, points);
    const seen = points.get(rangeId)?.lsn ?? 0;
    demand(outcome.lsn >= seen, `partition ${rangeId} went back from ${seen} to ${outcome.lsn}`);
    points.set(rangeId, { version: 0, lsn: outcome.lsn });
  }

  /** A physical partition has all that the session has seen of it and of its ancestors. */
  #checkSession(
    container: Container,
    id: string,
    parents: readonly string[],
    reached: number,
  ): void {
    const required = requiredLsn(this.#session.get(container.rid) ?? new Map(), [id, ...parents]);
    const isBehind = required !== undefined && isLater(required, { version: 0, lsn: lsn(reached) });
    demand(!isBehind, `partition ${id} is at ${reached}, a session at ${required?.lsn}`);
  }
}

function wasTouched(item: ItemHistory, since: number): boolean {
  return (item.known.ackedAt ?? 0) > since;
}

function tallyOf({ store }: Life, container: Container, { key }: ItemHistory): number {
  const epk = epkOf(container.definition.partitionKey, key);
  return store.tally(container.ownerOf(epk).entry.part, epk).itemBytes;
}

function refusalOf(outcome: ItemOutcome): Refusal | undefined {
  return outcome.kind === "refused" ? outcome.refusal : undefined;
}

function bodyOf({ body }: { readonly body?: Buffer | undefined }): JsonObject {
  return JSON.parse(body!.toString()) as JsonObject;
}
