/**
 * What a bulk writer has read and not yet written, by logical key.
 *
 * Of one id under one key at most one write is under way, and the next waits for it, so the last
 * one in the source is the last one written. A key whose partition has no budget left rests, and
 * the others go on; when it comes back it sends about as many as last went through, and then twice
 * as many each time. Ready keys take turns.
 */
import type { KeyComponent } from "../component.ts";
import type { ClientBulkOperation, Item } from "./container.ts";

export interface Pending {
  /** As it was in the source. */
  readonly item: Item;
  readonly id: string;
  readonly body: ClientBulkOperation["resourceBody"];
  readonly bytes: number;
  readonly queue: KeyQueue;
  /** An earlier attempt may have written it. */
  isUnknown: boolean;
  /** A request with others was refused as a whole, perhaps because of this one. */
  isAlone: boolean;
}

export interface KeyQueue {
  readonly name: string;
  readonly key: readonly KeyComponent[];
  readonly waiting: Pending[];
  /** Ids under way. */
  readonly underWay: Set<string>;
  restCount: number;
  /** How many may be under way. */
  window: number;
  /** Requests in a row of which nothing of this key was written. */
  stuckCount: number;
}

export const OPERATIONS_MAX = 100;
/** The client cuts a request beyond 220,201 bytes in two; the frame of each operation counts. */
const BYTES_MAX = 200_000;

export class BulkQueues {
  readonly #queues = new Map<string, KeyQueue>();
  #count = 0;
  #waitingCount = 0;
  #bytes = 0;

  /** Read, and neither written nor given up. */
  get count(): number {
    return this.#count;
  }

  /** Of those, not under way. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  get bytes(): number {
    return this.#bytes;
  }

  queueOf(name: string, key: readonly KeyComponent[]): KeyQueue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = {
        name,
        key,
        waiting: [],
        underWay: new Set(),
        restCount: 0,
        window: Number.POSITIVE_INFINITY,
        stuckCount: 0,
      };
      this.#queues.set(name, queue);
    }
    return queue;
  }

  add(pending: Pending): void {
    pending.queue.waiting.push(pending);
    this.#count++;
    this.#waitingCount++;
    this.#bytes += pending.bytes;
  }

  /** Not written after all: back to the front. */
  putBack(pendings: readonly Pending[]): void {
    this.#waitingCount += pendings.length;
    for (const pending of pendings.toReversed()) {
      pending.queue.underWay.delete(pending.id);
      pending.queue.waiting.unshift(pending);
    }
  }

  /** Written, or given up. */
  close(pending: Pending): void {
    const { queue } = pending;
    queue.underWay.delete(pending.id);
    this.#count--;
    this.#bytes -= pending.bytes;
    this.#forgetIfIdle(queue);
  }

  rest(queue: KeyQueue): void {
    queue.restCount++;
  }

  wake(queue: KeyQueue): void {
    queue.restCount--;
    this.#forgetIfIdle(queue);
  }

  /** Drops what is not under way. */
  clear(): void {
    for (const queue of this.#queues.values()) {
      for (const pending of queue.waiting.splice(0)) {
        this.#count--;
        this.#bytes -= pending.bytes;
      }
      this.#forgetIfIdle(queue);
    }
    this.#waitingCount = 0;
  }

  /** The next request: as many as it may hold, or as there are. Keys that gave some go last. */
  take(): Pending[] {
    const taken: Pending[] = [];
    let bytes = 0;
    let left = this.#queues.size;
    for (const queue of this.#queues.values()) {
      if (left-- === 0) break; // From here on they had their turn.
      if (queue.restCount > 0 || queue.waiting.length === 0) continue;
      const before = taken.length;
      while (taken.length < OPERATIONS_MAX && queue.underWay.size < queue.window) {
        const next = queue.waiting[0];
        if (next === undefined || queue.underWay.has(next.id)) break;
        const fits = bytes + next.bytes <= BYTES_MAX && !next.isAlone && taken[0]?.isAlone !== true;
        if (taken.length > 0 && !fits) break;
        queue.waiting.shift();
        queue.underWay.add(next.id);
        taken.push(next);
        bytes += next.bytes;
      }
      if (taken.length > before) this.#moveLast(queue);
      if (taken.length >= OPERATIONS_MAX) break;
    }
    this.#waitingCount -= taken.length;
    return taken;
  }

  #moveLast(queue: KeyQueue): void {
    this.#queues.delete(queue.name);
    this.#queues.set(queue.name, queue);
  }

  #forgetIfIdle(queue: KeyQueue): void {
    const isIdle = queue.waiting.length === 0 && queue.underWay.size === 0 && queue.restCount === 0;
    if (isIdle) this.#queues.delete(queue.name);
  }
}
