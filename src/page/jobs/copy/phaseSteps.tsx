/** The phases of a copy in a row, the one it is in marked; below each other where room is short. */
import type { VNode } from "preact";
import type { Phase } from "./copyPhases.ts";

const MARKS: Readonly<Record<Phase["state"], readonly [mark: string, word: string]>> = {
  done: ["✓", "done"],
  now: ["●", "now"],
  next: ["", "to come"],
  left: ["–", "did not come"],
};

export function PhaseSteps({ phases }: { readonly phases: readonly Phase[] }): VNode {
  return (
    <ol class="phases" aria-label="Phases of the copy">
      {phases.map(({ title, says, state }) => (
        <li key={title} class={state} aria-current={state === "now" ? "step" : undefined}>
          <strong>
            <span aria-hidden="true">{MARKS[state][0]}</span> {title}
            <span class="unseen">, {MARKS[state][1]}</span>
          </strong>
          <span class="small">{says}</span>
        </li>
      ))}
    </ol>
  );
}
