/**
 * Conditions on where something is: near a place, within or across a region. The index tells which
 * items have a geometry in the same cells; whether a geometry is near enough is evaluated on the
 * item.
 */
import { expanded, queryCovering } from "../../geo/cells.ts";
import { parseGeometry } from "../../geo/geometry.ts";
import type { SpatialPlace } from "../../index/spatialTerm.ts";
import { spatialRanges } from "../../index/spatialTerm.ts";
import type { Bound } from "../bind/bound.ts";
import { isConstant } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Run } from "../evaluate/run.ts";
import type { Value } from "../functions/builtIn.ts";
import type { BinaryOperator } from "../language/ast.ts";
import type { ItemPath } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";
import type { ResolvedTerms, TermLookup } from "./lookup.ts";
import type { LookupSetting } from "./termLookup.ts";

/**
 * Number of cells that a region is covered with. More cells fit the region better, and take longer
 * to look up.
 */
const CELL_COUNT_MAX = 24;

const NOTHING: ResolvedTerms = { ranges: [], isExact: true, mayRepeat: false };

/**
 * Returns a lookup for `ST_WITHIN(c.place, …)` or `ST_INTERSECTS(c.place, …)`; the arguments of the
 * latter may be swapped.
 */
export function regionLookup(
  { builtIn, args }: Extract<Bound, { readonly kind: "call" }>,
  setting: LookupSetting,
): TermLookup | undefined {
  const [left, right] = args;
  if (builtIn.name === "ST_WITHIN") return lookupNear(left!, right!, undefined, "within", setting);
  if (builtIn.name !== "ST_INTERSECTS") return undefined;
  return (
    lookupNear(left!, right!, undefined, "intersects", setting) ??
    lookupNear(right!, left!, undefined, "intersects", setting)
  );
}

/** Returns a lookup for `ST_DISTANCE(c.place, …) < metres`. */
export function distanceLookup(
  distance: Bound,
  operator: BinaryOperator,
  metres: Bound,
  setting: LookupSetting,
): TermLookup | undefined {
  if (operator !== "<" && operator !== "<=") return undefined;
  if (distance.kind !== "call" || distance.builtIn.name !== "ST_DISTANCE") return undefined;
  const [left, right] = distance.args;
  return (
    lookupNear(left!, right!, metres, "distance", setting) ??
    lookupNear(right!, left!, metres, "distance", setting)
  );
}

function lookupNear(
  reads: Bound,
  region: Bound,
  metres: Bound | undefined,
  what: string,
  setting: LookupSetting,
): TermLookup | undefined {
  const path = itemPathOf(reads, setting.paths);
  if (path === undefined || !isConstant(region)) return undefined;
  if (metres !== undefined && !isConstant(metres)) return undefined;
  const place = setting.index.spatialPlace(path.segments);
  if (place === undefined) return undefined;
  const geometryOf = compile(region);
  const reachOf = metres && compile(metres);
  return spatialLookup(path, place, what, (run) => ({
    geometry: geometryOf([], run),
    reach: reachOf === undefined ? 0 : reachOf([], run),
  }));
}

function spatialLookup(
  path: ItemPath,
  place: SpatialPlace,
  what: string,
  regionOf: (run: Run) => { readonly geometry: Value; readonly reach: Value },
): TermLookup {
  return {
    kind: "terms",
    path,
    what,
    isOfParts: true,
    resolve: (run) => {
      const { geometry, reach } = regionOf(run);
      if (typeof reach !== "number" || !(reach >= 0)) return NOTHING;
      const parsed = parseGeometry(geometry, place.grid.surface);
      if (!parsed.ok) return NOTHING;
      const covering = queryCovering(expanded(parsed.value, reach), CELL_COUNT_MAX, place.grid);
      return { ranges: spatialRanges(place, covering), isExact: false, mayRepeat: true };
    },
  };
}
