/** Whether one version of an item is to be indexed. */
export type IndexingDirective = "include" | "exclude";

/** What requests call them, in lower case. By default the indexing policy decides. */
export const INDEXING_DIRECTIVES: ReadonlyMap<string, IndexingDirective | undefined> = new Map([
  ["default", undefined],
  ["include", "include"],
  ["exclude", "exclude"],
]);
