/** The part of the admin API that helps to write queries: what can be written, and its price. */

/** `GET containers/{database}/{container}/queryWords` */
export interface QueryWordsAnswer {
  /** Every function of the query language, aggregates included, in capitals. */
  readonly functions: readonly string[];
  /** Paths such as "address.city" that sampled items have, the most frequent first. */
  readonly paths: readonly SampledPath[];
  readonly sampledCount: number;
  readonly itemCount: number;
}

interface SampledPath {
  readonly path: string;
  /** Of the sampled items. */
  readonly itemCount: number;
  /** Types of the values: "string", "number", "boolean", "null", "array", "object". */
  readonly types: readonly string[];
}

/** `GET containers/{database}/{container}/deletePrice`: what deleting one item costs. */
export interface DeletePriceAnswer {
  /** Items of the container that were priced; without any there are no prices. */
  readonly sampledCount: number;
  readonly meanRu?: number | undefined;
  /** Of the cheapest and the dearest of them. */
  readonly lowRu?: number | undefined;
  readonly highRu?: number | undefined;
}

/** `POST containers/{database}/{container}/estimate` */
export interface EstimateQuestion {
  readonly query: string;
  readonly parameters: readonly { readonly name: string; readonly value?: unknown }[];
  /** Rows of a page; as many as the server gives by itself if absent. */
  readonly pageSize?: number | undefined;
}

/** Either an estimate, or why the query would be refused, as a refusal of the query says it. */
export interface EstimateReply {
  readonly estimate?: EstimateAnswer | undefined;
  readonly refusal?: string | undefined;
}

/** Of a query that was not run. */
export interface EstimateAnswer {
  readonly reach: {
    /** What the filter says of the partition key. */
    readonly keys: "all" | "some" | "none";
    /** How many keys, or beginnings of keys, the filter names. */
    readonly keyCount: number;
    readonly keyPaths: readonly string[];
    /** Range ids of the physical partitions that would be asked, and how many there are. */
    readonly partitionIds: readonly string[];
    readonly partitionCount: number;
  };
  /** Of all pages; absent where nobody can say, and then `reason` says why. */
  readonly price?: EstimatedPrice | undefined;
  readonly reason?: string | undefined;
}

export interface EstimatedPrice {
  readonly ru: number;
  /** The price if the sample is off by as much as happens in 1 of 20 samples. */
  readonly lowRu: number;
  readonly highRu: number;
  /** Items that would pass the filter. */
  readonly matchCount: number;
  readonly sampledCount: number;
  /** Items in reach; the sample is of these. */
  readonly heldCount: number;
}
