/**
 * Users, permissions, scripts and client encryption keys as clients send and see them.
 *
 * Invariants
 * - What is kept of a body is its id and the members named here; a word is checked in any case and
 *   kept as it was written.
 * - A script is a text. Whether it is JavaScript shows when it is run, as with the service.
 *
 * Not here: whether the resource of a permission exists, which is asked when its token is used.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import {
  listOf,
  member,
  objectOf,
  optionalMember,
  ReadingProblem,
  refuse,
  textNamed,
  wordNamed,
  wordOf,
} from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import { checkName } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { ResourceKind } from "../../model/rid.ts";
import { linkSegments } from "../request/resourcePath.ts";
import type { FeedName, ResourceStamp } from "./bodies.ts";

/** What a client decides of a resource. */
interface SentResource {
  readonly id: string;
  readonly content: JsonObject;
}

/** What the body of a resource is made of. */
interface ResourceFacts extends SentResource, ResourceStamp {
  readonly kind: ResourceKind;
  readonly rid: string;
  /** The self link of its owner, which ends with a slash. */
  readonly ownerSelf: string;
  /** The token that the holder of a permission shows; absent for any other resource. */
  readonly token?: string | undefined;
}

/** What feeds of the kind are called, and the type word of their paths. */
export const RESOURCE_FEEDS: Readonly<Record<ResourceKind, readonly [FeedName, string]>> = {
  user: ["Users", "users"],
  permission: ["Permissions", "permissions"],
  clientEncryptionKey: ["ClientEncryptionKeys", "clientencryptionkeys"],
  storedProcedure: ["StoredProcedures", "sprocs"],
  trigger: ["Triggers", "triggers"],
  userDefinedFunction: ["UserDefinedFunctions", "udfs"],
};

const PERMISSION_MODES = ["Read", "All"] as const;
const TRIGGER_TYPES = ["Pre", "Post"] as const;
const TRIGGER_OPERATIONS = ["All", "Create", "Update", "Delete", "Replace", "Upsert"] as const;
const ENCRYPTION_ALGORITHMS = ["AEAD_AES_256_CBC_HMAC_SHA256"] as const;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function parseResource(
  kind: ResourceKind,
  value: JsonValue,
  limits: Limits,
): Result<SentResource, string> {
  try {
    const body = objectOf(value, "The body of the request");
    const id = member(body, "id");
    const complaint = checkName(id, limits);
    if (complaint !== undefined) refuse(complaint);
    return ok({ id: String(id), content: contentOf(kind, body, limits) });
  } catch (problem) {
    if (problem instanceof ReadingProblem) return no(problem.message);
    throw problem;
  }
}

export function resourceBody(facts: ResourceFacts): JsonObject {
  const { kind, id, content, rid, ownerSelf, etag, ts, token } = facts;
  return {
    ...content,
    id,
    _rid: rid,
    _self: `${ownerSelf}${RESOURCE_FEEDS[kind][1]}/${rid}/`,
    _etag: etag,
    ...(kind === "user" && { _permissions: "permissions/" }),
    ...(token !== undefined && { _token: token }),
    _ts: ts,
  };
}

function contentOf(kind: ResourceKind, body: JsonObject, limits: Limits): JsonObject {
  switch (kind) {
    case "user":
      return {};
    case "permission":
      return permissionOf(body, limits);
    case "clientEncryptionKey":
      return encryptionKeyOf(body);
    case "storedProcedure":
    case "userDefinedFunction":
      requireMembers(body, ["body"]);
      return { body: textNamed(member(body, "body"), "body") };
    case "trigger":
      requireMembers(body, ["body", "triggerType", "triggerOperation"]);
      return {
        body: textNamed(member(body, "body"), "body"),
        triggerType: wordAsSent(body, "triggerType", TRIGGER_TYPES),
        triggerOperation: wordAsSent(body, "triggerOperation", TRIGGER_OPERATIONS),
      };
  }
}

/** The complaint is in the service's words: clients look for them. */
function requireMembers(body: JsonObject, names: readonly string[]): void {
  const missing = names.filter((name) => member(body, name) === undefined);
  if (missing.length === 0) return;
  const list = missing.map((name) => `${name}; `).join("");
  refuse(`The input content is invalid because the required properties - '${list}' - are missing`);
}

function permissionOf(body: JsonObject, limits: Limits): JsonObject {
  const resource = textNamed(member(body, "resource"), "resource");
  const segments = linkSegments(resource) ?? [];
  if (segments.length < 4 || segments.length % 2 !== 0) {
    refuse(
      `The resource '${resource}' of the permission is not the link of a container or of ` +
        "something in one, such as dbs/{database}/colls/{container}.",
    );
  }
  return {
    permissionMode: wordAsSent(body, "permissionMode", PERMISSION_MODES),
    resource,
    ...optionalMember(body, "resourcePartitionKey", (value) => partitionKeyOf(value, limits)),
  };
}

/** None is `{}`, as in the header of a request. */
function partitionKeyOf(value: JsonValue, { keyLevelsMax }: Limits): readonly JsonValue[] {
  const what = "The member 'resourcePartitionKey'";
  const components = listOf(value, what, keyLevelsMax);
  const isComponent = (component: JsonValue): boolean =>
    isObject(component) ? Object.keys(component).length === 0 : !Array.isArray(component);
  if (components.length === 0 || !components.every(isComponent)) {
    refuse(`${what} must be an array of partition key values, such as ["value"].`);
  }
  return components;
}

function encryptionKeyOf(body: JsonObject): JsonObject {
  const wrapped = textNamed(member(body, "wrappedDataEncryptionKey"), "wrappedDataEncryptionKey");
  if (wrapped === "" || !BASE64.test(wrapped)) {
    refuse("The member 'wrappedDataEncryptionKey' must be base64 and not empty.");
  }
  const keyWrapMetadata = objectOf(member(body, "keyWrapMetadata"), "The member 'keyWrapMetadata'");
  for (const name of ["type", "name", "value"]) {
    textNamed(member(keyWrapMetadata, name), `keyWrapMetadata.${name}`);
  }
  return {
    encryptionAlgorithm: wordOf(
      member(body, "encryptionAlgorithm"),
      "The member 'encryptionAlgorithm'",
      ENCRYPTION_ALGORITHMS,
    ),
    wrappedDataEncryptionKey: wrapped,
    keyWrapMetadata,
  };
}

function wordAsSent(body: JsonObject, name: string, words: readonly string[]): string {
  wordNamed(member(body, name), name, words);
  return textNamed(member(body, name), name);
}
