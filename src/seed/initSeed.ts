/**
 * A seed as a value, for `startOrrery({ init })`: what a seed file says, in types. The names are
 * those of `seedNames.ts`; policies are what the official client takes for them.
 */

export interface InitSeed {
  /** By their names. */
  readonly databases: Readonly<Record<string, InitDatabase | null>>;
}

export interface InitDatabase {
  /** RU/s that its containers share. */
  readonly throughput?: number;
  /** The most that autoscale may reach, instead. */
  readonly autoscale?: number;
  readonly containers?: Readonly<Record<string, InitContainer>>;
}

export interface InitContainer {
  /** `/a`, `["/a", "/b"]`, or with paths, kind and version; needed where it has to be made. */
  readonly partitionKey?: string | readonly string[] | object;
  readonly throughput?: number;
  readonly autoscale?: number;
  readonly indexingPolicy?: object;
  readonly defaultTtl?: number;
  readonly uniqueKeyPolicy?: object;
  /** Short for it: each a path, or paths that are unique together. */
  readonly uniqueKeys?: readonly (string | readonly string[])[];
  readonly computedProperties?: readonly object[];
  readonly conflictResolutionPolicy?: object;
  readonly geospatialConfig?: object;
  readonly changeFeedPolicy?: object;
  readonly vectorEmbeddingPolicy?: object;
  readonly fullTextPolicy?: object;
  readonly analyticalStorageTtl?: number;
  readonly materializedViewDefinition?: object;
  /** Items, paths of files with items, or both. */
  readonly items?: string | readonly (string | object)[];
  /** Code, or the path of a `.js` file. */
  readonly storedProcedures?: Readonly<Record<string, string>>;
  readonly userDefinedFunctions?: Readonly<Record<string, string>>;
  readonly triggers?: Readonly<Record<string, InitTrigger>>;
}

interface InitTrigger {
  readonly type: "Pre" | "Post";
  /** All of them unless it says which. */
  readonly operation?: "All" | "Create" | "Update" | "Delete" | "Replace" | "Upsert";
  readonly body: string;
}
