/**
 * Cells: squares within squares that tile a surface; they are the terms of the spatial index.
 *
 * A cell is named by text: a letter for its root square, then a digit from 0 to 3 for each quarter
 * taken. So a cell's descendants are the cells whose names start with its name. The globe has six
 * roots, the faces of a cube around it; the plane has one, the bounding box of the container's
 * index. Everything outside the box is in the cell `OUTSIDE`, which has no parts.
 *
 * Not here: which cells a geometry needs (`cells.ts`).
 */
import { GLOBE } from "./ellipsoid.ts";
import { PLANE } from "./planar.ts";
import type { Surface } from "./surface.ts";
import type { Vec } from "./vector.ts";
import { chordOf, vec } from "./vector.ts";

export type Cell = string;

/** The deepest level, whose cells are about two and a half metres wide on the globe. */
export const LEVEL_MAX = 22;

export const OUTSIDE: Cell = "x";

/** A square of a root: its corner and its width, both as shares of the root's width. */
export interface Square {
  readonly cell: Cell;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Grid {
  readonly surface: Surface;
  readonly roots: readonly Square[];
  /** True when there may be points outside the roots. */
  readonly isBounded: boolean;
  /** Returns a point of a root; 0 and 1 are the edges of the root. */
  pointAt(root: string, x: number, y: number): Vec;
  /** Returns the root that the point is in, and where in it; undefined outside all roots. */
  placeOf(p: Vec): { readonly root: string; readonly x: number; readonly y: number } | undefined;
}

interface BoundingBox {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

const rootSquare = (cell: Cell): Square => ({ cell, x: 0, y: 0, width: 1 });

/** The globe as six faces, named by axis: a and b are ±x, c and d ±y, e and f ±z. */
export const GLOBE_GRID: Grid = {
  surface: GLOBE,
  roots: ["a", "b", "c", "d", "e", "f"].map(rootSquare),
  isBounded: false,
  pointAt: pointOfFace,
  placeOf: faceOf,
};

export function planeGridOf({ xmin, ymin, xmax, ymax }: BoundingBox): Grid {
  const width = xmax - xmin;
  const height = ymax - ymin;
  return {
    surface: PLANE,
    roots: [rootSquare("a")],
    isBounded: true,
    pointAt: (_, x, y) => vec(xmin + x * width, ymin + y * height, 1),
    placeOf: (p) => {
      const isIn = p.x >= xmin && p.x <= xmax && p.y >= ymin && p.y <= ymax;
      return isIn ? { root: "a", x: (p.x - xmin) / width, y: (p.y - ymin) / height } : undefined;
    },
  };
}

/**
 * Divides a face by equal angles from its middle, not by equal lengths: cells then have nearly the
 * same size, and their edges still are great circles.
 */
function pointOfFace(root: string, x: number, y: number): Vec {
  const u = Math.tan((x - 0.5) * (Math.PI / 2));
  const v = Math.tan((y - 0.5) * (Math.PI / 2));
  const face = "abcdef".indexOf(root);
  const axis = face % 2 === 0 ? 1 : -1;
  if (face < 2) return GLOBE.project(vec(axis, u, v));
  if (face < 4) return GLOBE.project(vec(u, axis, v));
  return GLOBE.project(vec(u, v, axis));
}

function faceOf({ x, y, z }: Vec): { root: string; x: number; y: number } {
  const share = (side: number, axis: number): number =>
    Math.atan(side / Math.abs(axis)) / (Math.PI / 2) + 0.5;
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  if (ax >= ay && ax >= az) return { root: x > 0 ? "a" : "b", x: share(y, x), y: share(z, x) };
  if (ay >= az) return { root: y > 0 ? "c" : "d", x: share(x, y), y: share(z, y) };
  return { root: z > 0 ? "e" : "f", x: share(x, z), y: share(y, z) };
}

export function cellOfPoint(p: Vec, level: number, grid: Grid): Cell {
  const place = grid.placeOf(p);
  if (place === undefined) return OUTSIDE;
  let { root: cell, x, y } = place;
  for (let depth = 0; depth < level; depth++) {
    x *= 2;
    y *= 2;
    const [right, upper] = [x >= 1 ? 1 : 0, y >= 1 ? 1 : 0];
    cell += String(2 * upper + right);
    x -= right;
    y -= upper;
  }
  return cell;
}

export function quartersOf({ cell, x, y, width }: Square): readonly Square[] {
  const half = width / 2;
  return [
    { cell: `${cell}0`, x, y, width: half },
    { cell: `${cell}1`, x: x + half, y, width: half },
    { cell: `${cell}2`, x, y: y + half, width: half },
    { cell: `${cell}3`, x: x + half, y: y + half, width: half },
  ];
}

/** Cells are taken a little larger than they are, so that a point on an edge is in both cells. */
const BALL_GROWTH = 1 + 1e-9;
const BALL_SLACK = 1e-12;

/** Returns a ball that contains the square. */
export function ballOf({ cell, x, y, width }: Square, grid: Grid): { center: Vec; radius: number } {
  const root = cell.charAt(0);
  const half = width / 2;
  const center = grid.pointAt(root, x + half, y + half);
  let radius = 0;
  for (const [right, upper] of CORNERS) {
    const corner = grid.pointAt(root, x + right * width, y + upper * width);
    radius = Math.max(radius, chordOf(center, corner));
  }
  const slack = BALL_SLACK * (Math.abs(center.x) + Math.abs(center.y) + 1);
  return { center, radius: radius * BALL_GROWTH + slack };
}

const CORNERS: readonly (readonly [right: number, upper: number])[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
];
