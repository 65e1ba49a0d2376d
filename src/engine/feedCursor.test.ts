/** Cursors come back as they went out; anything else is no cursor, and never an error. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Epk, epkRange, WHOLE_RANGE } from "../partition/epkRange.ts";
import { encodeFeedCursor, parseFeedCursor } from "./feedCursor.ts";
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

describe("a cursor", () => {
  test("comes back as it went out", () => {
    fc.assert(
      fc.property(fc.string(), anyPosition, (rid, position) => {
        expect(parseFeedCursor(rid, encodeFeedCursor(rid, position))).toEqual(position);
      }),
    );
  });

  test("may span everything", () => {
    const position = { order: "creation", range: WHOLE_RANGE, number: 0 } as const;
    expect(parseFeedCursor("r", encodeFeedCursor("r", position))).toEqual(position);
  });

  test("belongs to one container", () => {
    const position = { order: "placement", afterEpk: "05" as Epk, afterNumber: 1 } as const;
    expect(parseFeedCursor("other", encodeFeedCursor("one", position))).toBeUndefined();
  });
});

describe("no cursor", () => {
  test.each([
    "",
    "null",
    "[]",
    '"x"',
    "{",
    "{}",
    '{"c":"r"}',
    '{"c":"r","n":1}',
    '{"c":"r","epk":"05"}',
    '{"c":"r","epk":"05","n":"1"}',
    '{"c":"r","epk":"05","n":1.5}',
    '{"c":"r","epk":"05","n":1e300}',
    '{"c":"r","epk":"zz","n":1}',
    '{"c":"r","epk":"0","n":1}',
    '{"c":"r","min":"05","n":1}',
    '{"c":"r","min":"05","max":"05","n":1}',
    '{"c":"r","min":"06","max":"05","n":1}',
    '{"__proto__":{"c":"r","epk":"05","n":1}}',
    '{"c":"r","__proto__":{"epk":"05"},"n":1}',
  ])("%s", (text) => {
    expect(parseFeedCursor("r", text)).toBeUndefined();
  });

  test("any text gives a position or nothing, never an error", () => {
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.json());
    fc.assert(fc.property(anyText, (text) => void parseFeedCursor("r", text)));
  });
});
