/** Which client encryption policies are taken, and that they stay. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import {
  checkClientEncryptionKept,
  readClientEncryptionPolicy,
  unknownKeyProblem,
} from "./clientEncryptionPolicy.ts";

const SECRET = {
  path: "/secret",
  clientEncryptionKeyId: "key1",
  encryptionType: "Deterministic",
  encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
};
const policyOf = (...includedPaths: JsonValue[]): JsonObject => ({ includedPaths });

const REFUSED: readonly (readonly [rule: string, policy: JsonValue, told: string])[] = [
  ["a policy is an object", [SECRET], "must be an object"],
  ["it has paths", {}, "must be an array"],
  ["a path starts with a slash", policyOf({ ...SECRET, path: "secret" }), "start with '/'"],
  ["a path has a key", policyOf({ ...SECRET, clientEncryptionKeyId: "" }), "must not be empty"],
  ["the type is known", policyOf({ ...SECRET, encryptionType: "Plain" }), "encryptionType"],
  ["so is the algorithm", policyOf({ ...SECRET, encryptionAlgorithm: "ROT13" }), "Algorithm"],
  ["no path occurs twice", policyOf(SECRET, SECRET), "given twice"],
  ["the version is 1 or 2", { ...policyOf(), policyFormatVersion: 3 }, "must be 1 or 2"],
];

describe("client encryption policies", () => {
  test("without a version a policy is version 1", () => {
    const told = { ...policyOf(SECRET), policyFormatVersion: 1 };
    expect(readClientEncryptionPolicy(policyOf(SECRET))).toEqual(told);
  });

  test("version 2 is kept", () => {
    const policy = { ...policyOf(SECRET), policyFormatVersion: 2 };
    expect(readClientEncryptionPolicy(policy)).toEqual(policy);
  });

  test.each(REFUSED)("refused: %s", (_, policy, told) => {
    expect(() => readClientEncryptionPolicy(policy)).toThrow(told);
  });

  test("the keys must be there", () => {
    const other = { ...SECRET, path: "/", clientEncryptionKeyId: "key2" };
    const policy = readClientEncryptionPolicy(policyOf(SECRET, other, { ...other, path: "/b" }));
    const problem = "ClientEncryptionKey with id '[key2]' does not exist.";
    expect(unknownKeyProblem(policy, (keyId) => keyId === "key1")).toBe(problem);
    expect(unknownKeyProblem(policy, () => true)).toBeUndefined();
    expect(unknownKeyProblem(undefined, () => false)).toBeUndefined();
  });

  test("a policy can be neither changed, added nor dropped", () => {
    const policy = readClientEncryptionPolicy(policyOf(SECRET));
    const other = readClientEncryptionPolicy(policyOf());
    expect(() => checkClientEncryptionKept(policy, policy)).not.toThrow();
    expect(() => checkClientEncryptionKept(undefined, undefined)).not.toThrow();
    for (const changed of [other, undefined]) {
      expect(() => checkClientEncryptionKept(policy, changed)).toThrow("cannot be changed");
      expect(() => checkClientEncryptionKept(changed, policy)).toThrow("cannot be changed");
    }
  });
});
