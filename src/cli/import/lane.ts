/**
 * What waits for one physical partition, and how much of it may be sent at once.
 *
 * A physical partition that throttles is asked for less: one request at a time, with as many
 * operations as it took before. When it takes everything again, both grow back step by step.
 */
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { type ImportOperation, requestBytesOf } from "./operation.ts";

/** Half of what a request may have: the answer to a refusal must not be to cut it in two. */
const BATCH_BYTES_MAX: number = SERVICE_LIMITS.requestBytesMax / 2;
const BATCH_COUNT_MAX: number = SERVICE_LIMITS.batchOperationsMax;
const BATCH_COUNT_MIN = 4;

export class Lane {
  readonly rangeId: string;
  #waiting: ImportOperation[] = [];
  #waitingBytes = 0;
  readonly #requestsMax: number;
  #requestCount = 0;
  #requestsNow: number;
  #countNow = BATCH_COUNT_MAX;
  /** Nothing is sent before. */
  pausedUntil = 0;

  constructor(rangeId: string, requestsMax: number) {
    this.rangeId = rangeId;
    this.#requestsMax = requestsMax;
    this.#requestsNow = requestsMax;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  add(operation: ImportOperation): void {
    this.#waiting.push(operation);
    this.#waitingBytes += requestBytesOf(operation);
  }

  /** Before all others: they have waited already. */
  addFirst(operations: readonly ImportOperation[]): void {
    this.#waiting = [...operations, ...this.#waiting];
    for (const operation of operations) this.#waitingBytes += requestBytesOf(operation);
  }

  /** Whether a request may be sent now; one that is not full only if somebody waits for it. */
  mayTake(now: number, isPressed: boolean): boolean {
    if (this.#waiting.length === 0 || now < this.pausedUntil) return false;
    if (this.#requestCount >= this.#requestsNow) return false;
    const isFull = this.#waiting.length >= this.#countNow || this.#waitingBytes >= BATCH_BYTES_MAX;
    return isFull || isPressed;
  }

  /** The operations of the next request: one at least, however large. */
  take(): readonly ImportOperation[] {
    let [count, bytes] = [0, 0];
    while (count < Math.min(this.#countNow, this.#waiting.length)) {
      const more = requestBytesOf(this.#waiting[count]!);
      if (count > 0 && bytes + more > BATCH_BYTES_MAX) break;
      bytes += more;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  takeAll(): readonly ImportOperation[] {
    const all = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return all;
  }

  /** A request is sent, and comes to its end, whatever that is. */
  begin(): void {
    this.#requestCount++;
  }

  release(): void {
    this.#requestCount--;
  }

  onTaken(): void {
    this.#requestsNow = Math.min(this.#requestsMax, this.#requestsNow + 1);
    this.#countNow = Math.min(BATCH_COUNT_MAX, this.#countNow * 2);
  }

  onThrottled(takenCount: number, until: number): void {
    this.#requestsNow = 1;
    this.#countNow = Math.max(BATCH_COUNT_MIN, Math.min(takenCount, BATCH_COUNT_MAX));
    this.pausedUntil = Math.max(this.pausedUntil, until);
  }
}
