/** What a resource token is good for, and what ends it; then forgeries. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Permission } from "./grants.ts";
import { decodeToken, encodeToken, openResourceTokens, tokenKeyOf } from "./resourceToken.ts";

const PRIMARY = Buffer.alloc(64, "primary").toString("base64");
const OTHER_PRIMARY = Buffer.alloc(64, "another").toString("base64");
const NOW = Date.UTC(2026, 0, 1);
const PERMISSION: Permission = {
  etag: '"1"',
  mode: "all",
  target: "container",
  containerRid: "container",
  child: undefined,
  key: undefined,
};

describe("a token", () => {
  test("looks as clients expect it", () => {
    expect(tokens().mint("rid", '"1"', 3600)).toMatch(
      /^type=resource&ver=1&sig=[A-Za-z0-9+/]{43}=;[\w-]+;$/,
    );
  });

  test.each([
    { rule: "allows what its permission does", change: {}, outcome: "granted" },
    { rule: "serves until its last second", change: { seconds: 3599.999 }, outcome: "granted" },
    { rule: "then has expired", change: { seconds: 3600 }, outcome: "expired" },
    { rule: "ends with its permission", change: { permission: undefined }, outcome: "changed" },
    {
      rule: "ends when its permission changes",
      change: { permission: { ...PERMISSION, etag: '"2"' } },
      outcome: "changed",
    },
    {
      rule: "is not about what took the place of its container",
      change: { permission: { ...PERMISSION, target: "container made again" } },
      outcome: "changed",
    },
    {
      rule: "ends with the primary key",
      change: { primaryKey: OTHER_PRIMARY },
      outcome: "earlier",
    },
  ])("$rule", ({ change, outcome }) => {
    const token = tokens().mint("rid", '"1"', 3600);
    const checked = tokens(change).permissionIn(token);
    if (checked.ok) expect([outcome, checked.value]).toEqual(["granted", PERMISSION]);
    else expect(JSON.stringify(checked.error)).toContain(outcome);
    if (!checked.ok) {
      expect(checked.error.kind).toBe(outcome === "earlier" ? "unauthorized" : "forbidden");
    }
  });

  test("of a permission about nothing serves for nothing", () => {
    const token = tokens({ permission: undefined }).mint("rid", '"1"', 3600);
    expect(tokens({ permission: undefined }).permissionIn(token).ok).toBe(false);
    expect(tokens().permissionIn(token).ok).toBe(false);
  });

  test("has a key of its own", () => {
    expect(Buffer.from(tokenKeyOf(PRIMARY))).not.toEqual(Buffer.from(PRIMARY, "base64"));
  });
});

describe("token properties", () => {
  const key = tokenKeyOf(PRIMARY);

  test("claims come back as they were", () => {
    const anyClaims = fc.record({
      permissionRid: fc.string({ maxLength: 24 }),
      etag: fc.string({ maxLength: 40 }),
      targetDigest: fc.string({ maxLength: 43 }),
      expiresAt: fc.nat(),
    });
    fc.assert(
      fc.property(anyClaims, (claims) => {
        expect(decodeToken(key, encodeToken(key, claims))).toEqual(claims);
      }),
    );
  });

  test("whatever was changed in a token, it is none", () => {
    const token = tokens().mint("rid", '"1"', 3600);
    const anyChange = fc.record({
      at: fc.nat(token.length - 1),
      dropped: fc.nat(2),
      put: fc.string({ maxLength: 2 }),
    });
    fc.assert(
      fc.property(anyChange, ({ at, dropped, put }) => {
        const changed = token.slice(0, at) + put + token.slice(at + dropped);
        fc.pre(changed !== token);
        expect(decodeToken(key, changed)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });
});

function tokens(
  change: { seconds?: number; permission?: Permission | undefined; primaryKey?: string } = {},
) {
  const permission = "permission" in change ? change.permission : PERMISSION;
  return openResourceTokens({
    primaryKey: change.primaryKey ?? PRIMARY,
    lookup: { permission: (rid) => (rid === "rid" ? permission : undefined) },
    wallNow: () => NOW + (change.seconds ?? 0) * 1000,
  });
}
