/**
 * Which places of a container's items are indexed: the indexing policy, read from a request body.
 *
 * `parseIndexingPolicy` returns a complete policy in normal form, ready to be stored and echoed, or
 * the sentence that the client is told. In normal form
 * - modes, orders and directions are lower case; paths keep their order and their spelling;
 * - under `consistent`, `/*` is included or excluded, never both, and `_etag` is excluded unless
 *   the client included it by name;
 * - `none` goes with `automatic: false` and has no paths but those the client sent;
 * - a member that is `null` counts as absent, and members the service does not know are dropped:
 *   nothing unchecked gets into a container's definition.
 *
 * Not here: the special indexes (`policyIndexes.ts`), and what a policy means for an item
 * (`compiledPolicy.ts`).
 */
import { no, ok, type Result } from "../base/result.ts";
import {
  has,
  listNamed as listOf,
  member,
  objectOf,
  optionalMember as optional,
  ReadingProblem as PolicyProblem,
  refuse,
  textNamed as textOf,
  wholeNumberNamed as wholeNumberOf,
  wordNamed as wordOf,
} from "../json/reading.ts";
import type { JsonValue } from "../json/value.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import {
  type CompositeIndex,
  type FullTextIndex,
  readCompositeIndexes,
  readFullTextIndexes,
  readSpatialIndexes,
  readVectorIndexes,
  refusePath,
  type SpatialIndex,
  type VectorIndex,
} from "./policyIndexes.ts";
import { canonicalPolicyPath, parsePolicyPath } from "./policyPath.ts";

export type IndexingPolicy = {
  readonly indexingMode: (typeof MODES)[number];
  readonly automatic: boolean;
  readonly includedPaths: readonly IncludedPath[];
  readonly excludedPaths: readonly ExcludedPath[];
  readonly compositeIndexes?: readonly CompositeIndex[];
  readonly spatialIndexes?: readonly SpatialIndex[];
  readonly vectorIndexes?: readonly VectorIndex[];
  readonly fullTextIndexes?: readonly FullTextIndex[];
};

type IncludedPath = { readonly path: string };

type ExcludedPath = { readonly path: string };

/** The policy of a container that asks for none. */
export const DEFAULT_INDEXING_POLICY: IndexingPolicy = {
  indexingMode: "consistent",
  automatic: true,
  includedPaths: [{ path: "/*" }],
  excludedPaths: [{ path: '/"_etag"/?' }],
};

export function parseIndexingPolicy(body: JsonValue | undefined): Result<IndexingPolicy, string> {
  if (body === undefined || body === null) return ok(DEFAULT_INDEXING_POLICY);
  try {
    return ok(readPolicy(body));
  } catch (problem) {
    if (problem instanceof PolicyProblem) return no(problem.message);
    throw problem;
  }
}

/**
 * Checks the boxes of spatial indexes: a planar index needs a box to be cut into cells; a spherical
 * one has the globe.
 */
export function boundingBoxProblem(
  policy: IndexingPolicy,
  geospatialType: "Geography" | "Geometry",
): string | undefined {
  for (const { path, boundingBox } of policy.spatialIndexes ?? []) {
    if (geospatialType === "Geometry" && boundingBox === undefined) {
      return `The spatial index on '${path}' needs a boundingBox in a Geometry container.`;
    }
    if (geospatialType === "Geography" && boundingBox !== undefined) {
      return `The spatial index on '${path}' has a boundingBox: not in a Geography container.`;
    }
  }
  return undefined;
}

const INCLUDED_COUNT_MAX: number = SERVICE_LIMITS.indexedPathsMax;
/**
 * One more than may be sent, for the `_etag` that is added: a full policy must be accepted as it
 * was echoed.
 */
const EXCLUDED_COUNT_MAX: number = SERVICE_LIMITS.indexedPathsMax + 1;
const LEGACY_INDEX_COUNT_MAX = 16;
/** `lazy` is retired: a client that asks for it gets `consistent`. */
const MODES = ["consistent", "none", "lazy"] as const;
const LEGACY_KINDS = ["Hash", "Range", "Spatial"] as const;
const LEGACY_DATA_TYPES = [
  "Number",
  "String",
  "Point",
  "LineString",
  "Polygon",
  "MultiPolygon",
] as const;

