/**
 * What the planner knows of a container's index. While a container is being indexed anew, a path
 * counts as indexed only if it is under every policy that items may have been written under.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { PathSegment } from "../../index/policyPath.ts";
import type { SpatialPlace } from "../../index/spatialTerm.ts";
import type { WordPlace } from "../../index/wordTerm.ts";
import type { ElementType } from "../functions/vector.ts";

/** What a vector index is about: the vectors of this type and length at a path. */
export interface VectorPlace {
  readonly segments: readonly string[];
  readonly elementType: ElementType;
  readonly dimensions: number;
  /** Whether answers may be approximate unless brute force is asked for. */
  readonly isApproximate: boolean;
}

export interface IndexView {
  /** Every item with a value there has its term. */
  isIndexed(segments: readonly PathSegment[]): boolean;
  /** The policy in force has it, even if the index is not there yet. */
  isIncluded(segments: readonly PathSegment[]): boolean;
  /** Of the policy in force. */
  readonly composites: readonly CompositeLayout[];
  /** Where a spatial index has every geometry at the path, whatever its type. */
  spatialPlace(segments: readonly PathSegment[]): SpatialPlace | undefined;
  /** Where a full-text index has the words of every text at just this path. */
  wordPlace?(segments: readonly PathSegment[]): WordPlace | undefined;
  /** Where the policy in force has a vector index on just this path. */
  vectorPlace?(segments: readonly PathSegment[]): VectorPlace | undefined;
  /** Every item has the terms of the policy in force, shapes and composites among them. */
  readonly isComplete: boolean;
  /** There is no index at all: every order is sorted, none is refused for want of one. */
  readonly isAnyOrderSorted?: true;
}
