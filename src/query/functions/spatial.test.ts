/**
 * The spatial functions as a query sees them. The rows restate what the service's documentation and
 * what reports from its users show; numbers are compared to the digits on which the published ones
 * agree with the ellipsoid (the service rounds coordinates, by up to a tenth of a millimetre).
 */
import { describe, expect, test } from "vitest";

import type { JsonValue } from "../../json/value.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { SPATIAL_FUNCTIONS } from "./spatial.ts";

type Pair = readonly [x: number, y: number];

const point = (x: number, y: number): JsonValue => ({ type: "Point", coordinates: [x, y] });
const line = (...positions: Pair[]): JsonValue => ({ type: "LineString", coordinates: positions });
const polygon = (...positions: Pair[]): JsonValue => ({
  type: "Polygon",
  coordinates: [[...positions, positions[0] as Pair]],
});

const OFFICE = point(-122.11758113953535, 47.66901087006131);
const PARK = polygon([31.8, -5], [32, -5], [32, -4.7], [31.8, -4.7]);
const INVERSE_PARK = polygon([31.8, -5], [31.8, -4.7], [32, -4.7], [32, -5]);
const CAMPUS = polygon(
  [-122.13236581015025, 47.64606476313813],
  [-122.13221982500913, 47.633757091363975],
  [-122.11840598103835, 47.641749416109235],
  [-122.12061400629656, 47.64589264786028],
);
const HIGHWAY = polygon(
  [-122.13693695285855, 47.64996065621003],
  [-122.1351662656516, 47.64627863318731],
  [-122.13488295569863, 47.646326350048696],
  [-122.1366182291613, 47.650016321952904],
);
const GROUNDS = polygon(
  [-122.14034847687708, 47.6494835188378],
  [-122.14014779899375, 47.64625477474044],
  [-122.13256925774829, 47.646207057813655],
  [-122.13254564858545, 47.64941990019193],
);
const DEGREE = polygon([19, 49], [19, 48], [20, 48], [20, 49]);
const INVALID = point(100, 100);

interface Row {
  readonly rule: string;
  readonly call: readonly [name: string, ...args: Value[]];
  readonly expected: Value;
}

const ON_THE_GLOBE: readonly Row[] = [
  {
    rule: "whether one is in the other",
    call: ["ST_WITHIN", point(-122.12824857332558, 47.6395516675712), CAMPUS],
    expected: true,
  },
  { rule: "a point in a park", call: ["ST_WITHIN", point(31.9, -4.8), PARK], expected: true },
  {
    rule: "clockwise means the rest of the globe",
    call: ["ST_WITHIN", point(31.9, -4.8), INVERSE_PARK],
    expected: false,
  },
  { rule: "where elsewhere is", call: ["ST_WITHIN", OFFICE, INVERSE_PARK], expected: true },
  {
    rule: "edges bend towards the pole: north of the parallel, south of the edge",
    call: ["ST_WITHIN", point(19.59907, 48.00011), DEGREE],
    expected: false,
  },
  {
    rule: "and just north of both",
    call: ["ST_WITHIN", point(19.59907, 48.00105), DEGREE],
    expected: true,
  },
  {
    rule: "on an edge is not within",
    call: ["ST_WITHIN", point(31.8, -4.8), PARK],
    expected: false,
  },
  { rule: "but it intersects", call: ["ST_INTERSECTS", point(31.8, -4.8), PARK], expected: true },
  { rule: "whether two overlap", call: ["ST_INTERSECTS", HIGHWAY, GROUNDS], expected: true },
  { rule: "or do not", call: ["ST_INTERSECTS", HIGHWAY, CAMPUS], expected: false },
  {
    rule: "a wide box bends over its parallel",
    call: [
      "ST_INTERSECTS",
      point(24.890739, 41.128275),
      polygon(
        [-18.62072, 35.98678],
        [42.28749, 35.98678],
        [42.28749, 54.33566],
        [-18.62072, 54.33566],
      ),
    ],
    expected: true,
  },
  {
    rule: "and a wider one more",
    call: [
      "ST_INTERSECTS",
      point(24.890739, 41.128275),
      polygon(
        [-31.21105, 35.98678],
        [54.87782, 35.98678],
        [54.87782, 54.33566],
        [-31.21105, 54.33566],
      ),
    ],
    expected: false,
  },
  {
    rule: "within reach is zero away",
    call: ["ST_DISTANCE", point(31.9, -4.8), PARK],
    expected: 0,
  },
  {
    rule: "nowhere is not a distance",
    call: ["ST_DISTANCE", INVALID, OFFICE],
    expected: undefined,
  },
  {
    rule: "a missing place neither",
    call: ["ST_DISTANCE", undefined, OFFICE],
    expected: undefined,
  },
  { rule: "text neither", call: ["ST_WITHIN", "here", PARK], expected: undefined },
  { rule: "nor an invalid one", call: ["ST_INTERSECTS", PARK, INVALID], expected: undefined },
  { rule: "a point has no area", call: ["ST_AREA", OFFICE], expected: 0 },
  { rule: "a line neither", call: ["ST_AREA", line([31.8, -5], [31.8, -4.7])], expected: 0 },
  { rule: "an invalid area", call: ["ST_AREA", INVALID], expected: undefined },
  {
    rule: "valid",
    call: ["ST_ISVALID", point(-84.38876194345323, 33.75682784306348)],
    expected: true,
  },
  {
    rule: "not valid",
    call: ["ST_ISVALID", point(133.7568278430635, -184.38876194345323)],
    expected: false,
  },
  { rule: "not a geometry at all", call: ["ST_ISVALID", 5], expected: false },
  { rule: "nothing to ask about", call: ["ST_ISVALID", undefined], expected: undefined },
  { rule: "valid in detail", call: ["ST_ISVALIDDETAILED", OFFICE], expected: { valid: true } },
  {
    rule: "not valid in detail",
    call: ["ST_ISVALIDDETAILED", point(133.7568278430635, -184.38876194345323)],
    expected: { valid: false, reason: "Latitude values must be between -90 and 90 degrees." },
  },
  {
    rule: "an open ring in detail",
    call: [
      "ST_ISVALIDDETAILED",
      {
        type: "Polygon",
        coordinates: [
          [
            [31.8, -5],
            [31.8, -4.7],
            [32, -4.7],
            [32, -5],
          ],
        ],
      },
    ],
    expected: {
      valid: false,
      reason:
        "The Polygon input is not valid because the start and end points of the ring number 1 are " +
        "not the same. Each ring of a polygon must have the same start and end points.",
    },
  },
  { rule: "nothing in detail", call: ["ST_ISVALIDDETAILED", undefined], expected: undefined },
];

