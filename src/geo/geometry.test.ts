/** What is a geometry and what is not: the rows are the rules. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { JsonValue } from "../json/value.ts";
import { GLOBE } from "./ellipsoid.ts";
import { parseGeometry } from "./geometry.ts";
import { PLANE } from "./planar.ts";
import { positionsOf } from "./sample.fake.ts";

const SQUARE = positionsOf("0 0, 1 0, 1 1, 0 1, 0 0");
const HOLE = positionsOf("0.2 0.2, 0.2 0.8, 0.8 0.8, 0.8 0.2, 0.2 0.2");
const FAR = positionsOf("5 5, 6 5, 6 6, 5 6, 5 5");

const geojson = (type: string, coordinates: JsonValue): JsonValue => ({ type, coordinates });

interface Rule {
  readonly rule: string;
  readonly value: JsonValue | undefined;
  /** What the reason says; without it the value is valid. */
  readonly reason?: RegExp | string;
}

const RULES: readonly Rule[] = [
  { rule: "a point", value: geojson("Point", [31.9, -4.8]) },
  { rule: "the corners of the map", value: geojson("LineString", positionsOf("-180 -90, 180 45")) },
  { rule: "a height is ignored", value: geojson("Point", [31.9, -4.8, 1200]) },
  {
    rule: "other members are ignored",
    value: { type: "Point", coordinates: [1, 2], bbox: "?", crs: { type: "name" } },
  },
  {
    rule: "a latitude beyond a pole",
    value: geojson("Point", [133.7568278430635, -184.38876194345323]),
    reason: "Latitude values must be between -90 and 90 degrees.",
  },
  {
    rule: "a longitude beyond the antimeridian",
    value: geojson("Point", [180.1, 0]),
    reason: "Longitude values must be between -180 and 180 degrees.",
  },
  { rule: "a line", value: geojson("LineString", positionsOf("31.8 -5, 31.8 -4.7")) },
  {
    rule: "a line of one position",
    value: geojson("LineString", [[1, 1]]),
    reason: /two distinct/,
  },
  {
    rule: "a line from here to here",
    value: geojson("LineString", positionsOf("1 1, 1 1")),
    reason: /two distinct/,
  },
  {
    rule: "a line to the opposite end of the globe has no way to go",
    value: geojson("LineString", positionsOf("10 20, -170 -20")),
    reason: /opposite/,
  },
  { rule: "a polygon", value: geojson("Polygon", [SQUARE]) },
  { rule: "a clockwise polygon", value: geojson("Polygon", [SQUARE.toReversed()]) },
  { rule: "a polygon with a hole", value: geojson("Polygon", [SQUARE, HOLE]) },
  { rule: "a hole the other way round", value: geojson("Polygon", [SQUARE, HOLE.toReversed()]) },
  {
    rule: "an open ring",
    value: geojson("Polygon", [positionsOf("31.8 -5, 31.8 -4.7, 32 -4.7, 32 -5")]),
    reason:
      "The Polygon input is not valid because the start and end points of the ring number 1 are " +
      "not the same. Each ring of a polygon must have the same start and end points.",
  },
  {
    rule: "an open hole is ring number 2",
    value: geojson("Polygon", [SQUARE, HOLE.slice(1)]),
    reason: /ring number 2 are not the same/,
  },
  {
    rule: "there and back is no ring",
    value: geojson("Polygon", [positionsOf("0 0, 1 1, 0 0")]),
    reason: /three distinct/,
  },
  {
    rule: "a bow tie",
    value: geojson("Polygon", [positionsOf("0 0, 1 1, 1 0, 0 1, 0 0")]),
    reason: /cross/,
  },
  { rule: "a polygon without rings", value: geojson("Polygon", []), reason: /coordinates/ },
  { rule: "several polygons", value: geojson("MultiPolygon", [[SQUARE], [FAR]]) },
  { rule: "no polygons", value: geojson("MultiPolygon", []) },
  {
    rule: "overlapping polygons",
    value: geojson("MultiPolygon", [
      [SQUARE],
      [SQUARE.map(([x = 0, y = 0]) => [x + 0.5, y + 0.5])],
    ]),
    reason: /cross/,
  },
  {
    rule: "more positions than the service takes",
    value: geojson(
      "LineString",
      Array.from({ length: 4097 }, (_, index) => [index / 100, 0]),
    ),
    reason: /4096/,
  },
  { rule: "coordinates that are text", value: geojson("Point", ["1", "2"]), reason: /coordinates/ },
  {
    rule: "coordinates nested too little",
    value: geojson("Polygon", [0, 0]),
    reason: /coordinates/,
  },
  { rule: "a point without coordinates", value: { type: "Point" }, reason: /coordinates/ },
  { rule: "an unknown type", value: geojson("Circle", [0, 0]), reason: /type/ },
  { rule: "the type in another case", value: geojson("point", [0, 0]), reason: /type/ },
  { rule: "text", value: "POINT(1 2)", reason: /GeoJSON/ },
  { rule: "null", value: null, reason: /GeoJSON/ },
  { rule: "undefined", value: undefined, reason: /GeoJSON/ },
  { rule: "an array", value: [1, 2], reason: /GeoJSON/ },
];

describe("geometry on the globe", () => {
  test.each(RULES)("$rule", ({ value, reason }) => {
    const geometry = parseGeometry(value, GLOBE);
    if (reason === undefined) expect(geometry.ok).toBe(true);
    else if (typeof reason === "string") expect(geometry).toEqual({ ok: false, error: reason });
    else expect(geometry).toEqual({ ok: false, error: expect.stringMatching(reason) });
  });
});

describe("geometry in the plane", () => {
  test("coordinates have no range", () => {
    expect(parseGeometry(geojson("Point", [133, -184]), PLANE).ok).toBe(true);
    expect(parseGeometry(geojson("LineString", positionsOf("1e6 -1e6, 2e6 0")), PLANE).ok).toBe(
      true,
    );
  });

  test("but they end where squares are no numbers any more", () => {
    expect(parseGeometry(geojson("Point", [1e200, 0]), PLANE).ok).toBe(false);
  });
});

describe("geometry properties", () => {
  test("any JSON is a geometry or has a reason", () => {
    const anyNumber = fc.oneof(fc.double({ min: -200, max: 200, noNaN: true }), fc.double());
    const { coordinates } = fc.letrec<{ coordinates: JsonValue }>((tie) => ({
      coordinates: fc.oneof(
        { maxDepth: 5 },
        anyNumber,
        fc.tuple(anyNumber, anyNumber),
        fc.constant(SQUARE),
        fc.constant(null),
        fc.array(tie("coordinates")),
      ),
    }));
    const anyType = fc.constantFrom("Point", "LineString", "Polygon", "MultiPolygon", "__proto__");
    fc.assert(
      fc.property(anyType, coordinates, fc.constantFrom(GLOBE, PLANE), (type, nested, surface) => {
        const geometry = parseGeometry(geojson(type, nested), surface);
        if (!geometry.ok) expect(geometry.error).not.toBe("");
      }),
    );
  });
});
