/** Requests of one kind, as far as a workload needs them: how many, at which hour, how dear. */
import { HOUR_MS } from "../../base/units.ts";

export class RequestTally {
  count = 0;
  /** Requests by hour of the day, UTC. */
  readonly hours: Float64Array = new Float64Array(24);
  #charge = 0;
  #chargedCount = 0;
  #bytes = 0;
  #sizedCount = 0;
  /**
   * Number of queries, each of which may have taken several requests; 0 where the logs do not tell.
   */
  queryCount = 0;

  add(at: number, count: number): void {
    this.count += count;
    this.hours[hourOf(at)]! += count;
  }

  charge(each: number, count: number): void {
    this.#charge += each * count;
    this.#chargedCount += count;
  }

  size(bytes: number | undefined, count: number): void {
    if (bytes === undefined || bytes <= 0) return;
    this.#bytes += bytes * count;
    this.#sizedCount += count;
  }

  merge(other: RequestTally): void {
    this.count += other.count;
    this.queryCount += other.queryCount;
    this.#charge += other.#charge;
    this.#chargedCount += other.#chargedCount;
    this.#bytes += other.#bytes;
    this.#sizedCount += other.#sizedCount;
    other.hours.forEach((count, hour) => {
      this.hours[hour]! += count;
    });
  }

  get totalCharge(): number {
    return this.#charge;
  }

  get meanCharge(): number | undefined {
    return this.#chargedCount === 0 ? undefined : this.#charge / this.#chargedCount;
  }

  get totalBytes(): number {
    return this.#bytes;
  }

  get sizedCount(): number {
    return this.#sizedCount;
  }
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) % 24;
}
