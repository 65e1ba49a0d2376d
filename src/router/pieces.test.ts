/** Pieces tile a span, and each names the containers that may have items of it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { piecesOf, spanOfTier } from "./pieces.ts";

const told = (from: number, before: number, threshold: number, settledBefore?: number): string =>
  piecesOf({ from, before }, { threshold, settledBefore })
    .map(({ span, tiers }) => `${span.from}-${span.before} ${tiers.join("+")}`)
    .join(", ");

test.each<[string, Parameters<typeof told>, string]>([
  ["young", [60, 90, 50], "60-90 hot"],
  ["from the first date that no item was moved of", [51, 90, 50], "51-90 hot"],
  ["old and unknown", [10, 40, 50], "10-40 hot+warm"],
  ["old and settled", [10, 40, 50, 45], "10-40 warm"],
  ["up to the watermark", [10, 45, 50, 45], "10-45 warm"],
  ["across both borders", [10, 90, 50, 45], "10-45 warm, 45-51 hot+warm, 51-90 hot"],
  ["across without a watermark", [10, 90, 50], "10-51 hot+warm, 51-90 hot"],
  ["a watermark after the threshold", [10, 90, 50, 60], "10-60 warm, 60-90 hot"],
  ["a watermark before everything", [10, 40, 50, 5], "10-40 hot+warm"],
])("%s", (_what, given, pieces) => {
  expect(told(...given)).toBe(pieces);
});

test("pieces tile their span, whatever the borders", () => {
  const number = fc.integer({ min: 0, max: 100 });
  const property = fc.property(
    number,
    number,
    number,
    fc.option(number, { nil: undefined }),
    (from, length, threshold, settledBefore) => {
      const before = from + length + 1;
      const pieces = piecesOf({ from, before }, { threshold, settledBefore });
      expect(pieces[0]!.span.from).toBe(from);
      expect(pieces.at(-1)!.span.before).toBe(before);
      for (const [index, { span }] of pieces.entries()) {
        expect(span.from).toBeLessThan(span.before);
        if (index > 0) expect(span.from).toBe(pieces[index - 1]!.span.before);
      }
      const warm = spanOfTier(pieces, "warm");
      if (warm !== undefined) expect(warm.from).toBe(from);
      const hot = spanOfTier(pieces, "hot");
      if (hot !== undefined) expect(hot.before).toBe(before);
    },
  );
  fc.assert(property);
});
