/** Step 3: which keys are judged. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { keyLines, keyProblem } from "./labForm.ts";
import type { LabState } from "./labState.ts";

export function CandidatesStep({ lab }: { readonly lab: LabState }): VNode {
  const { form, set } = lab;
  const currentProblem = keyLines(form.current).map(keyProblem)[0];
  return (
    <Panel title="Which keys?" class="labPanel">
      <div class="stack tight">
        <Segmented
          label="Candidates"
          choices={[
            { value: "", word: "Those the advisor finds, and mine" },
            { value: "1", word: "Mine only" },
          ]}
          value={form.isOnlyMine ? "1" : ""}
          onChoose={(mine) => set({ mine })}
        />
        <OwnKeys lab={lab} />
        <TextField
          label="The key in use, if there is one"
          isMono
          value={form.current}
          onInput={(current) => set({ current })}
          problem={currentProblem}
          help="Whether changing it is worth it is part of the verdict."
        />
        <p>
          <Button kind="primary" onPress={() => set({ step: "run" }, true)}>
            Go on to the run
          </Button>
        </p>
      </div>
    </Panel>
  );
}

function OwnKeys({ lab }: { readonly lab: LabState }): VNode {
  const { form, set } = lab;
  const id = useId();
  const wrong = keyLines(form.keys).flatMap((key) => {
    const problem = keyProblem(key);
    return problem === undefined ? [] : [{ key, problem }];
  });
  return (
    <div class="field">
      <label class="fieldLabel" for={id}>
        Keys of yours, one a line
      </label>
      <textarea
        id={id}
        class="input mono"
        rows={5}
        spellcheck={false}
        value={form.keys}
        placeholder={"/customerId\n[/tenantId, /userId]\nconcat(/itemId, '-', day(/orderedAt))"}
        onInput={(event) => set({ keys: event.currentTarget.value })}
        aria-invalid={wrong.length === 0 ? undefined : "true"}
        aria-describedby={`${id}h`}
      />
      <div id={`${id}h`}>
        {wrong.map(({ key, problem }) => (
          <p class="problem" key={key}>
            <code>{key}</code>: {problem}
          </p>
        ))}
        <p class="small">
          A path, a list of up to three levels, or an expression; the workload may name more.
        </p>
      </div>
    </div>
  );
}
