/**
 * A GeoJSON value as a geometry on a surface: Point, LineString, Polygon or MultiPolygon, or the
 * reason why the value is none of these.
 *
 * What always holds:
 *
 * - Every edge is shorter than half a turn; equal neighbours are one position.
 * - A polygon is the part of the surface left of its exterior ring, without its holes. On the globe
 *   a clockwise ring therefore means the rest of the globe; in the plane, where the rest is
 *   infinite, the direction is ignored. A hole is the smaller side of its ring, whatever its
 *   direction.
 * - Edges of a geometry may touch, but do not cross one another.
 *
 * Members besides `type` and `coordinates` and numbers besides the first two are ignored.
 */

import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import type { SegmentTree } from "./segmentTree.ts";
import { isAnyPairWithin, joined, treeOf } from "./segmentTree.ts";
import type { Surface } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { isCrossing } from "./vector.ts";

export type GeometryType = "Point" | "LineString" | "Polygon" | "MultiPolygon";

export interface Geometry {
  readonly type: GeometryType;
  readonly surface: Surface;
  /**
   * The edges as a tree; for a point, one segment without length. Undefined only without any
   * polygon.
   */
  readonly tree: SegmentTree | undefined;
  /** The edges in the order of the positions. */
  readonly edges: readonly Segment[];
  readonly polygons: readonly Polygon[];
}

export interface Polygon {
  readonly exterior: Ring;
  readonly holes: readonly Ring[];
}

/** A closed ring; the area that it stands for is on its left. */
export interface Ring {
  readonly edges: readonly Segment[];
  readonly tree: SegmentTree;
}

/** The limit of the service, which was raised from 256 over the years. */
const POSITION_COUNT_MAX = 4096;

const NOT_GEOJSON =
  "The input is not a GeoJSON object with a type of Point, LineString, Polygon or MultiPolygon.";

export function parseGeometry(
  value: JsonValue | undefined,
  surface: Surface,
): Result<Geometry, string> {
  if (!isObject(value)) return no(NOT_GEOJSON);
  const coordinates = property(value, "coordinates");
  const type = property(value, "type");
  if (positionCountOf(coordinates, 0) > POSITION_COUNT_MAX) {
    return no(`A geometry must not have more than ${POSITION_COUNT_MAX} positions.`);
  }
  if (type === "Point") return parsePoint(coordinates, surface);
  if (type === "LineString") return parseLineString(coordinates, surface);
  if (type === "Polygon") return parsePolygons("Polygon", [coordinates], surface);
  if (type === "MultiPolygon") return parsePolygons("MultiPolygon", coordinates, surface);
  return no(NOT_GEOJSON);
}

/** Counts positions. Coordinates nest at most three deep; anything deeper cannot be a position. */
function positionCountOf(coordinates: JsonValue | undefined, depth: number): number {
  if (!Array.isArray(coordinates)) return 0;
  if (typeof coordinates[0] === "number" || depth === 3) return 1;
  let count = 0;
  for (const part of coordinates) {
    count += positionCountOf(part, depth + 1);
    if (count > POSITION_COUNT_MAX) break;
  }
  return count;
}

function parsePoint(
  coordinates: JsonValue | undefined,
  surface: Surface,
): Result<Geometry, string> {
  const point = parsePosition(coordinates, "Point", surface);
  if (!point.ok) return point;
  return ok(geometryOf("Point", surface, [{ a: point.value, b: point.value }]));
}

function parseLineString(
  coordinates: JsonValue | undefined,
  surface: Surface,
): Result<Geometry, string> {
  const positions = parsePositions(coordinates, "LineString", surface);
  if (!positions.ok) return positions;
  if (positions.value.length < 2) {
    return no("The LineString input is not valid because it does not have two distinct positions.");
  }
  const edges = edgesOf(positions.value, "LineString", surface);
  return edges.ok ? ok(geometryOf("LineString", surface, edges.value)) : edges;
}

function parsePolygons(
  type: "Polygon" | "MultiPolygon",
  coordinates: JsonValue | undefined | readonly (JsonValue | undefined)[],
  surface: Surface,
): Result<Geometry, string> {
  if (!Array.isArray(coordinates)) return no(notCoordinates(type));
  const polygons: Polygon[] = [];
  for (const rings of coordinates) {
    const polygon = parsePolygon(rings, type, surface);
    if (!polygon.ok) return polygon;
    polygons.push(polygon.value);
  }
  const rings = polygons.flatMap(({ exterior, holes }) => [exterior, ...holes]);
  const tree = joined(rings.map((ring) => ring.tree));
  if (tree !== undefined && isAnyPairWithin(tree, isCrossing)) {
    return no(`The ${type} input is not valid because some of its edges cross.`);
  }
  const edges = rings.flatMap((ring) => ring.edges);
  return ok({ type, surface, tree, edges, polygons });
}

