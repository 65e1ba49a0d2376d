/** The four approaches after a run, for programs: what the text says, unrounded. */
import type { JsonObject } from "../../json/value.ts";
import { approachOf } from "./approach.ts";
import type { ApproachComparison, ComparedApproach } from "./comparison.ts";

export function comparisonJson({ plan, rows, agreement, remarks }: ApproachComparison): JsonObject {
  return {
    formatVersion: 1,
    key: plan.input.candidate.id,
    ageProperty: plan.input.agePath,
    scale: {
      items: plan.size.items,
      realItems: plan.aged.itemCount,
      itemFold: plan.itemFold,
      partitionFold: plan.partitionFold,
      liveItems: plan.live.length,
      keptDays: plan.aged.keptDays,
      nowMillis: plan.nowMillis,
    },
    approaches: rows.map(approachJson),
    agreement: {
      pairCount: agreement.pairCount,
      agreedCount: agreement.agreedCount,
      alikeCount: agreement.alikeCount,
      disagreements: agreement.disagreements.map((each) => ({ ...each })),
    },
    remarks: [...remarks],
  };
}

function approachJson({ run, outcome }: ComparedApproach): JsonObject {
  const { title, tier, guide } = approachOf(run.id);
  const { measured } = outcome;
  return {
    id: run.id,
    title,
    tier,
    guide: { verdict: guide.verdict, ...guide.aspects },
    cost: outcome.cost,
    predictedCost: run.real.cost ?? null,
    manualRate: outcome.manualRate,
    readLoad: outcome.readLoad,
    movingRuPerDay: outcome.movingRuPerDay,
    foundCount: measured.foundCount,
    itemCount: measured.itemCount,
    containerCount: run.containers.length,
    jobs: [...run.real.upkeep.jobs],
    moving: measured.moving === undefined ? null : { ...measured.moving },
    paced: measured.paced === undefined ? null : { ...measured.paced },
    patterns: measured.patterns.map((pattern) => ({
      ...pattern,
      predictedRuEach: run.real.patterns.find(({ id }) => id === pattern.id)!.ruEach,
    })),
    containers: run.containers.map(({ name, partitionCount, real }, at) => {
      const { itemCount, bytes } = measured.containers[at]!;
      const { name: _, ...computed } = outcome.containers[at]!;
      return {
        name,
        itemCount,
        bytes,
        partitionCount,
        realItemCount: real.itemCount,
        realBytes: real.bytes,
        realPartitionCount: real.partitionCount,
        ...computed,
      };
    }),
  };
}
