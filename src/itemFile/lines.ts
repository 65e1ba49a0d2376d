/**
 * Lines of bytes: chunks may be cut anywhere. A line ends with a line feed, with or without a
 * carriage return before it; the last one may have neither. A mark of byte order at the beginning
 * of the input is passed over.
 *
 * A line inside a chunk is a slice of it. One that goes over chunks is put together, and one that
 * is too long is counted and not kept.
 */
import { Buffer } from "node:buffer";
import { RECORD_BYTES_MAX } from "./record.ts";

export interface Line {
  /** Without its end; undefined when it is too long. */
  readonly bytes: Buffer | undefined;
  /** From 1. */
  readonly number: number;
  /** Offset in the input behind the line's end. */
  readonly end: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK: Buffer = Buffer.from("\uFEFF");

export class LineSplitter {
  /** The beginning of a line whose end has not come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #number = 0;
  #offset = 0;

  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(LINE_FEED, from);
      if (at === -1) break;
      const part = chunk.subarray(from, at);
      lines.push(this.#line(part, this.#offset + at + 1));
      from = at + 1;
    }
    if (from < chunk.length) this.#begin(chunk.subarray(from));
    this.#offset += chunk.length;
    return lines;
  }

  end(): readonly Line[] {
    return this.#begunBytes === 0 ? [] : [this.#line(Buffer.alloc(0), this.#offset)];
  }

  #begin(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > RECORD_BYTES_MAX) this.#begun = [];
    else this.#begun.push(part);
  }

  #line(part: Buffer, end: number): Line {
    let bytes = part;
    if (this.#begunBytes > 0) {
      this.#begin(part);
      bytes = Buffer.concat(this.#begun);
    }
    const length = Math.max(this.#begunBytes, bytes.length);
    this.#begun = [];
    this.#begunBytes = 0;
    const number = ++this.#number;
    if (length > RECORD_BYTES_MAX) return { bytes: undefined, number, end };
    const hasReturn = bytes.length > 0 && bytes[bytes.length - 1] === CARRIAGE_RETURN;
    if (hasReturn) bytes = bytes.subarray(0, -1);
    if (number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
    return { bytes, number, end };
  }
}
