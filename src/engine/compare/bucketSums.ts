/**
 * Counts, bytes and content sums by key range of the target.
 *
 * An item leaves an *imprint*: the bucket of its new key, its bytes, and a hash of 128 bits over
 * new key, id, text and, where copies keep them, etag and time stamp. A sum is the sum of hashes
 * modulo 2^128. It does not depend on the order of items, one item can be taken out of it again,
 * and, unlike with XOR, two equal items do not cancel each other out.
 *
 * Nobody concludes from sums that items are equal: the comparison looks at their bytes. Sums say
 * what was compared, and let two runs be compared with each other.
 */
import { createHash } from "node:crypto";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { ownerOf } from "../../partition/epkRange.ts";
import { initialRanges } from "../../partition/initialRanges.ts";
import { epkOfKey } from "../item/itemKey.ts";

/** How many key ranges of equal width there are sums for. */
const BUCKET_COUNT = 1024;
export const HASH_WORDS = 4;

export interface Imprint {
  readonly bucket: number;
  readonly bytes: number;
  /** The hash, least significant word first. */
  readonly words: readonly number[];
}

interface ImprintedItem {
  /** The item key in the target: EPK and id. */
  readonly itemKey: string;
  /** The text without its last brace. */
  readonly content: Buffer;
  /** Etag and time stamp, or nothing where copies have their own. */
  readonly stamps: string;
}

export interface RangeSum {
  readonly itemCount: number;
  readonly itemBytes: number;
  /** 32 hexadecimal digits. */
  readonly sum: string;
}

/** Makes imprints; the seed keeps sums of different containers apart. */
export class Imprinter {
  readonly ranges: readonly EpkRange[];
  readonly #seed: string;

  constructor(definition: PartitionKeyDefinition, seed: string) {
    this.ranges = initialRanges(definition, BUCKET_COUNT);
    this.#seed = seed;
  }

  imprintOf({ itemKey, content, stamps }: ImprintedItem): Imprint {
    // Lengths come first, so that no two items give the same bytes.
    const head = `${this.#seed} ${itemKey.length} ${stamps.length} ${itemKey}${stamps}`;
    const digest = createHash("sha256").update(head, "latin1").update(content).digest();
    const words = Array.from({ length: HASH_WORDS }, (_, at) => digest.readUInt32LE(at * 4));
    const bucket = ownerOf(this.ranges, epkOfKey(itemKey));
    return { bucket, bytes: content.length + 1, words };
  }
}

export class BucketSums {
  readonly #counts = new Float64Array(BUCKET_COUNT);
  readonly #bytes = new Float64Array(BUCKET_COUNT);
  readonly #words = new Uint32Array(BUCKET_COUNT * HASH_WORDS);

  add({ bucket, bytes, words }: Imprint): void {
    this.#counts[bucket]! += 1;
    this.#bytes[bucket]! += bytes;
    addTo(this.#words, bucket * HASH_WORDS, words, 0);
  }

  remove({ bucket, bytes, words }: Imprint): void {
    this.#counts[bucket]! -= 1;
    this.#bytes[bucket]! -= bytes;
    // The complement of all bits plus one is the number that takes another one away.
    const complement = words.map((word) => ~word >>> 0);
    addTo(this.#words, bucket * HASH_WORDS, complement, 1);
  }

  of(bucket: number): RangeSum {
    const start = bucket * HASH_WORDS;
    return {
      itemCount: this.#counts[bucket]!,
      itemBytes: this.#bytes[bucket]!,
      sum: digitsOf(this.#words.subarray(start, start + HASH_WORDS)),
    };
  }

  get total(): RangeSum {
    const words = new Uint32Array(HASH_WORDS);
    let itemCount = 0;
    let itemBytes = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      const start = bucket * HASH_WORDS;
      itemCount += this.#counts[bucket]!;
      itemBytes += this.#bytes[bucket]!;
      addTo(words, 0, this.#words.subarray(start, start + HASH_WORDS), 0);
    }
    return { itemCount, itemBytes, sum: digitsOf(words) };
  }
}

function addTo(
  sums: Uint32Array,
  start: number,
  words: readonly number[] | Uint32Array,
  addend: number,
): void {
  let carry = addend;
  for (let at = 0; at < HASH_WORDS; at++) {
    const sum = sums[start + at]! + words[at]! + carry;
    sums[start + at] = sum;
    carry = sum >= 2 ** 32 ? 1 : 0;
  }
}

function digitsOf(words: Uint32Array): string {
  const digits = [...words].map((word) => word.toString(16).padStart(8, "0"));
  return digits.reverse().join("");
}
