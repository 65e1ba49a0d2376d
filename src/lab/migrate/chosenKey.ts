/** Which key a container is to be moved to: the one that was named, or the verdict's. */
import { no, ok, type Result } from "../../base/result.ts";
import { parseKeyLevels, printKeyLevels } from "../../keys/expressionText.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import { findCandidate } from "../lab.ts";

/** The key of a container as an expression; undefined where paths are none of ours. */
export function expressionOf(paths: readonly string[]): string | undefined {
  const levels = parseKeyLevels(`[${paths.join(", ")}]`);
  return levels.ok ? printKeyLevels(levels.value) : undefined;
}

/** `inUse` is the key that the container has. The reason why not is a sentence for people. */
export function chosenKey(
  advice: Advice,
  named: string | undefined,
  inUse: string | undefined,
): Result<CandidateAdvice, string> {
  const chosen = named === undefined ? advice.best : findCandidate(advice, named);
  if (named === undefined && chosen !== undefined) {
    const stay = advice.alternatives.find(({ kind }) => kind === "no-change");
    if (stay !== undefined && chosen.expression !== inUse) {
      return no(`The verdict is to keep the key. ${stay.sentence} --key takes one all the same.`);
    }
  }
  if (chosen === undefined) {
    return no(
      named === undefined
        ? `There is no verdict that could be carried out. ${advice.summary[0] ?? ""}`.trim()
        : `'${named}' is none of the keys that were looked at.`,
    );
  }
  if (chosen.expression === inUse) {
    return no(`The container has the key ${chosen.expression} already; there is nothing to do.`);
  }
  return ok(chosen);
}
