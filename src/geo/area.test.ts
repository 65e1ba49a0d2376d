/** Areas: zones of the ellipsoid, whose areas have a formula, then sums of parts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { areaOf } from "./area.ts";
import { PLANE } from "./planar.ts";
import { geometryFrom, polygonOf, sample, starAround } from "./sample.fake.ts";
import type { Vec } from "./vector.ts";
import { vec } from "./vector.ts";

const EARTH_SQUARE_METRES = 510_065_621_724_088;

/** Of a sector of one radian between the equator and the latitude, by the classical formula. */
function sectorOf(latitude: number): number {
  const flattening = 1 / 298.257223563;
  const pole = 6_378_137 * (1 - flattening);
  const e = Math.sqrt(flattening * (2 - flattening));
  const sine = e * Math.sin((latitude * Math.PI) / 180);
  return ((pole * pole) / 2 / e) * (sine / (1 - sine * sine) + Math.atanh(sine));
}

/** A box between parallels, which are not edges but can be followed by many. */
function boxOf(west: number, south: number, east: number, north: number) {
  const along = (from: number, to: number, latitude: number) =>
    Array.from({ length: 1000 }, (_, step) => [from + ((to - from) * step) / 1000, latitude]);
  const ring = [...along(west, east, south), ...along(east, west, north), [west, south]];
  return geometryFrom({
    type: "Polygon",
    coordinates: [
      [
        ...ring.slice(0, 1000),
        [east, south],
        ...ring.slice(1000, 2000),
        [west, north],
        [west, south],
      ],
    ],
  });
}

describe("on the globe", () => {
  test.each([
    [0, 0, 1, 1],
    [31.8, -5, 32, -4.7],
    [-20, -60, 50, 70],
    [10, 88, 80, 89.9],
  ])("the box %d %d %d %d", (west, south, east, north) => {
    const radians = ((east - west) * Math.PI) / 180;
    const exact = (sectorOf(north) - sectorOf(south)) * radians;
    expect(areaOf(boxOf(west, south, east, north)) / exact).toBeCloseTo(1, 5);
  });

  test("an eighth of the earth, whose edges are meridians and the equator", () => {
    expect(areaOf(sample("POLYGON 0 0, 90 0, 0 90")) * 8).toBeCloseTo(EARTH_SQUARE_METRES, -2);
  });

  test("a hole is taken out, whichever way it runs", () => {
    const whole = areaOf(sample("POLYGON 0 0, 4 0, 4 4, 0 4"));
    const hole = areaOf(sample("POLYGON 1 1, 3 1, 3 3, 1 3"));
    const frame = areaOf(sample("POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 1 3, 3 3, 3 1"));
    expect(frame).toBeCloseTo(whole - hole, 0);
    expect(areaOf(sample("POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 3 1, 3 3, 1 3"))).toBeCloseTo(frame, 0);
  });

  test("several polygons are their sum", () => {
    const ring = (x: number) => [
      [
        [x, 0],
        [x + 1, 0],
        [x + 1, 1],
        [x, 0],
      ],
    ];
    const both = geometryFrom({ type: "MultiPolygon", coordinates: [ring(0), ring(5)] });
    expect(areaOf(both)).toBeCloseTo(2 * areaOf(sample("POLYGON 0 0, 1 0, 1 1")), 0);
  });
});

test("in the plane", () => {
  expect(areaOf(sample("POLYGON 0 0, 4 0, 4 4, 0 4", PLANE))).toBe(16);
  expect(areaOf(sample("POLYGON 0 0, 0 4, 4 4, 4 0", PLANE))).toBe(16);
  expect(areaOf(sample("POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 3 1, 3 3, 1 3", PLANE))).toBe(12);
});

describe("properties", () => {
  const anyVec: fc.Arbitrary<Vec> = fc
    .tuple(
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
    )
    .map(([z, east]) =>
      vec(Math.sqrt(1 - z * z) * Math.cos(east), Math.sqrt(1 - z * z) * Math.sin(east), z),
    );
  const anyRadii = fc.array(fc.double({ min: 0.05, max: 1.2, noNaN: true }), {
    minLength: 6,
    maxLength: 30,
  });

  test("a polygon and its inverse are the earth", () => {
    fc.assert(
      fc.property(anyVec, anyRadii, (center, radii) => {
        const vertices = starAround(center, radii);
        const both = areaOf(polygonOf(vertices)) + areaOf(polygonOf(vertices.toReversed()));
        expect(both / EARTH_SQUARE_METRES).toBeCloseTo(1, 12);
      }),
    );
  });

  test("a star is the sum of its triangles", () => {
    fc.assert(
      fc.property(anyVec, anyRadii, (center, radii) => {
        const vertices = starAround(center, radii);
        let sum = 0;
        for (const [index, vertex] of vertices.entries()) {
          const next = vertices[(index + 1) % vertices.length] as Vec;
          sum += areaOf(polygonOf([center, vertex, next]));
        }
        expect(areaOf(polygonOf(vertices)) / sum).toBeCloseTo(1, 11);
      }),
    );
  });
});
