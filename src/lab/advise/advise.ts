/**
 * From simulations to a verdict: every candidate judged by itself, all of them put in order, and
 * what a team should know besides: what would change it, what to measure, what else to do.
 *
 * Total: whatever the simulations say, there is advice. Only `simulate`, which is called for the
 * sensitivities, takes time.
 */
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { Limits } from "../../model/limits.ts";
import type { DataFacts } from "../data/facts.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";
import type { Advice, CandidateAdvice, Verdict } from "./advice.ts";
import { containerPerYear } from "./alternatives/containerPerYear.ts";
import { fullKeyPatterns } from "./alternatives/fullKey.ts";
import { hotWarm } from "./alternatives/hotWarm.ts";
import { noChange } from "./alternatives/noChange.ts";
import { ownKeys } from "./alternatives/ownKeys.ts";
import { secondContainer } from "./alternatives/secondContainer.ts";
import { surpassedText, whyBefore } from "./comparison.ts";
import { type Ground, unavoidableOperations } from "./ground.ts";
import { type Judgement, judge } from "./judge.ts";
import { measureNextOf } from "./measureNext.ts";
import { leastCostOf, meritsOf } from "./merits.ts";
import { beatenBy, paretoFront, rank } from "./preference.ts";
import { type Simulate, sensitivitiesOf } from "./sensitivity.ts";
import { summaryOf } from "./summary.ts";

export interface AdviseInput {
  readonly workload: Workload;
  readonly facts: DataFacts;
  readonly simulations: readonly Simulation[];
  /** Those the simulations ran with. */
  readonly limits: Limits;
  /** The same under another workload. */
  readonly simulate: Simulate;
  /** Id of the candidate that is in use today. */
  readonly current?: string | undefined;
}

export function advise(input: AdviseInput): Advice {
  const { workload, facts, simulations, limits, current } = input;
  const unavoidable = unavoidableOperations(simulations);
  const ground: Ground = { workload, facts, limits, unavoidable };
  const judged = simulations.map((simulation) => judge(simulation, ground));
  const ranked = rank(judged, limits.logicalPartitionBytesMax);
  const candidates = advised(ranked, ground);
  return {
    workload: workload.name,
    title: workload.title,
    candidates,
    best: candidates.find(({ verdict }) => verdict === "best"),
    summary: summaryOf(candidates),
    sensitivities: sensitivitiesOf(ranked, ground, input.simulate),
    measureNext: measureNextOf(ranked, ground),
    alternatives: [
      ...noChange(ranked, ground, current),
      ...ownKeys(ranked),
      ...secondContainer(ranked, ground),
      ...hotWarm(ranked, ground),
      ...fullKeyPatterns(ranked, ground),
      ...containerPerYear(ranked, ground),
    ],
    remarks: workload.remarks,
  };
}

function advised(ranked: readonly Judgement[], ground: Ground): readonly CandidateAdvice[] {
  const bytesMax = ground.limits.logicalPartitionBytesMax;
  const front = paretoFront(ranked, bytesMax);
  const beaten = beatenBy(ranked, bytesMax);
  const leastCost = leastCostOf(ranked);
  const [best] = ranked;
  return ranked.map((judgement, at) => {
    const by = beaten.get(judgement);
    const isBehind = judgement !== best && judgement.standing !== "bad";
    return {
      simulation: judgement.simulation,
      expression: printKeyLevels(judgement.simulation.candidate.levels),
      verdict: verdictOf(judgement, at),
      rank: at + 1,
      reasons: judgement.reasons,
      merits: meritsOf(judgement, ground, leastCost),
      isOnFront: front.has(judgement),
      surpassed: by && surpassedText(judgement, by, ranked.indexOf(by) > at, bytesMax),
      behind: isBehind ? whyBefore(best!, judgement, bytesMax) : undefined,
    };
  });
}

/** The order is by standing, so the first is best unless all are bad. */
function verdictOf({ standing }: Judgement, at: number): Verdict {
  return at === 0 && standing !== "bad" ? "best" : standing;
}
