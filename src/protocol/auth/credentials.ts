/**
 * Which credential a request carries, and what it stands for: a signature made with an account key,
 * a resource token, or the token of an identity provider.
 *
 * Invariants
 * - Nearly all requests are signed with an account key, and are told apart by how their header
 *   begins: nothing is decoded for them here.
 * - Whatever the header is, the outcome is a grant or a refusal, never an exception.
 */
import type { MaybePromise, Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Authorizer, SignedRequest } from "./authorization.ts";
import type { Grant } from "./grants.ts";
import type { ResourceTokens } from "./resourceToken.ts";
import { TOKEN_START } from "./resourceToken.ts";

/** Checks the tokens of an identity provider. */
export interface BearerTokens {
  /** `jwt` is the token itself. It may take time when the provider's keys have to be fetched. */
  check(jwt: string): MaybePromise<Result<Grant, Refusal>>;
}

/** Checks the tokens that clients make up for an emulator. */
export interface EmulatorTokens {
  /** Undefined when it is no token of that kind. */
  check(jwt: string): Result<Grant, Refusal> | undefined;
}

export interface Credentials {
  check(request: SignedRequest): MaybePromise<Result<Grant, Refusal>>;
}

const BEARER_START = "type=aad&ver=1.0&sig=";

export function openCredentials(checks: {
  readonly keys: Authorizer;
  readonly resourceTokens: ResourceTokens;
  /** Absent when no identity provider is trusted. */
  readonly bearerTokens?: BearerTokens | undefined;
  /** Absent where the key that everybody knows is no key of the account. */
  readonly emulatorTokens?: EmulatorTokens | undefined;
}): Credentials {
  const { keys, resourceTokens, bearerTokens, emulatorTokens } = checks;
  return {
    check(request) {
      const header = request.authorization;
      if (header === undefined || isSignature(header)) return keys.check(request);
      const text = decodedOf(header);
      if (text.startsWith(TOKEN_START)) {
        const permission = resourceTokens.permissionIn(text);
        if (!permission.ok) return permission;
        return ok({ kind: "resourceToken", permission: permission.value });
      }
      if (!text.startsWith(BEARER_START)) return keys.check(request);
      const jwt = text.slice(BEARER_START.length);
      const granted = emulatorTokens?.check(jwt);
      if (granted !== undefined) return granted;
      if (bearerTokens === undefined) return no({ kind: "unauthorized", message: NO_PROVIDER });
      return bearerTokens.check(jwt);
    },
  };
}

const NO_PROVIDER =
  "This server takes no tokens of an identity provider. Sign with an account key, or start the " +
  "server with --entra-issuer and --entra-keys.";

/**
 * Whether a header begins like a signature. A spelling that is missed here is seen after decoding.
 */
function isSignature(header: string): boolean {
  return (
    header.startsWith("type%3Dmaster") ||
    header.startsWith("type%3dmaster") ||
    header.startsWith("type=master")
  );
}

/**
 * The decoded header. One that is no URL encoding stays as it came: no credential looks like that.
 */
function decodedOf(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}
