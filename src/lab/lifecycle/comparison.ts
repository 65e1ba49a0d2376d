/**
 * The four approaches after a run: what was measured of each, in the guides' own terms, and where
 * the two part.
 */
import { moneyText, numberText, plural, rateText } from "../wording/plain.ts";
import { type Agreement, type ApproachStanding, agreementOf, areAlike } from "./agreement.ts";
import { type ApproachId, approachOf } from "./approach.ts";
import { type ApproachMeasurement, type MeasuredOutcome, measuredOutcome } from "./measured.ts";
import type { RunApproach, RunPlan } from "./runPlan.ts";

export interface ApproachComparison {
  readonly plan: RunPlan;
  readonly rows: readonly ComparedApproach[];
  readonly agreement: Agreement;
  readonly remarks: readonly string[];
}

export interface ComparedApproach {
  readonly run: RunApproach;
  readonly outcome: MeasuredOutcome;
}

export function comparisonOf(
  plan: RunPlan,
  measurements: readonly ApproachMeasurement[],
): ApproachComparison {
  const rows = plan.approaches.map((run, at) => ({
    run,
    outcome: measuredOutcome(plan, run, measurements[at]!),
  }));
  return {
    plan,
    rows,
    agreement: agreementOf(rows.map(standingOf)),
    remarks: remarksOf(plan, rows),
  };
}

function standingOf({ run, outcome }: ComparedApproach): ApproachStanding {
  const { title } = approachOf(run.id);
  const { containerCount, jobs } = run.real.upkeep;
  const { patterns } = outcome.measured;
  const rateOf = (id: string): number =>
    run.real.patterns.find((pattern) => pattern.id === id)!.ratePerSecond;
  const reads = patterns.filter(({ id }) =>
    run.real.patterns.some((each) => each.id === id && isRead(each.kind)),
  );
  const [most] = reads.toSorted((a, b) => b.ruEach * rateOf(b.id) - a.ruEach * rateOf(a.id));
  const moving = outcome.movingRuPerDay / SECONDS;
  return {
    id: run.id,
    marks: {
      cost: {
        amount: outcome.cost,
        text: `${moneyText(outcome.cost)} a month`,
        because:
          `With ${title}, ${rateText(outcome.manualRate)} are needed in ` +
          `${plural(containerCount, "container")}` +
          `${moving === 0 ? "" : `, and moving takes ${rateText(moving)} of them`}.`,
      },
      performance: {
        amount: outcome.readLoad,
        text: `${rateText(outcome.readLoad)} for all reads`,
        because:
          most === undefined
            ? `With ${title}, nothing was read.`
            : `With ${title}, '${most.id}' takes most: ${numberText(most.ruEach)} RU over ` +
              `${plural(most.partitionsVisited, "physical partition")}, ` +
              `${numberText(rateOf(most.id))} times a second.`,
      },
      maintenance: {
        amount: containerCount + jobs.length,
        text: `${plural(containerCount, "container")} and ${plural(jobs.length, "job")}`,
        because: `With ${title}, there is ${jobs.length === 0 ? "no job" : jobs.join(", ")}.`,
      },
    },
  };
}

const SECONDS = 86_400;

function isRead(kind: string): boolean {
  return kind === "query" || kind === "pointRead";
}

/** From the best to the worst by one number; those that cannot be told apart share a place. */
export function placesBy(
  rows: readonly ComparedApproach[],
  amountOf: (row: ComparedApproach) => number,
): ReadonlyMap<ApproachId, number> {
  const amounts = rows.map(amountOf);
  return new Map(
    rows.map(({ run }, at) => [
      run.id,
      1 +
        amounts.filter((amount) => amount < amounts[at]! && !areAlike(amount, amounts[at]!)).length,
    ]),
  );
}

/** Containers of which no rate would be enough, as long as the key is what it is. */
function overloadedIn(
  { input, partitionFold }: RunPlan,
  { run, outcome }: ComparedApproach,
): readonly string[] {
  const { partitionRateMax } = input.limits;
  return outcome.containers.flatMap(({ name, neededRate }, at) => {
    const { partitionCount } = run.containers[at]!;
    const busiest = neededRate / partitionCount / partitionFold;
    if (busiest <= partitionRateMax) return [];
    return [
      `With ${approachOf(run.id).title}, the busiest physical partition of ${name} needs ` +
        `${rateText(busiest)}, and none serves more than ${rateText(partitionRateMax)}: its ` +
        "cost is as if it could be split. Another key is needed (--key).",
    ];
  });
}

const LATE_MAX = 0.1;

function remarksOf(plan: RunPlan, rows: readonly ComparedApproach[]): readonly string[] {
  const remarks = [...plan.input.workload.remarks];
  const { itemFold, partitionFold } = plan;
  remarks.push(
    `One item stands for ${numberText(itemFold)}: what a query finds without a TOP, and what it ` +
      "adds up, is as many times more in the real thing, and its RU with it. `orrery lifecycle " +
      "advise` predicts them at full size.",
  );
  if (partitionFold > 1) {
    remarks.push(
      `One physical partition stands for ${numberText(partitionFold)}, so queries that go to all ` +
        "of them visit fewer here.",
    );
  }
  remarks.push(...rows.flatMap((row) => overloadedIn(plan, row)));
  const paced = rows.flatMap(({ outcome }) => outcome.measured.paced ?? []);
  const [first] = paced;
  if (first !== undefined && first.rateFactor < 1) {
    remarks.push(
      `Requests came at ${numberText(first.rateFactor)} of their real rate, and so much of each ` +
        "rate was provisioned, but no container has less than 400 RU/s.",
    );
  }
  const late = rows.filter(({ outcome }) => (outcome.measured.paced?.lateShare ?? 0) > LATE_MAX);
  if (late.length > 0) {
    const titles = late.map(({ run }) => approachOf(run.id).title).join("; ");
    remarks.push(`This machine could not keep the pace, so these 429s say little: ${titles}.`);
  }
  remarks.push("Scalability has to be computed; `orrery lifecycle advise` does.");
  return remarks;
}
