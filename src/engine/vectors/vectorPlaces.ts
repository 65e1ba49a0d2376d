/**
 * What a container's definition says about the vectors at a path, in the form that queries need.
 */
import type { PathSegment } from "../../index/policyPath.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { Embedding } from "../../query/bind/vectorDistance.ts";
import type { VectorPlace } from "../../query/plan/indexView.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";

type VectorDefinition = Pick<ContainerDefinition, "indexingPolicy" | "vectorEmbeddingPolicy">;

export function embeddingAt(
  { vectorEmbeddingPolicy }: VectorDefinition,
  segments: readonly PathSegment[],
): Embedding | undefined {
  const found = vectorEmbeddingPolicy?.vectorEmbeddings.find(({ path }) => names(path, segments));
  if (found === undefined) return undefined;
  const { distanceFunction: metric, dataType: elementType, dimensions } = found;
  return { metric, elementType, dimensions };
}

/** Returns undefined when there is no vector index on exactly this path. */
export function vectorPlaceOf(
  definition: VectorDefinition,
  segments: readonly PathSegment[],
): VectorPlace | undefined {
  const { indexingMode, vectorIndexes } = definition.indexingPolicy;
  if (indexingMode === "none") return undefined;
  const index = vectorIndexes?.find(({ path }) => names(path, segments));
  const embedding = index && embeddingAt(definition, segments);
  if (index === undefined || embedding === undefined) return undefined;
  const { elementType, dimensions } = embedding;
  const isApproximate = index.type === "diskANN";
  return { segments: parseKeyPath(index.path)!, elementType, dimensions, isApproximate };
}

function names(path: string, segments: readonly PathSegment[]): boolean {
  const own = parseKeyPath(path);
  return own?.length === segments.length && own.every((name, depth) => name === segments[depth]);
}
