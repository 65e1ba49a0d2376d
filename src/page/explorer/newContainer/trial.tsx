/** Items to try the key of a new container on, and the picture of where they fall. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { NamedContainer } from "../../../model/copyJob.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { sampleItems } from "../data/dataPlane.ts";
import { exampleOrders } from "../data/exampleOrders.ts";
import { givenItems } from "../data/givenItems.ts";
import type { DraftProps } from "./containerFields.tsx";
import type { ContainerDraft } from "./draft.ts";
import { PlacementFindings, PlacementPicture } from "./placementPicture.tsx";
import type { Placed } from "./usePlacement.ts";

const SAMPLE_COUNT = 200;
/** A file dropped here is to be tried on, not imported. */
const DROPPED_BYTES_MAX = 2 * 1024 * 1024;

interface TrialProps extends DraftProps {
  readonly containers: readonly OverviewRow[];
}

export function Trial({ draft, change, containers, placed }: TrialProps): VNode {
  const { server } = usePage();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const items = givenItems(draft.text);
  const give = (text: string): void => {
    setProblem(undefined);
    change({ text });
  };
  const sample = async (name: string): Promise<void> => {
    const about = containers.find((each) => nameOf(each) === name);
    if (about === undefined) return;
    const answer = await sampleItems(server, about, SAMPLE_COUNT);
    if (answer.ok) give(answer.value);
    else setProblem(answer.error.message);
  };
  const drop = async (file: File): Promise<void> => {
    if (file.size <= DROPPED_BYTES_MAX) give(await file.text());
    else setProblem("The file is larger than 2 MB. A few hundred of its items will do.");
  };
  const example = (): void =>
    give(
      exampleOrders(SAMPLE_COUNT)
        .map((order) => JSON.stringify(order))
        .join("\n"),
    );
  const filled = containers.filter(({ itemCount }) => itemCount > 0).map(nameOf);
  return (
    <div class="stack tight">
      <PasteField
        value={draft.text}
        onInput={give}
        onDrop={(file) => void drop(file)}
        problem={problem ?? (items.ok ? undefined : items.error)}
      />
      <div class="pasteTools">
        <Button onPress={example}>Use {SAMPLE_COUNT} example orders</Button>
        {filled.length === 0 ? null : (
          <Menu
            label="Take items of"
            isLabelHidden
            choices={[
              { value: "", word: "Take items of…" },
              ...filled.map((name) => ({ value: name, word: name })),
            ]}
            value=""
            onChoose={(name) => void sample(name)}
          />
        )}
      </div>
      {placed.answer === undefined || !items.ok ? (
        <p class="state">{nothingPlaced(draft, placed)}</p>
      ) : (
        <>
          <PlacementPicture placement={placed.answer} items={items.value} />
          <PlacementFindings placement={placed.answer} />
        </>
      )}
    </div>
  );
}

/** What is still needed before items fall. */
function nothingPlaced({ text, key }: ContainerDraft, { problem }: Placed): string {
  if (problem !== undefined) return "Items fall into place once the key can be read.";
  if (text.trim() !== "" && key.trim() === "") {
    return "Type a partition key, or pick one that was found, and the items fall.";
  }
  return (
    "Give a few items and type a key: they fall into the logical and physical partitions where " +
    "the engine would put them. Nothing is written."
  );
}

function nameOf({ database, container }: NamedContainer): string {
  return `${database}/${container}`;
}

interface PasteFieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onDrop: (file: File) => void;
  readonly problem: string | undefined;
}

function PasteField({ value, onInput, onDrop, problem }: PasteFieldProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class="fieldLabel">
        Items to try the key on
      </label>
      <textarea
        id={id}
        class="input mono pasted"
        rows={4}
        value={value}
        spellcheck={false}
        placeholder="Paste items or drop a file: one a line, a JSON list, or CSV with a head"
        onInput={(event) => onInput(event.currentTarget.value)}
        onDrop={(event) => {
          const file = event.dataTransfer?.files[0];
          if (file === undefined) return;
          event.preventDefault();
          onDrop(file);
        }}
        aria-invalid={problem === undefined ? undefined : "true"}
        aria-describedby={problem === undefined ? undefined : `${id}p`}
      />
      {problem === undefined ? null : (
        <p class="problem" id={`${id}p`}>
          {problem}
        </p>
      )}
    </div>
  );
}
