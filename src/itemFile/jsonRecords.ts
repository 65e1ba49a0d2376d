/**
 * Reads the elements of a JSON array, or JSON values one after the other, each over as many lines
 * as it likes. Only the value that is being read is kept.
 *
 * Where a value ends is found before it is parsed (`valueScan.ts`). What stands between values is
 * white space and commas, and how many commas there are is not looked at.
 */
import { Buffer } from "node:buffer";
import { ValueScan } from "../json/valueScan.ts";
import type { FoundRecord, RecordReader } from "./record.ts";
import { RECORD_BYTES_MAX, TOO_LONG_REASON } from "./record.ts";

const LINE_FEED = 10;
const SPACE = 32;
const COMMA = 44;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

export class JsonRecords implements RecordReader {
  readonly remarks: readonly string[] = [];
  readonly #scan = new ValueScan();
  #isInArray = false;
  #isInValue = false;
  /** What has come of the value so far. */
  #begun: Buffer[] = [];
  #bytes = 0;
  #start = { line: 1, column: 1 };
  /** Where we are: the offset of the chunk, the line, and the offset at which the line began. */
  #offset = 0;
  #line = 1;
  #lineStart = 0;

  push(chunk: Buffer): readonly FoundRecord[] {
    const found: FoundRecord[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (!this.#isInValue && !this.#begins(chunk[at]!, this.#offset + at)) {
        at++;
        continue;
      }
      const end = this.#scan.endIn(chunk, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      this.#keep(part);
      this.#feedLines(part, this.#offset + at);
      if (end === -1) break;
      found.push(this.#taken(this.#offset + end));
      at = end;
    }
    this.#offset += chunk.length;
    return found;
  }

  end(): readonly FoundRecord[] {
    if (this.#isInValue && this.#scan.isClosed) return [this.#taken(this.#offset)];
    const end = this.#offset;
    if (this.#isInValue) {
      const reason = "it is cut off: the input ends in the middle of it";
      const bytes = this.#bytes > RECORD_BYTES_MAX ? undefined : Buffer.concat(this.#begun);
      return [{ kind: "broken", reason, bytes, ...this.#start, end }];
    }
    if (!this.#isInArray) return [];
    const reason = "the input ends before the array does: there is no ']'";
    const column = end - this.#lineStart + 1;
    return [{ kind: "broken", reason, bytes: undefined, line: this.#line, column, end }];
  }

  /** Whether a byte between values begins the next one. */
  #begins(byte: number, offset: number): boolean {
    if (byte === LINE_FEED) this.#feedLine(offset);
    if (byte <= SPACE || byte === COMMA) return false;
    if (offset < 3 && byte === BYTE_ORDER_MARK[offset]) return false;
    if (byte === OPENING_BRACKET && !this.#isInArray) {
      this.#isInArray = true;
      return false;
    }
    if (byte === CLOSING_BRACKET && this.#isInArray) {
      this.#isInArray = false;
      return false;
    }
    this.#isInValue = true;
    this.#scan.begin();
    this.#start = { line: this.#line, column: offset - this.#lineStart + 1 };
    return true;
  }

  #feedLine(offset: number): void {
    this.#line++;
    this.#lineStart = offset + 1;
  }

  #feedLines(part: Buffer, offset: number): void {
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) {
      this.#feedLine(offset + at);
    }
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > RECORD_BYTES_MAX) this.#begun = [];
    else this.#begun.push(part);
  }

  #taken(end: number): FoundRecord {
    const [begun, length, place] = [this.#begun, this.#bytes, { ...this.#start, end }];
    this.#isInValue = false;
    this.#begun = [];
    this.#bytes = 0;
    if (length > RECORD_BYTES_MAX) {
      return { kind: "broken", reason: TOO_LONG_REASON, bytes: undefined, ...place };
    }
    const bytes = begun.length === 1 ? begun[0]! : Buffer.concat(begun);
    return { kind: "json", bytes, ...place };
  }
}
