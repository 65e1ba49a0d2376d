/**
 * What a permission is about at present. Its link leads to a container, or to something in one, by
 * names or by rids; if the container has been replaced by a copy that took over its name, the
 * permission is about the copy (`engine/partition/predecessors.ts`).
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Account } from "../../engine/account.ts";
import type { PermittedPlace } from "../../engine/catalog/permitted.ts";
import type { ResourceRecord } from "../../engine/catalog/resourceRecords.ts";
import { property } from "../../json/value.ts";
import { parseKeyHeader } from "../../partition/partitionKeyOf.ts";
import type { Permission, PermittedChild } from "../../protocol/auth/grants.ts";
import type { ResourcePath } from "../../protocol/request/resourcePath.ts";
import { parseResourcePath } from "../../protocol/request/resourcePath.ts";

/** `undefined` when there is no such permission, or nothing any more that it could be about. */
export function permissionOf(account: Account, rid: string): Permission | undefined {
  const { resources } = account.catalog;
  const record = resources.byRid(rid)?.record;
  if (record?.kind !== "permission") return undefined;
  const databaseRid = resources.byRid(record.ownerRid)?.record.ownerRid;
  const path = pathOfLink(account, textIn(record, "resource"));
  if (path === undefined || !("container" in path)) return undefined;
  const key = keyIn(record);
  if (!key.ok) return undefined;
  const place = resources.permitted(path, key.value !== undefined);
  // Users have rights in their own database only.
  if (place?.container.databaseRid !== databaseRid || place === undefined) return undefined;
  const { container, rights } = place;
  const child = childOf(account, place, path);
  if (child === "absent") return undefined;
  const mode = textIn(record, "permissionMode").toLowerCase();
  return {
    etag: record.etag,
    mode: mode === "all" || mode === "read" ? mode : "none",
    target: child === undefined ? rights : `${rights} ${child.kind} ${child.said}`,
    containerRid: container.rid,
    child: child && { kind: child.kind, name: child.name },
    key: key.value,
  };
}

interface SaidChild extends PermittedChild {
  /** As the link has it, unless that tells less than what it leads to. */
  readonly said: string;
}

function childOf(
  account: Account,
  { container, itemNameNow }: PermittedPlace,
  path: ResourcePath,
): SaidChild | undefined | "absent" {
  switch (path.kind) {
    case "container":
      return undefined;
    case "item":
      return { kind: "item", name: itemNameNow(path.id), said: path.id };
    case "resource": {
      const script = account.catalog.resources.get(container.rid, path.resource, path.id);
      if (script === undefined) return "absent";
      return { kind: "script", name: script.rid, said: script.rid };
    }
    default:
      return "absent";
  }
}

function keyIn({ content }: ResourceRecord): Result<Permission["key"], string> {
  const written = property(content, "resourcePartitionKey");
  if (written === undefined || written === null) return ok(undefined);
  return parseKeyHeader(JSON.stringify(written));
}

function textIn({ content }: ResourceRecord, name: string): string {
  const value = property(content, name);
  return typeof value === "string" ? value : "";
}

/**
 * A link is a path. Clients differ in whether its names are as they are or as in a URL, and what
 * there is decides which of the two is meant. Slashes at its ends do not matter.
 */
function pathOfLink(account: Account, link: string): ResourcePath | undefined {
  const segments = link.split("/").filter((segment) => segment !== "");
  const path = parsedPath(segments, encodeURIComponent);
  if (path === undefined || !("container" in path)) return path;
  const isThere = account.catalog.container(path.database, path.container) !== undefined;
  return isThere ? path : parsedPath(segments, (segment) => segment);
}

function parsedPath(
  segments: readonly string[],
  encode: (segment: string) => string,
): ResourcePath | undefined {
  try {
    return parseResourcePath(`/${segments.map(encode).join("/")}`);
  } catch {
    return undefined; // Half of a surrogate pair: nothing has such a name.
  }
}
