/** The sum of what one operation asks of whom. */
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { isOfMany, keyName } from "./keyLabel.ts";

export class AskedTarget {
  readonly rates: Float64Array;
  readonly requests: Float64Array;
  readonly keyRates: Map<string, number> = new Map();
  readonly manyNames: Set<string> = new Set();
  readonly #rate: number;
  visitCount = 0;
  ruEach = 0;

  constructor(partitionCount: number, rate: number) {
    this.rates = new Float64Array(partitionCount);
    this.requests = new Float64Array(partitionCount);
    this.#rate = rate;
  }

  /** So many visits of each operation, at so many RU, to a partition. */
  add(partition: number, visits: number, ru: number): void {
    this.rates[partition]! += this.#rate * visits * ru;
    this.requests[partition]! += this.#rate * visits;
    this.ruEach += visits * ru;
  }

  /** So many partitions of each operation. */
  addVisited(count: number): void {
    this.visitCount += Math.min(count, this.rates.length);
  }

  addKey(entry: KeyEntry, visits: number, ru: number): void {
    const name = keyName(entry);
    if (isOfMany(entry)) this.manyNames.add(name);
    this.keyRates.set(name, (this.keyRates.get(name) ?? 0) + this.#rate * visits * ru);
  }
}
