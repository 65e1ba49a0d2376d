/** The ring of packed entries, against a map that forgets nothing but what lost its place. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { PackedRing, type Packing } from "./packedRing.ts";

const SHAPE = { groupLength: 3, groupCount: 2 };
const PLACES = SHAPE.groupLength * SHAPE.groupCount;

/** A sum, packed in one byte; 255 makes no sense. */
const SUM: Packing<{ sum: number }> = {
  make: () => ({ sum: 0 }),
  pack: ({ sum }) => Uint8Array.of(sum),
  unpack: ([sum]) => (sum === undefined || sum === 255 ? undefined : { sum }),
  merge: (entry, earlier) => {
    entry.sum += earlier.sum;
  },
};

describe("a ring", () => {
  test("what was put away can be gone on with", () => {
    const ring = new PackedRing(SUM, SHAPE);
    ring.change(7).sum += 1;
    ring.change(8).sum += 2;
    ring.change(7).sum += 4;
    expect([ring.read(7), ring.read(8), ring.read(9)]).toEqual([{ sum: 5 }, { sum: 2 }, undefined]);
  });

  test("an entry gives way to the one with its place", () => {
    const ring = new PackedRing(SUM, SHAPE);
    ring.change(7).sum += 1;
    ring.change(7 + PLACES).sum += 2;
    expect(ring.read(7)).toBeUndefined();
    expect(ring.numbers()).toEqual([7 + PLACES]);
    expect(ring.change(7).sum).toBe(0);
  });

  test("it is known which groups changed", () => {
    const ring = new PackedRing(SUM, SHAPE);
    ring.change(0);
    ring.change(1);
    expect(ring.takeChanged()).toEqual([0]);
    expect(ring.takeChanged()).toEqual([]);
    ring.change(1);
    ring.change(5);
    expect(ring.takeChanged()).toEqual([0, 1]);
    ring.read(1);
    expect(ring.takeChanged()).toEqual([]);
  });

  test("what was stored is taken over under what came since", () => {
    const before = new PackedRing(SUM, SHAPE);
    for (const number of [6, 7, 8, 9]) before.change(number).sum += number;
    const after = new PackedRing(SUM, SHAPE);
    after.change(8).sum += 100;
    after.change(6 + PLACES).sum += 50;
    for (const group of [0, 1]) {
      for (const entry of before.packedGroup(group)) expect(after.restore(entry)).toBe(true);
    }
    expect(after.read(6)).toBeUndefined();
    expect(after.read(7)).toEqual({ sum: 7 });
    expect(after.read(8)).toEqual({ sum: 108 });
    expect(after.read(9)).toEqual({ sum: 9 });
    expect(after.read(6 + PLACES)).toEqual({ sum: 50 });
  });

  test("bytes that make no sense are refused", () => {
    const ring = new PackedRing(SUM, SHAPE);
    expect(ring.restore({ number: 1, bytes: Uint8Array.of(255) })).toBe(false);
    expect(ring.read(1)).toBeUndefined();
  });

  test("for all orders of numbers, it says what a map says", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 100 }), (numbers) => {
        const ring = new PackedRing(SUM, SHAPE);
        const sums = new Map<number, number>();
        for (const number of numbers) {
          ring.change(number).sum += 1;
          for (const other of sums.keys()) {
            if (other !== number && other % PLACES === number % PLACES) sums.delete(other);
          }
          sums.set(number, (sums.get(number) ?? 0) + 1);
        }
        for (let number = 0; number <= 20; number++) {
          expect(ring.read(number)?.sum).toBe(sums.get(number));
        }
        expect(ring.numbers().toSorted()).toEqual([...sums.keys()].toSorted());
        const stored = [0, 1].flatMap((group) => ring.packedGroup(group));
        expect(stored.map(({ number }) => number).toSorted()).toEqual([...sums.keys()].toSorted());
      }),
    );
  });
});
