/** Staying where one is: the key cannot be changed, only everything copied to another container. */
import { DEFAULT_INDEXING_POLICY } from "../../../index/policy.ts";
import { createRu, pointReadRu, storedBytesOf } from "../../price/itemPrice.ts";
import { moneyText, numberText, percentText } from "../../wording/plain.ts";
import type { Alternative } from "../advice.ts";
import { type Ground, totalBytes } from "../ground.ts";
import type { Judgement } from "../judge.ts";
import { costOf } from "../preference.ts";
import { COST_TIE } from "../thresholds.ts";

/** `current` is the candidate that is in use. */
export function noChange(
  ranked: readonly Judgement[],
  ground: Ground,
  current: string | undefined,
): readonly Alternative[] {
  const best = ranked[0];
  const used = ranked.find(({ simulation }) => simulation.candidate.id === current);
  if (best === undefined || used === undefined || best.standing === "bad") return [];
  if (used.standing === "bad") return [];
  const name = used.simulation.candidate.id;
  if (used === best) return [stay(`${name} is in use already, and nothing is better.`)];
  const more = costOf(used) / costOf(best) - 1;
  if (!(more <= COST_TIE)) return [];
  const difference =
    more > 0
      ? `costs ${percentText(more)} (${moneyText(costOf(used) - costOf(best))} a month) more ` +
        `than ${best.simulation.candidate.id}`
      : `costs no more than ${best.simulation.candidate.id}`;
  const { items, charge } = copyOf(used, ground);
  return [
    stay(
      `${name}, which is in use, ${difference}. Moving means copying ${numberText(items)} items ` +
        `for ${numberText(charge)} RU and changing the application: better stay.`,
    ),
  ];
}

function stay(sentence: string): Alternative {
  return { kind: "no-change", sentence };
}

/** Each item is read once and created once. Those of today, or if there are none yet, all. */
function copyOf(
  { simulation }: Judgement,
  { facts, workload }: Ground,
): { readonly items: number; readonly charge: number } {
  const setting = {
    itemBytes: facts.itemBytes,
    leafCount: facts.leafCount,
    example: facts.example,
    consistency: workload.consistency,
    policy: workload.indexing ?? DEFAULT_INDEXING_POLICY,
  };
  const today = simulation.months[0]?.totalBytes ?? 0;
  const bytes = today > 0 ? today : totalBytes(simulation);
  const items = bytes / Math.max(1, storedBytesOf(facts.itemBytes));
  return { items, charge: items * (pointReadRu(setting) + createRu(setting)) };
}
