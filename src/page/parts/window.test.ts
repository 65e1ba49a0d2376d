/** Which rows of a long list are drawn. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { windowOf } from "./window.ts";

test("all of a short list", () => {
  const shown = windowOf({ scrollTop: 0, viewHeight: 100, rowHeight: 28, count: 2, overscan: 4 });
  expect(shown).toEqual({ from: 0, to: 2, above: 0, below: 0 });
});

test("what is in sight is drawn, little else is, and the height stays", () => {
  const scrolled = fc.record({
    scrollTop: fc.integer({ min: -50, max: 40_000_000 }),
    viewHeight: fc.integer({ min: 0, max: 3000 }),
    rowHeight: fc.integer({ min: 10, max: 60 }),
    count: fc.integer({ min: 0, max: 1_000_000 }),
    overscan: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(scrolled, (each) => {
      const { from, to, above, below } = windowOf(each);
      const { scrollTop, viewHeight, rowHeight, count, overscan } = each;
      expect(above + (to - from) * rowHeight + below).toBe(count * rowHeight);
      expect(to - from).toBeLessThanOrEqual(Math.ceil(viewHeight / rowHeight) + 2 * overscan + 1);
      const top = Math.max(0, scrollTop);
      const firstSeen = Math.floor(top / rowHeight);
      const lastSeen = Math.min(count, Math.ceil((top + viewHeight) / rowHeight)) - 1;
      for (const row of [firstSeen, lastSeen]) {
        const isThere = row >= 0 && row < count && firstSeen <= lastSeen;
        if (isThere) expect(row >= from && row < to).toBe(true);
      }
    }),
  );
});
