/**
 * Tokens of an identity provider, as Entra issues them: signed JSON (JWT) that says who issued it,
 * for whom, and until when.
 *
 * Invariants
 * - Nothing of a token is believed before its signature was verified with a key that the provider
 *   publishes. The header of the token only picks the key, by its id.
 * - What a key can verify is decided by the key: RSA keys RS256 and PS256, P-256 keys ES256, and if
 *   the key itself names one algorithm, only that. There is no way to none, or to a shared secret.
 * - No input makes a check throw.
 *
 * Not here: where the provider's keys come from, and what a bearer may do (`grants.ts`).
 */
import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { MaybePromise, Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { BearerTokens } from "./credentials.ts";
import type { Grant } from "./grants.ts";

type Algorithm = "RS256" | "PS256" | "ES256";

/** A public key of the provider, and what it may verify. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

export interface SigningKeys {
  /** Finds the key that a token names by its id. The keys may have to be fetched first. */
  find(id: string): MaybePromise<SigningKey | undefined>;
}

interface BearerSetting {
  readonly issuer: string;
  /** A token has to be meant for one of them. */
  audiences(): readonly string[];
  /** Whoever has this role only reads. */
  readonly readerRole: string | undefined;
  readonly keys: SigningKeys;
  /** Milliseconds since 1970. */
  wallNow(): number;
}

/** How far the clock of the provider may be ahead of ours. */
const AHEAD_MS_MAX = 300_000;
/** A token whose start is no date never starts. */
const NEVER = Number.POSITIVE_INFINITY;
/** RSA keys that are shorter than this can be broken. */
const RSA_BITS_MIN = 2048;

interface SignedToken {
  readonly algorithm: string;
  readonly keyId: string;
  readonly claims: JsonObject;
  readonly signedText: string;
  readonly signature: Buffer;
}

export function openBearerTokens(setting: BearerSetting): BearerTokens {
  return {
    check(jwt) {
      const token = parseToken(jwt);
      if (token === undefined)
        return refused("The bearer token is not a signed JWT with a key id.");
      const key = setting.keys.find(token.keyId);
      if (key instanceof Promise) return key.then((late) => grantOf(setting, token, late));
      return grantOf(setting, token, key);
    },
  };
}

function grantOf(
  setting: BearerSetting,
  token: SignedToken,
  key: SigningKey | undefined,
): Result<Grant, Refusal> {
  if (key === undefined) {
    return refused("The bearer token is signed with a key that the configured issuer has not.");
  }
  if (!isSigned(token, key)) return refused("The signature of the bearer token is not right.");
  const refusal = claimsRefusal(setting, token.claims);
  if (refusal !== undefined) return no(refusal);
  const roles = property(token.claims, "roles");
  // A provider may write a single role without a list around it.
  const listed: readonly unknown[] = Array.isArray(roles) ? roles : [roles];
  const { readerRole } = setting;
  const isReadOnly = readerRole !== undefined && listed.includes(readerRole);
  return ok({ kind: "bearer", isReadOnly });
}

function claimsRefusal(setting: BearerSetting, claims: JsonObject): Refusal | undefined {
  if (property(claims, "iss") !== setting.issuer) {
    return unauthorized(
      "The bearer token is of another issuer than this server was told to trust.",
    );
  }
  if (!isMeantFor(setting.audiences(), property(claims, "aud"))) {
    return unauthorized(
      "The bearer token is meant for somebody else. Ask for one whose audience is this account: " +
        `${setting.audiences().join(" or ")}.`,
    );
  }
  return timeRefusal(claims, setting.wallNow());
}

/** Why a token does not count at this time; `now` is in milliseconds since 1970. */
export function timeRefusal(claims: JsonObject, now: number): Refusal | undefined {
  const expiresAt = instantIn(claims, "exp");
  const startsAt = instantIn(claims, "nbf") ?? (property(claims, "nbf") === undefined ? 0 : NEVER);
  if (expiresAt === undefined) return unauthorized("The bearer token says not when it expires.");
  if (startsAt > now + AHEAD_MS_MAX) return unauthorized("The bearer token is not valid yet.");
  if (expiresAt > now) return undefined;
  const [since, server] = [expiresAt, now].map((at) => new Date(at).toUTCString());
  const message =
    `The bearer token has expired. Fetch another one (expired since: ${since}, current server ` +
    `time: ${server}).`;
  return { kind: "bearerExpired", message };
}

