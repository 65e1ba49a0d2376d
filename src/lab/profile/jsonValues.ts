/**
 * Reads items from a JSON array of objects, or from objects one after the other, each over as many
 * lines as it likes. Only the item that is being read is kept.
 *
 * Where an item ends is found by its brackets and quotes, before it is parsed: one that is broken
 * inside does not spoil those behind it.
 */
import { Buffer } from "node:buffer";
import {
  ITEM_BYTES_MAX,
  type ItemReader,
  type ItemSink,
  TOO_LONG,
  takeItem,
} from "./itemReader.ts";

const LINE_FEED = 10;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

export class JsonValues implements ItemReader {
  readonly remarks: readonly string[] = [];
  readonly #sink: ItemSink;
  #isInArray = false;
  /** Inside an item: how deep, and whether in a text. */
  #isInItem = false;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** What has come of the item in former chunks. */
  #begun: Buffer[] = [];
  #bytes = 0;
  #line = 1;
  #itemLine = 1;
  #itemNumber = 0;
  #isFirst = true;

  constructor(sink: ItemSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    while (at < bytes.length) {
      if (!this.#isInItem) {
        const byte = bytes[at]!;
        if (byte === LINE_FEED) this.#line++;
        if (!this.#beginsItem(byte)) {
          at++;
          continue;
        }
      }
      const end = this.#endOfItem(bytes, at);
      this.#keep(bytes.subarray(at, end === -1 ? bytes.length : end));
      if (end === -1) return;
      this.#take();
      at = end;
    }
  }

  end(): void {
    if (this.#isInItem && this.#depth <= 0 && !this.#isInText) this.#take();
    else if (this.#isInItem) {
      this.#sink.problem(this.#place(), "is cut off: the input ends in the middle of it");
    } else if (this.#isInArray) {
      this.#sink.problem(`line ${this.#line}`, "the input ends before the array does: no ']'");
    }
  }

  /** Whether a byte between items begins the next one. */
  #beginsItem(byte: number): boolean {
    if (byte <= SPACE || byte === COMMA) return false;
    // The mark of byte order takes three bytes, and means nothing here.
    if (this.#isFirst && (byte === 0xef || byte === 0xbb || byte === 0xbf)) return false;
    this.#isFirst = false;
    if (byte === OPENING_BRACKET && !this.#isInArray) {
      this.#isInArray = true;
      return false;
    }
    if (byte === CLOSING_BRACKET && this.#isInArray) {
      this.#isInArray = false;
      return false;
    }
    this.#isInItem = true;
    this.#depth = 0;
    this.#isInText = false;
    this.#itemLine = this.#line;
    this.#itemNumber++;
    return true;
  }

  /** Where the item that has begun ends, or -1 when that is not among these bytes. */
  #endOfItem(bytes: Buffer, from: number): number {
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    let end = -1;
    for (let at = from; at < bytes.length && end === -1; at++) {
      const byte = bytes[at]!;
      if (byte === LINE_FEED) this.#line++;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          isInText = false;
          if (depth === 0) end = at + 1;
        }
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        // Behind a bare value it closes the array, and is not part of it.
        end = depth === 0 ? at : depth === 1 ? at + 1 : -1;
        depth--;
      } else if (depth === 0 && (byte <= SPACE || byte === COMMA)) {
        end = at;
        if (byte === LINE_FEED) this.#line--;
      }
    }
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    // A lone closing bracket is an item by itself, or nothing would ever pass it.
    return end === from && this.#bytes === 0 ? from + 1 : end;
  }

  /** What is too long is counted, and not kept. */
  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > ITEM_BYTES_MAX) this.#begun = [];
    else this.#begun.push(Buffer.from(part));
  }

  #take(): void {
    const [bytes, begun] = [this.#bytes, this.#begun];
    this.#isInItem = false;
    this.#begun = [];
    this.#bytes = 0;
    if (bytes > ITEM_BYTES_MAX) this.#sink.problem(this.#place(), TOO_LONG);
    else takeItem(this.#sink, Buffer.concat(begun).toString("utf8"), bytes, this.#place());
  }

  #place(): string {
    return `item ${this.#itemNumber} (line ${this.#itemLine})`;
  }
}
