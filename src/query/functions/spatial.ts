/**
 * The spatial functions. A geometry that is not valid makes a function undefined, except those that
 * ask about validity.
 */

import type { Result } from "../../base/result.ts";
import { areaOf } from "../../geo/area.ts";
import { distanceOf } from "../../geo/distance.ts";
import { GLOBE } from "../../geo/ellipsoid.ts";
import type { Geometry } from "../../geo/geometry.ts";
import { parseGeometry } from "../../geo/geometry.ts";
import { isIntersecting } from "../../geo/intersects.ts";
import { PLANE } from "../../geo/planar.ts";
import type { Surface } from "../../geo/surface.ts";
import { isWithin } from "../../geo/within.ts";
import type { BuiltIn, CallContext, Value } from "./builtIn.ts";

export const SPATIAL_FUNCTIONS: readonly BuiltIn[] = [
  ofTwo("ST_DISTANCE", distanceOf),
  ofTwo("ST_WITHIN", isWithin),
  ofTwo("ST_INTERSECTS", isIntersecting),
  ofOne("ST_AREA", (geometry) => (geometry.ok ? areaOf(geometry.value) : undefined)),
  ofOne("ST_ISVALID", (geometry) => geometry.ok),
  ofOne("ST_ISVALIDDETAILED", (geometry) =>
    geometry.ok ? { valid: true } : { valid: false, reason: geometry.error },
  ),
];

function ofTwo(name: string, of: (a: Geometry, b: Geometry) => Value): BuiltIn {
  const call = (args: readonly Value[], context: CallContext): Value => {
    const a = geometryOf(args[0], context);
    const b = geometryOf(args[1], context);
    return a.ok && b.ok ? of(a.value, b.value) : undefined;
  };
  return { name, argMin: 2, argMax: 2, isPure: true, call };
}

function ofOne(name: string, of: (geometry: Result<Geometry, string>) => Value): BuiltIn {
  const call = ([arg]: readonly Value[], context: CallContext): Value =>
    arg === undefined ? undefined : of(geometryOf(arg, context));
  return { name, argMin: 1, argMax: 1, isPure: true, call };
}

/**
 * Geometries that were read from JSON values. A constant polygon of a query is the same object for
 * every item that it is compared with, and JSON values never change, so a geometry is kept for as
 * long as its value lives.
 */
const READ_ON: ReadonlyMap<Surface, WeakMap<object, Result<Geometry, string>>> = new Map([
  [GLOBE, new WeakMap()],
  [PLANE, new WeakMap()],
]);

function geometryOf(value: Value, context: CallContext): Result<Geometry, string> {
  const surface = context.geometry === "Geography" ? GLOBE : PLANE;
  if (typeof value !== "object" || value === null) return parseGeometry(value, surface);
  const known = READ_ON.get(surface)?.get(value);
  if (known !== undefined) return known;
  const geometry = parseGeometry(value, surface);
  READ_ON.get(surface)?.set(value, geometry);
  return geometry;
}
