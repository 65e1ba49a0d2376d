/**
 * Numbers and texts as bytes, for statistics that are stored. A whole number takes as many bytes as
 * it needs: seven bits each, the lowest first, the highest bit set when another byte follows.
 *
 * A reader accepts any bytes. Once the bytes were impossible the reader is `isBroken`, and all
 * values that it returns from then on are meaningless.
 */
import { Buffer } from "node:buffer";
import { assert } from "../base/assert.ts";

export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(256);
  #used = 0;

  /** Writes a safe integer that is 0 or greater. */
  number(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, "only natural numbers are written");
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#used++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#used++] = rest;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#used++] = value;
  }

  /** Writes the bytes alone: the reader must know their number. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Writes the bytes, with their number before them. */
  section(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.bytes(bytes);
  }

  text(text: string): void {
    this.section(Buffer.from(text));
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#used));
  }

  #reserve(count: number): void {
    if (this.#used + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#used + count, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#used);
    this.#bytes = grown;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #isBroken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** True when everything was read and was valid. */
  get isDone(): boolean {
    return !this.#isBroken && this.#at === this.#bytes.length;
  }

  /** Called when the values that were read are invalid for the caller. */
  fail(): void {
    this.#isBroken = true;
  }

  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (!Number.isSafeInteger(value)) this.#isBroken = true;
      if (byte < 0x80 || this.#isBroken) return value;
    }
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) this.#isBroken = true;
    return byte ?? 0;
  }

  bytes(count: number): Uint8Array {
    const end = this.#at + count;
    if (this.#isBroken || end > this.#bytes.length) {
      this.#isBroken = true;
      return new Uint8Array(0);
    }
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  section(): Uint8Array {
    return this.bytes(this.number());
  }

  text(): string {
    return Buffer.from(this.section()).toString();
  }
}
