/** Which tokens of an identity provider are believed, and which of its keys are used. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { no, type Result } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { openBearerTokens, parseKeySet } from "./bearerToken.ts";
import type { Grant } from "./grants.ts";

const NOW = Date.UTC(2026, 0, 1) / 1000;
const EC = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const OTHER_EC = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const LARGE_EC = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 });
const SHORT_RSA = generateKeyPairSync("rsa", { modulusLength: 1024 });

const jwkOf = (key: KeyObject, more: object): object => ({
  ...key.export({ format: "jwk" }),
  ...more,
});
const KEY_SET = {
  keys: [
    jwkOf(EC.publicKey, { kid: "ec", use: "sig" }),
    jwkOf(RSA.publicKey, { kid: "rsa" }),
    jwkOf(RSA.publicKey, { kid: "rsa for PS256", alg: "PS256" }),
    jwkOf(RSA.publicKey, { kid: "rsa to encrypt", use: "enc" }),
    jwkOf(RSA.publicKey, { kid: "rsa with a secret's name", alg: "HS256" }),
    jwkOf(SHORT_RSA.publicKey, { kid: "short" }),
    jwkOf(LARGE_EC.publicKey, { kid: "large curve" }),
    { kty: "oct", k: "c2VjcmV0", kid: "secret" },
    { kty: "RSA", kid: "damaged" },
    null,
  ],
};
const CLAIMS = { iss: "issuer", aud: "https://account", exp: NOW + 60 };

interface Made {
  readonly header?: object;
  readonly claims?: object;
  readonly scheme?: Parameters<typeof sign>[2];
}

const P1363 = { dsaEncoding: "ieee-p1363" } as const;
const EC_SCHEME = { key: EC.privateKey, ...P1363 };
const PSS = { key: RSA.privateKey, padding: 6, saltLength: 32 };

describe("which tokens are believed", () => {
  test.each<Made & { rule: string; says: string }>([
    { rule: "a fresh one", says: "granted" },
    { rule: "RS256", header: rsa("RS256"), scheme: { key: RSA.privateKey }, says: "granted" },
    { rule: "PS256", header: rsa("PS256"), scheme: PSS, says: "granted" },
    {
      rule: "one of several audiences",
      claims: { aud: ["x", "https://account/"] },
      says: "granted",
    },
    { rule: "a clock a little ahead", claims: { nbf: NOW + 299 }, says: "granted" },
    { rule: "the reader's role", claims: { roles: ["a", "reader"] }, says: "granted to read" },
    { rule: "the reader's role alone", claims: { roles: "reader" }, says: "granted to read" },
    { rule: "a start that is no number", claims: { nbf: "2020" }, says: "not valid yet" },
    { rule: "its last second", claims: { exp: NOW + 1 }, says: "granted" },
    { rule: "an expired one", claims: { exp: NOW }, says: "has expired" },
    { rule: "one that never expires", claims: { exp: undefined }, says: "says not when" },
    { rule: "an expiry that is no number", claims: { exp: "2099" }, says: "says not when" },
    { rule: "one for later", claims: { nbf: NOW + 301 }, says: "not valid yet" },
    { rule: "another issuer", claims: { iss: "issuer/" }, says: "another issuer" },
    { rule: "another audience", claims: { aud: "https://account.evil" }, says: "somebody else" },
    { rule: "no audience", claims: { aud: undefined }, says: "somebody else" },
    { rule: "an unknown key", header: { kid: "nobody" }, says: "a key that" },
    { rule: "no key id", header: { kid: undefined }, says: "not a signed JWT" },
    { rule: "an extension", header: { crit: ["b64"] }, says: "not a signed JWT" },
    {
      rule: "another's signature",
      scheme: { key: OTHER_EC.privateKey, ...P1363 },
      says: "not right",
    },
    { rule: "a signature in DER", scheme: { key: EC.privateKey }, says: "not right" },
    { rule: "no algorithm", header: { alg: "none" }, says: "not right" },
    { rule: "an algorithm in another case", header: { alg: "es256" }, says: "not right" },
    { rule: "one that fits another key", header: { alg: "RS256" }, says: "not right" },
    { rule: "RS256 called PS256", header: rsa("PS256"), scheme: RSA.privateKey, says: "not right" },
    {
      rule: "RS256 where the key is for PS256",
      header: { ...rsa("RS256"), kid: "rsa for PS256" },
      scheme: RSA.privateKey,
      says: "not right",
    },
  ])("$rule: $says", ({ says, ...made }) => {
    expect(outcomeOf(tokenOf(made))).toContain(says);
  });

  test("a public key is no secret to sign with", () => {
    const text = textOf({ alg: "HS256", kid: "rsa" }, CLAIMS);
    const secret = RSA.publicKey.export({ format: "pem", type: "spki" });
    const signature = createHmac("sha256", secret).update(text).digest("base64url");
    expect(outcomeOf(`${text}.${signature}`)).toContain("not right");
  });

  test("an expired one is told as such to clients", () => {
    expect(check(tokenOf({ claims: { exp: NOW - 1 } }))).toMatchObject({
      error: { kind: "bearerExpired" },
    });
  });

  test("keys may come late", async () => {
    const key = parseKeySet(JSON.stringify(KEY_SET));
    if (!key.ok) throw new Error(key.error);
    const tokens = openBearerTokens({
      ...SETTING,
      keys: { find: async (id) => key.value.get(id) },
    });
    expect(await tokens.check(tokenOf({}))).toMatchObject({ ok: true });
  });
});

describe("which keys are used", () => {
  test("those for signatures, long enough, with an id", () => {
    const keys = parseKeySet(JSON.stringify(KEY_SET));
    expect(keys.ok && [...keys.value].map(([id, { algorithms }]) => [id, algorithms])).toEqual([
      ["ec", ["ES256"]],
      ["rsa", ["RS256", "PS256"]],
      ["rsa for PS256", ["PS256"]],
    ]);
  });

  test.each(["", "[]", "{}", '{"keys":{}}', '{"keys":[]}', '{"keys":[{"kid":"a"}]}'])(
    "none in %s",
    (text) => {
      expect(parseKeySet(text).ok).toBe(false);
    },
  );
});

test("whatever is changed in a token, it is refused without a fault", () => {
  const token = tokenOf({});
  const anyChange = fc.record({ at: fc.nat(token.length), put: fc.string({ maxLength: 3 }) });
  fc.assert(
    fc.property(anyChange, ({ at, put }) => {
      const changed = token.slice(0, at) + put + token.slice(at + 1);
      const [parts, original] = [changed, token].map((text) =>
        text.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1")),
      );
      // The last digit of a part has bits that are not part of it.
      fc.pre(JSON.stringify(parts) !== JSON.stringify(original));
      expect(check(changed).ok).toBe(false);
    }),
    { numRuns: 500 },
  );
});

const SETTING = {
  issuer: "issuer",
  audiences: () => ["https://account", "https://cosmos.azure.com"],
  readerRole: "reader",
  wallNow: () => NOW * 1000,
};

const KEYS = parseKeySet(JSON.stringify(KEY_SET));
const TOKENS = openBearerTokens({
  ...SETTING,
  keys: { find: (id) => (KEYS.ok ? KEYS.value.get(id) : undefined) },
});

function check(token: string): Result<Grant, Refusal> {
  const checked = TOKENS.check(token);
  return checked instanceof Promise ? no({ kind: "notFound" }) : checked;
}

function outcomeOf(token: string): string {
  const checked = check(token);
  if (checked.ok) {
    return checked.value.kind === "bearer" && checked.value.isReadOnly
      ? "granted to read"
      : "granted";
  }
  return "message" in checked.error ? checked.error.message : checked.error.kind;
}

function rsa(alg: string): object {
  return { alg, kid: "rsa" };
}

function textOf(header: object, claims: object): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
}

function tokenOf({ header = {}, claims = {}, scheme = EC_SCHEME }: Made): string {
  const text = textOf({ alg: "ES256", kid: "ec", ...header }, { ...CLAIMS, ...claims });
  return `${text}.${sign("sha256", Buffer.from(text), scheme).toString("base64url")}`;
}
