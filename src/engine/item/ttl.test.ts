/** When an item is gone, as two tables: what an item may say, and what follows from it. */
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { stampedBody } from "./itemBody.ts";
import { endedAt, endTagOf, hasOwnTtl, isExpired, ttlTagOf } from "./ttl.ts";

const WRITTEN_AT = 1_700_000_000;
const NO_OWN_TTL = 0;
const FOREVER = -1;

describe("the ttl of an item", () => {
  test.each([
    [{}, NO_OWN_TTL],
    [{ ttl: 1 }, 1],
    [{ ttl: FOREVER }, FOREVER],
    [{ ttl: 2_147_483_647 }, 2_147_483_647],
  ])("%j is kept as %i", (item, tag) => {
    expect(ttlTagOf(item, SERVICE_LIMITS)).toEqual({ ok: true, value: tag });
  });

  test.each<[JsonValue]>([[0], [-2], [1.5], [2_147_483_648], ["10"], [null], [[]], [true]])(
    "%j is refused",
    (ttl) => {
      const tag = ttlTagOf({ ttl }, SERVICE_LIMITS);
      expect(tag).toMatchObject({ ok: false, error: { kind: "badRequest" } });
      expect(!tag.ok && "message" in tag.error && tag.error.message).toContain(JSON.stringify(ttl));
    },
  );

  test("an inherited one is none", () => {
    const item = JSON.parse('{"__proto__":{"ttl":5}}');
    expect(ttlTagOf(item, SERVICE_LIMITS)).toEqual({ ok: true, value: NO_OWN_TTL });
  });
});

describe("an item is gone", () => {
  test.each([
    // The container's default, the item's own, seconds since the write, gone or not.
    [undefined, NO_OWN_TTL, 1e9, false],
    [undefined, 5, 1e9, false],
    [FOREVER, NO_OWN_TTL, 1e9, false],
    [FOREVER, 5, 4.999, false],
    [FOREVER, 5, 5, true],
    [10, NO_OWN_TTL, 9.999, false],
    [10, NO_OWN_TTL, 10, true],
    [10, 20, 15, false],
    [10, 20, 20, true],
    [10, FOREVER, 1e9, false],
    // A clock that was set back makes nothing older.
    [10, NO_OWN_TTL, -100, false],
  ])("default %s, own %i, after %d s: %s", (defaultTtl, tag, seconds, isGone) => {
    const text = Buffer.from('{"id":"x"}');
    const etag = "00000000-0000-0000-0000-000000000000";
    const body = stampedBody(text, { rid: "r", self: "s", etag, ts: WRITTEN_AT });
    const item = { key: "k", number: 1, lsn: lsn(1), tag, body };
    expect(isExpired(item, defaultTtl, (WRITTEN_AT + seconds) * 1000)).toBe(isGone);
  });
});

test.each([
  [NO_OWN_TTL, false],
  [FOREVER, true],
  [5, true],
])("tag %i: own is %s", (tag, isOwn) => {
  expect(hasOwnTtl({ key: "k", number: 1, lsn: lsn(1), tag, body: Buffer.from("{}") })).toBe(isOwn);
});

test.each([0, WRITTEN_AT, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1])(
  "an end at second %i is kept in 32 bits",
  (seconds) => {
    const tag = endTagOf(seconds * 1000 + 999);
    expect(tag).toBe(tag | 0);
    expect(endedAt(tag)).toBe(seconds);
  },
);
