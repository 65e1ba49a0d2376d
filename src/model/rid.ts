/**
 * Resource ids: the short opaque names the account gives to its resources, as the SDKs read them.
 *
 * A rid is a few bytes written as base64 with `-` in place of `/`, so that it fits a path segment:
 * - database: 4 bytes, its number, big-endian;
 * - container: the database's 4 bytes and 4 of its own, big-endian, their top bit set (without
 *   that bit it would be a user);
 * - user: the database's 4 bytes and 4 of its own, big-endian;
 * - child of a container: the container's 8 bytes and 8 of its own: the child's number,
 *   little-endian, with the type of the child in the high four bits of the last byte;
 * - permission, client encryption key: the bytes of the user or the database, and 8 of its own in
 *   the same form, with type 0;
 * - offer: 3 bytes, big-endian, twice the number of the database or container whose throughput it
 *   is, and one more for a container. From number 2^23 on it takes 6 bytes.
 *
 * Invariants
 * - A rid and the numbers it was made from determine each other; `parseRid` refuses any other
 *   spelling of the same bytes. It reads only rids of databases, containers, items and ranges: any
 *   other resource is looked up by the text of its rid.
 * - The little-endian reading of an item's last 8 bytes is its item number. Clients break ORDER BY
 *   ties by that reading, so item numbers must be given out in insertion order.
 *
 * Not here: who gives out the numbers. A number must never be given twice, because clients take a
 * container that comes back under the same rid for the same container.
 */
import { assert } from "../base/assert.ts";
import type { Brand } from "../base/units.ts";

/** A resource id in the text form of the wire. */
export type Rid = Brand<string, "Rid">;

type RidNumbers =
  | { readonly kind: "database"; readonly database: number }
  | { readonly kind: "container"; readonly database: number; readonly container: number }
  | {
      readonly kind: "item" | "range";
      readonly database: number;
      readonly container: number;
      readonly child: number;
    };

/** Kinds of resources that a database, a container or a user owns besides containers and items. */
export type ResourceKind =
  | "user"
  | "permission"
  | "clientEncryptionKey"
  | "storedProcedure"
  | "trigger"
  | "userDefinedFunction";

/** What the rids of a container's children have in common: their first 7½ bytes. */
export interface ChildRidPrefix {
  /** Bytes 0 to 6 and the high half of byte 7, as ten characters. */
  readonly text: string;
  /** The low half of byte 7, already in its place above byte 8. */
  readonly byte7Low: number;
}

export const DATABASE_NUMBER_MAX: number = 2 ** 32 - 1;
export const CONTAINER_NUMBER_MAX: number = 2 ** 31 - 1;
const USER_NUMBER_MAX: number = 2 ** 31 - 1;
export const CHILD_NUMBER_MAX: number = Number.MAX_SAFE_INTEGER;

const CONTAINER_BIT = 0x80;
const ITEM_TYPE = 0;
const RANGE_TYPE = 5;
const RESOURCE_TYPES: Readonly<Record<Exclude<ResourceKind, "user">, number>> = {
  permission: 0,
  clientEncryptionKey: 0,
  userDefinedFunction: 6,
  trigger: 7,
  storedProcedure: 8,
};

/** The codes of the 64 digits of base64. */
const DIGITS: Uint8Array = Uint8Array.from(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-", "latin1"),
);
const PADDING = "=".charCodeAt(0);

export function databaseRid(database: number): Rid {
  assertNumber(database, DATABASE_NUMBER_MAX);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(database);
  return ridOf(bytes);
}

export function containerRid(database: number, container: number): Rid {
  return ridOf(containerBytes(database, container));
}

/**
 * Returns the number of an offer, which follows from its owner: a database or container has at most
 * one.
 */
export function offerNumber(owner: {
  readonly kind: "database" | "container";
  readonly number: number;
}): number {
  assertNumber(owner.number, DATABASE_NUMBER_MAX);
  return owner.number * 2 + (owner.kind === "container" ? 1 : 0);
}

export function offerRid(offer: number): Rid {
  const bytes = Buffer.alloc(offer < 2 ** 24 ? 3 : 6);
  bytes.writeUIntBE(offer, 0, bytes.length);
  return ridOf(bytes);
}

/**
 * Makes the prefix of a container's children once, so that a child's rid takes only its own half.
 */
export function childRidPrefix(database: number, container: number): ChildRidPrefix {
  const bytes = containerBytes(database, container);
  return { text: ridOf(bytes).slice(0, 10), byte7Low: (bytes[7]! & 0x0f) << 8 };
}

