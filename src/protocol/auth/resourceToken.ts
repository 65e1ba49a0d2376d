/**
 * Resource tokens: texts that let their bearer do what one permission allows, for a while.
 *
 * A token is `type=resource&ver=1&sig=<digest>;<claims>;`. The claims name the permission, which
 * version of it, what it was about at that moment, and when the token ends; the digest is a keyed
 * hash over them. Nothing is kept of a token: whoever checks one looks its permission up.
 *
 * Invariants
 * - Claims are read only after their digest was compared, in constant time.
 * - The key of the hash is derived from the account's primary key, and from nothing else: a new
 *   primary key ends all tokens, and no token tells anything about the key.
 *
 * Not here: what a permission allows (`grants.ts`).
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Permission } from "./grants.ts";

/** Finds permissions as they are now. */
interface PermissionLookup {
  /** `undefined` when there is none, or when what it is about is not there any more. */
  permission(rid: string): Permission | undefined;
}

interface TokenClaims {
  readonly permissionRid: string;
  readonly etag: string;
  /** A digest of what the permission was about when the token was made (`Permission.target`). */
  readonly targetDigest: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface ResourceTokens {
  /** A token for that version of the permission, for so many seconds from now. */
  mint(permissionRid: string, etag: string, expirySeconds: number): string;
  /** What a token allows now. `text` is decoded already, and begins with `TOKEN_START`. */
  permissionIn(text: string): Result<Permission, Refusal>;
}

export const TOKEN_START = "type=resource&ver=1&sig=";

export function openResourceTokens(options: {
  /** Base64. */
  readonly primaryKey: string;
  readonly lookup: PermissionLookup;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}): ResourceTokens {
  const { lookup, wallNow } = options;
  const key = tokenKeyOf(options.primaryKey);
  return {
    mint(permissionRid, etag, expirySeconds) {
      const expiresAt = wallNow() + expirySeconds * 1000;
      // A permission about something that is gone gets a token that serves for nothing.
      const targetDigest = targetDigestOf(lookup.permission(permissionRid));
      return encodeToken(key, { permissionRid, etag, targetDigest, expiresAt });
    },
    permissionIn(text) {
      const claims = decodeToken(key, text);
      if (claims === undefined) return no({ kind: "unauthorized", message: NOT_OURS });
      const now = wallNow();
      if (claims.expiresAt <= now) return no({ kind: "forbidden", message: expired(claims, now) });
      const permission = lookup.permission(claims.permissionRid);
      const isSame =
        permission?.etag === claims.etag && targetDigestOf(permission) === claims.targetDigest;
      return isSame ? ok(permission) : no({ kind: "forbidden", message: REVOKED });
    },
  };
}

const NOT_OURS =
  "The resource token was not made by this account, or was made under an earlier primary key. " +
  "Read the permission again to get a new one.";
const REVOKED =
  "The permission that the resource token was made for has been changed or deleted, or what it " +
  "was about has. Read the permission again to get a new token.";

function expired({ expiresAt }: TokenClaims, now: number): string {
  const [expiry, server] = [expiresAt, now].map((at) => new Date(at).toUTCString());
  return (
    "The authorization token is not valid at this time: it has expired. Read the permission " +
    `again to get a new one (token expiry time: ${expiry}, current server time: ${server}).`
  );
}

/** A key of their own, so that digests of tokens are of no use for signing requests. */
export function tokenKeyOf(primaryKey: string): Uint8Array {
  const secret = Buffer.from(primaryKey, "base64");
  return new Uint8Array(hkdfSync("sha256", secret, "", "orrery resource token 1", 32));
}

export function encodeToken(key: Uint8Array, claims: TokenClaims): string {
  const { permissionRid, etag, targetDigest, expiresAt } = claims;
  const listed = JSON.stringify([permissionRid, etag, targetDigest, expiresAt]);
  const text = Buffer.from(listed).toString("base64url");
  return `${TOKEN_START}${digestOf(key, text).toString("base64")};${text};`;
}

/** Digest and claims, in the one spelling that `encodeToken` has. */
const TOKEN_FORM = /^type=resource&ver=1&sig=([A-Za-z0-9+/]{43}=);([A-Za-z0-9_-]{1,1024});$/;

/** `undefined` for whatever `encodeToken` did not make with this very key. */
export function decodeToken(key: Uint8Array, token: string): TokenClaims | undefined {
  const parts = TOKEN_FORM.exec(token);
  if (parts === null) return undefined;
  const [, digest = "", text = ""] = parts;
  const received = Buffer.from(digest, "base64");
  // Two of its bits are not part of the digest; only one spelling of it will do.
  if (received.toString("base64") !== digest) return undefined;
  if (!timingSafeEqual(received, digestOf(key, text))) return undefined;
  const [permissionRid, etag, targetDigest, expiresAt] = JSON.parse(
    Buffer.from(text, "base64url").toString(),
  ) as [string, string, string, number];
  return { permissionRid, etag, targetDigest, expiresAt };
}

/** Names can be long, and headers must not be. */
function targetDigestOf(permission: Permission | undefined): string {
  if (permission === undefined) return "";
  return createHash("sha256").update(permission.target).digest("base64url");
}

function digestOf(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
