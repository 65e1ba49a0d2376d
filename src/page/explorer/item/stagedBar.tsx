/** How many changes wait, which, and what can be done with them; nothing is there without any. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import { useKey } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ChangedLines } from "../changedLines.tsx";
import { itemName, type StagedItem } from "./stagedItems.ts";
import type { StagedItems } from "./useStagedItems.ts";

interface StagedBarProps {
  readonly staged: StagedItems;
  readonly onOpen: (item: StagedItem) => void;
}

export function StagedBar(props: StagedBarProps): VNode | null {
  return props.staged.items.length === 0 ? null : <Waiting {...props} />;
}

function Waiting({ staged, onOpen }: StagedBarProps): VNode {
  const { items, isSaving, saveAll, dropAll } = staged;
  const [asked, setAsked] = useState<"review" | "discard" | undefined>(undefined);
  const close = (): void => setAsked(undefined);
  const save = (): void => {
    close();
    void saveAll();
  };
  useKey("save", save);
  useKey("review", () => setAsked(asked === "review" ? undefined : "review"));
  const many = counted(items.length, "change");
  const saving = isSaving ? "They are being saved." : undefined;
  const saveButton = (
    <Button kind="primary" onPress={save} whyNot={saving}>
      Save {many}
    </Button>
  );
  return (
    <Panel title={`${many} wait${items.length === 1 ? "s" : ""} to be saved`}>
      <ul class="staged">
        {items.map((item) => (
          <li key={itemName(item.place)}>
            <Button kind="quiet" class="cellButton" onPress={() => onOpen(item)}>
              {item.place.id}
            </Button>
            {item.problem === undefined ? null : <span class="problem">{item.problem}</span>}
          </li>
        ))}
      </ul>
      <div class="tools">
        {saveButton}
        <Button onPress={() => setAsked("review")}>Review them</Button>
        <Button kind="quiet" onPress={() => setAsked("discard")}>
          Discard them…
        </Button>
      </div>
      {asked === "review" ? <Review {...{ items, many, saveButton }} onClose={close} /> : null}
      {asked === "discard" ? (
        <Confirm
          title={`Discard ${many}?`}
          action={`Discard ${many}`}
          isDangerous
          onClose={close}
          onConfirm={dropAll}
        >
          <p>The items stay as they are on the server.</p>
        </Confirm>
      ) : null}
    </Panel>
  );
}

interface ReviewProps {
  readonly items: readonly StagedItem[];
  /** Such as "2 changes". */
  readonly many: string;
  readonly saveButton: VNode;
  readonly onClose: () => void;
}

function Review({ items, many, saveButton, onClose }: ReviewProps): VNode {
  return (
    <Dialog title={`What ${many} would save`} size="large" onClose={onClose} foot={saveButton}>
      {items.map(({ place, before, text }) => (
        <section key={itemName(place)}>
          <h3>{place.id}</h3>
          <ChangedLines label={`${place.id} before and after`} before={before} after={text} />
        </section>
      ))}
    </Dialog>
  );
}
