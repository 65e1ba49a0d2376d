/**
 * What would change the verdict: the same candidates under another workload, one assumption at a
 * time. Only what flips the best key is told.
 *
 * Bounded: a handful of changes, each over a few candidates: those in front, and those that only
 * their size keeps from it.
 */
import type { Candidate } from "../candidate/candidate.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { moneyText, numberText } from "../wording/plain.ts";
import type { Distribution, PropertyShape, Workload } from "../workload/workload.ts";
import type { ReasonCode, Sensitivity } from "./advice.ts";
import { clauseOf } from "./clause.ts";
import { onlyOfSecond, whyBefore } from "./comparison.ts";
import type { Ground } from "./ground.ts";
import { type Judgement, judge } from "./judge.ts";
import { costOf, rank } from "./preference.ts";

/** None of them when that is too large to be tried on the way. */
export type Simulate = (
  workload: Workload,
  candidates: readonly Candidate[],
) => readonly Simulation[];

const IN_FRONT_COUNT = 3;
const KEPT_BACK_COUNT = 1;
/** What less data or less load would take away. */
const OF_SCALE: readonly ReasonCode[] = [
  "storage-hot",
  "throughput-hot",
  "current-period-hot",
  "low-cardinality",
];

interface Change {
  /** After "If". */
  readonly says: string;
  readonly workload: Workload;
}

/** `ranked` is best first. */
export function sensitivitiesOf(
  ranked: readonly Judgement[],
  ground: Ground,
  simulate: Simulate,
): readonly Sensitivity[] {
  const best = ranked.find(({ standing }) => standing !== "bad");
  const candidates = contenders(ranked);
  if (candidates.length === 0) return [];
  const stage = { ranked, best, candidates, ground, simulate };
  return changesOf(ground.workload).flatMap((steps) => firstFlip(steps, stage));
}

/** Steps that go ever farther: if the last one changes nothing, those before need no look. */
function firstFlip(steps: readonly Change[], stage: Stage): readonly Sensitivity[] {
  const last = steps.at(-1);
  const farthest = last && flip(last, stage);
  if (farthest === undefined) return [];
  for (const step of steps.slice(0, -1)) {
    const flipped = flip(step, stage);
    if (flipped !== undefined) return [flipped];
  }
  return [farthest];
}

function contenders(ranked: readonly Judgement[]): readonly Candidate[] {
  const fit = ranked.filter(({ standing }) => standing !== "bad").slice(0, IN_FRONT_COUNT);
  const keptBack = ranked.filter(
    ({ standing, reasons }) =>
      standing === "bad" &&
      reasons.every(({ weight, code }) => weight !== "against" || OF_SCALE.includes(code)),
  );
  return [...fit, ...keptBack.slice(0, KEPT_BACK_COUNT)].map(
    ({ simulation }) => simulation.candidate,
  );
}

interface Stage {
  /** As things are. */
  readonly ranked: readonly Judgement[];
  readonly best: Judgement | undefined;
  readonly candidates: readonly Candidate[];
  readonly ground: Ground;
  readonly simulate: Simulate;
}

function flip(
  change: Change,
  { ranked: before, best, candidates, ground, simulate }: Stage,
): Sensitivity | undefined {
  const simulations = simulate(change.workload, candidates);
  if (simulations.length === 0) return undefined;
  // What no key can confine stays what it was: the few of these are not all.
  const changed: Ground = { ...ground, workload: change.workload };
  const judged = simulations.map((simulation) => judge(simulation, changed));
  const ranked = rank(judged, ground.limits.logicalPartitionBytesMax);
  const winner = ranked.find(({ standing }) => standing !== "bad");
  if (idOf(winner) === idOf(best)) return undefined;
  const former = judged.find((each) => idOf(each) === idOf(best));
  return {
    change: change.says,
    best: idOf(winner),
    sentence: sentenceOf(change, {
      best,
      bytesMax: ground.limits.logicalPartitionBytesMax,
      former,
      winner,
      winnerBefore: before.find((each) => idOf(each) === idOf(winner)),
    }),
  };
}

function idOf(judgement: Judgement | undefined): string | undefined {
  return judgement?.simulation.candidate.id;
}

interface Flip {
  /** As it is now. */
  readonly best: Judgement | undefined;
  readonly bytesMax: number;
  /** What is best now, as it would be. */
  readonly former: Judgement | undefined;
  readonly winner: Judgement | undefined;
  /** As it is. */
  readonly winnerBefore: Judgement | undefined;
}

function sentenceOf({ says }: Change, flipped: Flip): string {
  const { winner, winnerBefore } = flipped;
  const opening = `If ${says},`;
  const why = whyNot(flipped);
  if (winner === undefined) {
    return `${opening} none of the first few keys would be left${why === "" ? "" : `: ${why}`}.`;
  }
  const name = idOf(winner);
  if (why !== "") return `${opening} ${why}, and ${name} would be best.`;
  const gone = winnerBefore?.reasons.find(
    ({ weight, code }) => weight !== "remark" && !winner.reasons.some((each) => each.code === code),
  );
  if (gone !== undefined) {
    return `${opening} ${name} would be best: it would no longer be true that ${clauseOf(gone)}.`;
  }
  return `${opening} ${name} would be best: ${costsBeside(flipped)}.`;
}

