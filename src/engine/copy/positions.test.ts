/** Positions in logs, by intervals of keys. */
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import { Positions } from "./positions.ts";

const range = (min: string, max: string): EpkRange => ({ min: min as Epk, max: max as Epk });
const whole = (): Positions => new Positions([{ range: WHOLE_RANGE, lsn: lsn(0) }]);

describe("a position", () => {
  test("is that of the keys that are furthest behind", () => {
    const positions = whole();
    positions.advance(range("", "80"), lsn(10));
    expect(positions.of(range("", "40"))).toBe(10);
    expect(positions.of(range("40", "90"))).toBe(0);
    expect(positions.of(WHOLE_RANGE)).toBe(0);
    expect(positions.highest(WHOLE_RANGE)).toBe(10);
  });

  test("is inherited by both halves of a split, and the lower one by a merge", () => {
    const positions = whole();
    positions.advance(WHOLE_RANGE, lsn(5));
    positions.advance(range("", "40"), lsn(9));
    expect(positions.of(range("", "20"))).toBe(9);
    expect(positions.of(range("20", "60"))).toBe(5);
    positions.advance(range("", "60"), lsn(12));
    expect(positions.of(range("", "60"))).toBe(12);
  });

  test("never goes back", () => {
    const positions = whole();
    positions.advance(range("", "40"), lsn(9));
    positions.advance(WHOLE_RANGE, lsn(7));
    expect(positions.of(range("", "40"))).toBe(9);
    expect(positions.of(range("40", "FF"))).toBe(7);
  });

  test("does not need more tiles for neighbours that are equally far", () => {
    const positions = whole();
    for (const min of ["", "20", "40", "60"]) positions.advance(range(min, "FF"), lsn(3));
    positions.advance(WHOLE_RANGE, lsn(4));
    expect(positions.tiles.length).toBe(1);
  });
});
