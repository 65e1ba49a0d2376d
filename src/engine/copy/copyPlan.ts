/** What a look at all items finds before the first write. */
import type { PartitionKey } from "../../model/partitionKey.ts";

export interface CopyPlan {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly copiedCount: number;
  readonly copiedBytes: number;
  readonly clashCount: number;
  readonly clashes: readonly PlanExample[];
  readonly missingKeyCount: number;
  readonly missingKeys: readonly PlanExample[];
  readonly unfitCount: number;
  readonly unfit: readonly PlanExample[];
  readonly fullKeys: readonly PlannedKey[];
  readonly logicalPartitionCount: number;
  readonly largestKey?: PlannedKey | undefined;
  readonly price: {
    readonly readRu: number;
    readonly writeRu: number;
    readonly errorRu: number;
    readonly sampleCount: number;
  };
  readonly seconds?: number | undefined;
  readonly steps: readonly string[];
  readonly obstacles: readonly string[];
}

export interface PlanExample {
  readonly id: string;
  readonly key: PartitionKey;
  readonly newKey?: PartitionKey | undefined;
  readonly reason?: string | undefined;
}

export interface PlannedKey {
  readonly newKey: PartitionKey;
  readonly bytes: number;
}