export function itemRid(prefix: ChildRidPrefix, item: number): Rid {
  return childRid(prefix, item, ITEM_TYPE);
}

/** Returns the rid of a physical partition as it is listed under its container. */
export function rangeRid(prefix: ChildRidPrefix, range: number): Rid {
  return childRid(prefix, range, RANGE_TYPE);
}

/** Returns the rid of the resource of that kind and number under the rid of its owner. */
export function resourceRid(kind: ResourceKind, owner: Rid, number: number): Rid {
  const ownerBytes = bytesOf(owner);
  if (kind === "user") {
    assertNumber(number, USER_NUMBER_MAX);
    const own = Buffer.alloc(4);
    own.writeUInt32BE(number);
    return ridOf(Buffer.concat([ownerBytes, own]));
  }
  assertNumber(number, CHILD_NUMBER_MAX);
  const own = Buffer.alloc(8);
  own.writeBigUInt64LE(BigInt(number));
  own[7]! |= RESOURCE_TYPES[kind] << 4;
  return ridOf(Buffer.concat([ownerBytes, own]));
}

/**
 * Reads a rid from a path or a token. `undefined` when the text is not one of a database, a
 * container, an item or a physical partition in the exact spelling made here.
 */
export function parseRid(text: string): RidNumbers | undefined {
  const bytes = bytesOf(text);
  // The decoder is lenient; only the one canonical spelling is the same when it is encoded again.
  if (ridOf(bytes) !== text) return undefined;
  if (bytes.length === 4) return { kind: "database", database: bytes.readUInt32BE() };
  if (bytes.length !== 8 && bytes.length !== 16) return undefined;
  if (bytes[4]! < CONTAINER_BIT) return undefined;

  const database = bytes.readUInt32BE();
  const container = bytes.readUInt32BE(4) - CONTAINER_BIT * 2 ** 24;
  if (bytes.length === 8) return { kind: "container", database, container };

  const type = bytes[15]! >> 4;
  const child = bytes.readUInt32LE(8) + (bytes.readUInt32LE(12) & 0x0fff_ffff) * 2 ** 32;
  if (child > CHILD_NUMBER_MAX) return undefined;
  if (type === ITEM_TYPE) return { kind: "item", database, container, child };
  if (type === RANGE_TYPE) return { kind: "range", database, container, child };
  return undefined;
}

function childRid(prefix: ChildRidPrefix, child: number, type: number): Rid {
  assertNumber(child, CHILD_NUMBER_MAX);
  const low = child >>> 0;
  // Above its low 32 bits a safe integer has at most 21 more, so byte 15 holds nothing but the
  // type.
  const high = (child - low) / 2 ** 32;
  // The digits are spelled out one by one because this runs for every created item: the general
  // encoder takes three times as long.
  const own = String.fromCharCode(
    DIGITS[(prefix.byte7Low | (low & 0xff)) >>> 6]!,
    DIGITS[low & 0x3f]!,
    DIGITS[(low >>> 10) & 0x3f]!,
    DIGITS[((low >>> 4) & 0x30) | ((low >>> 20) & 0x0f)]!,
    DIGITS[((low >>> 14) & 0x3c) | (low >>> 30)]!,
    DIGITS[(low >>> 24) & 0x3f]!,
    DIGITS[(high >>> 2) & 0x3f]!,
    DIGITS[((high & 0x03) << 4) | ((high >>> 12) & 0x0f)]!,
    DIGITS[((high >>> 6) & 0x3c) | ((high >>> 22) & 0x03)]!,
    DIGITS[(high >>> 16) & 0x3f]!,
    DIGITS[type << 2]!,
    DIGITS[0]!,
    PADDING,
    PADDING,
  );
  return (prefix.text + own) as Rid;
}

function containerBytes(database: number, container: number): Buffer {
  assertNumber(database, DATABASE_NUMBER_MAX);
  assertNumber(container, CONTAINER_NUMBER_MAX);
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(database);
  bytes.writeUInt32BE(container, 4);
  bytes[4]! |= CONTAINER_BIT;
  return bytes;
}

const bytesOf = (rid: string): Buffer => Buffer.from(rid.replaceAll("-", "/"), "base64");
const ridOf = (bytes: Buffer): Rid => bytes.toString("base64").replaceAll("/", "-") as Rid;

function assertNumber(number: number, max: number): void {
  assert(Number.isSafeInteger(number) && number >= 0 && number <= max, "not a number for a rid");
}
