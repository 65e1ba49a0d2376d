/**
 * What the planner knows of a container's index. While a container is being indexed anew, a path
 * counts as indexed only if it is under every policy that items may have been written under.
 */
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { PathSegment } from "../../index/policyPath.ts";
import type { SpatialPlace } from "../../index/spatialTerm.ts";
import type { WordPlace } from "../../index/wordTerm.ts";
import type { ElementType } from "../functions/vector.ts";

/** The vectors that a vector index is about: those of this type and length at a path. */
export interface VectorPlace {
  readonly segments: readonly string[];
  readonly elementType: ElementType;
  readonly dimensions: number;
  /** True when answers may be approximate unless brute force is asked for. */
  readonly isApproximate: boolean;
}

export interface IndexView {
  /** True when every item with a value at the path has its term. */
  isIndexed(segments: readonly PathSegment[]): boolean;
  /** True when the policy in force includes the path, even if the index is not built yet. */
  isIncluded(segments: readonly PathSegment[]): boolean;
  /** The composite indexes of the policy in force. */
  readonly composites: readonly CompositeLayout[];
  /** Returns the place where a spatial index has every geometry at the path, whatever its type. */
  spatialPlace(segments: readonly PathSegment[]): SpatialPlace | undefined;
  /** Returns the place where a full-text index has the words of every text at exactly this path. */
  wordPlace?(segments: readonly PathSegment[]): WordPlace | undefined;
  /** Returns the place where the policy in force has a vector index on exactly this path. */
  vectorPlace?(segments: readonly PathSegment[]): VectorPlace | undefined;
  /**
   * True when every item has all terms of the policy in force, including those of shapes and
   * composites.
   */
  readonly isComplete: boolean;
  /**
   * True when there is no index at all: every order is sorted, and none is refused for lack of one.
   */
  readonly isAnyOrderSorted?: true;
}
