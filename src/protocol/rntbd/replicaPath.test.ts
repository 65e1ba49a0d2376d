/** A path that was given out leads back to where it was for. */
import { expect, test } from "vitest";
import type { ReplicaPlace } from "./replicaPath.ts";
import { parseReplicaPath, replicaPathsOf } from "./replicaPath.ts";

const PLACES: readonly ReplicaPlace[] = [
  { kind: "master" },
  { kind: "range", containerRid: "AAAAAIAAAAE=", rangeId: "0" },
  { kind: "range", containerRid: "+-AAAIAAAAE=", rangeId: "127" },
];

test.each(PLACES)("%j has a primary and a secondary, which lead back to it", (place) => {
  const paths = replicaPathsOf(place);
  expect(paths.map((path) => path.slice(-2))).toEqual(["1p", "2s"]);
  for (const path of paths) {
    expect(path).toMatch(/^[/\w]+$/);
    expect(parseReplicaPath(path)).toEqual({ ok: true, value: place });
    expect(parseReplicaPath(`${path}/`)).toEqual({ ok: true, value: place });
  }
});

test.each([
  "",
  "/",
  "/apps/orrery/services/x",
  "/apps/orrery/services/master/partitions/M/replicas/p",
])("%j is none", (path) => {
  expect(parseReplicaPath(path).ok).toBe(false);
});
