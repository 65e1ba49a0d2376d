/** The settings of a lifecycle; those that are typed anew take effect when somebody says so. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { durationText } from "../../../base/wording.ts";
import type { LifecycleEntry, LifecycleStep } from "../../../model/lifecycle.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Figure } from "../job/figure.tsx";
import type { StepTaking } from "../job/stepTaking.ts";
import { mayTake } from "../job/stepTaking.ts";
import type { SettingFields } from "./lifecycleForm.ts";
import { changesOf, fieldsOf, settingsOf } from "./lifecycleForm.ts";
import { SettingInputs } from "./settingInputs.tsx";

interface SettingsPanelProps {
  readonly job: LifecycleEntry;
  readonly steps: StepTaking<LifecycleStep>;
}

export function SettingsPanel({ job, steps }: SettingsPanelProps): VNode {
  const [fields, setFields] = useState<SettingFields | undefined>(undefined);
  if (fields === undefined) {
    return (
      <Panel title="Settings">
        <Settings job={job} />
        {mayTake(job, "change") ? (
          <p>
            <Button onPress={() => setFields(fieldsOf(job))}>Change the settings…</Button>
          </p>
        ) : null}
      </Panel>
    );
  }
  const wanted = settingsOf(fields);
  const changes = wanted.ok ? changesOf(job, wanted.value) : {};
  const isChanged = Object.keys(changes).length > 0;
  const problem = wanted.ok ? undefined : wanted.error;
  const change = async (): Promise<void> => {
    if (!isChanged) return;
    const isDone = await steps.take("change", changes, "The settings are changed.");
    if (isDone) setFields(undefined);
  };
  return (
    <Panel title="Settings">
      <form
        class="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <SettingInputs
          fields={fields}
          set={(name) => (value) => setFields({ ...fields, [name]: value })}
          problemOf={(name) => (problem?.field === name ? problem.message : undefined)}
        />
        <p class="small">
          Changes hold at once. With a longer age, what was moved stays in warm; with another date,
          all items are looked at again.
        </p>
        <p class="tools">
          <Button
            type="submit"
            kind="primary"
            onPress={() => undefined}
            whyNot={
              problem === undefined && !isChanged ? "Nothing differs from the settings." : undefined
            }
          >
            Change the settings
          </Button>
          <Button kind="quiet" onPress={() => setFields(undefined)}>
            Keep them
          </Button>
        </p>
      </form>
    </Panel>
  );
}

function Settings({ job }: Pick<SettingsPanelProps, "job">): VNode {
  const { archiveAfterSeconds } = job;
  return (
    <dl class="figures">
      <Figure name="Date">
        <code>{job.ageProperty}</code>
      </Figure>
      <Figure name="Moves after">{durationText(job.ageSeconds)}</Figure>
      <Figure name="Interval">{durationText(job.intervalSeconds)}</Figure>
      <Figure name="May spend">{job.sharePercent} % of each rate</Figure>
      <Figure name="Items of a step">{job.batch}</Figure>
      <Figure name="Mark in hot">
        <code>{job.markProperty}</code>, for {durationText(job.markTtlSeconds)}
      </Figure>
      <Figure name="Should be archived">
        {archiveAfterSeconds === undefined
          ? "nobody asked for it"
          : `after ${durationText(archiveAfterSeconds)}`}
      </Figure>
    </dl>
  );
}