/** Who is best may cost more: then it is said why it would be. */
function costsBeside({ former, winner, bytesMax }: Flip): string {
  const cost = `${moneyText(costOf(winner!))} a month`;
  if (former === undefined) return cost;
  const other = `${idOf(former)} would cost ${moneyText(costOf(former))}`;
  if (costOf(winner!) < costOf(former)) return `${cost}; ${other}`;
  const ruledOut = former.reasons.find(({ weight }) => weight === "against");
  const behind = ruledOut ? clauseOf(ruledOut) : whyBefore(winner!, former, bytesMax);
  return behind === undefined ? cost : `${cost}; ${other}, but ${behind}`;
}

/** What the former best would fail for, and does not now. */
function whyNot({ former, best }: Flip): string {
  if (former === undefined || best === undefined) return "";
  const reason = onlyOfSecond(best, former, "against") ?? onlyOfSecond(best, former, "condition");
  return reason === undefined ? "" : `with ${idOf(former)} ${clauseOf(reason)}`;
}

/** Each a way to go, in one step or two. */
function changesOf(workload: Workload): readonly (readonly Change[])[] {
  return [
    ...retentions(workload),
    ...[10, 0.1].map((factor) => [traffic(workload, factor)]),
    ...[10, 0.1].map((factor) => reads(workload, factor)),
    ...skews(workload).map((change) => [change]),
  ];
}

const RETENTION_FACTORS: readonly (readonly number[])[] = [[2, 12], [0.25]];
/** For items that nobody throws away. */
const RETENTION_DAYS = 90;
/** Longer than that nobody plans. */
const HORIZON_MONTHS_MAX = 120;

function retentions(workload: Workload): readonly (readonly Change[])[] {
  const { growth, horizonMonths } = workload;
  const { retentionDays } = growth;
  if (retentionDays === undefined) {
    return [lookingAhead(workload), [keptFor(workload, RETENTION_DAYS, "for ever")]];
  }
  return RETENTION_FACTORS.map((factors) =>
    factors.flatMap((factor) => {
      // A month twelve times is a year.
      const days = factor === 12 && retentionDays === 30 ? 365 : Math.round(retentionDays * factor);
      const isPlausible = days >= 1 && days <= 30 * Math.max(HORIZON_MONTHS_MAX, horizonMonths);
      return isPlausible ? [keptFor(workload, days, numberText(retentionDays))] : [];
    }),
  );
}

function lookingAhead(workload: Workload): readonly Change[] {
  const months = HORIZON_MONTHS_MAX / 2;
  if (months <= workload.horizonMonths) return [];
  return [
    {
      says: `you look ${months} months ahead instead of ${workload.horizonMonths}`,
      workload: { ...workload, horizonMonths: months },
    },
  ];
}

function keptFor(workload: Workload, days: number, instead: string): Change {
  const { growth, horizonMonths } = workload;
  const before = growth.retentionDays;
  const initialItems =
    before === undefined ? growth.initialItems : (growth.initialItems * days) / before;
  return {
    says: `items were kept for ${numberText(days)} days instead of ${instead}`,
    workload: {
      ...workload,
      growth: { ...growth, retentionDays: days, initialItems },
      // What is kept for longer fills up for longer.
      horizonMonths: Math.min(HORIZON_MONTHS_MAX, Math.max(horizonMonths, Math.ceil(days / 30))),
    },
  };
}

/** Everything, what is provisioned included: the same business, larger or smaller. */
function traffic(workload: Workload, factor: number): Change {
  const { growth, throughput, operations } = workload;
  return {
    says: factor > 1 ? `everything were ${factor} times as much` : "everything were a tenth",
    workload: {
      ...workload,
      growth: {
        ...growth,
        itemsPerDay: growth.itemsPerDay * factor,
        initialItems: growth.initialItems * factor,
      },
      throughput: throughput && { ...throughput, ratePerSecond: throughput.ratePerSecond * factor },
      operations: operations.map((one) => ({ ...one, ratePerSecond: one.ratePerSecond * factor })),
    },
  };
}

function reads(workload: Workload, factor: number): readonly Change[] {
  const isRead = ({ kind }: { readonly kind: string }): boolean =>
    kind === "query" || kind === "pointRead";
  if (!workload.operations.some(isRead)) return [];
  return [
    {
      says: factor > 1 ? `there were ${factor} times the reads` : "there were a tenth of the reads",
      workload: {
        ...workload,
        operations: workload.operations.map((one) =>
          isRead(one) ? { ...one, ratePerSecond: one.ratePerSecond * factor } : one,
        ),
      },
    },
  ];
}

const STEEPER = 0.4;

function skews(workload: Workload): readonly Change[] {
  const changes: readonly (readonly [string, (items: Distribution) => Distribution])[] = [
    ["values were used evenly", () => ({ kind: "uniform" })],
    ["the most used values had still more", steeper],
  ];
  return changes.flatMap(([says, change]) => {
    const properties = new Map(
      [...workload.properties].map(([path, shape]) => [path, reshaped(shape, change)]),
    );
    const isSame = [...properties].every(
      ([path, shape]) => workload.properties.get(path) === shape,
    );
    return isSame ? [] : [{ says, workload: { ...workload, properties } }];
  });
}

function reshaped(
  shape: PropertyShape,
  change: (items: Distribution) => Distribution,
): PropertyShape {
  const items = change(shape.items);
  const requests = shape.requests && change(shape.requests);
  const isSame = items.kind === shape.items.kind && items.kind === "uniform";
  if (shape.isUnique || shape.time !== undefined || isSame || items === shape.items) return shape;
  return { ...shape, items, requests };
}

function steeper(items: Distribution): Distribution {
  switch (items.kind) {
    case "uniform":
      return items;
    case "zipf":
      return { kind: "zipf", s: items.s + STEEPER };
    // What is stated value by value is known.
    case "shares":
    case "classes":
      return items;
  }
}
