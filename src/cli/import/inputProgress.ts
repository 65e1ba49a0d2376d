/**
 * How far one input was dealt with: everything up to `doneBytes` either went in or was reported.
 * Answers come in any order; `doneBytes` is the end of the longest beginning without a gap.
 *
 * Offsets are of the unzipped input, and records are begun in its order.
 */
interface Pending {
  readonly end: number;
  isSettled: boolean;
  /** Bytes of the input from the end of the record before it to its own; set when it begins. */
  span?: number;
}

export class InputProgress {
  readonly name: string;
  /** As `doneBytes` was when another run ended; what lies before it is passed over. */
  readonly skippedBytes: number;
  #doneBytes: number;
  #settledBytes: number;
  #pending: (Pending | undefined)[] = [];
  #head = 0;
  #begunBytes: number;

  constructor(name: string, skippedBytes: number) {
    this.name = name;
    this.skippedBytes = skippedBytes;
    this.#doneBytes = skippedBytes;
    this.#settledBytes = skippedBytes;
    this.#begunBytes = skippedBytes;
  }

  get doneBytes(): number {
    return this.#doneBytes;
  }

  /** How far the reader is ahead of what was dealt with. */
  get aheadBytes(): number {
    return this.#begunBytes - this.#doneBytes;
  }

  /** How much was dealt with, gaps left out: how far it is, and not where to go on. */
  get settledShare(): { readonly settledBytes: number; readonly begunBytes: number } {
    return { settledBytes: this.#settledBytes, begunBytes: this.#begunBytes };
  }

  begin(record: Pending): void {
    record.span = record.end - this.#begunBytes;
    this.#pending.push(record);
    this.#begunBytes = record.end;
  }

  settle(record: Pending): void {
    record.isSettled = true;
    this.#settledBytes += record.span ?? 0;
    for (;;) {
      const first = this.#pending[this.#head];
      if (first?.isSettled !== true) break;
      this.#doneBytes = first.end;
      // Its bytes hold the whole chunk that they are a slice of.
      this.#pending[this.#head++] = undefined;
    }
    // Empty places are let go in large pieces: taking them off one by one would be slow.
    if (this.#head < RELEASE_COUNT && this.#head < this.#pending.length) return;
    this.#pending = this.#pending.slice(this.#head);
    this.#head = 0;
  }
}

const RELEASE_COUNT = 4096;
