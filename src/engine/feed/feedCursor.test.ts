/** Cursors come back as they went out; anything else is no cursor, and never an error. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { type Epk, epkRange, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { CursorKey, type SignedCursors } from "../cursor/cursorKey.ts";
import { encodeFeedCursor, feedQuestion, parseFeedCursor } from "./feedCursor.ts";
import type { FeedPosition } from "./itemFeed.ts";

const anyEpk = fc
  .uint8Array({ minLength: 1, maxLength: 16 })
  .map((bytes) => `0${Buffer.from(bytes).toString("hex").slice(1)}`.toUpperCase() as Epk);
const anyNumber = fc.maxSafeNat();
const anyPosition: fc.Arbitrary<FeedPosition> = fc.oneof(
  fc.record({ order: fc.constant("placement" as const), afterEpk: anyEpk, afterNumber: anyNumber }),
  fc
    .tuple(anyEpk, anyEpk, anyNumber)
    .filter(([min, max]) => min !== max)
    .map(([a, b, number]) => ({
      order: "creation" as const,
      range: a < b ? epkRange(a, b) : epkRange(b, a),
      number,
      ...(number % 2 === 0 && { earlier: [{ range: WHOLE_RANGE, number: 7 }] }),
    })),
);

const KEY = new CursorKey(Buffer.alloc(32, 7));
const cursorsOf = (rid: string): SignedCursors => KEY.cursorsOf(() => feedQuestion(rid, undefined));

function comesBack(rid: string, position: FeedPosition): void {
  const text = encodeFeedCursor(cursorsOf(rid), position);
  expect(parseFeedCursor(cursorsOf(rid), text)).toEqual({ ok: true, value: position });
}

describe("a cursor", () => {
  test("comes back as it went out", () => {
    fc.assert(fc.property(fc.string(), anyPosition, comesBack));
  });

  test("may span everything", () => {
    const position = { order: "creation", range: WHOLE_RANGE, number: 0 } as const;
    comesBack("r", position);
  });

  test("belongs to one container", () => {
    const position = { order: "placement", afterEpk: "05" as Epk, afterNumber: 1 } as const;
    const text = encodeFeedCursor(cursorsOf("one"), position);
    expect(parseFeedCursor(cursorsOf("other"), text).ok).toBe(false);
  });
});

describe("no cursor", () => {
  // Each is signed, as if it were of a version that wrote other members.
  test.each<JsonObject>([
    {},
    { n: 1 },
    { epk: "05" },
    { epk: "05", n: "1" },
    { epk: "05", n: 1.5 },
    { epk: "05", n: 1e300 },
    { epk: "zz", n: 1 },
    { epk: "0", n: 1 },
    { min: "05", n: 1 },
    { min: "05", max: "05", n: 1 },
    { min: "06", max: "05", n: 1 },
    { min: "05", max: "06", n: 1, m: 1 },
    { min: "05", max: "06", n: 1, m: [["05", "06"]] },
    { min: "05", max: "06", n: 1, m: [["06", "05", 1]] },
  ])("%j, although it is signed", (fields) => {
    const cursors = cursorsOf("r");
    expect(parseFeedCursor(cursors, cursors.sign({ x: 1, ...fields })).ok).toBe(false);
  });

  test("any text gives a position or nothing, never an error", () => {
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.json());
    fc.assert(fc.property(anyText, (text) => !parseFeedCursor(cursorsOf("r"), text).ok));
  });
});
