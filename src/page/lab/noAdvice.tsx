/** What the later steps say as long as there is nothing to show. */
import type { VNode } from "preact";
import { Button } from "../parts/button.tsx";
import { Panel } from "../parts/panel.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import type { LabState } from "./labState.ts";
import { hasEnded } from "./labState.ts";

export function NoAdvice({ lab }: { readonly lab: LabState }): VNode {
  const { runId, runAnswer, set } = lab;
  const back = <Button onPress={() => set({ step: "run" }, true)}>Go to the run</Button>;
  if (runId === undefined) {
    return (
      <Panel title="Nothing to compare yet">
        <Empty title="There is no run." action={back}>
          After a run, keys stand here side by side: storage, load, reach, cost.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Nothing to compare yet">
      <Answered of={runAnswer} loading="Looking for the run.">
        {({ run }) => (
          <Empty
            title={hasEnded(run) ? `The run has ended: ${run.state}.` : "The run is at work."}
            action={back}
          >
            {run.problem ?? run.progress ?? "It has not said anything yet."}
          </Empty>
        )}
      </Answered>
    </Panel>
  );
}
