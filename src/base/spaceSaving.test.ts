/** The sketch of heavy keys against plain counting. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SpaceSaving } from "./spaceSaving.ts";

const digestOf = (key: string): number =>
  [...key].reduce((sum, unit) => (Math.imul(sum, 31) + unit.charCodeAt(0)) >>> 0, 7);

describe("a space-saving sketch", () => {
  const stream = fc.array(
    fc.record({ key: fc.nat(40).map(String), weight: fc.integer({ min: 1, max: 9 }) }),
    { maxLength: 400 },
  );

  test("a weight is never too low, its error says how much too high, and the heaviest is there", () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 12 }), (added, counterCount) => {
        const sketch = new SpaceSaving<string>({ counterCount, digestOf });
        const model = new Map<string, number>();
        for (const { key, weight } of added) {
          sketch.add(key, weight);
          model.set(key, (model.get(key) ?? 0) + weight);
        }
        const total = added.reduce((sum, { weight }) => sum + weight, 0);
        expect(sketch.total).toBe(total);
        expect(sketch.isShared).toBe(model.size > counterCount);
        for (const [key, truth] of model) {
          const { weight, error } = sketch.estimate(key);
          expect(weight).toBeGreaterThanOrEqual(truth);
          expect(weight - error).toBeLessThanOrEqual(truth);
          expect(error).toBeLessThanOrEqual(total / counterCount);
          if (truth > total / counterCount) expect(sketch.counterOf(key)).toBeDefined();
        }
        const weights = sketch.heaviest().map(({ weight }) => weight);
        expect(weights).toEqual([...weights].sort((a, b) => b - a));
        expect(weights).toHaveLength(Math.min(model.size, counterCount));
      }),
    );
  });

  test("whoever keeps more about a counter is told when it gets another key", () => {
    const told: number[] = [];
    const onTakeOver = (counter: number): void => void told.push(counter);
    const sketch = new SpaceSaving<string>({ counterCount: 2, digestOf, onTakeOver });
    for (const key of ["a", "b", "a"]) sketch.add(key, 1);
    expect(sketch.hasRoomFor("c")).toBe(false);
    sketch.add("c", 1);
    expect(told).toEqual([]);
    sketch.add("c", 1);
    expect(told).toEqual([1]);
    expect(sketch.keys).toEqual(["a", "c"]);
    expect(sketch.estimate("c")).toEqual({ weight: 2, error: 1 });
  });

  test("cleared, it is as good as new", () => {
    const sketch = new SpaceSaving<string>({ counterCount: 2, digestOf });
    for (let at = 0; at < 50; at++) sketch.add(String(at), 1);
    sketch.clear();
    sketch.add("a", 3);
    expect(sketch.heaviest()).toEqual([{ key: "a", weight: 3, error: 0 }]);
    expect([sketch.total, sketch.isShared]).toEqual([3, false]);
    expect(sketch.estimate("7")).toEqual({ weight: 0, error: 0 });
  });
});
