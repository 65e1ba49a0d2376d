/**
 * The paths of the addresses that clients in direct mode are given, and send along with every
 * request. To a client they say nothing; here they name the physical partition, so that no table of
 * addresses is needed, and an address is good for as long as its range is.
 *
 * There is one replica of each range, which is shown as two: the readers of an account with strong
 * consistency ask others than the primary first, and would look for them anew with every read.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";

/** Where a client thinks that what it asks for is. */
export type ReplicaPlace =
  /** What belongs to no range: databases, containers, users. */
  | { readonly kind: "master" }
  | { readonly kind: "range"; readonly containerRid: string; readonly rangeId: string };

/** The name of the partition of what belongs to no range, as clients know it. */
export const MASTER_RANGE_ID = "M";

const START = "apps/orrery/services";
const REPLICAS = ["1p", "2s"] as const;

/** The paths of all replicas, the primary first. */
export function replicaPathsOf(place: ReplicaPlace): readonly string[] {
  const service =
    place.kind === "master" ? "master" : Buffer.from(place.containerRid).toString("hex");
  const partition = place.kind === "master" ? MASTER_RANGE_ID : place.rangeId;
  const stem = `/${START}/${service}/partitions/${partition}/replicas`;
  return REPLICAS.map((replica) => `${stem}/${replica}`);
}

export function parseReplicaPath(path: string): Result<ReplicaPlace, string> {
  const form = /^\/?apps\/orrery\/services\/(\w+)\/partitions\/([^/]+)\/replicas\/\d[ps]\/?$/;
  const [, service, partition] = form.exec(path) ?? [];
  if (service === undefined || partition === undefined) return no("It is no address of a replica.");
  if (service === "master") return ok({ kind: "master" });
  const containerRid = Buffer.from(service, "hex").toString();
  return ok({ kind: "range", containerRid, rangeId: partition });
}