function parsePolygon(
  rings: JsonValue | undefined,
  type: GeometryType,
  surface: Surface,
): Result<Polygon, string> {
  if (!Array.isArray(rings) || rings.length === 0) return no(notCoordinates(type));
  const parsed: Ring[] = [];
  for (const [index, coordinates] of rings.entries()) {
    const ring = parseRing(coordinates, { type, number: index + 1, surface });
    if (!ring.ok) return ring;
    parsed.push(ring.value);
  }
  const [exterior, ...holes] = parsed as [Ring, ...Ring[]];
  const isInside = surface.kind === "Geography" ? exterior : smallerSide(exterior, surface);
  return ok({ exterior: isInside, holes: holes.map((hole) => smallerSide(hole, surface)) });
}

interface RingPlace {
  readonly type: GeometryType;
  readonly number: number;
  readonly surface: Surface;
}

function parseRing(
  coordinates: JsonValue | undefined,
  { type, number, surface }: RingPlace,
): Result<Ring, string> {
  const positions = parsePositions(coordinates, type, surface);
  if (!positions.ok) return positions;
  const input = `The ${type} input is not valid because`;
  const first = positions.value[0];
  const last = positions.value.at(-1);
  if (first === undefined || last === undefined || !isSame(first, last)) {
    return no(
      `${input} the start and end points of the ring number ${number} are not the same. ` +
        "Each ring of a polygon must have the same start and end points.",
    );
  }
  if (positions.value.length < 4) {
    return no(`${input} the ring number ${number} does not have three distinct positions.`);
  }
  const edges = edgesOf(positions.value, type, surface);
  return edges.ok ? ok(ringOf(edges.value)) : edges;
}

function ringOf(edges: readonly Segment[]): Ring {
  return { edges, tree: treeOf(edges) as SegmentTree };
}

function smallerSide(ring: Ring, surface: Surface): Ring {
  if (!surface.isMoreThanHalf(ring.edges)) return ring;
  return ringOf(ring.edges.map(({ a, b }): Segment => ({ a: b, b: a })).reverse());
}

/** Parses positions and drops those that equal the position before. */
function parsePositions(
  coordinates: JsonValue | undefined,
  type: GeometryType,
  surface: Surface,
): Result<readonly Vec[], string> {
  if (!Array.isArray(coordinates)) return no(notCoordinates(type));
  const positions: Vec[] = [];
  for (const coordinate of coordinates) {
    const position = parsePosition(coordinate, type, surface);
    if (!position.ok) return position;
    const before = positions.at(-1);
    if (before === undefined || !isSame(before, position.value)) positions.push(position.value);
  }
  return ok(positions);
}

function parsePosition(
  coordinate: JsonValue | undefined,
  type: GeometryType,
  surface: Surface,
): Result<Vec, string> {
  if (!Array.isArray(coordinate)) return no(notCoordinates(type));
  const [x, y] = coordinate;
  if (typeof x !== "number" || typeof y !== "number") return no(notCoordinates(type));
  const reason = surface.reasonAgainst([x, y]);
  return reason === undefined ? ok(surface.place([x, y])) : no(reason);
}

function edgesOf(
  positions: readonly Vec[],
  type: GeometryType,
  surface: Surface,
): Result<readonly Segment[], string> {
  const edges: Segment[] = [];
  for (const [index, b] of positions.entries()) {
    const a = positions[index - 1];
    if (a === undefined) continue;
    if (surface.isOpposite(a, b)) {
      return no(`The ${type} input is not valid because an edge has ends opposite on the globe.`);
    }
    edges.push({ a, b });
  }
  return ok(edges);
}

function geometryOf(type: GeometryType, surface: Surface, edges: readonly Segment[]): Geometry {
  return { type, surface, edges, tree: treeOf(edges), polygons: [] };
}

const isSame = (a: Vec, b: Vec): boolean => a.x === b.x && a.y === b.y && a.z === b.z;

const notCoordinates = (type: GeometryType): string =>
  `The coordinates of the ${type} input are not arrays of numbers nested as GeoJSON has it.`;
