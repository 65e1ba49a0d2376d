/**
 * Whether what a path names lies in something that is not there. Routes find that out by
 * themselves; this is for a client that asks, before it sends a body, whether to send it.
 */
import type { Account } from "../../engine/account.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ResourcePath } from "../../protocol/request/resourcePath.ts";

export function absenceOf({ catalog }: Account, path: ResourcePath): Refusal | undefined {
  if (!("database" in path)) return undefined;
  if (catalog.database(path.database) === undefined) {
    return { kind: path.kind === "database" ? "notFound" : "ownerNotFound" };
  }
  if (!("container" in path)) return undefined;
  if (catalog.container(path.database, path.container) !== undefined) return undefined;
  return { kind: path.kind === "container" ? "notFound" : "ownerNotFound" };
}
