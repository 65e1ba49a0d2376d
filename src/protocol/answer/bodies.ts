/** The JSON bodies of resources and feeds, as SDKs expect them. */
import type { JsonObject } from "../../json/value.ts";
import { type Limits, SERVICE_LIMITS } from "../../model/limits.ts";
import type { ChildRidPrefix, Rid } from "../../model/rid.ts";
import { rangeRid } from "../../model/rid.ts";
import { changedLimits } from "../../model/scaledLimits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import type { PartitionMap } from "../../partition/partitionMap.ts";

/** What the account document says besides where the account is. */
export interface AccountFacts {
  readonly consistency: "Strong" | "BoundedStaleness" | "Session" | "ConsistentPrefix" | "Eventual";
  readonly limits: Limits;
  readonly rates: RateSetting;
}

export interface ResourceStamp {
  readonly etag: string;
  readonly ts: number;
}

/** The one region of the account, by the name that the emulators give theirs: clients know it. */
const REGION = "South Central US";

/** The query engine's limits and switches, as the SDKs with a planner of their own read them. */
const QUERY_ENGINE_CONFIGURATION = JSON.stringify({
  maxSqlQueryInputLength: SERVICE_LIMITS.queryCharactersMax,
  maxJoinsPerSqlQuery: SERVICE_LIMITS.queryJoinsMax,
  maxLogicalAndPerSqlQuery: SERVICE_LIMITS.queryAndsMax,
  maxLogicalOrPerSqlQuery: SERVICE_LIMITS.queryOrsMax,
  maxUdfRefPerSqlQuery: SERVICE_LIMITS.queryUdfCallsMax,
  maxInExpressionItemsCount: SERVICE_LIMITS.queryInItemsMax,
  queryMaxInMemorySortDocumentCount: 500,
  maxQueryRequestTimeoutFraction: 0.9,
  sqlAllowNonFiniteNumbers: false,
  sqlAllowAggregateFunctions: true,
  sqlAllowSubQuery: true,
  sqlAllowScalarSubQuery: true,
  allowNewKeywords: true,
  sqlAllowLike: true,
  sqlAllowGroupByClause: true,
  maxSpatialQueryCells: 12,
  spatialMaxGeometryPointCount: 256,
  sqlDisableQueryILOptimization: false,
  sqlDisableFilterPlanning: false,
  sqlAllowTop: true,
  enableSpatialIndexing: true,
});

/**
 * `endpoint` is where clients send everything from now on, so it must be the address they came by.
 * The id must not be "localhost": the JavaScript SDK then reads the account anew on every request.
 */
export function accountBody(endpoint: string, facts: AccountFacts): JsonObject {
  const location = { name: REGION, databaseAccountEndpoint: endpoint };
  return {
    _self: "",
    id: "orrery",
    _rid: "orrery.documents.local",
    media: "//media/",
    addresses: "//addresses/",
    _dbs: "//dbs/",
    writableLocations: [location],
    readableLocations: [location],
    enableMultipleWriteLocations: false,
    continuousBackupEnabled: false,
    enableNRegionSynchronousCommit: false,
    enablePerPartitionFailoverBehavior: false,
    userReplicationPolicy: {
      asyncReplication: false,
      minReplicaSetSize: 1,
      maxReplicasetSize: 1,
    },
    userConsistencyPolicy: consistencyPolicy(facts),
    systemReplicationPolicy: { minReplicaSetSize: 1, maxReplicasetSize: 1 },
    readPolicy: { primaryReadCoefficient: 1, secondaryReadCoefficient: 1 },
    queryEngineConfiguration: QUERY_ENGINE_CONFIGURATION,
    orrery: ownFacts(facts),
  };
}

function consistencyPolicy({ consistency, limits }: AccountFacts): JsonObject {
  return {
    defaultConsistencyLevel: consistency,
    ...(consistency === "BoundedStaleness" && {
      maxStalenessPrefix: limits.stalenessWritesMin,
      maxIntervalInSeconds: limits.stalenessSecondsMin,
    }),
  };
}

/** Facts that no other account states of itself, under a name that clients do not look at. */
function ownFacts({ limits, rates }: AccountFacts): JsonObject {
  return {
    rateLimit: rates.isLimited,
    serverless: rates.isServerless,
    burstCapacity: rates.hasBurst,
    manualRatePerPartition: rates.manualRatePerPartition,
    changedLimits: changedLimits(limits).map((limit) => ({ ...limit })),
  };
}

export function databaseBody(id: string, rid: string, { etag, ts }: ResourceStamp): JsonObject {
  return {
    id,
    _rid: rid,
    _self: `dbs/${rid}/`,
    _etag: etag,
    _colls: "colls/",
    _users: "users/",
    _ts: ts,
  };
}

export function containerBody(
  definition: JsonObject,
  rids: { readonly database: string; readonly container: string },
  { etag, ts }: ResourceStamp,
): JsonObject {
  return {
    ...definition,
    _rid: rids.container,
    _ts: ts,
    _self: `dbs/${rids.database}/colls/${rids.container}/`,
    _etag: etag,
    _docs: "docs/",
    _sprocs: "sprocs/",
    _triggers: "triggers/",
    _udfs: "udfs/",
    _conflicts: "conflicts/",
  };
}

export function rangeBodies(
  map: PartitionMap,
  rids: {
    readonly database: string;
    readonly container: string;
    readonly children: ChildRidPrefix;
  },
  { etag, ts }: ResourceStamp,
  lsnOf: (rangeId: string) => number,
): readonly JsonObject[] {
  const fraction = 1 / map.entries.length;
  return map.entries.map(({ id, ordinal, range, parents }) => {
    const rid: Rid = rangeRid(rids.children, ordinal);
    return {
      _rid: rid,
      id,
      _etag: etag,
      minInclusive: range.min,
      maxExclusive: range.max,
      ridPrefix: ordinal,
      _self: `dbs/${rids.database}/colls/${rids.container}/pkranges/${rid}/`,
      throughputFraction: fraction,
      status: "online",
      parents,
      ownedArchivalPKRangeIds: [],
      _ts: ts,
      lsn: lsnOf(id),
      _lsn: lsnOf(id),
    };
  });
}

export type FeedName =
  | "Databases"
  | "DocumentCollections"
  | "PartitionKeyRanges"
  | "Offers"
  | "Users"
  | "Permissions"
  | "ClientEncryptionKeys"
  | "StoredProcedures"
  | "Triggers"
  | "UserDefinedFunctions"
  | "Conflicts";

export function feedBody(rid: string, name: FeedName, members: readonly JsonObject[]): Buffer {
  return Buffer.from(JSON.stringify({ _rid: rid, [name]: members, _count: members.length }));
}

/** A page of items: stored bytes between the brackets, none of them read again. */
export function itemFeedBody(rid: string, bodies: readonly Buffer[]): Buffer {
  return rowsBody(rid, "Documents", bodies);
}

/** A page of rows of any feed, put together in the same way. */
export function rowsBody(
  rid: string,
  name: FeedName | "Documents",
  rows: readonly Buffer[],
): Buffer {
  const parts: Buffer[] = [Buffer.from(`{"_rid":"${rid}","${name}":[`)];
  rows.forEach((row, index) => {
    if (index > 0) parts.push(COMMA);
    parts.push(row);
  });
  parts.push(Buffer.from(`],"_count":${rows.length}}`));
  return Buffer.concat(parts);
}

const COMMA = Buffer.from(",");
