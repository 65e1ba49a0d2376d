/**
 * The bearer tokens that the emulators take in place of an identity provider's. A client makes them
 * up itself: the header names a certain key id, and where a signature would be is the account key.
 * Programs that sign in with an identity in production use them to run the same code locally.
 *
 * Invariants
 * - Whoever shows such a token has the key, and gets less for it than a signed request would: a
 *   bearer handles data only.
 * - There are none but where the key is the one that everybody knows. Any other key would be told
 *   to whoever listens.
 */
import { timingSafeEqual } from "node:crypto";
import { no, ok } from "../../base/result.ts";
import { parseToken, timeRefusal } from "./bearerToken.ts";
import type { EmulatorTokens } from "./credentials.ts";

interface EmulatorTokensSetting {
  readonly key: string;
  /** Milliseconds since 1970. */
  wallNow(): number;
}

const KEY_ID = "CosmosEmulatorPrimaryMaster";
const WRONG_KEY =
  "The bearer token is of the emulators' kind, but where its signature would be is not the " +
  "account key. Make it with the key of this account, in base64url.";

export function openEmulatorTokens({ key, wallNow }: EmulatorTokensSetting): EmulatorTokens {
  const expected = Buffer.from(key);
  return {
    check(jwt) {
      const token = parseToken(jwt);
      if (token?.keyId !== KEY_ID) return undefined;
      const { signature } = token;
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
        return no({ kind: "unauthorized", message: WRONG_KEY });
      }
      const refusal = timeRefusal(token.claims, wallNow());
      return refusal === undefined ? ok({ kind: "bearer", isReadOnly: false }) : no(refusal);
    },
  };
}