const IN_THE_PLANE: readonly Row[] = [
  { rule: "Pythagoras", call: ["ST_DISTANCE", point(0, 0), point(300, 400)], expected: 500 },
  {
    rule: "a square",
    call: ["ST_AREA", polygon([0, 0], [20, 0], [20, 20], [0, 20])],
    expected: 400,
  },
  {
    rule: "direction is ignored",
    call: ["ST_AREA", polygon([0, 0], [0, 20], [20, 20], [20, 0])],
    expected: 400,
  },
  {
    rule: "straight edges",
    call: ["ST_WITHIN", point(19.59907, 48.00011), DEGREE],
    expected: true,
  },
  { rule: "no poles", call: ["ST_ISVALID", INVALID], expected: true },
];

describe("on the globe", () => {
  test.each(ON_THE_GLOBE)("$rule", ({ call, expected }) => {
    expect(answerOf("Geography", call)).toEqual(expected);
  });

  test.each([
    [
      "around the corner",
      ["ST_DISTANCE", point(-122.12826822304672, 47.63980239335718), OFFICE],
      3345.2698,
      3,
    ],
    [
      "across the country",
      ["ST_DISTANCE", point(-96.84368664765994, 46.81297794314663), OFFICE],
      1907438.4213,
      3,
    ],
    ["a park in square metres", ["ST_AREA", PARK], 735970283.05, 0],
  ] as const)("published: %s", (_, call, expected, digits) => {
    expect(answerOf("Geography", call)).toBeCloseTo(expected, digits);
  });
});

describe("in the plane", () => {
  test.each(IN_THE_PLANE)("$rule", ({ call, expected }) => {
    expect(answerOf("Geometry", call)).toEqual(expected);
  });
});

test("a function says how many arguments it takes", () => {
  const counts = SPATIAL_FUNCTIONS.map(({ name, argMin, argMax }) => [name, argMin, argMax]);
  expect(counts).toEqual([
    ["ST_DISTANCE", 2, 2],
    ["ST_WITHIN", 2, 2],
    ["ST_INTERSECTS", 2, 2],
    ["ST_AREA", 1, 1],
    ["ST_ISVALID", 1, 1],
    ["ST_ISVALIDDETAILED", 1, 1],
  ]);
});

function answerOf(geometry: CallContext["geometry"], [name, ...args]: Row["call"]): Value {
  const context: CallContext = {
    wallNow: () => 0,
    startedAt: 0,
    random: () => 0,
    geometry,
    memo: (_kind, _key, make) => make(),
  };
  return SPATIAL_FUNCTIONS.find((one) => one.name === name)?.call(args, context);
}
