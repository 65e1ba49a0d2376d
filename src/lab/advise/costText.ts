/**
 * What a key costs, as sentences say it. Keys are compared as if their physical partitions were cut
 * where the load is; that figure comes first wherever one is written, and the one of today beside
 * it where the two differ as they are printed.
 */

import type { Simulation } from "../simulate/simulation.ts";
import { moneyText } from "../wording/plain.ts";

/** "$1,802 a month". */
export function costText({ cost }: Simulation): string {
  const { cheapest, laidOut } = cost;
  const [now, then] = [moneyText(cheapest.value), moneyText(laidOut)];
  if (now === then) return `${then} a month`;
  return `${then} a month (${now} until its physical partitions are cut where the load is)`;
}
