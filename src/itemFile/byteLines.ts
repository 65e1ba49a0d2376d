/**
 * Lines of bytes, as texts: chunks may be cut anywhere, inside a character too. Lines end with a
 * line feed, with or without a carriage return before it; the last one may have neither.
 *
 * A line that is too long is given as `undefined`, and the lines behind it are read.
 */
import { Buffer } from "node:buffer";
import { ITEM_BYTES_MAX } from "./itemReader.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = "\uFEFF";
const NOT_A_CHARACTER = "\uFFFD";

/** `bytes` of the line without its end; `number` counts from 1. */
export type TakeLine = (text: string | undefined, bytes: number, number: number) => void;

export class ByteLines {
  readonly #take: TakeLine;
  readonly #onBadText: (number: number) => void;
  /** The beginning of a line whose end has not come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #number = 0;

  /** `onBadText` is called before a line with bytes that are no UTF-8. */
  constructor(take: TakeLine, onBadText: (number: number) => void) {
    this.#take = take;
    this.#onBadText = onBadText;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(LINE_FEED, from);
      if (end === -1) break;
      if (this.#begunBytes === 0) this.#line(bytes, from, end);
      else this.#joinedLine(bytes.subarray(from, end));
      from = end + 1;
    }
    if (from < bytes.length) this.#begin(bytes.subarray(from));
  }

  end(): void {
    if (this.#begunBytes > 0) this.#joinedLine(Buffer.alloc(0));
  }

  /** A line that is too long is counted, and not kept. */
  #begin(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > ITEM_BYTES_MAX) this.#begun = [];
    else this.#begun.push(Buffer.from(part));
  }

  #joinedLine(part: Buffer): void {
    this.#begin(part);
    const bytes = this.#begunBytes;
    const joined = Buffer.concat(this.#begun);
    this.#begun = [];
    this.#begunBytes = 0;
    if (bytes > ITEM_BYTES_MAX) this.#take(undefined, bytes, ++this.#number);
    else this.#line(joined, 0, joined.length);
  }

  #line(bytes: Buffer, from: number, lineEnd: number): void {
    const end = lineEnd > from && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    this.#number++;
    if (end - from > ITEM_BYTES_MAX) {
      this.#take(undefined, end - from, this.#number);
      return;
    }
    let text = bytes.toString("utf8", from, end);
    if (this.#number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    if (text.includes(NOT_A_CHARACTER) && !isUtf8(bytes.subarray(from, end))) {
      this.#onBadText(this.#number);
    }
    this.#take(text, end - from, this.#number);
  }
}

/** A character that stands for "no character" may be in the text itself. */
function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8")).equals(bytes);
}
