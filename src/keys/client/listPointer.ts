/**
 * The small item that says how many suffixes a linked list has.
 *
 * It only ever grows, by one, and by its etag: of two who want to move it on, one does, and the
 * other sees that it was done. It is never behind: nobody writes under a suffix it does not name.
 */
import type { KeyComponent } from "../component.ts";
import { clientKey } from "../strategy.ts";
import type { ClientContainer } from "./container.ts";
import { inParallel } from "./parallel.ts";
import { withKey } from "./partitionKey.ts";
import { clientRefusalOf } from "./refusal.ts";

interface Counted {
  readonly count: number;
  readonly ru: number;
}

interface ListPointerOptions {
  readonly paths: readonly (readonly string[])[];
  /** The logical partition of the pointer alone. */
  readonly key: readonly KeyComponent[];
  /** Whether nothing is stored under a suffix, and what it took to know. */
  isEmpty(suffix: number): Promise<{ readonly isEmpty: boolean; readonly ru: number }>;
}

const POINTER_ID = "list";
/** If the pointer is missing, suffixes are looked for until so many in a row are empty. */
const GAP = 8;

export class ListPointer {
  readonly #container: ClientContainer;
  readonly #options: ListPointerOptions;
  /** The most that was seen; 0 before anything was. */
  #count = 0;
  /** Writes go to the end, which does not need to be asked for again once it is known. */
  #isKept = false;
  #opening: Promise<Counted> | undefined;
  readonly #moves = new Map<number, Promise<Counted>>();

  constructor(container: ClientContainer, options: ListPointerOptions) {
    this.#container = container;
    this.#options = options;
  }

  /** As it is now, whoever moved it. Writes nothing. */
  async read(): Promise<Counted> {
    const stored = await this.#stored();
    if (stored.count !== undefined) {
      this.#isKept = true;
      return { count: this.#seen(stored.count), ru: stored.ru };
    }
    if (this.#count > 0) return { count: this.#count, ru: stored.ru };
    const recovered = await this.#recovered();
    return { count: this.#seen(recovered.count), ru: stored.ru + recovered.ru };
  }

  /** As this process knows it, which is enough to write. The first time it is made if missing. */
  async known(): Promise<Counted> {
    if (this.#isKept) return { count: this.#count, ru: 0 };
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** One suffix more than `from`, unless there are more already. */
  async moveOn(from: number): Promise<Counted> {
    if (this.#count > from) return { count: this.#count, ru: 0 };
    const running = this.#moves.get(from);
    if (running !== undefined) return running.then(({ count }) => ({ count, ru: 0 }));
    const move = this.#move(from).finally(() => this.#moves.delete(from));
    this.#moves.set(from, move);
    return move;
  }

  async #open(): Promise<Counted> {
    const { count, ru } = await this.read();
    if (this.#isKept) return { count, ru };
    const created = await this.#create(count);
    return { count: this.#count, ru: ru + created };
  }

  async #move(from: number): Promise<Counted> {
    let paid = 0;
    for (;;) {
      const stored = await this.#stored();
      paid += stored.ru;
      if (stored.count === undefined) {
        paid += await this.#create(from + 1);
      } else if (stored.count > from) {
        return { count: this.#seen(stored.count), ru: paid };
      } else {
        paid += await this.#replace(from + 1, stored.etag);
      }
      if (this.#count > from) return { count: this.#count, ru: paid };
    }
  }

  async #create(count: number): Promise<number> {
    try {
      const { requestCharge } = await this.#container.items.create(this.#body(count));
      this.#seen(count);
      this.#isKept = true;
      return requestCharge;
    } catch (error) {
      const { status, charge } = clientRefusalOf(error);
      if (status !== 409) throw error;
      return charge + (await this.read()).ru;
    }
  }

  /** If somebody else was quicker, nothing happens, and the caller looks again. */
  async #replace(count: number, etag: string): Promise<number> {
    try {
      const { requestCharge } = await this.#container
        .item(POINTER_ID, clientKey(this.#options.key))
        .replace(this.#body(count), { accessCondition: { type: "IfMatch", condition: etag } });
      this.#seen(count);
      return requestCharge;
    } catch (error) {
      const { status, charge } = clientRefusalOf(error);
      if (status !== 412 && status !== 404) throw error;
      return charge;
    }
  }

  /** It must outlive items that expire, hence the ttl. */
  #body(count: number): { [name: string]: unknown } & { id: string } {
    const body = withKey({ count, ttl: -1 }, this.#options.paths, this.#options.key);
    return { ...body, id: POINTER_ID };
  }

  async #stored(): Promise<{
    readonly count: number | undefined;
    readonly etag: string;
    readonly ru: number;
  }> {
    const answer = await this.#container.item(POINTER_ID, clientKey(this.#options.key)).read();
    const { count, _etag: etag } = (answer.resource ?? {}) as Readonly<Record<string, unknown>>;
    const ru = answer.requestCharge;
    if (answer.statusCode === 404) return { count: undefined, etag: "", ru };
    if (typeof count === "number" && Number.isSafeInteger(count) && count >= 1) {
      return { count, etag: String(etag), ru };
    }
    const place = `${POINTER_ID} of ${JSON.stringify(this.#options.key)}`;
    throw new Error(`the pointer of a linked list, ${place}, says no count; is it another's item?`);
  }

  async #recovered(): Promise<Counted> {
    let [count, ru] = [1, 0];
    for (let first = 1; ; first += GAP) {
      const window = Array.from({ length: GAP }, (_, index) => first + index);
      const found = await inParallel(window, GAP, (suffix) => this.#options.isEmpty(suffix));
      for (const each of found) ru += each.ru;
      const last = found.findLastIndex(({ isEmpty }) => !isEmpty);
      if (last === -1) return { count, ru };
      count = first + last;
    }
  }

  #seen(count: number): number {
    this.#count = Math.max(this.#count, count);
    return this.#count;
  }
}
