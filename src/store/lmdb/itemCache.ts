/**
 * Items read lately, so that a hot one does not cost two walks down a tree.
 *
 * It caches the tables as they are between two absorptions, in which they never change; every
 * absorption empties it. That is all there is to keeping it right. Memory is bounded by bytes: when
 * the younger generation is full it becomes the older one, and what nobody asked for again is gone.
 */
import type { StoredItem } from "../partitionStore.ts";

export class ItemCache {
  readonly #generationBytesMax: number;
  #young = new Map<string, StoredItem>();
  #old = new Map<string, StoredItem>();
  #youngBytes = 0;

  constructor(bytesMax: number) {
    this.#generationBytesMax = bytesMax / 2;
  }

  get(key: string): StoredItem | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** Remembers a copy: what the engine hands out has a memory block of its own, which is dear. */
  put(key: string, item: StoredItem): StoredItem {
    const kept = { ...item, body: Buffer.from(item.body) };
    this.#add(key, kept);
    return kept;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
  }

  #add(key: string, item: StoredItem): void {
    this.#young.set(key, item);
    this.#youngBytes += item.body.length + key.length;
    if (this.#youngBytes < this.#generationBytesMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}
