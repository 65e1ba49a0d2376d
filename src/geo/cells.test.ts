/**
 * Coverings. The one thing that matters is that nothing is missed: whoever meets a query's region
 * is among its candidates. The other is that candidates are few.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { seededRandom } from "../base/world.ts";
import type { QueryCovering } from "./cells.ts";
import { coveringOf, expanded, geometryTerms, queryCovering } from "./cells.ts";
import { distanceOf } from "./distance.ts";
import type { Geometry } from "./geometry.ts";
import type { Grid } from "./grid.ts";
import { cellOfPoint, GLOBE_GRID, LEVEL_MAX, planeGridOf } from "./grid.ts";
import { isIntersecting } from "./intersects.ts";
import { PLANE } from "./planar.ts";
import {
  awayFrom,
  geometryFrom,
  lineOf,
  pointOf,
  polygonOf,
  sample,
  starAround,
} from "./sample.fake.ts";
import type { Vec } from "./vector.ts";
import { vec } from "./vector.ts";

const BOX: Grid = planeGridOf({ xmin: 0, ymin: 0, xmax: 16, ymax: 16 });

/** As the index looks for candidates. */
function isCandidate(terms: readonly string[], { prefixes, ancestors }: QueryCovering): boolean {
  return terms.some(
    (term) => ancestors.includes(term) || prefixes.some((prefix) => term.startsWith(prefix)),
  );
}

describe("cells of points", () => {
  test.each([
    ["POINT 1 1", 2, "a00"],
    ["POINT 15 1", 2, "a11"],
    ["POINT 1 15", 2, "a22"],
    ["POINT 8.5 8.5", 4, "a3000"],
    ["POINT 16 16", 3, "a333"],
    ["POINT 17 1", 2, "x"],
  ])("in the plane, %s at level %d is in %s", (point, level, cell) => {
    const p = sample(point, PLANE).edges[0]?.a as Vec;
    expect(cellOfPoint(p, level, BOX)).toBe(cell);
  });

  test.each([
    ["POINT 0 0", "a"],
    ["POINT 180 0", "b"],
    ["POINT 90 0", "c"],
    ["POINT -90 0", "d"],
    ["POINT 0 90", "e"],
    ["POINT 0 -90", "f"],
  ])("on the globe, %s is on the face %s", (point, face) => {
    expect(cellOfPoint(sample(point).edges[0]?.a as Vec, 0, GLOBE_GRID)).toBe(face);
  });

  test("a point has one term, of the deepest level", () => {
    const [term, ...others] = geometryTerms(sample("POINT 31.9 -4.8"), GLOBE_GRID);
    expect(term).toHaveLength(1 + LEVEL_MAX);
    expect(others).toEqual([]);
  });
});

describe("coverings", () => {
  test("what covers the box by far is the box, and the outside", () => {
    const whole = sample("POLYGON -9 -9, 25 -9, 25 25, -9 25", PLANE);
    expect(coveringOf(whole, 8, BOX)).toEqual(["x", "a"]);
  });

  test("what is outside of the box is in no cell of it, and every query looks there", () => {
    expect(geometryTerms(sample("POINT 20 20", PLANE), BOX)).toEqual(["x"]);
    const far = queryCovering(expanded(sample("POINT 99 99", PLANE), 1), 8, BOX);
    expect(far).toEqual({ prefixes: [], ancestors: ["x"] });
    const near = queryCovering(expanded(sample("POINT 8.5 8.5", PLANE), 0.1), 8, BOX);
    expect(near.ancestors).toContain("x");
  });

  test("a small region is a few small cells", () => {
    const circle = expanded(sample("POINT 31.9 -4.8"), 1000);
    const { prefixes } = queryCovering(circle, 8, GLOBE_GRID);
    expect(prefixes.length).toBeGreaterThan(0);
    expect(prefixes.length).toBeLessThanOrEqual(8);
    // Cells of level 12 are some two and a half kilometres wide.
    for (const prefix of prefixes) expect(prefix.length).toBeGreaterThan(12);
  });

  test("everything within a huge distance is the globe", () => {
    const all = queryCovering(expanded(sample("POINT 0 0"), 3e7), 8, GLOBE_GRID);
    expect(isCandidate(geometryTerms(sample("POINT 180 0"), GLOBE_GRID), all)).toBe(true);
  });

  test("of ten thousand points spread over the globe, few are candidates in vain", () => {
    const random = seededRandom(7);
    const query = polygonOf(starAround(vec(0, 0.6, 0.8), [0.3, 0.2, 0.25, 0.3, 0.15, 0.2]));
    const covering = queryCovering(expanded(query, 0), 16, GLOBE_GRID);
    let inside = 0;
    let candidates = 0;
    for (let count = 0; count < 10_000; count++) {
      const z = 2 * random.next() - 1;
      const point = pointOf(awayFrom(vec(0, 0, 1), 2 * Math.PI * random.next(), Math.acos(z)));
      if (isIntersecting(point, query)) inside++;
      if (isCandidate(geometryTerms(point, GLOBE_GRID), covering)) candidates++;
    }
    expect(candidates).toBeLessThan(3 * inside);
  });
});

