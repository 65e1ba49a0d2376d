/** Step 1: which data the advice rests on. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { bytesText, countText } from "../../base/wording.ts";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Empty } from "../parts/states.tsx";
import type { DataKind } from "./labForm.ts";
import { formatOf } from "./labForm.ts";
import type { LabState } from "./labState.ts";

const FILE_BYTES_MAX = 20 * 1024 * 1024;

export function DataStep({ lab }: { readonly lab: LabState }): VNode {
  const { form, set } = lab;
  return (
    <Panel title="What is stored?" class="labPanel">
      <div class="stack tight">
        <Segmented<DataKind>
          label="Data"
          choices={[
            { value: "container", word: "A container of this server" },
            { value: "text", word: "A file, or pasted items" },
            { value: "none", word: "None: as the workload declares it" },
          ]}
          value={form.dataKind}
          onChoose={(data) => set({ data })}
        />
        {form.dataKind === "container" ? <ContainerData lab={lab} /> : null}
        {form.dataKind === "text" ? <TextData lab={lab} /> : null}
        {form.dataKind === "none" ? (
          <p class="small">
            Templates and scenarios say how many values a property has, and how they are divided.
          </p>
        ) : null}
        <p>
          <Button kind="primary" onPress={() => set({ step: "workload" }, true)}>
            Go on to the workload
          </Button>
        </p>
      </div>
    </Panel>
  );
}

function ContainerData({ lab }: { readonly lab: LabState }): VNode {
  const { router } = usePage();
  const { form, containers, set } = lab;
  const named = containers.map((row) => ({ row, name: `${row.database}/${row.container}` }));
  const { about } = form;
  const name = about === undefined ? "" : `${about.database}/${about.container}`;
  const chosen = named.find((each) => each.name === name)?.row;
  if (named.length === 0) {
    return (
      <Empty title="There is no container yet.">
        Make one on the page Explorer, or choose a file, or none at all.
      </Empty>
    );
  }
  const choose = (value: string): void => {
    const row = named.find((each) => each.name === value)?.row;
    const segments = row === undefined ? [] : [row.database, row.container];
    const parameters = { ...router.place.value.parameters, data: "container" };
    router.go({ page: "lab", segments, parameters });
  };
  return (
    <>
      <Menu
        label="Take the items of"
        choices={[
          { value: "", word: "Choose a container" },
          ...named.map((each) => ({ value: each.name, word: each.name })),
        ]}
        value={name}
        onChoose={choose}
      />
      <TextField
        label="Items to look at, at most"
        type="number"
        value={form.sample}
        onInput={(sample) => set({ sample })}
        help="They are taken evenly spread over the container; looking costs no request units."
      />
      {chosen === undefined ? null : (
        <p class="small">
          {sampleText(chosen.itemCount, Number(form.sample))} Its key is{" "}
          <code>{chosen.partitionKeyPaths.join(", ")}</code>.
        </p>
      )}
    </>
  );
}

function sampleText(itemCount: number, sample: number): string {
  if (itemCount <= sample) return `All ${countText(itemCount)} items are looked at.`;
  return `${countText(sample)} of ${countText(itemCount)} items are looked at.`;
}

function TextData({ lab }: { readonly lab: LabState }): VNode {
  const { form, setGiven } = lab;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const isLarge = file.size > FILE_BYTES_MAX;
    setProblem(
      isLarge
        ? `${file.name} has ${bytesText(file.size)}; ${bytesText(FILE_BYTES_MAX)} is the most ` +
            "here. For more: orrery lab advise --data."
        : undefined,
    );
    if (!isLarge) setGiven({ name: file.name, text: await file.text() });
  };
  const { given } = form;
  return (
    <section
      class="stack tight dropZone"
      aria-label="A file, or pasted items"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <label class="field">
        <span class="fieldLabel">File: one item a line, a JSON list, or CSV; or drop it here</span>
        <input
          type="file"
          class="input"
          accept=".json,.ndjson,.jsonl,.csv"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </label>
      <PasteField lab={lab} />
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {given === undefined ? null : (
        <p class="small">
          {given.name}: {bytesText(new Blob([given.text]).size)}, read as {formatOf(given)}; all of
          it is looked at.{" "}
          <Button kind="quiet" onPress={() => setGiven(undefined)}>
            Take it away
          </Button>
        </p>
      )}
    </section>
  );
}

/** A field with more would be slow to draw; longer texts are shown in part. */
const SHOWN_LENGTH_MAX = 100_000;

function PasteField({ lab }: { readonly lab: LabState }): VNode {
  const { setGiven } = lab;
  const { given } = lab.form;
  const id = useId();
  return (
    <div class="field">
      <label class="fieldLabel" for={id}>
        Or items, pasted
      </label>
      <textarea
        id={id}
        class="input mono"
        rows={6}
        spellcheck={false}
        value={(given?.text ?? "").slice(0, SHOWN_LENGTH_MAX)}
        readOnly={(given?.text.length ?? 0) > SHOWN_LENGTH_MAX}
        placeholder={'{"id":"1","customerId":"ada","total":12}'}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setGiven(text === "" ? undefined : { name: "pasted items", text });
        }}
      />
    </div>
  );
}
