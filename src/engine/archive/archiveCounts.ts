/** What is counted while an archive is made: figures, logical partitions left out, and the plan. */
import type {
  ArchiveItem,
  ArchivePlan,
  LeftOut,
  PlannedPartition,
} from "../../model/archiveJob.ts";
import type { ArchiveCounts } from "./archiveRecord.ts";

export function addedCounts(counts: ArchiveCounts, more: Partial<ArchiveCounts>): ArchiveCounts {
  const names = Object.keys(counts) as (keyof ArchiveCounts)[];
  const sums = names.map((name) => [name, counts[name] + (more[name] ?? 0)] as const);
  return Object.fromEntries(sums) as unknown as ArchiveCounts;
}

export const NOTHING_LEFT_OUT: LeftOut = { youngCount: 0, undatedCount: 0, examples: [] };

/** Young ones are many and are what one expects; those without a date are to be mended. */
const EXAMPLES_MAX = { young: 10, undated: 50 } as const;

export function firstLeftOut(
  leftOut: LeftOut,
  { why, item }: { readonly why: "young" | "undated"; readonly item: ArchiveItem },
): LeftOut {
  const { youngCount, undatedCount, examples } = leftOut;
  const shownCount = why === "young" ? youngCount : undatedCount;
  return {
    youngCount: youngCount + (why === "young" ? 1 : 0),
    undatedCount: undatedCount + (why === "undated" ? 1 : 0),
    examples: shownCount < EXAMPLES_MAX[why] ? [...examples, item] : examples,
  };
}

const PARTITIONS_MAX = 1000;

/** What a dry run adds up. */
export class PlanCount {
  readonly #partitions: PlannedPartition[] = [];
  #partitionCount = 0;
  #itemCount = 0;
  #itemBytes = 0;
  #sampledRu = 0;
  #sampleCount = 0;

  add(partitions: readonly PlannedPartition[]): void {
    for (const partition of partitions) {
      this.#partitionCount++;
      this.#itemCount += partition.itemCount;
      this.#itemBytes += partition.itemBytes;
      if (this.#partitions.length < PARTITIONS_MAX) this.#partitions.push(partition);
    }
  }

  /** The price of the deletion of one item, as a sample of all. */
  sample(charge: number): void {
    this.#sampledRu += charge;
    this.#sampleCount++;
  }

  /** `readRu` is what the look has cost. Files are read back too, which costs no RU. */
  plan(readRu: number, ruPerSecond: number | undefined): ArchivePlan {
    const mean = this.#sampleCount === 0 ? 0 : this.#sampledRu / this.#sampleCount;
    // Once to write, and once to compare with what was written.
    const price = { readRu: readRu * 2, deleteRu: mean * this.#itemCount };
    return {
      partitionCount: this.#partitionCount,
      itemCount: this.#itemCount,
      itemBytes: this.#itemBytes,
      partitions: this.#partitions,
      price,
      ...(ruPerSecond !== undefined && {
        seconds: (price.readRu + price.deleteRu) / Math.max(1, ruPerSecond),
      }),
    };
  }
}
