/** Rows of the change feed, as clients read them. */
import type { JsonObject } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { KeptVersion, LogKind, StoredItem } from "../../store/partitionStore.ts";
import { objectOf, tsOf } from "../item/itemBody.ts";
import { idOfKey } from "../item/itemKey.ts";
import { endedAt } from "../item/ttl.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

/** Returns the item as it is, with the LSN of its last change among the system properties. */
export function latestRow({ body, lsn: itemLsn }: StoredItem): Buffer {
  const tail = `,"_lsn":${itemLsn}}`;
  const row = Buffer.allocUnsafe(body.length - 1 + tail.length);
  body.copy(row, 0, 0, body.length - 1);
  row.write(tail, body.length - 1, "latin1");
  return row;
}

/** Like `latestRow`, for clients that want the metadata of a change beside the item, not in it. */
export function separateRow({ body, lsn: itemLsn }: StoredItem, kind: LogKind): Buffer {
  const metadata = { operationType: OPERATION_TYPES[kind], lsn: itemLsn, crts: tsOf(body) };
  return Buffer.concat([
    Buffer.from('{"current":'),
    body,
    Buffer.from(`,"metadata":${JSON.stringify(metadata)}}`),
  ]);
}

const OPERATION_TYPES: Readonly<Record<LogKind, string>> = {
  created: "create",
  replaced: "replace",
  deleted: "delete",
  expired: "delete",
};

/**
 * Returns a version or an end, with its metadata. The row of an end holds the last version too, if
 * that is kept. Like the service, the row of any other change holds of the version before it only
 * the LSN.
 */
export function versionRow(partition: PhysicalPartition, version: KeptVersion): Buffer {
  const isEnd = version.kind === "deleted" || version.kind === "expired";
  const previous = isEnd ? bodyOf(version) : undefined;
  const parts = [
    Buffer.from('{"current":'),
    isEnd ? Buffer.from("{}") : version.body,
    ...(previous === undefined ? [] : [Buffer.from(',"previous":'), previous]),
    Buffer.from(`,"metadata":${JSON.stringify(metadataOf(partition.container, version))}}`),
  ];
  return Buffer.concat(parts);
}

function metadataOf(container: Container, version: KeptVersion): JsonObject {
  const { kind, lsn: versionLsn, previousLsn, key, tag } = version;
  const isEnd = kind === "deleted" || kind === "expired";
  return {
    operationType: OPERATION_TYPES[kind],
    lsn: versionLsn,
    crts: isEnd ? endedAt(tag) : tsOf(version.body),
    ...(previousLsn > 0 && { previousImageLSN: previousLsn }),
    ...(isEnd && { id: idOfKey(key), ...keyOf(container, version) }),
    ...(isEnd && { timeToLiveExpired: kind === "expired" }),
  };
}

/**
 * The partition key as an object: property names to values, for all levels of a hierarchical key.
 */
function keyOf(container: Container, version: KeptVersion): JsonObject {
  const body = bodyOf(version);
  if (body === undefined) return {};
  const item = objectOf(body);
  const key = container.readKey(item);
  if (!key.ok) return {};
  const { paths } = container.definition.partitionKey;
  const named = paths.map(
    (path, level) => [parseKeyPath(path)!.at(-1)!, key.value[level] ?? null] as const,
  );
  return { partitionKey: Object.fromEntries(named) as JsonObject };
}

function bodyOf({ body }: KeptVersion): Buffer | undefined {
  return body.length === 0 ? undefined : body;
}