/** In seconds since 1970, as far as dates go. */
function instantIn(claims: JsonObject, name: string): number | undefined {
  const seconds = property(claims, name);
  const isInstant = typeof seconds === "number" && seconds >= 0 && seconds < 8.64e12;
  return isInstant ? seconds * 1000 : undefined;
}

/** Clients differ in whether an audience ends with a slash, so it makes no difference. */
function isMeantFor(audiences: readonly string[], stated: JsonValue | undefined): boolean {
  const texts: readonly JsonValue[] = Array.isArray(stated) ? stated : [stated ?? null];
  return texts.some(
    (text) => typeof text === "string" && audiences.includes(text.replace(/\/$/, "")),
  );
}

function isSigned({ algorithm, signedText, signature }: SignedToken, key: SigningKey): boolean {
  const known = key.algorithms.find((one) => one === algorithm);
  if (known === undefined) return false;
  try {
    return verify("sha256", Buffer.from(signedText), schemeOf(known, key.key), signature);
  } catch {
    return false;
  }
}

function schemeOf(algorithm: Algorithm, key: KeyObject): Parameters<typeof verify>[2] {
  switch (algorithm) {
    case "RS256":
      return { key, padding: constants.RSA_PKCS1_PADDING };
    case "PS256":
      return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    case "ES256":
      return { key, dsaEncoding: "ieee-p1363" };
  }
}

const TOKEN_FORM = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Takes a token apart. Nothing of it is checked yet. */
export function parseToken(jwt: string): SignedToken | undefined {
  const parts = TOKEN_FORM.exec(jwt);
  if (parts === null) return undefined;
  const [, headerText = "", claimsText = "", signatureText = ""] = parts;
  const header = objectIn(headerText);
  const claims = objectIn(claimsText);
  if (header === undefined || claims === undefined) return undefined;
  const algorithm = property(header, "alg");
  const keyId = property(header, "kid");
  // An extension that must be understood is one that is not.
  const hasExtension = property(header, "crit") !== undefined;
  if (typeof algorithm !== "string" || typeof keyId !== "string" || hasExtension) return undefined;
  const signature = Buffer.from(signatureText, "base64url");
  return { algorithm, keyId, claims, signedText: `${headerText}.${claimsText}`, signature };
}

function objectIn(encoded: string): JsonObject | undefined {
  const value = jsonIn(Buffer.from(encoded, "base64url").toString());
  return isObject(value) ? value : undefined;
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Reads a set of public keys (JWKS), by their ids. Keys for other purposes, without an id, or of
 * kinds that are not taken are passed over; a set without a single usable key is a problem.
 */
export function parseKeySet(text: string): Result<ReadonlyMap<string, SigningKey>, string> {
  const set = jsonIn(text);
  const listed = isObject(set) ? property(set, "keys") : undefined;
  if (!Array.isArray(listed)) return no("is no JSON object with a list of keys (JWKS)");
  const keys = new Map<string, SigningKey>();
  for (const entry of listed as readonly JsonValue[]) {
    const id = isObject(entry) ? property(entry, "kid") : undefined;
    const key = isObject(entry) ? signingKeyOf(entry) : undefined;
    if (typeof id === "string" && key !== undefined) keys.set(id, key);
  }
  if (keys.size > 0) return ok(keys);
  return no("has no key with an id that could verify RS256, PS256 or ES256");
}

function signingKeyOf(entry: JsonObject): SigningKey | undefined {
  if ((property(entry, "use") ?? "sig") !== "sig") return undefined;
  const key = publicKeyOf(entry);
  const details = key?.asymmetricKeyDetails;
  if (key === undefined || details === undefined) return undefined;
  const named = property(entry, "alg");
  const algorithms = algorithmsOf(key, details).filter(
    (algorithm) => named === undefined || named === algorithm,
  );
  return algorithms.length > 0 ? { key, algorithms } : undefined;
}

function algorithmsOf(
  key: KeyObject,
  { modulusLength = 0, namedCurve }: NonNullable<KeyObject["asymmetricKeyDetails"]>,
): readonly Algorithm[] {
  if (key.asymmetricKeyType === "rsa" && modulusLength >= RSA_BITS_MIN) return ["RS256", "PS256"];
  return key.asymmetricKeyType === "ec" && namedCurve === "prime256v1" ? ["ES256"] : [];
}

function publicKeyOf(entry: JsonObject): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...entry } as Record<string, never>, format: "jwk" });
  } catch {
    return undefined;
  }
}

const unauthorized = (message: string): Refusal => ({ kind: "unauthorized", message });
const refused = (message: string): Result<never, Refusal> => no(unauthorized(message));
