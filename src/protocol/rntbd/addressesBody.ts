/** The addresses of replicas, as clients in direct mode read them. */
import type { JsonObject } from "../../json/value.ts";
import type { ReplicaPlace } from "./replicaPath.ts";
import { MASTER_RANGE_ID, replicaPathsOf } from "./replicaPath.ts";

/** `places` are the physical partitions that were asked for; `host` has a port. */
export function addressesBody(host: string, places: readonly ReplicaPlace[]): JsonObject {
  const addresses = places.flatMap((place) => replicasOf(host, place));
  return { _rid: "", _count: addresses.length, Addresss: addresses };
}

function replicasOf(host: string, place: ReplicaPlace): readonly JsonObject[] {
  const paths = replicaPathsOf(place);
  return paths.map((path, index) => {
    const uri = `rntbd://${host}${path}/`;
    const rangeId = place.kind === "master" ? MASTER_RANGE_ID : place.rangeId;
    return {
      isPrimary: index === 0,
      protocol: "rntbd",
      logicalUri: uri,
      physcialUri: uri,
      partitionIndex: `${rangeId}@0`,
      partitionKeyRangeId: rangeId,
      partitionTargetReplicaSetSize: paths.length,
    };
  });
}
