/**
 * The writes that wait for a physical partition, in order of arrival.
 *
 * A logical partition can be held: writes to it wait aside until it is released, while writes to
 * all others go on. Only the holder's own writes pass.
 */
import { assert } from "../../base/assert.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { Waiting } from "./waiting.ts";

/**
 * A batch of this size takes about as long as an fsync; a larger one only makes its first write
 * wait.
 */
const BATCH_COUNT_MAX = 128;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes that may wait to be written; further writes are told to come back. */
const INBOX_BYTES_MAX = 64 * 1024 * 1024;

export class Inbox {
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #held = new Map<Epk, Waiting[]>();

  /** Number of waiting writes that `takeBatch` may take now. */
  get count(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#bytes > INBOX_BYTES_MAX;
  }

  push(waiting: Waiting): void {
    this.#bytes += waiting.bytes;
    this.#place(waiting);
  }

  takeBatch(): readonly Waiting[] {
    let count = 0;
    let bytes = 0;
    let itemCount = 0;
    while (count < this.count && itemCount < BATCH_COUNT_MAX && bytes < BATCH_BYTES_MAX) {
      const next = this.#waiting[count++]!;
      bytes += next.bytes;
      itemCount += next.keys.length;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** Takes out all waiting writes, also those of held logical partitions. */
  takeAll(): readonly Waiting[] {
    const all = [...this.#waiting, ...[...this.#held.values()].flat()];
    this.#waiting = [];
    for (const epk of this.#held.keys()) this.#held.set(epk, []);
    this.#bytes = 0;
    return all;
  }

  /** What jobs have put there stays. */
  takeOfClients(): readonly Waiting[] {
    const all = this.takeAll();
    for (const waiting of all) if (waiting.isOfJob === true) this.push(waiting);
    return all.filter(({ isOfJob }) => isOfJob !== true);
  }

  hold(epk: Epk): void {
    assert(!this.#held.has(epk), "a logical partition is held once at a time");
    this.#held.set(epk, []);
    for (const waiting of this.#waiting.splice(0)) this.#place(waiting);
  }

  release(epk: Epk): void {
    const aside = this.#held.get(epk) ?? [];
    this.#held.delete(epk);
    this.#waiting.push(...aside);
  }

  #place(waiting: Waiting): void {
    const aside = waiting.isHolder === true ? undefined : this.#held.get(waiting.epk);
    (aside ?? this.#waiting).push(waiting);
  }
}
