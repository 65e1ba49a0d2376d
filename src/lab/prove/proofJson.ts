/** A proof as one JSON value, for programs; docs/lab/prove.md describes it. */
import type { ProofComparison } from "./compare.ts";
import type { ProvenKey } from "./provenKeys.ts";
import type { ProofScale } from "./scale.ts";

interface ProofJsonOptions {
  readonly seconds: number;
  readonly operationCount: number;
  readonly seed: number;
  readonly remarks: readonly string[];
  readonly keys: readonly ProvenKey[];
}

export function proofJson(
  scale: ProofScale,
  proof: ProofComparison,
  { seconds, operationCount, seed, remarks, keys }: ProofJsonOptions,
): object {
  const { limits, workload, remarks: scaleRemarks, ...numbers } = scale;
  const { logicalPartitionBytesMax, physicalPartitionBytesMax, partitionRateMax } = limits;
  return {
    schemaVersion: 1,
    workload: workload.name,
    scale: {
      ...numbers,
      limits: { logicalPartitionBytesMax, physicalPartitionBytesMax, partitionRateMax },
      seconds,
      operationCount,
      seed,
      retries: 0,
    },
    remarks: [...scaleRemarks, ...remarks],
    advised: keys,
    candidates: proof.cases.map(({ failures, ...each }) => ({
      ...each,
      failures: Object.fromEntries(failures),
    })),
    summary: {
      medianError: proof.medianError,
      throttledPoints: proof.throttledPoints,
      predictedRanking: proof.predictedRanking,
      measuredRanking: proof.measuredRanking,
      isSameRanking: proof.isSameRanking,
      verdicts: proof.verdicts,
      agrees: proof.agrees,
    },
  };
}
