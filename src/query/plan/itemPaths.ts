/**
 * Which place of the item an expression reads. A slot stands for a place when it is the item
 * itself, or a source that is a path into it: `t` in `JOIN t IN c.tags` reads the elements of
 * `/tags`.
 */
import type { PathSegment } from "../../index/policyPath.ts";
import { ELEMENTS } from "../../index/policyPath.ts";
import type { Bound, BoundSource } from "../bind/bound.ts";

export interface ItemPath {
  readonly segments: readonly PathSegment[];
  /**
   * True when the place has one value, which is the one that is read. False below an array: the
   * index knows the values of its elements, but not which element has which.
   */
  readonly isOne: boolean;
}

export type SlotPaths = ReadonlyMap<number, ItemPath>;

/** Returns the places that the slots of these sources stand for, and those of `outer`. */
export function slotPathsOf(sources: readonly BoundSource[], outer: SlotPaths): SlotPaths {
  const paths = new Map(outer);
  for (const source of sources) {
    if (source.kind === "items") paths.set(source.slot, { segments: [], isOne: true });
    if (source.kind !== "value" && source.kind !== "elements") continue;
    const path = itemPathOf(source.value, paths);
    if (path === undefined) continue;
    if (source.kind === "value") paths.set(source.slot, path);
    else paths.set(source.slot, { segments: [...path.segments, ELEMENTS], isOne: false });
  }
  return paths;
}

export function itemPathOf(bound: Bound, paths: SlotPaths): ItemPath | undefined {
  if (bound.kind === "slot") return paths.get(bound.slot);
  if (bound.kind === "member") {
    const path = itemPathOf(bound.object, paths);
    return path && { ...path, segments: [...path.segments, bound.name] };
  }
  if (bound.kind !== "index" || bound.index.kind !== "constant") return undefined;
  const path = itemPathOf(bound.object, paths);
  const { value } = bound.index;
  if (path === undefined || typeof value === "object") return undefined;
  if (typeof value === "string") return { ...path, segments: [...path.segments, value] };
  return { segments: [...path.segments, ELEMENTS], isOne: false };
}

/**
 * True when the expression is one place in the item, named step by step, as in `c.tags[0].name` or
 * `c[@name]`.
 */
export function isOnePlace(expression: Bound, paths: SlotPaths): boolean {
  if (expression.kind === "slot") return paths.get(expression.slot)?.isOne === true;
  if (expression.kind === "member") return isOnePlace(expression.object, paths);
  if (expression.kind !== "index") return false;
  const isNamed = expression.index.kind === "constant" || expression.index.kind === "parameter";
  return isNamed && isOnePlace(expression.object, paths);
}

/** Returns the path as policies spell it: `/a/b`, `/tags/[]`. */
export function pathText({ segments }: ItemPath): string {
  return segments
    .map((segment) =>
      segment === ELEMENTS
        ? "/[]"
        : /^[\p{L}\p{N}_$]+$/u.test(segment)
          ? `/${segment}`
          : `/${JSON.stringify(segment)}`,
    )
    .join("");
}
