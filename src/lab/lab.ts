/**
 * The lab as one function: what is known of the data and the operations goes in, advice comes out.
 *
 * Prices, hashes, ranges, splits and budgets are the server's own; time is simulated and chance is
 * seeded, so the same input gives the same advice.
 */
import { no, ok, type Result } from "../base/result.ts";
import type { KeyLevels } from "../keys/expression.ts";
import { parseKeyLevels } from "../keys/expressionText.ts";
import type { Limits } from "../model/limits.ts";
import type { Advice, CandidateAdvice } from "./advise/advice.ts";
import { advise } from "./advise/advise.ts";
import { indexAlternatives } from "./advise/alternatives/indexes.ts";
import type { Simulate } from "./advise/sensitivity.ts";
import type { Candidate } from "./candidate/candidate.ts";
import { enumerate } from "./candidate/enumerate.ts";
import { filledKeys } from "./candidate/filled.ts";
import { declaredFacts } from "./data/declaredFacts.ts";
import { declaredOver, declaredRemarks } from "./data/declaredOver.ts";
import type { DataFacts } from "./data/facts.ts";
import { profileFacts } from "./data/profileFacts.ts";
import { storedBytesOf } from "./price/itemPrice.ts";
import type { Profile } from "./profile/profile.ts";
import { priceRemarks } from "./simulate/measuredPrices.ts";
import { type OperationModel, operationModels } from "./simulate/operationModel.ts";
import { referenceRate } from "./simulate/referenceRate.ts";
import { type SimulateInput, simulate } from "./simulate/simulate.ts";
import type { Simulation } from "./simulate/simulation.ts";
import { totalItems } from "./workload/totalItems.ts";
import type { NamedCandidate, Workload } from "./workload/workload.ts";

export interface LabInput {
  readonly workload: Workload;
  readonly profile: Profile | undefined;
  /** From the command line, beside those of the workload. */
  readonly candidates: readonly NamedCandidate[];
  /** Look at those that were named and at no others. */
  readonly onlyNamed: boolean;
  /** The key in use today, by its id or expression. */
  readonly current: string | undefined;
  readonly limits: Limits;
  /** When the horizon begins: names of periods are hashed, too. */
  readonly startMillis: number;
  readonly seed: number;
  /** Whether to look at what would change the verdict; it takes as long again. */
  readonly whatIfs?: boolean | undefined;
  /** The key that somebody chose, by its id or expression; indexes are looked for under it. */
  readonly chosen?: string | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
}

export function runLab(given: LabInput): Advice {
  const input = { ...given, workload: withHours(given) };
  const { workload, limits } = input;
  const facts = factsOf(input);
  const setting = settingOf(input, workload, facts);
  const named = namedIn(input);
  const candidates = candidatesFor(input, setting);
  const simulations = candidates.map((candidate, at) => {
    input.onProgress?.(at, candidates.length, candidate.id);
    return simulate(setting, candidate);
  });
  input.onProgress?.(candidates.length, candidates.length, "");
  const remarks = [
    ...leftOut(named),
    ...workload.remarks,
    ...remarksOf(setting.models),
    ...priceRemarks(workload, facts),
    ...(input.profile === undefined ? [] : declaredRemarks(input.profile, workload)),
    ...(setting.isAsNeeded === true ? [AS_NEEDED] : []),
  ];
  const simulateOther: Simulate = (other, few) => {
    if (input.whatIfs === false) return [];
    const changed = factsOf({ ...input, workload: other });
    if (partitionsAtMost(other, changed, limits) > WHAT_IF_PARTITIONS_MAX) return [];
    const otherwise = settingOf(input, other, changed);
    return few.map((candidate) => simulate(otherwise, candidate));
  };
  const advice = advise({
    workload: { ...workload, remarks },
    facts,
    simulations,
    limits,
    current: currentOf(input, candidates),
    simulate: simulateOther,
  });
  const subject = findCandidate(advice, input.chosen) ?? advice.best;
  const indexes = indexAlternatives(subject?.simulation, workload, simulateOther);
  return { ...advice, alternatives: [...advice.alternatives, ...indexes] };
}

