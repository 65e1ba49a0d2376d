/** A line of an archive as an item of a container: where it belongs, and which version it is. */
import { ArchiveFault } from "../../archive/archiveFolder.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { bareEtagOf, objectOf, tsOf } from "../item/itemBody.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import { routeKey } from "../partition/itemRouting.ts";

export interface ArchivedItem {
  /** As it was stored, with its system properties. */
  readonly body: Buffer;
  readonly object: JsonObject;
  readonly id: string;
  readonly key: PartitionKey;
  readonly epk: Epk;
  /** The name under which the store has the item, if it is there. */
  readonly itemKey: string;
  /** Without its quotes. */
  readonly etag: string;
  /** Seconds since 1970. */
  readonly ts: number;
}

/** Stored items end with these, in this order and width; see `itemBody.ts`. */
const STAMPS = new RegExp(
  ',"_rid":"[^"]{1,64}","_self":"[^"]{1,256}","_etag":"' +
    String.raw`\\"[0-9a-zA-Z-]{36}\\"` +
    '","_attachments":"attachments/","_ts":[0-9]{10}}$',
);
const TAIL_BYTES = 600;

/** A line has the hash that the manifest says, so one that is no item was none when written. */
export function archivedItemOf(
  container: Container,
  limits: Limits,
  line: Buffer,
  file: string,
): ArchivedItem {
  const tail = line.toString("latin1", Math.max(0, line.length - TAIL_BYTES));
  const object = STAMPS.test(tail) ? parsed(line) : undefined;
  const { id } = object ?? {};
  const key = object && container.readKey(object);
  const routed = key?.ok === true ? routeKey(container, key.value, limits) : undefined;
  if (object === undefined || typeof id !== "string" || routed?.ok !== true) {
    throw new ArchiveFault(`${file} has a line that is no item of such a container.`);
  }
  const { epk } = routed.value;
  return {
    body: line,
    object,
    id,
    key: routed.value.key,
    epk,
    itemKey: itemKeyOf(epk, id),
    etag: bareEtagOf(line),
    ts: tsOf(line),
  };
}

function parsed(line: Buffer): JsonObject | undefined {
  try {
    return objectOf(line);
  } catch {
    return undefined;
  }
}

/** Pieces of a list, so that a step never takes on too many items at once. */
export function inPieces<T>(all: readonly T[], countMax: number): readonly (readonly T[])[] {
  const pieces: (readonly T[])[] = [];
  for (let at = 0; at < all.length; at += countMax) pieces.push(all.slice(at, at + countMax));
  return pieces;
}