function readPolicy(body: JsonValue): IndexingPolicy {
  const policy = objectOf(body, "The indexing policy");
  const mode = member(policy, "indexingMode") ?? "consistent";
  const isConsistent = wordOf(mode, "indexingMode", MODES) !== "none";
  const automatic = member(policy, "automatic") ?? isConsistent;
  if (typeof automatic !== "boolean") refuse("The member 'automatic' must be true or false.");
  if (!isConsistent && automatic) {
    refuse("Indexing mode 'none' needs 'automatic' to be false.");
  }
  const included = listOf(member(policy, "includedPaths"), "includedPaths", INCLUDED_COUNT_MAX);
  const excluded = listOf(member(policy, "excludedPaths"), "excludedPaths", EXCLUDED_COUNT_MAX);
  const paths = {
    includedPaths: included.map(readIncludedPath),
    excludedPaths: excluded.map((entry) => ({ path: indexedPathOf(entry) })),
  };
  const isRootImplied = !has(policy, "includedPaths") || included.length + excluded.length === 0;
  return {
    indexingMode: isConsistent ? "consistent" : "none",
    automatic,
    ...(isConsistent ? completed(paths, isRootImplied) : paths),
    ...optional(policy, "compositeIndexes", readCompositeIndexes),
    ...optional(policy, "spatialIndexes", readSpatialIndexes),
    ...optional(policy, "vectorIndexes", readVectorIndexes),
    ...optional(policy, "fullTextIndexes", readFullTextIndexes),
  };
}

/**
 * Reads an included path. Clients once named the indexes of each path; such a list is checked and
 * has no effect.
 */
function readIncludedPath(entry: JsonValue): IncludedPath {
  const path = indexedPathOf(entry);
  const indexes = member(objectOf(entry, "An included path"), "indexes");
  listOf(indexes, "indexes", LEGACY_INDEX_COUNT_MAX).forEach(checkLegacyIndex);
  return { path };
}

function checkLegacyIndex(entry: JsonValue): void {
  const index = objectOf(entry, "An index of an included path");
  wordOf(member(index, "kind"), "kind", LEGACY_KINDS);
  wordOf(member(index, "dataType"), "dataType", LEGACY_DATA_TYPES);
  const precision = member(index, "precision");
  if (precision !== undefined) wholeNumberOf(precision, "precision", -1, 100);
}

/** Returns the path of an included or excluded entry, which must end in `/?` or `/*`. */
function indexedPathOf(entry: JsonValue): string {
  const path = textOf(member(objectOf(entry, "An indexed path"), "path"), "path");
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) return refusePath(path, parsed.error);
  return parsed.value.end === "none" ? refusePath(path, path.length) : path;
}

interface Paths {
  readonly includedPaths: readonly IncludedPath[];
  readonly excludedPaths: readonly ExcludedPath[];
}

/** Adds what a client may leave out, and refuses a policy that would leave a place undecided. */
function completed(paths: Paths, isRootImplied: boolean): Paths {
  const included = new Set(paths.includedPaths.map(({ path }) => canonical(path)));
  const excluded = new Set(paths.excludedPaths.map(({ path }) => canonical(path)));
  for (const path of included) {
    if (excluded.has(path)) refuse(`The indexing path ${path} is both included and excluded.`);
  }
  const addsRoot = !included.has(ROOT) && !excluded.has(ROOT);
  if (addsRoot && !isRootImplied) {
    refuse("The indexing path '/*' must be among the included or the excluded paths.");
  }
  const addsEtag = ETAG_PATHS.every((path) => !included.has(path) && !excluded.has(path));
  const { includedPaths, excludedPaths } = DEFAULT_INDEXING_POLICY;
  return {
    includedPaths: addsRoot ? [...paths.includedPaths, ...includedPaths] : paths.includedPaths,
    excludedPaths: addsEtag ? [...paths.excludedPaths, ...excludedPaths] : paths.excludedPaths,
  };
}

const ROOT = "/*";
const ETAG_PATHS = ['/"_etag"/?', '/"_etag"/*'] as const;

function canonical(path: string): string {
  const parsed = parsePolicyPath(path);
  return parsed.ok ? canonicalPolicyPath(path, parsed.value) : path;
}
