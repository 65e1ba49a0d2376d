/** Which keys of an advice are proved: the first few of it, and those that somebody named. */
import type { Advice, CandidateAdvice, Verdict } from "../advise/advice.ts";

/** A key of the advice, in its order. */
export interface ProvenKey {
  readonly rank: number;
  readonly id: string;
  readonly key: string;
  readonly verdict: Verdict;
  readonly isNamed: boolean;
  readonly isProved: boolean;
}

interface KeyWish {
  /** So many of the first, beside those that were named. */
  readonly top: number;
  /** Ids or expressions: these and no others; none: as above. */
  readonly only: readonly string[];
}

export function provenKeys({ candidates }: Advice, { top, only }: KeyWish): readonly ProvenKey[] {
  return candidates.map((each) => {
    const { rank, verdict, expression, simulation } = each;
    const isNamed = simulation.candidate.origin === "named";
    return {
      rank,
      id: simulation.candidate.id,
      key: expression,
      verdict,
      isNamed,
      isProved: only.length > 0 ? isAmong(only, each) : rank <= top || isNamed,
    };
  });
}

/** Those of a wish that the advice does not have. */
export function unknownKeys({ candidates }: Advice, only: readonly string[]): readonly string[] {
  return only.filter((text) => !candidates.some((each) => isAmong([text], each)));
}

function isAmong(texts: readonly string[], { expression, simulation }: CandidateAdvice): boolean {
  return texts.includes(simulation.candidate.id) || texts.includes(expression);
}

/** Such as "2 of 14 of the advice: 1 /a, 7 /b (named)". */
export function keysLine(keys: readonly ProvenKey[]): string {
  const proved = keys.filter(({ isProved }) => isProved);
  const names = proved.map(({ rank, id, isNamed }) => `${rank} ${id}${isNamed ? " (named)" : ""}`);
  const count = proved.length === keys.length ? "all" : `${proved.length}`;
  return `${count} of the ${keys.length} that the advice ranks: ${names.join(", ")}`;
}
