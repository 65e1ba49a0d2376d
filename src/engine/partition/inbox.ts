/**
 * What waits to be written to a physical partition, in order of arrival.
 *
 * A logical partition can be held: whatever is about it waits aside until it is released, and all
 * others go on. Only what belongs to the holder passes.
 */
import { assert } from "../../base/assert.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { Waiting } from "./waiting.ts";

/** A batch this large costs about what an fsync does; longer ones only make the first wait. */
const BATCH_COUNT_MAX = 128;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** What may wait to be written. More than this is told to come back. */
const INBOX_BYTES_MAX = 64 * 1024 * 1024;

export class Inbox {
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #held = new Map<Epk, Waiting[]>();

  /** How many could be taken now. */
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

  /** All there are, those aside among them. */
  takeAll(): readonly Waiting[] {
    const all = [...this.#waiting, ...[...this.#held.values()].flat()];
    this.#waiting = [];
    for (const epk of this.#held.keys()) this.#held.set(epk, []);
    this.#bytes = 0;
    return all;
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