const anyVec: fc.Arbitrary<Vec> = fc
  .tuple(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
  )
  .map(([z, east]) =>
    vec(Math.sqrt(1 - z * z) * Math.cos(east), Math.sqrt(1 - z * z) * Math.sin(east), z),
  );
const anyAngle = fc.oneof(
  fc.double({ min: 1e-7, max: 1, noNaN: true }),
  fc.constantFrom(1e-6, 1e-4, 1e-2),
);
const anyRadii = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), {
  minLength: 5,
  maxLength: 12,
});
const anyCount = fc.integer({ min: 1, max: 24 });

/** Something around a center: a point, a line, a star or all but the star. */
const anyShape = fc
  .tuple(fc.constantFrom("point", "line", "star", "inverse"), anyAngle, anyRadii)
  .map(([kind, size, radii]) => (center: Vec): Geometry => {
    const vertices = starAround(
      center,
      radii.map((radius) => radius * size),
    );
    if (kind === "point") return pointOf(vertices[0] as Vec);
    if (kind === "line") return lineOf(vertices);
    return polygonOf(kind === "star" ? vertices : vertices.toReversed());
  });

describe("nothing is missed", () => {
  test("on the globe", () => {
    fc.assert(
      fc.property(
        anyVec,
        anyAngle,
        anyAngle,
        anyShape,
        anyShape,
        anyCount,
        (center, azimuth, gap, shape, other, count) => {
          const one = shape(center);
          const two = other(awayFrom(center, azimuth * 7, gap));
          const terms = geometryTerms(one, GLOBE_GRID);
          if (isIntersecting(one, two)) {
            const covering = queryCovering(expanded(two, 0), count, GLOBE_GRID);
            expect(isCandidate(terms, covering)).toBe(true);
          }
          const distance = distanceOf(one, two) ?? 0;
          const reaching = queryCovering(expanded(two, distance), count, GLOBE_GRID);
          expect(isCandidate(terms, reaching)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("on the corners of cells, where coordinates round either way", () => {
    for (const corner of [vec(0, 0, 1), vec(-1, 0, 0), vec(1, 1, 1), vec(-1, 1, -1)]) {
      const point = pointOf(corner);
      const covering = queryCovering(expanded(point, 0), 8, GLOBE_GRID);
      expect(isCandidate(geometryTerms(point, GLOBE_GRID), covering)).toBe(true);
    }
  });

  test("in the plane, within the box, across its border and outside", () => {
    const anyPair = fc.tuple(fc.integer({ min: -4, max: 40 }), fc.integer({ min: -4, max: 40 }));
    const anyFlat = fc
      .tuple(
        anyPair,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom("Point", "LineString", "Polygon"),
      )
      .map(([[x, y], side, type]) => {
        const [west, south, width] = [x / 2, y / 2, side / 2];
        const corners = [
          [west, south],
          [west + width, south],
          [west, south + width],
          [west, south],
        ];
        const coordinates = {
          Point: corners[0],
          LineString: corners.slice(0, 3),
          Polygon: [corners],
        }[type];
        return geometryFrom({ type, coordinates: coordinates ?? [] }, PLANE);
      });
    fc.assert(
      fc.property(anyFlat, anyFlat, anyCount, (one, two, count) => {
        const distance = distanceOf(one, two) ?? 0;
        const covering = queryCovering(expanded(two, distance), count, BOX);
        expect(isCandidate(geometryTerms(one, BOX), covering)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test("a covering has no more cells than asked for, from the count of faces on", () => {
  fc.assert(
    fc.property(anyVec, anyShape, anyCount, (center, shape, count) => {
      const cells = coveringOf(shape(center), count, GLOBE_GRID);
      expect(cells.length).toBeGreaterThan(0);
      expect(cells.length).toBeLessThanOrEqual(Math.max(6, count));
    }),
  );
});
