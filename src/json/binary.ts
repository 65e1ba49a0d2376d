/**
 * Reads the binary form of JSON in which some clients send items: a byte 0x80, then one value.
 *
 * Every value begins with a marker byte that says what follows; lengths and numbers are little
 * endian. The reader gives compact text, so that whole numbers keep digits that no double has.
 * Whatever the bytes are, the work is bounded by their number and by `textBytesMax`: each value
 * counts at least as much as its text would take, so that references and counted arrays cannot blow
 * up.
 *
 * Not here: writing the binary form. Clients that ask for it accept text as well. Strings that lie
 * in a dictionary outside the bytes are refused; no client can send such a dictionary.
 */
import { isUtf8 } from "node:buffer";
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { JsonValue } from "./value.ts";

interface BinaryBounds {
  readonly depthMax: number;
  /** Length of the value when it is written as text. */
  readonly textBytesMax: number;
}

export type BinaryProblem =
  | { readonly kind: "tooDeep" }
  | { readonly kind: "tooLarge" }
  | { readonly kind: "malformed"; readonly message: string };

const PREAMBLE = 0x80;

/** True for the binary form. No text begins with its first byte, which would not be UTF-8. */
export function isBinary(bytes: Buffer): boolean {
  return bytes[0] === PREAMBLE;
}

/** Returns the value of the text, as `JSON.parse` has it. */
export function decodeBinary(
  bytes: Buffer,
  bounds: BinaryBounds,
): Result<JsonValue, BinaryProblem> {
  const text = textOfBinary(bytes, bounds);
  return text.ok ? ok(JSON.parse(text.value) as JsonValue) : text;
}

export function textOfBinary(bytes: Buffer, bounds: BinaryBounds): Result<string, BinaryProblem> {
  const reader = new BinaryReader(bytes, bounds);
  try {
    const text = reader.value(0);
    if (reader.at !== bytes.length) reader.fail("has bytes behind its end");
    return ok(text);
  } catch (caught) {
    if (caught instanceof Unreadable) return no(caught.problem);
    throw caught;
  }
}

/** Unwinds the reader; never leaves this file. */
class Unreadable extends Error {
  readonly problem: BinaryProblem;

