/**
 * One candidate against all rules: what speaks against it, and where that puts it. Nothing here
 * compares candidates; `preference.ts` does.
 */
import type { Simulation } from "../simulate/simulation.ts";
import type { Reason } from "./advice.ts";
import type { Ground } from "./ground.ts";
import { cardinalityReasons } from "./reasons/cardinality.ts";
import { fanOutReasons } from "./reasons/fanOut.ts";
import { loadReasons } from "./reasons/load.ts";
import { storageReasons } from "./reasons/storage.ts";
import { valueReasons } from "./reasons/values.ts";

export type KeyStanding = "workable" | "conditional" | "bad";

export interface Judgement {
  readonly simulation: Simulation;
  readonly standing: KeyStanding;
  /** The gravest first. */
  readonly reasons: readonly Reason[];
}

const WEIGHTS: readonly Reason["weight"][] = ["against", "condition", "remark"];

export function judge(simulation: Simulation, ground: Ground): Judgement {
  const limits = [...storageReasons(simulation, ground), ...loadReasons(simulation, ground)];
  const reasons = [
    ...limits,
    ...cardinalityReasons(simulation, ground, limits),
    ...valueReasons(simulation, ground),
    ...fanOutReasons(simulation, ground),
  ];
  const sorted = WEIGHTS.flatMap((weight) => reasons.filter((each) => each.weight === weight));
  return { simulation, reasons: sorted, standing: standingOf(sorted) };
}

function standingOf(reasons: readonly Reason[]): KeyStanding {
  if (reasons.some(({ weight }) => weight === "against")) return "bad";
  return reasons.some(({ weight }) => weight === "condition") ? "conditional" : "workable";
}
