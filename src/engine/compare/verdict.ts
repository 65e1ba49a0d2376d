/**
 * Judges one original beside its copy, byte for byte.
 *
 * What has expired is not there, on either side. An original that has expired but is still stored
 * says nothing about its copy: the copy goes when the original is swept and the log says so. A copy
 * may end before its original where the target has a shorter time to live; a copy that would have
 * expired by now is not missing.
 */
import type { PartitionKey } from "../../model/partitionKey.ts";
import { itemRid } from "../../model/rid.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import type { ItemStamp } from "../item/itemBody.ts";
import { etagOf, objectOf, stampedBody, tsOf } from "../item/itemBody.ts";
import { idOfKey, itemKeyOf } from "../item/itemKey.ts";
import { isExpired } from "../item/ttl.ts";
import type { Imprint, Imprinter } from "./bucketSums.ts";
import type { ComparedPair, ExpectedCopy } from "./comparedPair.ts";

/** An original and what the target has under the number of its copy. */
export interface ComparedRow {
  /** The number of the original. */
  readonly number: number;
  readonly original: StoredItem | undefined;
  /** More than one while a copy moves to another key. */
  readonly copies: readonly StoredItem[];
}

export type DifferenceKind = "missing" | "extra" | "differs";

export interface Deviation {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly key: PartitionKey;
  readonly expected: Imprint | undefined;
  readonly found: readonly Imprint[];
}

export type RowVerdict =
  /** There should be no copy, and there is none. */
  { readonly kind: "nothing" } | { readonly kind: "equal"; readonly imprint: Imprint } | Deviation;

const NOTHING: RowVerdict = { kind: "nothing" };
const RID_MEMBER = ',"_rid":"';

export class Judge {
  readonly #pair: ComparedPair;
  readonly #imprinter: Imprinter;

  constructor(pair: ComparedPair, imprinter: Imprinter) {
    this.#pair = pair;
    this.#imprinter = imprinter;
  }

  /** `wallNow` is in milliseconds since 1970. */
  judge({ number, original, copies }: ComparedRow, wallNow: number): RowVerdict {
    const { source, target } = this.#pair;
    const isGone = (item: StoredItem): boolean =>
      isExpired(item, target.definition.defaultTtl, wallNow);
    const live = copies.filter((item) => !isGone(item));
    if (original !== undefined && isExpired(original, source.definition.defaultTtl, wallNow)) {
      return NOTHING;
    }
    const hasCopy = original !== undefined && !this.#pair.isExempt(number);
    const expected = hasCopy ? this.#pair.copyOf(original) : undefined;
    if (expected === undefined) return live.length === 0 ? NOTHING : this.#extra(live, undefined);
    const imprint = this.#expectedImprint(expected);
    const [first, ...others] = live;
    if (first === undefined) {
      const late = { ...original!, tag: ownTtlOf(expected), body: this.#bodyOf(number, expected) };
      if (isGone(late)) return NOTHING;
      return { kind: "missing", ...expected, expected: imprint, found: [] };
    }
    const match = live.find((copy) => this.#isCopy(number, expected, copy));
    if (match === undefined) {
      const found = live.map((copy) => this.#imprintOf(copy));
      return { kind: "differs", ...expected, expected: imprint, found };
    }
    if (others.length === 0) return { kind: "equal", imprint };
    const strays = live.filter((copy) => copy !== match);
    return this.#extra(strays, imprint);
  }

  #extra(strays: readonly StoredItem[], expected: Imprint | undefined): Deviation {
    const [stray] = strays;
    const found = strays.map((item) => this.#imprintOf(item));
    return {
      kind: "extra",
      id: idOfKey(stray!.key),
      key: this.#keyIn(stray!),
      expected,
      found: expected === undefined ? found : [expected, ...found],
    };
  }

  /** The partition key in an item of the target; empty if the item is too broken to tell. */
  #keyIn({ body }: StoredItem): PartitionKey {
    try {
      const key = this.#pair.target.readKey(objectOf(body));
      return key.ok ? key.value : [];
    } catch {
      return [];
    }
  }

  #isCopy(number: number, expected: ExpectedCopy, copy: StoredItem): boolean {
    if (copy.key !== itemKeyOf(expected.epk, expected.id)) return false;
    const own = this.#pair.keepsStamps
      ? expected
      : { ...expected, etag: etagOf(copy.body), ts: tsOf(copy.body) };
    return copy.body.equals(this.#bodyOf(number, own));
  }

  /** The stored bytes of a copy. */
  #bodyOf(number: number, { text, etag, ts }: ExpectedCopy): Buffer {
    const { target, numberShift } = this.#pair;
    const rid = itemRid(target.childRids, number + numberShift);
    const self = `${target.itemSelfPrefix}${rid}/`;
    const stamp: ItemStamp = { rid, self, etag: withoutQuotes(etag), ts };
    return stampedBody(text, stamp);
  }

  #expectedImprint({ epk, id, text, etag, ts }: ExpectedCopy): Imprint {
    const content = text.subarray(0, text.length - 1);
    return this.#imprint(itemKeyOf(epk, id), content, etag, ts);
  }

  #imprintOf({ key, body }: StoredItem): Imprint {
    // The system properties are the last members, so the last `_rid` is that of the item.
    const end = body.lastIndexOf(RID_MEMBER);
    const content = end < 0 ? body : body.subarray(0, end);
    return this.#imprint(key, content, etagOf(body), tsOf(body));
  }

  #imprint(itemKey: string, content: Buffer, etag: string, ts: number): Imprint {
    const stamps = this.#pair.keepsStamps ? `${withoutQuotes(etag)} ${ts}` : "";
    return this.#imprinter.imprintOf({ itemKey, content, stamps });
  }
}

function withoutQuotes(etag: string): string {
  return etag.startsWith('"') ? etag.slice(1, -1) : etag;
}

/** The tag that a copy has beside its body: its own ttl, 0 when it has none. */
function ownTtlOf({ text }: ExpectedCopy): number {
  const { ttl } = objectOf(text);
  return typeof ttl === "number" ? ttl : 0;
}
