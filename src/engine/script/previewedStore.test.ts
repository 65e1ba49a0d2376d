/** A store with writes laid over it reads like the store after these writes. */
import { describe, expect, test, vi } from "vitest";
import { lsn } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { decodeNumber } from "../../store/bytes.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import type { ItemWrite, StoredItem, TermScan } from "../../store/partitionStore.ts";
import type { QueryableStore } from "../query/querySource.ts";
import { Preview } from "./preview.ts";
import { previewedStore } from "./previewedStore.ts";

const PART = 1;
const TERMS = ["a", "ab", "b", "c\0", "c"];
const LIMITS = { bytesMax: Number.POSITIVE_INFINITY };
const EVERYTHING = { min: "", max: "\xff" };

describe("a previewed store", () => {
  test.each([1, 2, 3, 4, 5, 6])("reads what the commit will leave, seed %d", async (seed) => {
    const random = seededRandom(seed);
    const store = await openedStore();
    const items = new Items(random);
    await commit(store, items.write(20));
    const writes = items.write(30);
    const preview = new Preview();
    for (const [index, write] of writes.entries()) {
      preview.add(write);
      if (index % 7 === 0) preview.settle();
    }
    const before = await allOf(previewedStore(store, preview), seed);
    await commit(store, writes);
    expect(before).toEqual(await allOf(store, seed));
  });

  test("takes as long to tell one entry of many as of few", async () => {
    const store = await openedStore();
    const preview = new Preview();
    for (let number = 1; number <= 5_000; number++) preview.add(putOf(number, TERMS));
    preview.settle();
    const entries = vi.spyOn(preview.terms, "entries");
    const previewed = previewedStore(store, preview);
    const after = { term: "b", number: 2_500 };
    const page = await previewed.scanTerms(PART, {
      ...LIMITS,
      range: EVERYTHING,
      after,
      countMax: 1,
      withItems: false,
    });
    expect(page.entries).toEqual([{ term: "b", number: 2_501 }]);
    const told = entries.mock.results[0]!.value as Iterator<{ readonly key: string }>;
    const next = told.next();
    // It was read as far as was needed to know that there are more.
    expect(decodeNumber(next.value!.key, 1)).toBeLessThan(2_510);
  });
});

async function openedStore(): Promise<EmbeddedStore> {
  const store = EmbeddedStore.inMemory(realTimer);
  await store.claim(PART, 1);
  return store;
}

async function commit(store: EmbeddedStore, writes: readonly ItemWrite[]): Promise<void> {
  await store.commit(
    PART,
    1,
    writes.map((write) => [write]),
  );
}

/** Everything, page by page, up and down. */
async function allOf(store: QueryableStore, countMax: number): Promise<unknown> {
  const seen: unknown[] = [];
  let afterNumber = 0;
  for (let isLast = false; !isLast; ) {
    const page = await store.scanItems(PART, afterNumber, { ...LIMITS, countMax });
    seen.push(...page.items.map(plain));
    expect(page.items.length).toBe(page.isLast ? page.items.length : countMax);
    afterNumber = page.items.at(-1)?.number ?? afterNumber;
    isLast = page.isLast;
  }
  for (const isReverse of [false, true]) {
    for (const range of [EVERYTHING, { min: "ab", max: "c" }]) {
      let after: TermScan["after"];
      for (let isLast = false; !isLast; ) {
        const scan = { ...LIMITS, range, after, isReverse, countMax, withItems: false };
        const page = await store.scanTerms(PART, scan);
        seen.push(...page.entries.map(({ term, number }) => [term, number]));
        after = page.entries.at(-1);
        isLast = page.isLast;
      }
    }
  }
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  seen.push((await store.itemsByNumber(PART, numbers)).map(plain));
  for (const key of KEYS) seen.push(plain(await store.get(PART, key)));
  return seen;
}

function plain(item: StoredItem | undefined): unknown {
  return item && [item.key, item.number, item.tag, item.body.toString()];
}

const KEYS = Array.from({ length: 12 }, (_, index) => `key ${index}`);

/** Random writes, each on what those before it left. */
class Items {
  readonly #random: Random;
  readonly #current = new Map<string, { readonly number: number; readonly terms: string[] }>();
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  write(count: number): readonly ItemWrite[] {
    return Array.from({ length: count }, () => this.#one());
  }

  #one(): ItemWrite {
    const key = KEYS[this.#pick(KEYS.length)]!;
    const found = this.#current.get(key);
    const before = found && { lsn: lsn(1), bodyBytes: 2 };
    if (found !== undefined && this.#pick(3) === 0) {
      this.#current.delete(key);
      const { number, terms } = found;
      return { kind: "delete", key, number, tag: 0, before: before!, termsRemoved: terms };
    }
    const number = found?.number ?? ++this.#count;
    const terms = TERMS.filter(() => this.#pick(2) === 0);
    this.#current.set(key, { number, terms });
    const termsAdded = terms.filter((term) => found?.terms.includes(term) !== true);
    const termsRemoved = (found?.terms ?? []).filter((term) => !terms.includes(term));
    return { ...putOf(number, termsAdded), key, before, termsRemoved };
  }

  #pick(below: number): number {
    return Math.floor(this.#random.next() * below);
  }
}

function putOf(number: number, termsAdded: readonly string[]): ItemWrite & { kind: "put" } {
  const body = Buffer.from("{}");
  const key = `key of ${number}`;
  return {
    kind: "put",
    key,
    number,
    tag: 0,
    body,
    before: undefined,
    termsAdded,
    termsRemoved: [],
  };
}
