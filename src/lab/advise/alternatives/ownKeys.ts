/** A key of its own for each item that has no value: for keys that only those items spoil. */
import { bytesText } from "../../../base/wording.ts";
import { printKeyLevels } from "../../../keys/expressionText.ts";
import { filledPath } from "../../candidate/filled.ts";
import { percentText } from "../../wording/plain.ts";
import type { Alternative } from "../advice.ts";
import type { Judgement } from "../judge.ts";

/** The first candidate whose items without a value lie together, and are its largest key. */
export function ownKeys(ranked: readonly Judgement[]): readonly Alternative[] {
  const found = ranked.find(isSpoilt);
  const level = found?.simulation.candidate.levels[0];
  const missing = found?.simulation.missingKey;
  if (found === undefined || level === undefined || missing === undefined) return [];
  const { candidate, missingShare } = found.simulation;
  return [
    {
      kind: "own-keys",
      sentence:
        `With ${candidate.id} the ${percentText(missingShare)} of the items that have no value ` +
        `share ${missing.label}, which ends at ${bytesText(missing.bytesAtEnd)}. ` +
        `The key ${printKeyLevels([filledPath(level)])} gives each of them its own; ` +
        "`orrery/keys` makes it.",
    },
  ];
}

function isSpoilt({ simulation, reasons }: Judgement): boolean {
  const { keys, missingKey, candidate } = simulation;
  const isLargest = missingKey !== undefined && missingKey.label === keys.largest.label;
  return (
    candidate.levels.length === 1 &&
    isLargest &&
    reasons.some(({ code, weight }) => code === "null-concentration" && weight !== "remark")
  );
}
