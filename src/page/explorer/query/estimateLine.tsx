/** What a query would do and cost, before it is run. */
import type { VNode } from "preact";
import { priceWords, reachWords } from "./estimateWords.ts";
import type { PlacedProblem } from "./queryProblem.ts";
import type { Estimated } from "./useEstimate.ts";

interface EstimateLineProps {
  readonly estimated: Estimated | undefined;
  readonly problems: readonly PlacedProblem[];
}

/** Keeps its room while nobody knows, so that nothing below it jumps. */
export function EstimateLine({ estimated, problems }: EstimateLineProps): VNode {
  const { answer, failure } = estimated ?? {};
  return (
    <p class="small estimate" data-testid="estimate">
      {answer !== undefined ? (
        <>
          <strong>{reachWords(answer)}</strong> {priceWords(answer)}
        </>
      ) : problems[0] !== undefined ? (
        `Would be refused: ${problems[0].message}`
      ) : failure !== undefined ? (
        `No estimate: ${failure.message}`
      ) : (
        "Before you run it, what it will ask and about what it costs stands here."
      )}
    </p>
  );
}
