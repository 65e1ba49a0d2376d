/**
 * Geometries for tests, from short text: `POINT 1 2`, `LINE 0 0, 1 1`, and `POLYGON 0 0, 1 0, 1 1`
 * with rings separated by `/` and closed by themselves. Nothing else imports this file.
 */
import { assert } from "../base/assert.ts";
import type { JsonValue } from "../json/value.ts";
import { GLOBE } from "./ellipsoid.ts";
import type { Geometry } from "./geometry.ts";
import { parseGeometry } from "./geometry.ts";
import type { Surface, SurfacePosition } from "./surface.ts";
import type { Vec } from "./vector.ts";
import { cross, plus, scaled, vec } from "./vector.ts";

const FLATTENING = 1 / 298.257223563;

export function positionsOf(text: string): SurfacePosition[] {
  return text.split(",").map((pair): SurfacePosition => {
    const [x, y] = pair.trim().split(" ").map(Number);
    return [x ?? 0, y ?? 0];
  });
}

export function sample(text: string, surface: Surface = GLOBE): Geometry {
  return geometryFrom(geojsonOf(text), surface);
}

export function geometryFrom(value: JsonValue, surface: Surface = GLOBE): Geometry {
  const geometry = parseGeometry(value, surface);
  assert(geometry.ok, geometry.ok ? "" : geometry.error);
  return geometry.value;
}

function geojsonOf(text: string): JsonValue {
  const [kind, rest] = [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)];
  if (kind === "POINT") return { type: "Point", coordinates: positionsOf(rest)[0] ?? [] };
  if (kind === "LINE") return { type: "LineString", coordinates: positionsOf(rest) };
  const rings = rest.split("/").map((ring) => {
    const positions = positionsOf(ring);
    return [...positions, positions[0] ?? [0, 0]];
  });
  return { type: "Polygon", coordinates: rings };
}

/** The longitude and latitude of a unit vector of the globe. */
function positionAt({ x, y, z }: Vec): SurfacePosition {
  const latitude = Math.atan2(z, (1 - FLATTENING) * Math.hypot(x, y));
  return [(Math.atan2(y, x) * 180) / Math.PI, (latitude * 180) / Math.PI];
}

/** The point that is `angle` away from `center` in the direction `azimuth`, both in radians. */
export function awayFrom(center: Vec, azimuth: number, angle: number): Vec {
  const someway = Math.abs(center.z) < 0.9 ? vec(0, 0, 1) : vec(1, 0, 0);
  const east = GLOBE.project(cross(someway, center));
  const north = cross(center, east);
  const ahead = plus(scaled(east, Math.cos(azimuth)), scaled(north, Math.sin(azimuth)));
  return plus(scaled(center, Math.cos(angle)), scaled(ahead, Math.sin(angle)));
}

/** The vertices of a star-shaped polygon around `center`, counter-clockwise, not closed. */
export function starAround(center: Vec, angles: readonly number[]): Vec[] {
  const step = (2 * Math.PI) / angles.length;
  return angles.map((angle, index) => awayFrom(center, index * step, angle));
}

export function polygonOf(vertices: readonly Vec[]): Geometry {
  const ring = [...vertices, ...vertices.slice(0, 1)].map((vertex) => [...positionAt(vertex)]);
  return geometryFrom({ type: "Polygon", coordinates: [ring] });
}

export function lineOf(vertices: readonly Vec[]): Geometry {
  return geometryFrom({
    type: "LineString",
    coordinates: vertices.map((vertex) => [...positionAt(vertex)]),
  });
}

export function pointOf(p: Vec): Geometry {
  return geometryFrom({ type: "Point", coordinates: [...positionAt(p)] });
}