  constructor(problem: BinaryProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

/** Names that occur so often that the format has a byte for each, in the order of those bytes. */
const SYSTEM_STRINGS: readonly string[] = [
  ..."$s $t $v _attachments _etag _rid _self _ts attachments/ coordinates geometry".split(" "),
  ..."GeometryCollection id url Value label LineString link MultiLineString".split(" "),
  ..."MultiPoint MultiPolygon name Name Type Point Polygon properties type value".split(" "),
  ..."Feature FeatureCollection _id".split(" "),
];
const SYSTEM_STRING_FIRST = 0x20;
const SYSTEM_STRING_END = 0x40;
const SHORT_STRING_FIRST = 0x80;
const SHORT_STRING_END = 0xc0;
const STRING_END = 0xc7;

const LOWER_HEX = "0123456789abcdef";
const UPPER_HEX = "0123456789ABCDEF";
const DATE_CHARACTERS = " 0123456789:-.TZ";

type Width = 1 | 2 | 3 | 4;

interface Packing {
  readonly bits: number;
  /** Number of bytes in which the count of characters is written. */
  readonly width: Width;
  readonly alphabet?: string;
  readonly hasBase?: boolean;
}

class BinaryReader {
  at = 0;
  readonly #bytes: Buffer;
  readonly #depthMax: number;
  #textBytesLeft: number;

  constructor(bytes: Buffer, { depthMax, textBytesMax }: BinaryBounds) {
    this.#bytes = bytes;
    this.#depthMax = depthMax;
    this.#textBytesLeft = textBytesMax;
    this.#take(1);
  }

  value(depth: number): string {
    const marker = this.#unsigned(1);
    this.#spend(1);
    if (marker < SYSTEM_STRING_FIRST) return String(marker);
    if (marker < STRING_END) return JSON.stringify(this.#string(marker));
    if (marker >= 0xe0 && marker < 0xe8) return this.#array(marker - 0xe0, depth + 1);
    if (marker >= 0xe8 && marker < 0xf0) return this.#object(marker - 0xe8, depth + 1);
    if (marker >= 0xf0 && marker < 0xf4) return this.#numbers(marker - 0xf0, depth + 1);
    return this.#scalar(marker);
  }

  fail(message: string): never {
    throw new Unreadable({ kind: "malformed", message: `The binary body ${message}.` });
  }

  #scalar(marker: number): string {
    if (marker === 0xd0) return "null";
    if (marker === 0xd1 || marker === 0xd2) return String(marker === 0xd2);
    if (marker === 0xd3) return JSON.stringify(this.#guidValue());
    if (marker >= 0xdd && marker <= 0xdf) {
      const bytes = this.#take(this.#unsigned(([1, 2, 4] as const)[marker - 0xdd]!));
      return JSON.stringify(this.#text(bytes.toString("base64")));
    }
    return this.#number(marker);
  }

  #number(marker: number): string {
    const read = NUMBERS.get(marker) ?? this.fail(`has the marker ${marker}, which is no value`);
    const [byteCount, numberIn] = read;
    const found = numberIn(this.#take(byteCount));
    if (typeof found === "number" && !Number.isFinite(found)) {
      this.fail("has a number that JSON has not");
    }
    return Object.is(found, -0) ? "-0" : String(found);
  }

  #string(marker: number): string {
    if (marker < SYSTEM_STRING_END)
      return this.#text(SYSTEM_STRINGS[marker - SYSTEM_STRING_FIRST]!);
    if (marker >= SHORT_STRING_FIRST && marker < SHORT_STRING_END) return this.#utf8(marker & 0x7f);
    switch (marker) {
      case 0x71:
      case 0x72:
      case 0x73:
      case 0x74:
        return this.#base64(marker % 2 === 1 ? 1 : 2, marker >= 0x73 ? "base64url" : "base64");
      case 0x75:
        return this.#guidText(LOWER_HEX);
      case 0x76:
        return this.#guidText(UPPER_HEX);
      case 0x77:
        return `"${this.#guidText(LOWER_HEX)}"`;
      case 0x78:
        return this.#packed({ bits: 4, width: 1, alphabet: LOWER_HEX });
      case 0x79:
        return this.#packed({ bits: 4, width: 1, alphabet: UPPER_HEX });
      case 0x7a:
        return this.#packed({ bits: 4, width: 1, alphabet: DATE_CHARACTERS });
      case 0x7b:
      case 0x7c:
      case 0x7d:
        return this.#packed({ bits: marker - 0x77, width: 1, hasBase: true });
      case 0x7e:
      case 0x7f:
        return this.#packed({ bits: 7, width: marker === 0x7e ? 1 : 2 });
      case 0xc0:
      case 0xc1:
      case 0xc2:
        return this.#utf8(this.#unsigned(([1, 2, 4] as const)[marker - 0xc0]!));
      case 0xc3:
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#reference(this.#unsigned((marker - 0xc2) as Width));
      default:
        return this.fail(`has a string from a dictionary that was not sent (marker ${marker})`);
    }
  }

  /**
   * Returns the text at an earlier place. That place must not be a reference itself, so there are
   * no circles.
   */
  #reference(target: number): string {
    const marker = this.#bytes[target] ?? 0;
    const isString = marker >= SYSTEM_STRING_FIRST && marker < 0xc3;
    if (target === 0 || !isString) return this.fail("refers to a place that holds no string");
    const back = this.at;
    this.at = target + 1;
    const text = this.#string(marker);
    this.at = back;
    return text;
  }

  #utf8(byteCount: number): string {
    const bytes = this.#take(byteCount);
    if (!isUtf8(bytes)) this.fail("has a string that is not UTF-8");
    return this.#text(bytes.toString("utf8"));
  }

  /**
   * Reads a text that is stored as the bytes it stands for in base64; its padding may have been
   * left out.
   */
  #base64(width: Width, alphabet: "base64" | "base64url"): string {
    const paddedLength = 4 * this.#unsigned(width);
    const padding = this.#unsigned(1);
    const isLeftOut = padding > 2;
    const paddingCount = isLeftOut ? 0xff - padding : padding;
    const byteCount = Math.floor((3 * (paddedLength - paddingCount)) / 4);
    if (paddingCount > 2 || byteCount < 0) this.fail("has a base64 string of impossible length");
    const text = this.#take(byteCount).toString(alphabet).replace(/=+$/, "");
    return this.#text(isLeftOut ? text : text.padEnd(paddedLength, "="));
  }

