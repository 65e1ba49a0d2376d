/** What a container declares about its partition key, and the key of one item. */

/** One component of a key; `undefined` when the item has no value there ("none" to clients). */
export type KeyComponent = string | number | boolean | null | undefined;

/**
 * The values of a definition's paths in one item; shorter than the paths when the key is a prefix.
 */
export type PartitionKey = readonly KeyComponent[];

export interface PartitionKeyDefinition {
  /** One to three paths, each starting with a slash. */
  readonly paths: readonly string[];
  /** `MultiHash` hashes each level on its own (hierarchical); `Hash` hashes one path. */
  readonly kind: "Hash" | "MultiHash";
  /** Hash version. A definition that names none is version 1. */
  readonly version: 1 | 2;
  /** True for a container that was created without a partition key. */
  readonly systemKey?: boolean;
}
