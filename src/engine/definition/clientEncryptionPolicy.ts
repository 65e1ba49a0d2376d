/**
 * The policy that says which properties clients encrypt before they send them. To the server these
 * are opaque strings, so the policy is only checked for its shape, stored and returned. It is fixed
 * when the container is created: items written under one policy cannot be read under another.
 *
 * Not here: the rules for encrypting `id`, the partition key and nested properties, which clients
 * apply before they send the policy.
 */
import { equalValues } from "../../json/compare.ts";
import { listOf, member, objectOf, refuse, repeated, textOf, wordOf } from "../../json/reading.ts";
import type { JsonValue } from "../../json/value.ts";
import { faultPositionOf } from "./propertyPath.ts";

export type ClientEncryptionPolicy = {
  readonly includedPaths: readonly EncryptedPath[];
  readonly policyFormatVersion: 1 | 2;
};

type EncryptedPath = {
  readonly path: string;
  readonly clientEncryptionKeyId: string;
  readonly encryptionType: (typeof ENCRYPTION_TYPES)[number];
  readonly encryptionAlgorithm: (typeof ENCRYPTION_ALGORITHMS)[number];
};

const ENCRYPTION_TYPES = ["Deterministic", "Randomized"] as const;
const ENCRYPTION_ALGORITHMS = ["AEAD_AES_256_CBC_HMAC_SHA256"] as const;

export function readClientEncryptionPolicy(
  value: JsonValue | undefined,
): ClientEncryptionPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, "The client encryption policy");
  const paths = listOf(
    member(policy, "includedPaths"),
    "The member 'includedPaths' of the client encryption policy",
  );
  const includedPaths = paths.map(readEncryptedPath);
  const twice = repeated(includedPaths.map(({ path }) => path));
  if (twice !== undefined) refuse(`The client encryption path '${twice}' is given twice.`);
  const policyFormatVersion = member(policy, "policyFormatVersion") ?? 1;
  if (policyFormatVersion !== 1 && policyFormatVersion !== 2) {
    refuse("The policyFormatVersion of a client encryption policy must be 1 or 2.");
  }
  return { includedPaths, policyFormatVersion };
}

export function checkClientEncryptionKept(
  previous: ClientEncryptionPolicy | undefined,
  next: ClientEncryptionPolicy | undefined,
): void {
  if (equalValues(previous, next)) return;
  refuse("'clientEncryptionPolicy' cannot be changed as part of collection replace operation.");
}

/** Complains about keys that the database does not have: nobody could decrypt what they encrypt. */
export function unknownKeyProblem(
  policy: ClientEncryptionPolicy | undefined,
  isKnown: (keyId: string) => boolean,
): string | undefined {
  const named = (policy?.includedPaths ?? []).map((path) => path.clientEncryptionKeyId);
  const unknown = [...new Set(named)].filter((keyId) => !isKnown(keyId));
  if (unknown.length === 0) return undefined;
  return `ClientEncryptionKey with id '[${unknown.join(",")}]' does not exist.`;
}

function readEncryptedPath(value: JsonValue): EncryptedPath {
  const entry = objectOf(value, "A path of the client encryption policy");
  const path = textOf(member(entry, "path"), "A client encryption path");
  // Some clients send a slash alone, and the service accepts it as a path.
  if (path !== "/" && faultPositionOf(path) !== undefined) {
    refuse(`The client encryption path '${path}' must start with '/' and name one property.`);
  }
  const keyId = textOf(member(entry, "clientEncryptionKeyId"), `The key id of '${path}'`);
  if (keyId === "") refuse(`The clientEncryptionKeyId of '${path}' must not be empty.`);
  return {
    path,
    clientEncryptionKeyId: keyId,
    encryptionType: wordOf(
      member(entry, "encryptionType"),
      `The encryptionType of '${path}'`,
      ENCRYPTION_TYPES,
    ),
    encryptionAlgorithm: wordOf(
      member(entry, "encryptionAlgorithm"),
      `The encryptionAlgorithm of '${path}'`,
      ENCRYPTION_ALGORITHMS,
    ),
  };
}