  /** Reads a GUID with two digits to a byte, the lower half first. */
  #guidText(digits: string): string {
    const bytes = this.#take(16);
    return this.#text(
      grouped([...bytes].map((byte) => `${digits[byte & 15]}${digits[byte >> 4]}`)),
    );
  }

  /** Reads a GUID whose first three groups are numbers, and so have their bytes in reverse. */
  #guidValue(): string {
    const bytes = this.#take(16);
    const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    return this.#text(grouped(order.map((index) => bytes[index]!.toString(16).padStart(2, "0"))));
  }

  /**
   * Reads characters of a few bits each, lowest bits first; they may count from a base that is
   * sent.
   */
  #packed({ bits, width, alphabet, hasBase = false }: Packing): string {
    const count = this.#unsigned(width);
    const base = hasBase ? this.#unsigned(1) : 0;
    const bytes = this.#take(Math.ceil((count * bits) / 8));
    let text = "";
    for (let index = 0; index < count; index += 1) {
      const at = index * bits;
      const pair = bytes[at >> 3]! | ((bytes[(at >> 3) + 1] ?? 0) << 8);
      const code = (pair >> (at & 7)) & ((1 << bits) - 1);
      text += alphabet?.[code] ?? String.fromCharCode((code + base) & 0xff);
    }
    return this.#text(text);
  }

  #array(form: number, depth: number): string {
    const items: string[] = [];
    this.#members(form, depth, () => items.push(this.value(depth)));
    return `[${items.join(",")}]`;
  }

  #object(form: number, depth: number): string {
    const members: string[] = [];
    this.#members(form, depth, () => {
      const marker = this.#unsigned(1);
      if (marker < SYSTEM_STRING_FIRST || marker >= STRING_END) {
        this.fail("has a property whose name is no string");
      }
      const name = JSON.stringify(this.#string(marker));
      members.push(`${name}:${this.value(depth)}`);
    });
    return `{${members.join(",")}}`;
  }

  /**
   * Reads members. Forms are: none; one; as many as fit in a length of 1, 2 or 4 bytes, without and
   * with a count.
   */
  #members(form: number, depth: number, readOne: () => void): void {
    if (depth > this.#depthMax) throw new Unreadable({ kind: "tooDeep" });
    if (form === 0) return;
    if (form === 1) {
      readOne();
      return;
    }
    const width = ([1, 2, 4] as const)[(form - 2) % 3]!;
    const byteCount = this.#unsigned(width);
    const countSent = form < 5 ? undefined : this.#unsigned(width);
    const end = this.at + byteCount;
    let count = 0;
    for (; this.at < end; count += 1) readOne();
    if (this.at !== end || (countSent ?? count) !== count) {
      this.fail("has a list or an object whose length is wrong");
    }
  }

  /** Reads numbers of one kind without a marker each, or lists of such lists, all equally long. */
  #numbers(form: number, depth: number): string {
    if (depth + 1 > this.#depthMax) throw new Unreadable({ kind: "tooDeep" });
    const width = form % 2 === 0 ? 1 : 2;
    const isNested = form >= 2;
    if (isNested && this.#unsigned(1) !== 0xf0 + (form % 2)) this.fail("nests lists that differ");
    const marker = this.#unsigned(1);
    const count = this.#unsigned(width);
    const listCount = isNested ? this.#unsigned(width) : 1;
    const lists: string[] = [];
    for (let list = 0; list < listCount; list += 1) {
      this.#spend(1 + count);
      lists.push(`[${Array.from({ length: count }, () => this.#number(marker)).join(",")}]`);
    }
    return isNested ? `[${lists.join(",")}]` : lists[0]!;
  }

  #unsigned(byteCount: Width): number {
    return this.#take(byteCount).readUIntLE(0, byteCount);
  }

  #take(byteCount: number): Buffer {
    const end = this.at + byteCount;
    if (end > this.#bytes.length) this.fail("ends in the middle of a value");
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  #text(text: string): string {
    this.#spend(text.length);
    return text;
  }

  #spend(textBytes: number): void {
    this.#textBytesLeft -= textBytes;
    if (this.#textBytesLeft < 0) throw new Unreadable({ kind: "tooLarge" });
  }
}

function grouped(pairs: readonly string[]): string {
  const hex = pairs.join("");
  return [8, 12, 16, 20, 32]
    .map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end))
    .join("-");
}

/** For each marker of a number, how many bytes follow it, and how they are read. */
const NUMBERS: ReadonlyMap<number, readonly [number, (bytes: Buffer) => number | bigint]> = new Map(
  [
    [0xc7, [8, (bytes: Buffer) => bytes.readBigUInt64LE()]],
    [0xc8, [1, (bytes: Buffer) => bytes.readUInt8()]],
    [0xc9, [2, (bytes: Buffer) => bytes.readInt16LE()]],
    [0xca, [4, (bytes: Buffer) => bytes.readInt32LE()]],
    [0xcb, [8, (bytes: Buffer) => bytes.readBigInt64LE()]],
    [0xcc, [8, (bytes: Buffer) => bytes.readDoubleLE()]],
    [0xcd, [4, (bytes: Buffer) => bytes.readFloatLE()]],
    [0xce, [8, (bytes: Buffer) => bytes.readDoubleLE()]],
    [0xd7, [1, (bytes: Buffer) => bytes.readUInt8()]],
    [0xd8, [1, (bytes: Buffer) => bytes.readInt8()]],
    [0xd9, [2, (bytes: Buffer) => bytes.readInt16LE()]],
    [0xda, [4, (bytes: Buffer) => bytes.readInt32LE()]],
    [0xdb, [8, (bytes: Buffer) => bytes.readBigInt64LE()]],
    [0xdc, [4, (bytes: Buffer) => bytes.readUInt32LE()]],
  ],
);
