/** What a key costs, as sentences say it: one figure, or two where the layout of today is dear. */
import { moneyText } from "../report/plain.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { COST_TIE } from "./thresholds.ts";

/** "$1,802 a month". Partitions are cut by size; keys are compared as if it were by load. */
export function costText({ cost }: Simulation): string {
  const { cheapest, laidOut } = cost;
  const isAlike = !(laidOut < cheapest.value * (1 - COST_TIE));
  if (isAlike) return `${moneyText(cheapest.value)} a month`;
  return (
    `${moneyText(laidOut)} a month (${moneyText(cheapest.value)} until its physical partitions ` +
    "are cut where the load is)"
  );
}
