/**
 * The definition of a container: the settings its owner sends, checked and complete.
 *
 * A definition is an immutable value in normal form. Defaults are filled in as the service does,
 * members that the service does not know are dropped, and `null` counts as absent. So
 * `parseContainerDefinition(definitionBody(d), undefined, limits)` gives `d` again, which is how a
 * stored definition is read.
 *
 * A replacement is a whole definition too: a member that it leaves out gets its default. It is
 * refused only where the default would change a setting that cannot change.
 *
 * Each policy has its file in `definition/`; this file combines them. Not here: the indexing policy
 * (`index/policy.ts`), throughput, and the system properties of the resource.
 */
import { no, ok, type Result } from "../../base/result.ts";
import {
  boundingBoxProblem,
  type IndexingPolicy,
  parseIndexingPolicy,
} from "../../index/policy.ts";
import {
  ReadingProblem as DefinitionProblem,
  member,
  objectOf,
  optional,
  refuse,
  wordOf,
} from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { checkName } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import {
  type ClientEncryptionPolicy,
  checkClientEncryptionKept,
  readClientEncryptionPolicy,
} from "./clientEncryptionPolicy.ts";
import { type ComputedProperty, readComputedProperties } from "./computedProperties.ts";
import {
  type ConflictResolutionPolicy,
  checkConflictResolutionKept,
  readConflictResolutionPolicy,
} from "./conflictResolution.ts";
import { checkFullTextIndexes, type FullTextPolicy, readFullTextPolicy } from "./fullTextPolicy.ts";
import { partitionKeyBody, readPartitionKeyDefinition } from "./partitionKeyDefinition.ts";
import {
  checkUniqueKeysKept,
  readUniqueKeyPolicy,
  type UniqueKeyPolicy,
} from "./uniqueKeyPolicy.ts";
import {
  checkVectorIndexes,
  checkVectorsKept,
  readVectorEmbeddingPolicy,
  type VectorEmbeddingPolicy,
} from "./vectorPolicy.ts";
import { readViewDefinition, type ViewDefinition, viewMembers } from "./viewDefinition.ts";

export interface ContainerDefinition {
  readonly id: string;
  readonly indexingPolicy: IndexingPolicy;
  readonly partitionKey: PartitionKeyDefinition;
  /**
   * Seconds that an item lives unless it has a ttl of its own; -1 means for ever. When absent,
   * expiry is switched off.
   */
  readonly defaultTtl?: number;
  readonly analyticalStorageTtl?: number;
  readonly uniqueKeyPolicy?: UniqueKeyPolicy;
  readonly conflictResolutionPolicy: ConflictResolutionPolicy;
  readonly geospatialConfig: GeospatialConfig;
  readonly changeFeedPolicy?: ChangeFeedPolicy;
  readonly computedProperties?: readonly ComputedProperty[];
  readonly vectorEmbeddingPolicy?: VectorEmbeddingPolicy;
  readonly fullTextPolicy?: FullTextPolicy;
  readonly clientEncryptionPolicy?: ClientEncryptionPolicy;
  /** Present when the server fills the container from another one, and clients only read it. */
  readonly view?: ViewDefinition;
}

type GeospatialConfig = { readonly type: "Geography" | "Geometry" };

type ChangeFeedPolicy = {
  /** Minutes for which all versions and deletes can be read. */
  readonly retentionDuration: number;
};

/** True when versions are kept for a while, so that all versions and deletes can be read. */
export function keepsVersions({ changeFeedPolicy }: ContainerDefinition): boolean {
  return (changeFeedPolicy?.retentionDuration ?? 0) > 0;
}

/**
 * Parses the body of a new container or, with `previous`, the body that replaces its definition.
 */
export function parseContainerDefinition(
  body: JsonValue,
  previous: ContainerDefinition | undefined,
  limits: Limits,
): Result<ContainerDefinition, string> {
  try {
    const definition = readDefinition(body, previous, limits);
    checkTogether(definition);
    if (previous !== undefined) checkReplacement(previous, definition);
    return ok(definition);
  } catch (problem) {
    if (problem instanceof DefinitionProblem) return no(problem.message);
    throw problem;
  }
}

/** Returns the members that a client reads, in the order in which the service writes them. */
export function definitionBody(definition: ContainerDefinition): JsonObject {
  const { id, indexingPolicy, partitionKey, ...others } = definition;
  return {
    id,
    indexingPolicy,
    partitionKey: partitionKeyBody(partitionKey),
    ...optional("defaultTtl", others.defaultTtl),
    ...optional("analyticalStorageTtl", others.analyticalStorageTtl),
    ...optional("uniqueKeyPolicy", others.uniqueKeyPolicy),
    conflictResolutionPolicy: others.conflictResolutionPolicy,
    geospatialConfig: others.geospatialConfig,
    ...optional("changeFeedPolicy", others.changeFeedPolicy),
    ...optional("computedProperties", others.computedProperties),
    ...optional("vectorEmbeddingPolicy", others.vectorEmbeddingPolicy),
    ...optional("fullTextPolicy", others.fullTextPolicy),
    ...optional("clientEncryptionPolicy", others.clientEncryptionPolicy),
    ...viewMembers(others.view),
  };
}

