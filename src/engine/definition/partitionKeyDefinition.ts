/**
 * The partition key definition in a container's body.
 *
 * A parsed definition always has a kind and a version: clients hash by the definition that they
 * read, and all clients take a definition without a version as version 1. `MultiHash` is version 2
 * with one to three paths; `Hash` has one path.
 *
 * A replacement must repeat the definition. It may leave out kind and version, and a container that
 * was created without a partition key may go on leaving out the whole definition.
 *
 * Before API version 2018-12-31 a container could have no partition key. Such a container has a
 * system key now: `/_partitionKey`, which its items need not have.
 */
import { listOf, member, objectOf, refuse, repeated, textOf, wordOf } from "../../json/reading.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { faultPositionOf } from "./propertyPath.ts";

/** The only path that a system key can have: clients look for the value of an item nowhere else. */
const SYSTEM_PATH = "/_partitionKey";

/** Adds a system key to the body of a new container that has no partition key. */
export function withSystemKey(body: JsonValue): JsonValue {
  if (!isObject(body) || member(body, "partitionKey") !== undefined) return body;
  return { ...body, partitionKey: { paths: [SYSTEM_PATH], systemKey: true } };
}

export function readPartitionKeyDefinition(
  value: JsonValue | undefined,
  previous: PartitionKeyDefinition | undefined,
  limits: Limits,
): PartitionKeyDefinition {
  if (value === undefined && previous?.systemKey === true) return previous;
  if (value === undefined) refuse("A partition key must be specified for the container.");
  const body = objectOf(value, "The partition key definition");
  const kind = wordOf(member(body, "kind") ?? previous?.kind ?? "Hash", "The partition key kind", [
    "Hash",
    "MultiHash",
  ]);
  const version = readVersion(member(body, "version") ?? previous?.version ?? 1);
  const paths = readPaths(body, kind, limits);
  if (kind === "MultiHash" && version !== 2) {
    refuse("A hierarchical partition key (kind 'MultiHash') must have version 2.");
  }
  if (previous === undefined) {
    const isSystemKey = member(body, "systemKey") === true;
    if (isSystemKey && (kind !== "Hash" || paths[0] !== SYSTEM_PATH)) {
      refuse(
        `A system key has the path '${SYSTEM_PATH}' and the kind 'Hash'; leave systemKey out.`,
      );
    }
    return { paths, kind, version, ...(isSystemKey && { systemKey: true }) };
  }
  const isRepeated =
    kind === previous.kind &&
    version === previous.version &&
    paths.length === previous.paths.length &&
    paths.every((path, level) => path === previous.paths[level]);
  return isRepeated ? previous : refuse("The partition key of a container cannot be changed.");
}

export function partitionKeyBody(definition: PartitionKeyDefinition): JsonObject {
  const { paths, kind, version, systemKey } = definition;
  return { paths, kind, version, ...(systemKey === true && { systemKey }) };
}

/** Parses a version. The client for Java writes the name of the version, and reads its number. */
function readVersion(version: JsonValue): 1 | 2 {
  if (version === 1 || version === "V1") return 1;
  if (version === 2 || version === "V2") return 2;
  return refuse("The partition key version must be 1 or 2.");
}

function readPaths(
  body: JsonObject,
  kind: PartitionKeyDefinition["kind"],
  limits: Limits,
): readonly string[] {
  const what = "The member 'paths' of the partition key definition";
  const paths = listOf(member(body, "paths"), what).map((path) =>
    textOf(path, "A partition key path"),
  );
  const countMax = kind === "Hash" ? 1 : limits.keyLevelsMax;
  if (paths.length === 0) refuse("The partition key definition must have at least one path.");
  if (paths.length > countMax) {
    refuse(
      // The official clients look for these words.
      `Too many partition key paths (${paths.length}) specified. ` +
        `A maximum of ${countMax} is allowed.`,
    );
  }
  for (const path of paths) checkPath(path);
  const twice = repeated(paths);
  return twice === undefined ? paths : refuse(`The partition key path '${twice}' is given twice.`);
}

/** Refuses an invalid path; the official clients look for both sentences of the message. */
function checkPath(path: string): void {
  const position = faultPositionOf(path);
  if (position === undefined) return;
  refuse(
    `The partition key component definition path '${path}' could not be accepted, ` +
      `failed near position '${position}'. Partition key paths must contain only valid ` +
      "characters and not contain a trailing slash or wildcard character.",
  );
}
