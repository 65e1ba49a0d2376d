/**
 * The names that a seed may use: one table, level by level. A name that is in none of them is
 * refused, also deep in a policy, where the service itself would pass over it.
 *
 * Names and values of policies are the service's. What they mean, and whether they go together, is
 * decided where a container is made (`engine/definition`).
 */
import type { SettingsReader } from "../yaml/settingsReader.ts";
import type { SourceNode } from "../yaml/sourceTree.ts";

/** What may stand somewhere: members by name, a list of such, or anything. */
type Form = { readonly members: Readonly<Record<string, Form>> } | { readonly each: Form } | "any";

const of = (members: Readonly<Record<string, Form>>): Form => ({ members });
const each = (form: Form): Form => ({ each: form });
const names = (...known: readonly string[]): Form =>
  of(Object.fromEntries(known.map((name) => [name, "any"])));

const INDEXES = each(names("kind", "dataType", "precision"));

type BodyName =
  | "indexingPolicy"
  | "defaultTtl"
  | "uniqueKeyPolicy"
  | "computedProperties"
  | "conflictResolutionPolicy"
  | "geospatialConfig"
  | "changeFeedPolicy"
  | "vectorEmbeddingPolicy"
  | "fullTextPolicy"
  | "analyticalStorageTtl"
  | "materializedViewDefinition";

/** Members of a container's body, as clients send them. */
const BODY_FORMS: Readonly<Record<BodyName, Form>> = {
  indexingPolicy: of({
    indexingMode: "any",
    automatic: "any",
    includedPaths: each(of({ path: "any", indexes: INDEXES })),
    excludedPaths: each(of({ path: "any", indexes: INDEXES })),
    compositeIndexes: each(each(names("path", "order"))),
    spatialIndexes: each(
      of({ path: "any", types: "any", boundingBox: names("xmin", "ymin", "xmax", "ymax") }),
    ),
    vectorIndexes: "any",
    fullTextIndexes: each(names("path")),
  }),
  defaultTtl: "any",
  uniqueKeyPolicy: of({ uniqueKeys: each(names("paths")) }),
  computedProperties: each(names("name", "query")),
  conflictResolutionPolicy: names("mode", "conflictResolutionPath", "conflictResolutionProcedure"),
  geospatialConfig: names("type"),
  changeFeedPolicy: names("retentionDuration"),
  vectorEmbeddingPolicy: of({ vectorEmbeddings: "any" }),
  fullTextPolicy: of({ defaultLanguage: "any", fullTextPaths: each(names("path", "language")) }),
  analyticalStorageTtl: "any",
  materializedViewDefinition: names("sourceCollectionId", "definition"),
};

export const BODY_NAMES = Object.keys(BODY_FORMS) as readonly BodyName[];

export const SEED_NAMES = ["databases", "$schema"] as const;
export const DATABASE_NAMES = ["containers", "throughput", "autoscale"] as const;
type ContainerName =
  | BodyName
  | "partitionKey"
  | "throughput"
  | "autoscale"
  | "uniqueKeys"
  | "items"
  | "storedProcedures"
  | "triggers"
  | "userDefinedFunctions";
export const CONTAINER_NAMES: readonly ContainerName[] = [
  "partitionKey",
  "throughput",
  "autoscale",
  ...BODY_NAMES,
  "uniqueKeys",
  "items",
  "storedProcedures",
  "triggers",
  "userDefinedFunctions",
];
export const PARTITION_KEY_NAMES = ["paths", "kind", "version", "systemKey"] as const;
export const TRIGGER_NAMES = ["type", "operation", "body"] as const;

/** Complains of every name in a member of a container's body that nobody knows. */
export function checkBodyNames(reader: SettingsReader, name: BodyName, node: SourceNode): void {
  check(reader, BODY_FORMS[name], node);
}

/** Values are looked at where a container is made: here one that is none of the form is passed. */
function check(reader: SettingsReader, form: Form, node: SourceNode): void {
  if (form === "any") return;
  const { content } = node;
  if ("each" in form) {
    if (content.kind !== "list") return;
    for (const element of content.elements) check(reader, form.each, element);
    return;
  }
  if (content.kind !== "object") return;
  const members = reader.members(node, Object.keys(form.members));
  for (const [name, member] of Object.entries(members)) {
    if (member !== undefined) check(reader, form.members[name]!, member);
  }
}
