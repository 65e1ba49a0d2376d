/** Which bodies of users, permissions, scripts and keys are taken, and what is told of them. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { ResourceKind } from "../../model/rid.ts";
import { parseResource, resourceBody } from "./resourceBodies.ts";

const USER = { id: "u" };
const PERMISSION = { id: "p", permissionMode: "Read", resource: "dbs/d/colls/c" };
const SCRIPT = { id: "s", body: "function () {}" };
const TRIGGER = { ...SCRIPT, triggerType: "Pre", triggerOperation: "All" };
const KEY = {
  id: "k",
  encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
  wrappedDataEncryptionKey: "AQID",
  keyWrapMetadata: { type: "t", name: "n", value: "v", algorithm: "RSA-OAEP" },
};

const TAKEN: readonly (readonly [rule: string, kind: ResourceKind, body: JsonObject])[] = [
  ["a user is an id", "user", USER],
  ["a permission", "permission", PERMISSION],
  ["a mode in lower case", "permission", { ...PERMISSION, permissionMode: "all" }],
  ["a self link", "permission", { ...PERMISSION, resource: "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/" }],
  ["an item's link", "permission", { ...PERMISSION, resource: "dbs/d/colls/c/docs/100%" }],
  ["a partition key", "permission", { ...PERMISSION, resourcePartitionKey: ["a", 1, null] }],
  ["the key of items without one", "permission", { ...PERMISSION, resourcePartitionKey: [{}] }],
  ["a procedure", "storedProcedure", SCRIPT],
  ["a function", "userDefinedFunction", SCRIPT],
  ["a text that is no JavaScript", "userDefinedFunction", { id: "s", body: "}{" }],
  ["a trigger", "trigger", TRIGGER],
  ["one in lower case", "trigger", { ...TRIGGER, triggerType: "post", triggerOperation: "delete" }],
  ["a key", "clientEncryptionKey", KEY],
];

const REFUSED: readonly (readonly [
  rule: string,
  kind: ResourceKind,
  body: JsonValue,
  told: string,
])[] = [
  ["a body is an object", "user", [USER], "must be an object"],
  ["it has an id", "user", {}, "unique non-empty string"],
  ["a name that fits a path", "user", { id: "a/b" }, "must not contain"],
  ["not too long", "user", { id: "x".repeat(256) }, "255"],
  ["a mode", "permission", { ...PERMISSION, permissionMode: null }, "'permissionMode' must be"],
  ["one that is known", "permission", { ...PERMISSION, permissionMode: "Write" }, "Read, All"],
  ["a resource", "permission", { id: "p", permissionMode: "Read" }, "'resource' must be"],
  ["a link", "permission", { ...PERMISSION, resource: "somewhere" }, "not the link"],
  ["not of a database", "permission", { ...PERMISSION, resource: "dbs/d" }, "not the link"],
  ["not of a feed", "permission", { ...PERMISSION, resource: "dbs/d/colls" }, "not the link"],
  ["a key is a list", "permission", { ...PERMISSION, resourcePartitionKey: "a" }, "an array"],
  ["of values", "permission", { ...PERMISSION, resourcePartitionKey: [[1]] }, "partition key val"],
  ["at least one", "permission", { ...PERMISSION, resourcePartitionKey: [] }, "partition key val"],
  ["and few", "permission", { ...PERMISSION, resourcePartitionKey: [1, 2, 3, 4] }, "more than 3"],
  ["a script has a body", "storedProcedure", { id: "s" }, "properties - 'body; ' - are missing"],
  ["which is a text", "userDefinedFunction", { id: "s", body: { a: 1 } }, "must be a string"],
  ["a trigger has a type", "trigger", { ...SCRIPT, triggerOperation: "All" }, "'triggerType; '"],
  ["Pre or Post", "trigger", { ...TRIGGER, triggerType: "During" }, "Pre, Post"],
  ["an operation", "trigger", { ...TRIGGER, triggerOperation: "Read" }, "one of All"],
  ["the algorithm", "clientEncryptionKey", { ...KEY, encryptionAlgorithm: "ROT13" }, "one of AEAD"],
  ["base64", "clientEncryptionKey", { ...KEY, wrappedDataEncryptionKey: "?" }, "must be base64"],
  ["not empty", "clientEncryptionKey", { ...KEY, wrappedDataEncryptionKey: "" }, "not empty"],
  ["how it is wrapped", "clientEncryptionKey", { ...KEY, keyWrapMetadata: {} }, "Metadata.type"],
];

describe("bodies", () => {
  test.each(TAKEN)("taken as they are: %s", (_rule, kind, body) => {
    const { id, ...content } = body;
    const parsed = parseResource(kind, body, SERVICE_LIMITS);
    expect(parsed).toEqual({ ok: true, value: { id, content } });
  });

  test("what is no member of the kind is dropped", () => {
    const body = { ...SCRIPT, _rid: "x", _ts: 1, triggerType: "Pre", __proto__x: 1 };
    const parsed = parseResource("storedProcedure", body, SERVICE_LIMITS);
    expect(parsed).toEqual({ ok: true, value: { id: "s", content: { body: SCRIPT.body } } });
  });

  test.each(REFUSED)("refused: %s", (_rule, kind, body, told) => {
    const parsed = parseResource(kind, body, SERVICE_LIMITS);
    expect(parsed).toEqual({ ok: false, error: expect.stringContaining(told) });
  });

  test("a user says where its permissions are, a permission its token", () => {
    const common = { id: "x", content: {}, rid: "R==", ownerSelf: "dbs/D==/", etag: '"e"', ts: 7 };
    expect(resourceBody({ kind: "user", ...common })).toEqual({
      id: "x",
      _rid: "R==",
      _self: "dbs/D==/users/R==/",
      _etag: '"e"',
      _permissions: "permissions/",
      _ts: 7,
    });
    const permission = resourceBody({ kind: "permission", ...common, token: "t" });
    expect(permission).toMatchObject({ _self: "dbs/D==/permissions/R==/", _token: "t" });
  });
});
