/** One row of the change feed, as clients read it. */
import { lsn } from "../base/units.ts";
import type { JsonObject } from "../json/value.ts";
import { parseKeyPath } from "../partition/partitionKeyOf.ts";
import type { KeptVersion, LogKind, PartitionStore, StoredItem } from "../store/partitionStore.ts";
import type { Container } from "./container.ts";
import { objectOf, tsOf } from "./itemBody.ts";
import { idOfKey } from "./itemKey.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";
import { endedAt } from "./ttl.ts";

/** The item as it is, with the LSN of its last change beside the other system properties. */
export function latestRow({ body, lsn: itemLsn }: StoredItem): Buffer {
  const tail = `,"_lsn":${itemLsn}}`;
  const row = Buffer.allocUnsafe(body.length - 1 + tail.length);
  body.copy(row, 0, 0, body.length - 1);
  row.write(tail, body.length - 1, "latin1");
  return row;
}

/** The same for clients that want what is known of a change beside the item, not in it. */
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

/** A version or an end, what it took the place of if that is kept, and what is known of it. */
export async function versionRow(
  store: PartitionStore,
  partition: PhysicalPartition,
  version: KeptVersion,
): Promise<Buffer> {
  const isEnd = version.kind === "deleted" || version.kind === "expired";
  const previous = isEnd ? bodyOf(version) : await previousBody(store, partition, version);
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

/** By the names of the properties, all levels of a hierarchical key. */
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

async function previousBody(
  store: PartitionStore,
  { entry }: PhysicalPartition,
  { previousLsn, number }: KeptVersion,
): Promise<Buffer | undefined> {
  if (previousLsn === 0) return undefined;
  const one = { countMax: 1, bytesMax: 1 };
  const { versions } = await store.readVersions(entry.part, lsn(previousLsn - 1), one);
  return versions.find((version) => version.lsn === previousLsn && version.number === number)?.body;
}
