/**
 * ST_AREA: square metres on the globe, square units in the plane. Points and lines have no area.
 */
import type { Geometry } from "./geometry.ts";

export function areaOf({ polygons, surface }: Geometry): number {
  let area = 0;
  for (const { exterior, holes } of polygons) {
    area += surface.areaOfLeft(exterior.edges);
    for (const hole of holes) area -= surface.areaOfLeft(hole.edges);
  }
  return area;
}
