/** Which geometries of an item a spatial index has, and that queries find them by their cells. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expanded, queryCovering } from "../geo/cells.ts";
import { distanceOf } from "../geo/distance.ts";
import { type Geometry, parseGeometry } from "../geo/geometry.ts";
import { GLOBE_GRID, planeGridOf } from "../geo/grid.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { readSpatialIndexes } from "./policyIndexes.ts";
import { ELEMENTS, type PathSegment } from "./policyPath.ts";
import {
  type SpatialLayout,
  spatialLayoutOf,
  spatialPlaceOf,
  spatialRanges,
  spatialTermsOf,
} from "./spatialTerm.ts";

const POINT = { type: "Point", coordinates: [8.5, 47.4] };
const OTHER = { type: "Point", coordinates: [-70, -33] };
const LINE = {
  type: "LineString",
  coordinates: [
    [8, 47],
    [9, 48],
  ],
};
const BOX = { xmin: -100, ymin: -100, xmax: 100, ymax: 100 };

describe("which geometries are indexed", () => {
  const ROWS: readonly (readonly [
    rule: string,
    path: string,
    item: JsonObject,
    place: PathSegment[],
    isIndexed: boolean,
  ])[] = [
    ["the one at the path", "/loc/?", { loc: POINT }, ["loc"], true],
    ["a subtree begins at its path", "/loc/*", { loc: POINT }, ["loc"], true],
    ["and has what is below", "/loc/*", { loc: { in: POINT } }, ["loc", "in"], true],
    ["/? has not", "/loc/?", { loc: { in: POINT } }, ["loc", "in"], false],
    ["all of the item", "/*", { a: { b: [POINT] } }, ["a", "b", ELEMENTS], true],
    ["through arrays", "/a/[]/loc/?", { a: [{ loc: POINT }] }, ["a", ELEMENTS, "loc"], true],
    ["only where they are named", "/a/loc/?", { a: [{ loc: POINT }] }, ["a", "loc"], false],
    ["not next to the path", "/loc/?", { other: POINT }, ["other"], false],
    ["not if it is invalid", "/loc/?", { loc: { ...POINT, coordinates: [0, 91] } }, ["loc"], false],
    ["not if it is something else", "/loc/?", { loc: "Point" }, ["loc"], false],
  ];
  test.each(ROWS)("%s", (_rule, path, item, place, isIndexed) => {
    const layouts = layoutsOf({ path });
    expect(isFound(layouts, item, place, POINT)).toBe(isIndexed);
    expect(isFound(layouts, item, place, OTHER)).toBe(false);
  });

  test("only of the types that are listed; then queries cannot rely on it", () => {
    const layouts = layoutsOf({ path: "/loc/?", types: ["Point"] });
    expect(spatialTermsOf(layouts, { loc: POINT }).size).toBe(1);
    expect(spatialTermsOf(layouts, { loc: LINE }).size).toBe(0);
    expect(spatialPlaceOf(layouts, ["loc"])).toBeUndefined();
  });

  test("two indexes may have all types together, and terms once", () => {
    const rest = { path: "/loc/*", types: ["LineString", "Polygon", "MultiPolygon", "Point"] };
    const layouts = layoutsOf({ path: "/loc/?", types: ["Point"] }, rest);
    expect(spatialTermsOf(layouts, { loc: POINT }).size).toBe(1);
    expect(spatialPlaceOf(layouts, ["loc"])).toBeDefined();
    expect(spatialPlaceOf(layouts, ["other"])).toBeUndefined();
  });

  test("another box has other cells", () => {
    const hashOf = (index: JsonObject) => spatialPlaceOf(layoutsOf(index), ["loc"])!.hash;
    const hashes = [
      hashOf({ path: "/loc/?" }),
      hashOf({ path: "/loc/?", boundingBox: BOX }),
      hashOf({ path: "/loc/?", boundingBox: { ...BOX, xmax: 101 } }),
    ];
    expect(new Set(hashes).size).toBe(3);
    expect(hashOf({ path: "/loc/*" })).toBe(hashes[0]);
  });
});

describe.each([
  ["on the globe", {}, GLOBE_GRID],
  ["in a plane", { boundingBox: BOX }, planeGridOf(BOX)],
] as const)("%s", (_where, members, grid) => {
  const anyPosition = fc.tuple(
    fc.double({ min: -60, max: 60, noNaN: true }),
    fc.double({ min: -60, max: 60, noNaN: true }),
  );
  const anyGeometry = fc
    .oneof(
      anyPosition.map((coordinates) => ({ type: "Point", coordinates })),
      fc
        .array(anyPosition, { minLength: 2, maxLength: 4 })
        .map((coordinates) => ({ type: "LineString", coordinates })),
      fc
        .tuple(anyPosition, fc.double({ min: 0.1, max: 20, noNaN: true }))
        .map(([[x, y], width]) => ({
          type: "Polygon",
          coordinates: [
            [
              [x, y],
              [x + width, y],
              [x + width, y + width],
              [x, y + width],
              [x, y],
            ],
          ],
        })),
    )
    .filter((value) => parseGeometry(value as JsonValue, grid.surface).ok)
    .map((value) => value as unknown as JsonObject);

  test("who is near is found", () => {
    const layouts = layoutsOf({ path: "/loc/?", ...members });
    const geometryOf = (value: JsonObject): Geometry => {
      const parsed = parseGeometry(value, grid.surface);
      if (!parsed.ok) throw new Error(parsed.error);
      return parsed.value;
    };
    fc.assert(
      fc.property(anyGeometry, anyGeometry, fc.constantFrom(0, 1, 1e6), (stored, asked, reach) => {
        const distance = distanceOf(geometryOf(stored), geometryOf(asked));
        if (distance === undefined || distance > reach) return;
        expect(isFound(layouts, { loc: stored }, ["loc"], asked, reach)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("no term is the beginning of another", () => {
    const layouts = layoutsOf({ path: "/loc/?", ...members });
    fc.assert(
      fc.property(anyGeometry, anyGeometry, (a, b) => {
        const terms = [{ loc: a }, { loc: b }].flatMap((item) => [
          ...spatialTermsOf(layouts, item as JsonObject),
        ]);
        const distinct = [...new Set(terms)].sort();
        for (const [index, term] of distinct.entries()) {
          expect(distinct[index + 1]?.startsWith(term) ?? false).toBe(false);
        }
      }),
      { numRuns: 100 },
    );
  });
});

function layoutsOf(...indexes: readonly JsonObject[]): readonly SpatialLayout[] {
  return readSpatialIndexes(indexes).map(spatialLayoutOf);
}

/** Does a query for what is within `reach` of the geometry come upon a term of the item? */
function isFound(
  layouts: readonly SpatialLayout[],
  item: JsonObject,
  path: readonly PathSegment[],
  asked: JsonObject,
  reach = 0,
): boolean {
  const place = spatialPlaceOf(layouts, path);
  if (place === undefined) return false;
  const geometry = parseGeometry(asked, place.grid.surface);
  if (!geometry.ok) throw new Error(geometry.error);
  const covering = queryCovering(expanded(geometry.value, reach), 8, place.grid);
  const ranges = spatialRanges(place, covering);
  const terms = [...spatialTermsOf(layouts, item)];
  return terms.some((term) => ranges.some(({ min, max }) => term >= min && term < max));
}