function readDefinition(
  body: JsonValue,
  previous: ContainerDefinition | undefined,
  limits: Limits,
): ContainerDefinition {
  const container = objectOf(body, "The container");
  const read = (name: string): JsonValue | undefined => member(container, name);
  const indexing = parseIndexingPolicy(read("indexingPolicy"));
  return {
    id: readId(read("id"), previous, limits),
    indexingPolicy: indexing.ok ? indexing.value : refuse(indexing.error),
    partitionKey: readPartitionKeyDefinition(read("partitionKey"), previous?.partitionKey, limits),
    ...optional("defaultTtl", readTtl(read("defaultTtl"), "defaultTtl", limits)),
    ...optional("analyticalStorageTtl", readAnalyticalTtl(read("analyticalStorageTtl"), limits)),
    ...optional("uniqueKeyPolicy", readUniqueKeyPolicy(read("uniqueKeyPolicy"), limits)),
    conflictResolutionPolicy: readConflictResolutionPolicy(read("conflictResolutionPolicy")),
    geospatialConfig: readGeospatialConfig(read("geospatialConfig")),
    ...optional("changeFeedPolicy", readChangeFeedPolicy(read("changeFeedPolicy"), limits)),
    ...optional("computedProperties", readComputedProperties(read("computedProperties"), limits)),
    ...optional("vectorEmbeddingPolicy", readVectorEmbeddingPolicy(read("vectorEmbeddingPolicy"))),
    ...optional("fullTextPolicy", readFullTextPolicy(read("fullTextPolicy"))),
    ...optional(
      "clientEncryptionPolicy",
      readClientEncryptionPolicy(read("clientEncryptionPolicy")),
    ),
    ...optional("view", readViewDefinition(read, previous?.view, previous !== undefined)),
  };
}

/** Checks the rules that span more than one policy. */
function checkTogether(definition: ContainerDefinition): void {
  const { indexingPolicy, geospatialConfig } = definition;
  if (indexingPolicy.indexingMode === "none" && definition.defaultTtl !== undefined) {
    refuse(
      "A container with indexing mode 'none' cannot have a defaultTtl: expiry needs an index.",
    );
  }
  const boxProblem = boundingBoxProblem(indexingPolicy, geospatialConfig.type);
  if (boxProblem !== undefined) refuse(boxProblem);
  checkVectorIndexes(indexingPolicy, definition.vectorEmbeddingPolicy);
  checkFullTextIndexes(indexingPolicy, definition.fullTextPolicy);
}

/**
 * Checks the settings that must stay the same; id and partition key were compared by their readers.
 */
function checkReplacement(previous: ContainerDefinition, next: ContainerDefinition): void {
  checkUniqueKeysKept(previous.uniqueKeyPolicy, next.uniqueKeyPolicy);
  checkConflictResolutionKept(previous.conflictResolutionPolicy, next.conflictResolutionPolicy);
  checkClientEncryptionKept(previous.clientEncryptionPolicy, next.clientEncryptionPolicy);
  checkVectorsKept(previous, next);
}

function readId(
  id: JsonValue | undefined,
  previous: ContainerDefinition | undefined,
  limits: Limits,
): string {
  const complaint = checkName(id, limits);
  if (complaint !== undefined) refuse(complaint);
  if (previous !== undefined && id !== previous.id) {
    refuse(`The id of the container '${previous.id}' cannot be changed.`);
  }
  return id as string;
}

function readTtl(value: JsonValue | undefined, name: string, limits: Limits): number | undefined {
  if (value === undefined || value === -1) return value;
  return readWholeNumber(value, { name: `${name} (unless it is -1)`, min: 1, limits });
}

/** Parses the analytical ttl. Both zero and absent mean that there is no analytical store. */
function readAnalyticalTtl(value: JsonValue | undefined, limits: Limits): number | undefined {
  return value === 0 ? undefined : readTtl(value, "analyticalStorageTtl", limits);
}

function readChangeFeedPolicy(
  value: JsonValue | undefined,
  limits: Limits,
): ChangeFeedPolicy | undefined {
  if (value === undefined) return undefined;
  const duration = member(objectOf(value, "The change feed policy"), "retentionDuration") ?? 0;
  return {
    retentionDuration: readWholeNumber(duration, { name: "retentionDuration", min: 0, limits }),
  };
}

function readWholeNumber(
  value: JsonValue,
  { name, min, limits }: { readonly name: string; readonly min: number; readonly limits: Limits },
): number {
  const max = limits.ttlSecondsMax;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  return refuse(`The value of ${name} must be a whole number from ${min} to ${max}.`);
}

function readGeospatialConfig(value: JsonValue | undefined): GeospatialConfig {
  const config = objectOf(value ?? {}, "The geospatial configuration");
  const type = member(config, "type") ?? "Geography";
  return { type: wordOf(type, "The geospatial type", ["Geography", "Geometry"]) };
}
