/** The form that starts a lifecycle; what is typed goes into the address. */
import type { VNode } from "preact";
import { usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { withParameters } from "../../session/place.ts";
import type { LifecycleForm, LifecycleProblem } from "./lifecycleForm.ts";
import { USUAL_LIFECYCLE } from "./lifecycleForm.ts";
import { SettingInputs } from "./settingInputs.tsx";

const NO_OR_YES = [
  { value: "no", word: "No" },
  { value: "yes", word: "Yes" },
] as const;

interface FormProps {
  readonly form: LifecycleForm;
  readonly problem: LifecycleProblem | undefined;
  readonly isPlanned: boolean;
  readonly onPlan: () => void;
}

export function LifecycleFields({ form, problem, isPlanned, onPlan }: FormProps): VNode {
  const { router } = usePage();
  const set = (name: keyof LifecycleForm) => (value: string) => {
    const changes = { [name]: value === USUAL_LIFECYCLE[name] ? undefined : value };
    router.go(withParameters(router.place.value, changes), { isSameStep: true });
  };
  const problemOf = (name: keyof LifecycleForm): string | undefined =>
    problem?.field === name ? problem.message : undefined;
  return (
    <Panel title="What ages, and where to">
      <form
        class="copyForm stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          onPlan();
        }}
      >
        <PairFields form={form} set={set} problemOf={problemOf} />
        <SettingInputs fields={form} set={set} problemOf={problemOf} />
        <p>
          <Button type="submit" kind={isPlanned ? "plain" : "primary"} onPress={() => undefined}>
            Plan the lifecycle
          </Button>
        </p>
      </form>
    </Panel>
  );
}

interface PairFieldsProps {
  readonly form: LifecycleForm;
  readonly set: (name: keyof LifecycleForm) => (value: string) => void;
  readonly problemOf: (name: keyof LifecycleForm) => string | undefined;
}

/** The two containers, and what may be done to them before the start. */
function PairFields({ form, set, problemOf }: PairFieldsProps): VNode {
  return (
    <>
      <TextField
        label="Hot container"
        value={form.hot}
        onInput={set("hot")}
        placeholder="news/current"
        isMono
        help="New items live here; its ttl has to be on."
        problem={problemOf("hot")}
      />
      <TextField
        label="Warm container"
        value={form.warm}
        onInput={set("warm")}
        placeholder="news/history"
        isMono
        help="Old items go here; it has the same partition key."
        problem={problemOf("warm")}
      />
      <Segmented
        label="Make the containers that are not there"
        isLabelShown
        choices={NO_OR_YES}
        value={form.create}
        onChoose={set("create")}
      />
      {form.create === "yes" ? (
        <TextField
          label="Partition key of a new pair"
          value={form.key}
          onInput={set("key")}
          placeholder="/partitionKey"
          isMono
          help="Levels separated by commas. Empty: that of the container that is there."
        />
      ) : null}
      <Segmented
        label="Switch on the ttl of hot if it is off"
        isLabelShown
        choices={NO_OR_YES}
        value={form.enableTtl}
        onChoose={set("enableTtl")}
      />
    </>
  );
}
