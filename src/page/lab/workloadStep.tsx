/**
 * Step 2: what is asked of the container. Templates, recordings and the form all end in one text,
 * which can be edited; the server says what it understood of it, or all that is wrong.
 */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import type { WorkloadAnswer } from "../../protocol/adminLab.ts";
import { useAnswer, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Menu } from "../parts/menu.tsx";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Answered } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import type { LabState } from "./labState.ts";
import { RecordingPart } from "./recordingPart.tsx";
import { useSettled } from "./settled.ts";
import { SheetPart } from "./sheetPart.tsx";

const WAYS = ["template", "recording", "form"] as const;
type Way = (typeof WAYS)[number];

export function WorkloadStep({ lab }: { readonly lab: LabState }): VNode {
  const [asked, setWay] = useParameter("way", "template");
  const way: Way = WAYS.find((each) => each === asked) ?? "template";
  return (
    <div class="labWorkload">
      <Panel title="What is asked?" class="labPanel">
        <div class="stack tight">
          <Segmented<Way>
            label="Where the workload comes from"
            choices={[
              { value: "template", word: "A template" },
              { value: "recording", word: "A recording" },
              { value: "form", word: "A form" },
            ]}
            value={way}
            onChoose={(next) => setWay(next)}
          />
          {way === "template" ? <TemplatePart lab={lab} /> : null}
          {way === "recording" ? <RecordingPart lab={lab} /> : null}
          {way === "form" ? <SheetPart lab={lab} /> : null}
        </div>
      </Panel>
      <TextPanel lab={lab} />
    </div>
  );
}

const KINDS = { template: "Template", scenario: "Worked case" } as const;

function TemplatePart({ lab }: { readonly lab: LabState }): VNode {
  const { templates, template, set, setWorkload } = lab;
  return (
    <>
      <Menu
        label="Template or worked case"
        choices={[
          { value: "", word: "Choose one" },
          ...templates.map(({ name, title, kind }) => ({
            value: name,
            word: `${KINDS[kind]}: ${title}`,
          })),
        ]}
        value={template}
        onChoose={(name) => {
          setWorkload(undefined);
          set({ template: name === "" ? undefined : name });
        }}
      />
      <p class="small">
        It replaces the text. Worked cases are those of the guides; they declare their data, so no
        other is needed.
      </p>
    </>
  );
}

function TextPanel({ lab }: { readonly lab: LabState }): VNode {
  const { form, set, setWorkload } = lab;
  const id = useId();
  return (
    <Panel title="The workload">
      <div class="stack tight">
        <div class="field">
          <label class="fieldLabel" for={id}>
            As YAML or JSON; edit it as you like
          </label>
          <textarea
            id={id}
            class="input mono workloadText"
            rows={18}
            spellcheck={false}
            value={form.workload}
            placeholder={"operations:\n  - { kind: create, rate: 50 }"}
            onInput={(event) => setWorkload(event.currentTarget.value)}
            aria-describedby={`${id}c`}
          />
        </div>
        <div id={`${id}c`}>
          <Checked text={form.workload} />
        </div>
        <p>
          <Button kind="primary" onPress={() => set({ step: "candidates" }, true)}>
            Go on to the keys
          </Button>
        </p>
      </div>
    </Panel>
  );
}

/** What the server understood, or all that is wrong. Asked a moment after the last letter. */
function Checked({ text }: { readonly text: string }): VNode {
  const { server } = usePage();
  const settled = useSettled(text);
  const key = settled.trim() === "" ? undefined : `lab/workloads\n${settled}`;
  const answer = useAnswer<WorkloadAnswer>(key, () =>
    server.change<WorkloadAnswer>("POST", "lab/workloads", { text: settled }),
  );
  if (key === undefined) {
    return <p class="small">Nothing is said yet: at least one operation with its rate.</p>;
  }
  return (
    <Answered of={answer} loading="Reading the workload." rows={2}>
      {({ problems, summary }) =>
        problems.length > 0 ? (
          <ul class="stack tight" aria-label="What is wrong">
            {problems.map(({ place, message }) => (
              <li class="problem" key={place + message}>
                <code>{place}</code>: {message}
              </li>
            ))}
          </ul>
        ) : (
          <>
            <p>
              <Tag tone="good" word="understood" />
            </p>
            <pre class="workloadSummary">{summary.join("\n")}</pre>
          </>
        )
      }
    </Answered>
  );
}
