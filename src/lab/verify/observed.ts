/** What was measured of a running container: values only, whoever has measured them. */

export interface ObservedContainer {
  /** How long requests were counted. */
  readonly seconds: number;
  readonly ru: number;
  /** By physical partitions, as in `PredictedLoad`; the throttled ones among them. */
  readonly requestCount: number;
  readonly throttledCount: number;
  readonly partitions: readonly { readonly id: string; readonly ru: number }[];
  /** False when the server throttles nobody. */
  readonly isLimited: boolean;
  readonly ratePerSecond: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  readonly largestLogicalBytes: number;
  /** Undefined: nobody has recorded what was asked. */
  readonly operations?: readonly ObservedOperation[] | undefined;
}

export interface ObservedOperation {
  readonly kind: string;
  /** The text of a query. */
  readonly text?: string | undefined;
  readonly count: number;
  /** The mean charge of one, all pages of a query together. */
  readonly ruEach: number;
}
