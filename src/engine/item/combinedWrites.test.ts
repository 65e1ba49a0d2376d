/**
 * What several writes of one transaction come to as one group. First rules; then random writes,
 * whose group must leave a store as those writes would have, one after the other.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { ItemDelete, ItemPut, ItemWrite, Superseded } from "../../store/partitionStore.ts";
import { ModelStore } from "../../store/promises/modelStore.ts";
import { combinedWrites } from "./combinedWrites.ts";

const STORED: Superseded = { lsn: lsn(7), bodyBytes: 100 };
const OURS: Superseded = { lsn: lsn(9), bodyBytes: 1 };

describe("two writes of one item", () => {
  test("made and changed: it is made as it was left", () => {
    const made = put(1, { body: "a", termsAdded: ["p", "q"] });
    const changed = put(1, { body: "b", before: OURS, termsAdded: ["r"], termsRemoved: ["q"] });
    expect(combinedWrites([made, changed])).toEqual([
      put(1, { body: "b", termsAdded: ["p", "r"], termsRemoved: ["q"] }),
    ]);
  });

  test("changed twice: it takes the place of what was stored", () => {
    const first = put(1, { body: "a", before: STORED, termsAdded: ["q"], termsRemoved: ["p"] });
    const second = put(1, { body: "b", before: OURS, termsAdded: ["p"], termsRemoved: ["q"] });
    expect(combinedWrites([first, second])).toEqual([
      put(1, { body: "b", before: STORED, termsAdded: ["p"], termsRemoved: ["p", "q"] }),
    ]);
  });

  test("changed and deleted: what was stored ends, with every term it may have", () => {
    const changed = put(1, { before: STORED, termsAdded: ["q"], termsRemoved: ["p"] });
    const deleted = end(1, { before: OURS, termsRemoved: ["q", "r"] });
    expect(combinedWrites([changed, deleted])).toEqual([
      end(1, { before: STORED, termsRemoved: ["p", "q", "r"] }),
    ]);
  });

  test("made and deleted: there is nothing to write", () => {
    expect(combinedWrites([put(1), end(1, { before: OURS })])).toEqual([]);
  });

  test("deleted and made again: both, in that order, for they are two items", () => {
    const writes = [end(1, { before: STORED }), put(2)];
    expect(combinedWrites(writes)).toEqual(writes);
  });

  test("made, deleted and made again behind others: the last one is where it was made", () => {
    const group = combinedWrites([put(1), put(2), end(1, { before: OURS }), put(3)]);
    expect(group.map(({ number }) => number)).toEqual([2, 3]);
  });
});

test("a group leaves a store as its writes would have, one after the other", () => {
  const anyVerb = fc.tuple(fc.nat(2), fc.boolean(), fc.subarray(["p", "q", "r", "s"]));
  fc.assert(
    fc.property(fc.array(anyVerb, { maxLength: 5 }), fc.array(anyVerb), (before, verbs) => {
      const [apart, together] = [new ModelStore(), new ModelStore()];
      let number = 0;
      const nextNumber = (): number => ++number;
      for (const store of [apart, together]) store.claim(1);
      for (const verb of before) {
        const made = writesOf(apart, verb, nextNumber);
        for (const store of [apart, together]) store.commit(1, [made]);
      }
      const writes: ItemWrite[] = [];
      for (const verb of verbs) {
        const made = writesOf(apart, verb, nextNumber);
        apart.commit(1, [made]);
        writes.push(...made);
      }
      const group = combinedWrites(writes);
      expect(new Set(group.map((one) => one.number)).size).toBe(group.length);
      together.commit(1, [group]);
      expect(stateOf(together)).toEqual(stateOf(apart));
    }),
  );
});

/** A put where nothing is, another version or an end where something is. */
function writesOf(
  store: ModelStore,
  [key, isEnd, terms]: readonly [key: number, isEnd: boolean, terms: readonly string[]],
  nextNumber: () => number,
): ItemWrite[] {
  const found = store.get(1, `key${key}`);
  const body = terms.join("");
  if (found === undefined) {
    return isEnd ? [] : [put(nextNumber(), { key: `key${key}`, body, termsAdded: terms })];
  }
  const { number } = found;
  const before = { lsn: found.lsn, bodyBytes: found.body.length };
  const held = store.termsOf(1, number);
  if (isEnd) return [end(number, { key: found.key, before, termsRemoved: held })];
  const termsAdded = terms.filter((term) => !held.includes(term));
  const termsRemoved = held.filter((term) => !terms.includes(term));
  return [put(number, { key: found.key, body, before, termsAdded, termsRemoved })];
}

/** All but LSNs: one group has one. */
function stateOf(store: ModelStore): unknown {
  const { itemCount, itemBytes } = store.head(1);
  const items = store.items(1).map(({ key, number, body }) => ({
    key,
    number,
    body: body.toString(),
    terms: store.termsOf(1, number).sort(),
  }));
  return { itemCount, itemBytes, items };
}

function put(
  number: number,
  members: Partial<Omit<ItemPut, "body">> & { body?: string } = {},
): ItemPut {
  const { body = "x", ...others } = members;
  return {
    kind: "put",
    key: `key${number}`,
    number,
    tag: 0,
    before: undefined,
    termsAdded: [],
    termsRemoved: [],
    ...others,
    body: Buffer.from(body),
  };
}

function end(
  number: number,
  members: Partial<ItemDelete> & Pick<ItemDelete, "before">,
): ItemDelete {
  return { kind: "delete", key: `key${number}`, number, tag: 0, termsRemoved: [], ...members };
}
