/** The advice on ageing data for programs: what the text says, unrounded. */
import type { JsonObject } from "../../json/value.ts";
import type { LifecycleAdvice } from "./advice.ts";
import { agreementOf } from "./agreement.ts";
import { TIERS } from "./approach.ts";
import type { ApproachOutcome, ContainerOutcome } from "./outcome.ts";
import { standingsOf } from "./standings.ts";

export function adviceJson(advice: LifecycleAdvice): JsonObject {
  const { figures, settings, decision, outcomes, grown } = advice;
  const agreement = agreementOf(standingsOf(outcomes, grown));
  return {
    formatVersion: 1,
    key: advice.key,
    ageProperty: advice.agePath,
    figures: {
      ...figures,
      itemsPerDay: advice.itemsPerDay,
      itemCount: advice.itemCount,
      keptDays: advice.keptDays,
      readsPerSecond: advice.readsPerSecond,
      isHighLoadComputed: advice.isHighLoadComputed,
    },
    settings: { ...settings },
    decision: {
      branch: decision.branch,
      recommended: advice.recommended,
      cheapest: advice.cheapest ?? null,
      steps: decision.steps.map((step) => ({ ...step })),
    },
    changes: advice.changes.map(({ factor, ...change }) => ({ ...change, factor: factor ?? null })),
    approaches: outcomes.map((outcome, at) => approachJson(outcome, grown[at]!)),
    tiers: TIERS.map((tier) => ({ ...tier })),
    agreement: {
      pairCount: agreement.pairCount,
      agreedCount: agreement.agreedCount,
      alikeCount: agreement.alikeCount,
      disagreements: agreement.disagreements.map((each) => ({ ...each })),
    },
    remarks: [...advice.remarks],
  };
}

function approachJson(outcome: ApproachOutcome, later: ApproachOutcome): JsonObject {
  const { approach, upkeep } = outcome;
  return {
    id: approach.id,
    title: approach.title,
    about: approach.about,
    tier: approach.tier,
    guide: { verdict: approach.guide.verdict, ...approach.guide.aspects },
    cost: outcome.cost ?? null,
    storageCost: outcome.storageCost,
    manualRate: outcome.manualRate ?? null,
    movingRuPerDay: outcome.movingRuPerDay,
    movingRuPerItem: outcome.movingRuPerItem,
    largestKeyFill: outcome.keyFill,
    containerCount: upkeep.containerCount,
    jobs: [...upkeep.jobs],
    containers: outcome.containers.map(containerJson),
    patterns: outcome.patterns.map((pattern, at) => ({
      ...pattern,
      ruEachAtTwiceTheHistory: later.patterns[at]!.ruEach,
    })),
  };
}

function containerJson(container: ContainerOutcome): JsonObject {
  const {
    simulation: _,
    planned: __,
    neededRate,
    manual,
    autoscale,
    ages,
    cost,
    ...rest
  } = container;
  return {
    ...rest,
    ages: { ...ages },
    cost: Number.isFinite(cost) ? cost : null,
    neededRate: neededRate ?? null,
    manual: manual === undefined ? null : { ...manual },
    autoscale: autoscale === undefined ? null : { ...autoscale },
  };
}
