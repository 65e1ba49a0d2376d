/**
 * A logical key that may outgrow its limit: when its logical partition is full (403/1014), writing
 * goes on under the next suffix, and reading runs across all of them.
 *
 * The suffixes of `device-7` are `device-7` itself, then `device-7~2`, `device-7~3` and so on; of a
 * hierarchical key the last component is spelled so. Every item bears the plain key in a property
 * (`listKey`), so that a query over the whole container can ask for it.
 *
 * How many suffixes there are is kept in one small item, the pointer, in a logical partition of its
 * own (`device-7~list`), because the first one may be full before anybody thinks of suffixes. The
 * pointer is moved *before* the first write under a new suffix, by its etag, so it never names
 * fewer suffixes than there are: whatever was written is found, by every process, after any crash,
 * and however many writers meet the 403 at the same time. If it is missing it is made from the
 * items.
 *
 * An id is unique within its suffix only: `create` does not look into the others. But a `create`
 * whose answer was lost and that is repeated is first looked for where it may be. `upsert` does
 * look where an item is, and keeps it there as long as it fits.
 */
import type { KeyComponent } from "../component.ts";
import { clientKey } from "../strategy.ts";
import type { ClientContainer, Item, QuerySpec } from "./container.ts";
import { ListPointer } from "./listPointer.ts";
import type { KeyTotals } from "./mergedQuery.ts";
import { keySource, MergedQuery } from "./mergedQuery.ts";
import { countOf, inParallel } from "./parallel.ts";
import type { Key } from "./partitionKey.ts";
import { componentsOf, idIn, parsedPaths, withKey } from "./partitionKey.ts";
import { clientRefusalOf, isFull } from "./refusal.ts";
import { isSameItem } from "./sameItem.ts";

export interface LinkedListOptions {
  /** Partition key paths of the container. */
  readonly paths: readonly string[];
  /** The logical key that may outgrow its limit; its last component is a text. */
  readonly key: Key;
  /** Where items bear the plain key; `listKey` unless told. */
  readonly property?: string;
  /** How many requests a read may have under way; 8 unless told. */
  readonly concurrency?: number;
}

export interface ListWrite {
  /** From 1. */
  readonly suffix: number;
  readonly key: readonly KeyComponent[];
  /** Of all that was done, refused attempts and moves of the pointer included. */
  readonly ru: number;
  readonly resource: unknown;
}

export interface ListRead {
  /** `undefined`: no suffix has it. */
  readonly resource: unknown;
  readonly suffix: number | undefined;
  readonly ru: number;
}

export interface ListQueryOptions<Row> {
  /** Rows of all suffixes are merged by this; the text has to have the same ORDER BY. */
  readonly compare?: (a: Row, b: Row) => number;
  /** The newest suffix first; otherwise the oldest. Only without `compare`. */
  readonly newestFirst?: boolean;
  readonly limit?: number;
  readonly pageSize?: number;
}

export interface ListRows<Row> {
  readonly rows: readonly Row[];
  readonly ru: number;
  readonly byKey: readonly KeyTotals[];
}

export interface LinkedList {
  /** Writes a new item under the current suffix, or under the next one if that is full. */
  create(item: Item): Promise<ListWrite>;
  /** Writes over the item with that id wherever it is; a new one, or one that grew, at the end. */
  upsert(item: Item): Promise<ListWrite>;
  read(id: string): Promise<ListRead>;
  /** Whether there was one. */
  remove(id: string): Promise<{ readonly isRemoved: boolean; readonly ru: number }>;
  /** The text is asked of every suffix by itself: an aggregate gives one row for each. */
  query<Row>(query: string | QuerySpec, options?: ListQueryOptions<Row>): Promise<ListRows<Row>>;
  /** Asks anew, so that other writers' suffixes count. */
  countSuffixes(): Promise<number>;
  /** The key of a suffix, from 1. */
  keyOf(suffix: number): readonly KeyComponent[];
}

export function linkedList(container: ClientContainer, options: LinkedListOptions): LinkedList {
  return new SuffixedList(container, options);
}

/** More than that in doubt at a time, and the oldest are not looked for any more. */
const DOUBTFUL_MAX = 1000;

class SuffixedList implements LinkedList {
  readonly #container: ClientContainer;
  readonly #paths: readonly (readonly string[])[];
  readonly #prefix: readonly KeyComponent[];
  readonly #base: string;
  readonly #property: string;
  readonly #concurrency: number;
  readonly #pointer: ListPointer;
  /** Ids whose last write nobody answered, with the suffix. */
  readonly #doubtful = new Map<string, number>();
  readonly #inUse = new Set<number>();
  readonly #asked = new Map<number, Promise<{ readonly isEmpty: boolean; readonly ru: number }>>();

