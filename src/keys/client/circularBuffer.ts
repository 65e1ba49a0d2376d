/**
 * A collection of fixed size in one logical partition: ids count up, and when the partition is full
 * (403/1014) they start again, each new item over the oldest one.
 *
 * An item's place is its slot, from 0; its id is the slot in ten digits, so ids sort. What the
 * buffer needs to know stands in each item, in one property (`ring`): the slot, the round, and a
 * sequence number that counts all items there ever were. So it finds its position again after a
 * restart: behind the item with the highest sequence number. A round ends where the next new slot
 * does not fit, not at a fixed number: if items become smaller there will be more of them.
 *
 * If an item does not fit although it takes the place of the oldest (it is larger), the next oldest
 * are deleted until it does, `evictionLimit` of them at most.
 *
 * Writes are made one after the other. A write that failed moves nothing: the next one takes the
 * same slot, so a write that was done though its answer was lost, and is repeated, is there once.
 * A buffer has one writer; two processes that write to the same one overwrite each other's items.
 */
import type { KeyComponent } from "../component.ts";
import { clientKey } from "../strategy.ts";
import type { ClientContainer, Item } from "./container.ts";
import { countOf } from "./parallel.ts";
import type { Key } from "./partitionKey.ts";
import { componentsOf, idIn, parsedPaths, withKey } from "./partitionKey.ts";
import type { ClientRefusal } from "./refusal.ts";
import { clientRefusalOf, isFull } from "./refusal.ts";

export interface CircularBufferOptions {
  /** Partition key paths of the container. */
  readonly paths: readonly string[];
  /** The logical partition that is the buffer. */
  readonly key: Key;
  /** Where items bear their place; `ring` unless told. */
  readonly property?: string;
  /** How many of the oldest one new item may cost beside the one it replaces; 100 unless told. */
  readonly evictionLimit?: number;
}

export interface RingPlace {
  readonly slot: number;
  /** From 1. */
  readonly round: number;
  /** From 1. */
  readonly sequence: number;
}

export interface RingWrite extends RingPlace {
  readonly id: string;
  /** Items that had to go beside the one that was replaced. */
  readonly evictedCount: number;
  readonly ru: number;
}

export interface RingRows<Row> {
  readonly rows: readonly Row[];
  readonly ru: number;
}

export interface CircularBuffer {
  /** The item must have no id: the buffer gives it one. */
  write(item: Item): Promise<RingWrite>;
  /** The newest first. */
  newest<Row = Item>(count: number): Promise<RingRows<Row>>;
  /** Place of the newest item, or nothing if there is none. Waits for writes under way. */
  position(): Promise<RingPlace | undefined>;
}

export function circularBuffer(
  container: ClientContainer,
  options: CircularBufferOptions,
): CircularBuffer {
  return new Ring(container, options);
}

/** How many of the oldest are looked up at a time. */
const OLDEST_COUNT = 12;
const NOTHING_YET: RingPlace = { slot: -1, round: 1, sequence: 0 };

class Ring implements CircularBuffer {
  readonly #container: ClientContainer;
  readonly #paths: readonly (readonly string[])[];
  readonly #key: readonly KeyComponent[];
  readonly #property: string;
  readonly #evictionLimit: number;
  /** Of the newest item; `undefined` before it was looked up. */
  #last: RingPlace | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(container: ClientContainer, options: CircularBufferOptions) {
    this.#container = container;
    this.#paths = parsedPaths(options.paths);
    this.#key = componentsOf(options.key);
    this.#property = options.property ?? "ring";
    this.#evictionLimit = countOf("evictionLimit", options.evictionLimit, 100);
    withKey({}, this.#paths, this.#key); // As many components as paths, or it says so at once.
  }

  write(item: Item): Promise<RingWrite> {
    if (idIn(item) !== undefined) {
      const id = JSON.stringify(idIn(item));
      return Promise.reject(
        new TypeError(`the item has the id ${id}; here ids are given: keep it in another property`),
      );
    }
    return this.#inTurn(() => this.#write(item));
  }

