/**
 * The types of tokens, and how a value of each is read and written. A token is its id, the code of
 * its type and its value; numbers are little-endian.
 *
 * Reading and writing stand side by side, so that they cannot drift apart. Whole numbers beyond
 * 2^53 lose their last digits: no token that is looked at here has such a number.
 */
import { isUtf8 } from "node:buffer";
import { GUID_BYTES, guidText, writeGuid } from "./guid.ts";

/** In the order of their codes. */
const TOKEN_TYPES = [
  "byte",
  "ushort",
  "ulong",
  "long",
  "ulongLong",
  "longLong",
  "guid",
  "smallString",
  "string",
  "longString",
  "smallBytes",
  "bytes",
  "longBytes",
  "float",
  "double",
] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];
/** Texts and guids are strings. */
export type TokenValue = number | string | Buffer;

/** The codes of the types, by name. */
export const TYPE_CODES: ReadonlyMap<TokenType, number> = new Map(
  TOKEN_TYPES.map((type, code) => [type, code]),
);

/** Bytes of a number of each type; what has its length in front is not among them. */
const FIXED_BYTES: Readonly<Partial<Record<TokenType, number>>> = {
  byte: 1,
  ushort: 2,
  ulong: 4,
  long: 4,
  ulongLong: 8,
  longLong: 8,
  guid: GUID_BYTES,
  float: 4,
  double: 8,
};
/** Bytes of the length in front of a text or of bytes. */
const PREFIX_BYTES: Readonly<Partial<Record<TokenType, 1 | 2 | 4>>> = {
  smallString: 1,
  string: 2,
  longString: 4,
  smallBytes: 1,
  bytes: 2,
  longBytes: 4,
};

interface ReadToken {
  readonly value: TokenValue;
  /** Where the next token begins. */
  readonly end: number;
}

/** The value at `at`; `undefined` where the code is none, or the bytes do not suffice. */
export function readValue(code: number, bytes: Buffer, at: number): ReadToken | undefined {
  const type = TOKEN_TYPES[code];
  if (type === undefined) return undefined;
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) {
    const end = at + fixed;
    return end > bytes.length ? undefined : { value: readFixed(type, bytes, at), end };
  }
  const prefix = PREFIX_BYTES[type]!;
  const start = at + prefix;
  if (start > bytes.length) return undefined;
  const end = start + bytes.readUIntLE(at, prefix);
  if (end > bytes.length) return undefined;
  if (code >= FIRST_BYTES_CODE) return { value: bytes.subarray(start, end), end };
  const value = bytes.toString("utf8", start, end);
  // What is no UTF-8 could be taken for the name of something else.
  if (value.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) return undefined;
  return { value, end };
}

const FIRST_BYTES_CODE = TOKEN_TYPES.indexOf("smallBytes");

function readFixed(type: TokenType, bytes: Buffer, at: number): TokenValue {
  switch (type) {
    case "byte":
      return bytes[at]!;
    case "ushort":
      return bytes.readUInt16LE(at);
    case "ulong":
      return bytes.readUInt32LE(at);
    case "long":
      return bytes.readInt32LE(at);
    case "ulongLong":
      return Number(bytes.readBigUInt64LE(at));
    case "longLong":
      return Number(bytes.readBigInt64LE(at));
    case "guid":
      return guidText(bytes, at);
    case "float":
      return bytes.readFloatLE(at);
    default:
      return bytes.readDoubleLE(at);
  }
}

/** The most bytes that a value of the type can have; a longer one cannot be written. */
export function bytesMaxOf(type: TokenType): number {
  return FIXED_BYTES[type] ?? 2 ** (8 * PREFIX_BYTES[type]!) - 1;
}

/** How many bytes the value takes, its length included. */
export function valueBytes(type: TokenType, value: TokenValue): number {
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) return fixed;
  const length = typeof value === "string" ? Buffer.byteLength(value) : (value as Buffer).length;
  return PREFIX_BYTES[type]! + length;
}

/** Writes a value that is known to fit; where the next token begins. */
export function writeValue(type: TokenType, value: TokenValue, into: Buffer, at: number): number {
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) {
    writeFixed(type, value, into, at);
    return at + fixed;
  }
  const prefix = PREFIX_BYTES[type]!;
  const start = at + prefix;
  const length =
    typeof value === "string" ? into.write(value, start) : (value as Buffer).copy(into, start);
  into.writeUIntLE(length, at, prefix);
  return start + length;
}

function writeFixed(type: TokenType, value: TokenValue, into: Buffer, at: number): void {
  if (type === "guid") {
    writeGuid(String(value), into, at);
    return;
  }
  const number = Number(value);
  switch (type) {
    case "byte":
      into[at] = number;
      break;
    case "ushort":
      into.writeUInt16LE(number, at);
      break;
    case "ulong":
      into.writeUInt32LE(number, at);
      break;
    case "long":
      into.writeInt32LE(number, at);
      break;
    case "ulongLong":
      into.writeBigUInt64LE(BigInt(number), at);
      break;
    case "longLong":
      writeInt64(number, into, at);
      break;
    case "float":
      into.writeFloatLE(number, at);
      break;
    default:
      into.writeDoubleLE(number, at);
  }
}

/** Without a bigint: every answer has several of these. */
function writeInt64(number: number, into: Buffer, at: number): void {
  const low = number >>> 0;
  into.writeUInt32LE(low, at);
  into.writeInt32LE((number - low) / 2 ** 32, at + 4);
}
