/** Provisioned throughput: a fixed rate, or a ceiling below which the rate follows the load. */
export type Throughput =
  | { readonly kind: "manual"; readonly ratePerSecond: number }
  | { readonly kind: "autoscale"; readonly rateMax: number };

/** The highest rate it can reach, in RU per second. */
export function rateMaxOf(throughput: Throughput): number {
  return throughput.kind === "manual" ? throughput.ratePerSecond : throughput.rateMax;
}
