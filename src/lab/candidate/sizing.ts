/**
 * The coarsest period and the fewest suffixes with which a key stays within the limits: its largest
 * logical partition below the size at which everybody begins to worry, its busiest well within what
 * one physical partition is allotted.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import type { TimeGrain } from "../../keys/expression.ts";
import type { Limits } from "../../model/limits.ts";
import type { DataFacts } from "../data/facts.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import type { OperationModel } from "../simulate/operationModel.ts";
import { growthFactor, itemsWritten, totalItems } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import { grainDays } from "./keyShape.ts";

export interface SizingInput {
  readonly workload: Workload;
  readonly facts: DataFacts;
  readonly models: readonly OperationModel[];
  readonly provisioned: number;
  readonly limits: Limits;
}

/** From coarse to fine; years and hours are for those who ask for them. */
const GRAINS: readonly TimeGrain[] = ["year", "quarter", "month", "week", "day", "hour"];
/** Of the logical limit, and of what a partition is allotted. */
const BYTES_SHARE = 0.5;
const RATE_SHARE = 0.5;
/** Of suffixes that people write: the guides go to 400. */
const SUFFIXES = [2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 400, 512, 800, 1000];

export class Sizing {
  readonly #input: SizingInput;
  readonly #itemBytes: number;

  constructor(input: SizingInput) {
    this.#input = input;
    this.#itemBytes = storedBytesOf(input.facts.itemBytes);
  }

  /** For values at some paths, one after the other; undefined: no period is short enough. */
  grainFor(paths: readonly string[]): TimeGrain | undefined {
    const { share } = this.#largest(paths);
    const fitting = GRAINS.filter((grain) => {
      if (grain === "year" || grain === "quarter") return this.#isSlow(paths, grain);
      return this.#periodBytes(grain) * share <= this.#bytesMax;
    });
    return fitting[0];
  }

  /** A quarter or a year only where even that is far from the limit. */
  #isSlow(paths: readonly string[], grain: TimeGrain): boolean {
    const { share } = this.#largest(paths);
    return paths.length > 0 && this.#periodBytes(grain) * share <= this.#bytesMax / 100;
  }

  /** How many suffixes a key needs; 1 when it needs none, undefined when none are enough. */
  suffixFor(paths: readonly string[], grain: TimeGrain | undefined): number | undefined {
    const { share, requestShare } = this.#largest(paths);
    const bytes = grain === undefined ? this.#allBytes() : this.#periodBytes(grain);
    const byBytes = (bytes * share) / this.#bytesMax;
    const byRate = this.#peakRate(share, requestShare) / this.#rateMax();
    const needed = Math.max(byBytes, byRate);
    if (needed <= 1) return 1;
    return SUFFIXES.find((count) => count >= needed);
  }

  get #bytesMax(): number {
    return this.#input.limits.logicalPartitionBytesMax * BYTES_SHARE;
  }

  /** What one key may take: a part of what a physical partition is allotted. */
  #rateMax(): number {
    const { provisioned, limits } = this.#input;
    const byBytes = Math.ceil(this.#allBytes() / limits.physicalPartitionBytesMax);
    const byRate = Math.ceil(provisioned / limits.partitionRateMax);
    const count = Math.max(1, byBytes, byRate);
    return RATE_SHARE * Math.min(limits.partitionRateMax, provisioned / count);
  }

  #allBytes(): number {
    const { growth, horizonMonths } = this.#input.workload;
    return totalItems(growth, horizonMonths) * this.#itemBytes;
  }

  /** Written in the last such period. */
  #periodBytes(grain: TimeGrain): number {
    const { growth, horizonMonths } = this.#input.workload;
    const end = horizonMonths * DAYS_PER_MONTH;
    const days = Math.min(grainDays(grain), growth.retentionDays ?? Number.POSITIVE_INFINITY);
    const written = itemsWritten(growth, end - days, end);
    const early = growth.initialItems > 0 ? itemsWritten(growth, -days, 0) : 0;
    return Math.max(written, early) * this.#itemBytes;
  }

  #largest(paths: readonly string[]): { readonly share: number; readonly requestShare: number } {
    if (paths.length === 0) return { share: 1, requestShare: 1 };
    const { rows } = this.#input.facts.populationOf(paths);
    return rows.reduce(
      (largest, { byteShare, requestShare, keyCount }) => ({
        share: Math.max(largest.share, byteShare / keyCount),
        requestShare: Math.max(largest.requestShare, requestShare / keyCount),
      }),
      { share: 0, requestShare: 0 },
    );
  }

  #peakRate(share: number, requestShare: number): number {
    const { models, workload } = this.#input;
    const grown = growthFactor(workload.growth, workload.horizonMonths * DAYS_PER_MONTH);
    return models.reduce((sum, { operation, isWrite, pointRu, price, hours, innerPeak }) => {
      const ru = operation.ru ?? (price === undefined ? pointRu : price.visitRu);
      const peak = Math.max(...hours) * innerPeak;
      const part = isWrite ? share : requestShare;
      return sum + operation.ratePerSecond * grown * peak * ru * part;
    }, 0);
  }
}