/** The candidate that somebody names by its id, or by its key in any spelling. */
export function findCandidate(
  { candidates }: Advice,
  named: string | undefined,
): CandidateAdvice | undefined {
  if (named === undefined) return undefined;
  const wanted = parseKeyLevels(named);
  const text = wanted.ok ? JSON.stringify(wanted.value) : undefined;
  return candidates.find(
    ({ simulation: { candidate } }) =>
      candidate.id === named || JSON.stringify(candidate.levels) === text,
  );
}

const AS_NEEDED =
  "No throughput is declared: each key is simulated with as much as it needs, as is its cost.";

/** Where nobody has declared a peak, the day is as the data shows it. */
export function withHours({ workload, profile }: Pick<LabInput, "workload" | "profile">): Workload {
  const { growth } = workload;
  const hours = profile?.time?.hourShares;
  const isDeclared = growth.hours !== undefined || growth.peakFactor > 1;
  if (hours === undefined || isDeclared) return workload;
  return {
    ...workload,
    growth: { ...growth, hours },
    remarks: [...workload.remarks, "The hours of the day were taken from the times of the items."],
  };
}

/** What would be larger than this is not looked at for the sake of a what-if. */
const WHAT_IF_PARTITIONS_MAX = 4000;

function partitionsAtMost(
  { growth, horizonMonths }: Workload,
  facts: DataFacts,
  limits: Limits,
): number {
  const bytes = totalItems(growth, horizonMonths) * storedBytesOf(facts.itemBytes);
  return bytes / limits.physicalPartitionBytesMax;
}

/** One candidate, such as the one that somebody wants checked. */
export function simulateOne(input: LabInput, candidate: Candidate): Simulation {
  return simulate(settingOf(input, input.workload, factsOf(input)), candidate);
}

/** What is known of the data: what is declared, over a profile where there is one. */
export function factsOf({ workload, profile }: Pick<LabInput, "workload" | "profile">): DataFacts {
  if (profile === undefined) return declaredFacts(workload);
  return declaredOver(profileFacts(profile, workload), profile, workload);
}

export function settingOf(
  { limits, startMillis, seed }: Pick<LabInput, "limits" | "startMillis" | "seed">,
  workload: Workload,
  facts: DataFacts,
): SimulateInput {
  const models = operationModels(workload, facts);
  const provisioned =
    workload.throughput?.ratePerSecond ?? referenceRate(workload, facts, models, limits);
  const isAsNeeded = workload.throughput === undefined;
  return { workload, facts, models, provisioned, isAsNeeded, limits, startMillis, seed };
}

function namedIn({ workload, candidates }: LabInput): readonly Result<Candidate, string>[] {
  return [...workload.candidates, ...candidates].map(candidateOf);
}

/** Those that were named, and those that are found. */
export function candidatesFor(input: LabInput, setting: SimulateInput): readonly Candidate[] {
  const named = namedIn(input).flatMap((each) => (each.ok ? [each.value] : []));
  if (input.onlyNamed && named.length > 0) return named;
  const texts = new Set(named.map(({ levels }) => JSON.stringify(levels)));
  const isNew = ({ levels }: Candidate): boolean => !texts.has(JSON.stringify(levels));
  const found = enumerate(setting).filter(isNew);
  return [...named, ...found, ...filledKeys([...named, ...found], setting.facts).filter(isNew)];
}

function leftOut(read: readonly Result<Candidate, string>[]): readonly string[] {
  return read.flatMap((each) =>
    each.ok ? [] : [`A candidate was left out, as it is no key. ${each.error}`],
  );
}

/** A candidate that somebody named, or what is wrong with its expression. */
export function candidateOf({
  id,
  levels,
  facts,
  place,
}: NamedCandidate): Result<Candidate, string> {
  const parsed: KeyLevels[number][] = [];
  for (const text of levels) {
    const level = parseKeyLevels(text);
    if (!level.ok) return no(`${place}: ${level.error.message}`);
    parsed.push(...level.value);
  }
  return ok({ id, levels: parsed, origin: "named", stated: facts });
}

function currentOf({ current }: LabInput, candidates: readonly Candidate[]): string | undefined {
  if (current === undefined) return undefined;
  const wanted = parseKeyLevels(current);
  const text = wanted.ok ? JSON.stringify(wanted.value) : undefined;
  return candidates.find(({ id, levels }) => id === current || JSON.stringify(levels) === text)?.id;
}

function remarksOf(models: readonly OperationModel[]): readonly string[] {
  return models.flatMap(({ remarks }) => remarks);
}
