/**
 * Reads items from a JSON array of objects, or from objects one after the other, each over as many
 * lines as it likes. Only the item that is being read is kept.
 *
 * Where an item ends is found before it is parsed (`valueScan.ts`).
 */
import { Buffer } from "node:buffer";
import { ValueScan } from "../json/valueScan.ts";
import {
  ITEM_BYTES_MAX,
  type ItemReader,
  type ItemSink,
  TOO_LONG,
  takeItem,
} from "./itemReader.ts";

const LINE_FEED = 10;
const SPACE = 32;
const COMMA = 44;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;

export class JsonValues implements ItemReader {
  readonly remarks: readonly string[] = [];
  readonly #sink: ItemSink;
  readonly #scan = new ValueScan();
  #isInArray = false;
  #isInItem = false;
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
      const end = this.#scan.endIn(bytes, at);
      const part = bytes.subarray(at, end === -1 ? bytes.length : end);
      this.#keep(part);
      this.#line += lineFeedsIn(part);
      if (end === -1) return;
      this.#take();
      at = end;
    }
  }

  end(): void {
    if (this.#isInItem && this.#scan.isClosed) this.#take();
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
    this.#scan.begin();
    this.#itemLine = this.#line;
    this.#itemNumber++;
    return true;
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

function lineFeedsIn(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