  constructor(container: ClientContainer, options: LinkedListOptions) {
    const components = componentsOf(options.key);
    this.#container = container;
    this.#paths = parsedPaths(options.paths);
    if (components.length !== this.#paths.length) {
      throw new TypeError(
        `key: has ${components.length} components, and there are ${this.#paths.length} paths`,
      );
    }
    this.#prefix = components.slice(0, -1);
    this.#base = baseOf(components.at(-1));
    this.#property = options.property ?? "listKey";
    this.#concurrency = countOf("concurrency", options.concurrency, 8);
    this.#pointer = new ListPointer(container, {
      paths: this.#paths,
      key: [...this.#prefix, `${this.#base}~list`],
      isEmpty: (suffix) => this.#isEmpty(suffix),
    });
  }

  keyOf(suffix: number): readonly KeyComponent[] {
    return [...this.#prefix, suffix === 1 ? this.#base : `${this.#base}~${suffix}`];
  }

  countSuffixes(): Promise<number> {
    return this.#pointer.read().then(({ count }) => count);
  }

  async create(item: Item): Promise<ListWrite> {
    const id = idOf(item);
    const done = await this.#doneBefore(id, item);
    if (done?.write !== undefined) return done.write;
    return this.#append(item, "create", done?.ru);
  }

  async upsert(item: Item): Promise<ListWrite> {
    const id = idOf(item);
    const found = await this.#find(id);
    if (found.suffix === undefined) return this.#append(item, "upsert", found.ru);
    try {
      return await this.#write(item, "upsert", found.suffix, found.ru);
    } catch (error) {
      const refusal = clientRefusalOf(error);
      if (!isFull(refusal)) throw error;
      // It grew and has to move. First there, then gone here: at no time is it nowhere.
      const moved = await this.#append(item, "upsert", found.ru + refusal.charge, found.suffix);
      const removed = await this.#removeAt(id, found.suffix);
      return { ...moved, ru: moved.ru + removed.ru };
    }
  }

  async read(id: string): Promise<ListRead> {
    return this.#find(id);
  }

  async remove(id: string): Promise<{ readonly isRemoved: boolean; readonly ru: number }> {
    const { count, ru } = await this.#pointer.read();
    const removals = await inParallel(suffixes(count), this.#concurrency, (suffix) =>
      this.#removeAt(id, suffix),
    );
    return {
      isRemoved: removals.some(({ isRemoved }) => isRemoved),
      ru: removals.reduce((sum, removal) => sum + removal.ru, ru),
    };
  }

  async query<Row>(
    query: string | QuerySpec,
    options: ListQueryOptions<Row> = {},
  ): Promise<ListRows<Row>> {
    const { count, ru } = await this.#pointer.read();
    const keys = suffixes(count).map((suffix) => this.keyOf(suffix));
    if (options.newestFirst === true) keys.reverse();
    const limit = options.limit === undefined ? undefined : countOf("limit", options.limit, 1);
    const pageSize = countOf("pageSize", options.pageSize, 100);
    const asked = { container: this.#container, query, pageSize, limit };
    const sources = keys.map((key) => keySource<Row>(key, asked));
    const merged = new MergedQuery<Row>({
      groups: options.compare === undefined ? sources.map((source) => [source]) : [sources],
      compare: options.compare,
      limit,
      concurrency: this.#concurrency,
    });
    const rows: Row[] = [];
    for await (const row of merged.rows()) rows.push(row);
    const byKey = merged.totals;
    return { rows, byKey, ru: byKey.reduce((sum, totals) => sum + totals.ru, ru) };
  }

  /** Tries the current suffix, then the next; `beyond` is one that is known to have no room. */
  async #append(item: Item, kind: "create" | "upsert", paid = 0, beyond = 0): Promise<ListWrite> {
    let { count: suffix, ru } = await this.#pointer.known();
    ru += paid;
    if (suffix <= beyond) {
      const moved = await this.#pointer.moveOn(beyond);
      suffix = moved.count;
      ru += moved.ru;
    }
    for (;;) {
      try {
        return await this.#write(item, kind, suffix, ru);
      } catch (error) {
        const refusal = clientRefusalOf(error);
        if (!isFull(refusal)) throw error;
        const room = await this.#isInUse(suffix);
        if (!room.isInUse) {
          throw new Error(
            `the item ${JSON.stringify(idIn(item))} is larger than a logical partition may be`,
            { cause: error },
          );
        }
        const moved = await this.#pointer.moveOn(suffix);
        suffix = moved.count;
        ru += refusal.charge + room.ru + moved.ru;
      }
    }
  }

  async #write(
    item: Item,
    kind: "create" | "upsert",
    suffix: number,
    paid: number,
  ): Promise<ListWrite> {
    const key = this.keyOf(suffix);
    const body = withKey({ ...item, [this.#property]: this.#base }, this.#paths, key);
    try {
      const { resource, requestCharge } = await this.#container.items[kind](body);
      return { suffix, key, ru: paid + requestCharge, resource };
    } catch (error) {
      if (clientRefusalOf(error).isUnknown) this.#doubt(idOf(item), suffix);
      throw error;
    }
  }

  #doubt(id: string, suffix: number): void {
    const [oldest] = this.#doubtful.keys();
    if (this.#doubtful.size >= DOUBTFUL_MAX && oldest !== undefined) this.#doubtful.delete(oldest);
    this.#doubtful.set(id, suffix);
  }

  /** A repeated create, by now under another suffix, must not make a second item. */
  async #doneBefore(
    id: string,
    item: Item,
  ): Promise<{ readonly write: ListWrite | undefined; readonly ru: number } | undefined> {
    const suffix = this.#doubtful.get(id);
    if (suffix === undefined) return undefined;
    const key = this.keyOf(suffix);
    const { resource, requestCharge: ru } = await this.#container.item(id, clientKey(key)).read();
    this.#doubtful.delete(id);
    const body = withKey({ ...item, [this.#property]: this.#base }, this.#paths, key);
    return { write: isSameItem(resource, body) ? { suffix, key, ru, resource } : undefined, ru };
  }

  /** In the newest suffix that has it: an item that moves is for a moment in two. */
  async #find(id: string): Promise<ListRead> {
    const { count, ru } = await this.#pointer.read();
    const answers = await inParallel(suffixes(count), this.#concurrency, (suffix) =>
      this.#container.item(id, clientKey(this.keyOf(suffix))).read(),
    );
    const last = answers.findLastIndex(({ statusCode }) => statusCode === 200);
    return {
      resource: answers[last]?.resource,
      suffix: last === -1 ? undefined : last + 1,
      ru: answers.reduce((sum, { requestCharge }) => sum + requestCharge, ru),
    };
  }

  async #removeAt(
    id: string,
    suffix: number,
  ): Promise<{ readonly isRemoved: boolean; readonly ru: number }> {
    try {
      const answer = await this.#container.item(id, clientKey(this.keyOf(suffix))).delete();
      return { isRemoved: true, ru: answer.requestCharge };
    } catch (error) {
      const { status, charge } = clientRefusalOf(error);
      if (status === 404) return { isRemoved: false, ru: charge };
      throw error;
    }
  }

  /** Full is one thing, too small for this item another. Asked once, however many meet the 403. */
  async #isInUse(suffix: number): Promise<{ readonly isInUse: boolean; readonly ru: number }> {
    if (this.#inUse.has(suffix)) return { isInUse: true, ru: 0 };
    const asked = this.#asked.get(suffix);
    if (asked !== undefined) return { isInUse: !(await asked).isEmpty, ru: 0 };
    const asking = this.#isEmpty(suffix).finally(() => this.#asked.delete(suffix));
    this.#asked.set(suffix, asking);
    const { isEmpty, ru } = await asking;
    if (!isEmpty) this.#inUse.add(suffix);
    return { isInUse: !isEmpty, ru };
  }

  async #isEmpty(suffix: number): Promise<{ readonly isEmpty: boolean; readonly ru: number }> {
    const pages = this.#container.items.query<string>("SELECT TOP 1 VALUE c.id FROM c", {
      partitionKey: clientKey(this.keyOf(suffix)),
      maxItemCount: 1,
    });
    let ru = 0;
    while (pages.hasMoreResults()) {
      const { resources = [], requestCharge } = await pages.fetchNext();
      ru += requestCharge;
      if (resources.length > 0) return { isEmpty: false, ru };
    }
    return { isEmpty: true, ru };
  }
}

function idOf(item: Item): string {
  const id = idIn(item);
  if (typeof id === "string" && id !== "") return id;
  throw new TypeError("the item has no id; a repeated attempt would write it twice");
}

function baseOf(component: KeyComponent): string {
  if (typeof component !== "string" || component === "") {
    throw new TypeError("key: the (last) component has to be a text, because it gets a suffix");
  }
  if (/~(\d+|list)$/.test(component)) {
    throw new TypeError(
      `key: ${JSON.stringify(component)} ends like a suffix, so it could be mistaken for one`,
    );
  }
  return component;
}

function suffixes(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
