/** Which of the tokens that clients make up for an emulator are taken. */
import { describe, expect, test } from "vitest";
import { openEmulatorTokens } from "./emulatorToken.ts";

const NOW = Date.UTC(2026, 0, 1) / 1000;
const KEY = Buffer.from("a key that everybody knows").toString("base64");
const TOKENS = openEmulatorTokens({ key: KEY, wallNow: () => NOW * 1000 });

interface Made {
  readonly header?: object;
  readonly claims?: object;
  readonly signature?: string;
}

const textOf = (value: string | object): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function tokenOf({ header, claims, signature = KEY }: Made): string {
  const kid = "CosmosEmulatorPrimaryMaster";
  const parts = [
    { typ: "JWT", alg: "RS256", x5t: kid, kid, ...header },
    { nbf: NOW, exp: NOW + 60, ...claims },
    signature,
  ];
  return parts.map(textOf).join(".");
}

describe("a made-up token", () => {
  test.each<Made & { rule: string; says: string }>([
    { rule: "with the key in place of a signature", says: "granted" },
    { rule: "of any issuer, for anybody", claims: { iss: "x", aud: "y" }, says: "granted" },
    { rule: "with another key", signature: KEY.replace("Y", "Z"), says: "not the account key" },
    { rule: "with a part of the key", signature: KEY.slice(1), says: "not the account key" },
    { rule: "with nothing of it", signature: "-", says: "not the account key" },
    { rule: "that has expired", claims: { exp: NOW }, says: "has expired" },
    { rule: "that never expires", claims: { exp: undefined }, says: "says not when" },
    { rule: "for later", claims: { nbf: NOW + 301 }, says: "not valid yet" },
    { rule: "that names another key id", header: { kid: "x" }, says: "of another kind" },
    { rule: "with an extension", header: { crit: ["b64"] }, says: "of another kind" },
  ])("$rule: $says", ({ says, ...made }) => {
    expect(outcomeOf(tokenOf(made))).toContain(says);
  });

  test("is data for a bearer, not for an owner", () => {
    expect(TOKENS.check(tokenOf({}))).toEqual({
      ok: true,
      value: { kind: "bearer", isReadOnly: false },
    });
  });
});

function outcomeOf(jwt: string): string {
  const checked = TOKENS.check(jwt);
  if (checked === undefined) return "of another kind";
  if (checked.ok) return "granted";
  return "message" in checked.error ? String(checked.error.message) : checked.error.kind;
}
