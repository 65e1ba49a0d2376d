/** Whether one version of an item is to be indexed. */
export type IndexingDirective = "include" | "exclude";

/**
 * Directives by the names that requests have for them, in lower case. With the default, the
 * indexing policy decides.
 */
export const INDEXING_DIRECTIVES: ReadonlyMap<string, IndexingDirective | undefined> = new Map([
  ["default", undefined],
  ["include", "include"],
  ["exclude", "exclude"],
]);