  async newest<Row = Item>(count: number): Promise<RingRows<Row>> {
    const top = countOf("count", count, 1);
    const place = `c[${JSON.stringify(this.#property)}]`;
    return this.#rows(
      `SELECT TOP ${top} * FROM c ` +
        `WHERE IS_DEFINED(${place}.sequence) ORDER BY ${place}.sequence DESC`,
      top,
    );
  }

  position(): Promise<RingPlace | undefined> {
    return this.#inTurn(async () => {
      const { last } = await this.#known();
      return last.sequence === 0 ? undefined : last;
    });
  }

  /** One after the other, whatever becomes of the one before. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(action, action);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async #write(item: Item): Promise<RingWrite> {
    const known = await this.#known();
    const { slot, round, sequence } = known.last;
    let place: RingPlace = { slot: slot + 1, round, sequence: sequence + 1 };
    let [ru, evictedCount] = [known.ru, 0];
    let oldest: RingPlace[] = [];
    for (;;) {
      const attempt = await this.#put(item, place);
      ru += attempt.ru;
      if (attempt.refusal === undefined) {
        this.#last = place;
        return { ...place, id: idOf(place.slot), evictedCount, ru };
      }
      if (oldest.length < 2) {
        const found = await this.#places("ASC", OLDEST_COUNT);
        oldest = [...found.rows];
        ru += found.ru;
      }
      // The item in this place goes anyway; it was the oldest, if there was one.
      const replaced = oldest[0]?.slot === place.slot ? oldest.shift() : undefined;
      const next = oldest.shift();
      if (next === undefined || evictedCount >= this.#evictionLimit) {
        throw doesNotFit(evictedCount, attempt.refusal);
      }
      if (next.slot > place.slot) {
        ru += await this.#remove(next.slot);
        evictedCount++;
        if (replaced !== undefined) oldest.unshift(replaced);
      } else {
        // The round is over: the ids start again.
        if (replaced !== undefined) {
          ru += await this.#remove(replaced.slot);
          evictedCount++;
        }
        oldest.unshift(next);
        place = { ...place, slot: 0, round: round + 1 };
      }
    }
  }

  async #put(item: Item, place: RingPlace): Promise<Attempt> {
    const { slot, round, sequence } = place;
    const body = { ...item, id: idOf(slot), [this.#property]: { slot, round, sequence } };
    try {
      const answer = await this.#container.items.upsert(withKey(body, this.#paths, this.#key));
      return { refusal: undefined, ru: answer.requestCharge };
    } catch (error) {
      const refusal = clientRefusalOf(error);
      if (!isFull(refusal)) throw error;
      return { refusal: { ...refusal, error }, ru: refusal.charge };
    }
  }

  /** It may be gone already: items can have a time to live. */
  async #remove(slot: number): Promise<number> {
    try {
      const answer = await this.#container.item(idOf(slot), clientKey(this.#key)).delete();
      return answer.requestCharge;
    } catch (error) {
      const { status, charge } = clientRefusalOf(error);
      if (status === 404) return charge;
      throw error;
    }
  }

  /** The first time it is looked up, by a small query. */
  async #known(): Promise<{ readonly last: RingPlace; readonly ru: number }> {
    if (this.#last !== undefined) return { last: this.#last, ru: 0 };
    const { rows, ru } = await this.#places("DESC", 1);
    this.#last = rows[0] ?? NOTHING_YET;
    return { last: this.#last, ru };
  }

  #places(direction: "ASC" | "DESC", count: number): Promise<RingRows<RingPlace>> {
    const place = `c[${JSON.stringify(this.#property)}]`;
    return this.#rows(
      `SELECT TOP ${count} VALUE ${place} FROM c ` +
        `WHERE IS_DEFINED(${place}.sequence) ORDER BY ${place}.sequence ${direction}`,
      count,
    );
  }

  async #rows<Row>(query: string, pageSize: number): Promise<RingRows<Row>> {
    const pages = this.#container.items.query<Row>(query, {
      partitionKey: clientKey(this.#key),
      maxItemCount: Math.min(pageSize, 1000),
    });
    const rows: Row[] = [];
    let ru = 0;
    while (pages.hasMoreResults()) {
      const { resources = [], requestCharge } = await pages.fetchNext();
      rows.push(...resources);
      ru += requestCharge;
    }
    return { rows, ru };
  }
}

function doesNotFit(evictedCount: number, { error }: Refused): Error {
  const done = `${evictedCount} of the oldest were deleted for it`;
  return new Error(
    `the item does not fit, although ${done}: raise evictionLimit if it should cost more, ` +
      "and keep nothing else in this logical partition",
    { cause: error },
  );
}

interface Refused extends ClientRefusal {
  readonly error: unknown;
}

interface Attempt {
  readonly refusal: Refused | undefined;
  readonly ru: number;
}

/** Ten digits: at a hundred bytes an item, more than a logical partition holds. */
function idOf(slot: number): string {
  return String(slot).padStart(10, "0");
}
