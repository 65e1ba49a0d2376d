/**
 * The segments of a geometry as a tree of balls, each around everything below it, so that finding
 * the near ones among thousands of segments takes a few dozen steps instead of thousands.
 *
 * Invariant: every point of every segment below a node lies inside the node's ball. This holds on
 * the globe too: the ball over a chord contains the whole arc.
 */
import type { Segment, Vec } from "./vector.ts";
import { chordOf, cross, dot, minus, normOf, plus, scaled } from "./vector.ts";

interface Ball {
  readonly center: Vec;
  readonly radius: number;
}

interface Leaf extends Ball {
  readonly segment: Segment;
}

interface Branch extends Ball {
  readonly segment: undefined;
  readonly first: SegmentTree;
  readonly second: SegmentTree;
}

export type SegmentTree = Leaf | Branch;

/**
 * Balls are larger than necessary by this much, relative to the coordinates, to allow for rounding.
 */
const BALL_SLACK = 1e-12;

export function treeOf(segments: readonly Segment[]): SegmentTree | undefined {
  return joined(segments.map(leafOf));
}

/** Makes one tree of several; neighbours in the list should be neighbours in space. */
export function joined(trees: readonly SegmentTree[]): SegmentTree | undefined {
  let level = trees;
  while (level.length > 1) {
    const above: SegmentTree[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const first = level[index] as SegmentTree;
      const second = level[index + 1];
      above.push(second === undefined ? first : branchOf(first, second));
    }
    level = above;
  }
  return level[0];
}

function leafOf(segment: Segment): Leaf {
  const center = scaled(plus(segment.a, segment.b), 0.5);
  const radius = chordOf(segment.a, segment.b) / 2 + BALL_SLACK * normOf(center);
  return { center, radius, segment };
}

function branchOf(first: SegmentTree, second: SegmentTree): SegmentTree {
  const { center, radius } = ballAround(first, second);
  return { center, radius, segment: undefined, first, second };
}

function ballAround(first: Ball, second: Ball): Ball {
  const gap = chordOf(first.center, second.center);
  if (gap + second.radius <= first.radius) return { center: first.center, radius: first.radius };
  if (gap + first.radius <= second.radius) return { center: second.center, radius: second.radius };
  const radius = (gap + first.radius + second.radius) / 2;
  const step = scaled(minus(second.center, first.center), (radius - first.radius) / gap);
  const center = plus(first.center, step);
  return { center, radius: radius + BALL_SLACK * normOf(center) };
}

/** True when the test holds for some segment that may be within `reach` of `p`. */
export function isAnyNear(
  tree: SegmentTree,
  p: Vec,
  reach: number,
  test: (segment: Segment) => boolean,
): boolean {
  if (chordOf(tree.center, p) > tree.radius + reach) return false;
  if (tree.segment !== undefined) return test(tree.segment);
  return isAnyNear(tree.first, p, reach, test) || isAnyNear(tree.second, p, reach, test);
}

/**
 * True when the test holds for some pair, one segment of each tree, that is close enough to meet.
 */
export function isAnyPair(
  one: SegmentTree,
  other: SegmentTree,
  test: (one: Segment, other: Segment) => boolean,
): boolean {
  if (chordOf(one.center, other.center) > one.radius + other.radius) return false;
  if (one.segment !== undefined && other.segment !== undefined) {
    return test(one.segment, other.segment);
  }
  if (one.segment === undefined && (other.segment !== undefined || one.radius >= other.radius)) {
    return isAnyPair(one.first, other, test) || isAnyPair(one.second, other, test);
  }
  const branch = other as Branch;
  return isAnyPair(one, branch.first, test) || isAnyPair(one, branch.second, test);
}

/** Like `isAnyPair` for pairs within one tree: each pair once, and no segment with itself. */
export function isAnyPairWithin(
  tree: SegmentTree,
  test: (one: Segment, other: Segment) => boolean,
): boolean {
  if (tree.segment !== undefined) return false;
  const { first, second } = tree;
  return (
    isAnyPairWithin(first, test) || isAnyPairWithin(second, test) || isAnyPair(first, second, test)
  );
}

/** Visits the segments that the path `way` might cross. */
export function visitAlong(
  tree: SegmentTree,
  way: Segment,
  visit: (segment: Segment) => void,
): void {
  const across = cross(way.a, minus(way.b, way.a));
  const norm = normOf(across);
  const normal = norm > 0 ? scaled(across, 1 / norm) : undefined;
  const { center, radius } = leafOf(way);
  const walk = (node: SegmentTree): void => {
    if (chordOf(node.center, center) > node.radius + radius) return;
    // The direction of a short path is uncertain, so the slack is larger for a shorter path.
    const offPlane = normal === undefined ? 0 : Math.abs(dot(normal, node.center));
    if (offPlane > node.radius + (BALL_SLACK * normOf(node.center)) / norm) return;
    if (node.segment !== undefined) {
      visit(node.segment);
      return;
    }
    walk(node.first);
    walk(node.second);
  };
  walk(tree);
}
