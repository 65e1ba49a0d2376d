/** One item: its JSON to look at and to change, and where it lies. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { bytesText } from "../../../base/wording.ts";
import type { LocateReport, OverviewRow } from "../../../protocol/admin.ts";
import { useAdmin, useKey } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { shareText } from "../../parts/numbers.ts";
import { containerRoute } from "../../session/containerRoute.ts";
import { ChangedLines } from "../changedLines.tsx";
import { isObject } from "../data/tableColumns.ts";
import { TwoVersions } from "../twoVersions.tsx";
import type { ItemPlace } from "./itemAccess.ts";
import { itemName, stagedAt } from "./stagedItems.ts";
import { useItem } from "./useItem.ts";
import type { StagedItems } from "./useStagedItems.ts";

interface ItemDialogProps {
  readonly row: OverviewRow;
  /** `new`, or the key values and the id as JSON. */
  readonly named: string;
  readonly staged: StagedItems;
  readonly onClose: () => void;
  readonly onRenamed: (named: string) => void;
  readonly onChanged: () => void;
}

export function ItemDialog(props: ItemDialogProps): VNode {
  const { row, named } = props;
  const place = named === "new" ? undefined : placeIn(named);
  const work = useItemWork(props, place);
  const { item, wrong, isReviewed } = work;
  return (
    <Dialog
      title={place === undefined ? "New item" : `Item ${place.id}`}
      size="large"
      onClose={work.leave}
      foot={<Foot work={work} isNew={place === undefined} />}
    >
      <Whereabouts row={row} place={place} />
      <Edited item={item} isWrong={wrong !== undefined} isReviewed={isReviewed} />
      <Asked work={work} />
    </Dialog>
  );
}

interface ItemWork {
  readonly item: ReturnType<typeof useItem>;
  /** What is wrong with the text. */
  readonly wrong: string | undefined;
  readonly whyNotSaved: string | undefined;
  readonly save: () => void;
  readonly canReview: boolean;
  readonly isReviewed: boolean;
  readonly review: () => void;
  readonly asked: "delete" | "leave" | undefined;
  readonly ask: (asked: "delete" | undefined) => void;
  /** Asks first where something would be lost. */
  readonly leave: () => void;
  readonly discard: () => void;
  /** Absent where nothing can wait: a new item, and what is no JSON. */
  readonly stage: (() => void) | undefined;
  readonly remove: () => Promise<void>;
}

function useItemWork(props: ItemDialogProps, place: ItemPlace | undefined): ItemWork {
  const { row, staged, onClose, onRenamed, onChanged } = props;
  const [asked, ask] = useState<ItemWork["asked"]>(undefined);
  const [isReviewing, setReviewing] = useState(false);
  const waiting = stagedAt(staged.items, place);
  const onSaved = (saved: ItemPlace): void => {
    staged.drop(saved);
    onChanged();
    onRenamed(itemName(saved));
  };
  const item = useItem({ row, place, staged: waiting, onSaved });
  const { text, before, etag, isChanged } = item;
  const wrong = jsonProblem(text);
  const whyNotSaved = wrong ?? (isChanged || place === undefined ? undefined : NOTHING_CHANGED);
  const canReview = place !== undefined && isChanged && item.other === undefined;
  const save = (): void => {
    if (whyNotSaved === undefined) void (item.isAnother ? item.createAnother() : item.save());
  };
  const review = (): void => setReviewing(canReview && !isReviewing);
  useKey("save", save);
  useKey("review", review);
  const dropAndClose = (): void => {
    if (place !== undefined) staged.drop(place);
    onClose();
  };
  const leave = (): void => {
    if (isChanged && waiting?.text !== text) ask("leave");
    else if (isChanged) onClose();
    // Whoever went on with the version of somebody else has no change left.
    else dropAndClose();
  };
  const stage = (): void => {
    staged.put({ place: place!, before, etag, text });
    onClose();
  };
  const remove = async (): Promise<void> => {
    ask(undefined);
    if (!(await item.remove())) return;
    onChanged();
    dropAndClose();
  };
  return {
    ...{ item, wrong, whyNotSaved, save, canReview, review, asked, ask, leave, remove },
    isReviewed: canReview && isReviewing,
    discard: dropAndClose,
    stage: place === undefined || wrong !== undefined || item.isAnother ? undefined : stage,
  };
}

const NOTHING_CHANGED = "Nothing was changed.";

interface FootProps {
  readonly work: ItemWork;
  readonly isNew: boolean;
}

function Foot({ work, isNew }: FootProps): VNode {
  const { canReview, isReviewed, stage } = work;
  return (
    <>
      {isNew ? null : (
        <Button kind="danger" onPress={() => work.ask("delete")}>
          Delete…
        </Button>
      )}
      {canReview ? (
        <Button onPress={work.review} isPressed={isReviewed}>
          {isReviewed ? "Go on editing" : "Review the changes"}
        </Button>
      ) : null}
      {canReview && stage !== undefined ? <Button onPress={stage}>Keep it for later</Button> : null}
      <Button onPress={work.leave}>Close</Button>
      <Button kind="primary" onPress={work.save} whyNot={work.whyNotSaved}>
        {isNew ? "Create the item" : work.item.isAnother ? "Create it beside" : "Save the item"}
      </Button>
    </>
  );
}

interface WhereaboutsProps {
  readonly row: OverviewRow;
  readonly place: ItemPlace | undefined;
}

function Whereabouts({ row, place }: WhereaboutsProps): VNode {
  const located = useAdmin<LocateReport>(
    place === undefined
      ? undefined
      : `${containerRoute(row)}locate?key=${encodeURIComponent(JSON.stringify(place.keys))}`,
  ).value;
  return (
    <p class="small">
      In {row.database}/{row.container}, by <code>{row.partitionKeyPaths.join(", ")}</code>.{" "}
      {located === undefined ? null : (
        <>
          Lies on physical partition <strong>{located.partitionId}</strong> at EPK{" "}
          <code>{located.epk}</code>, with {located.itemCount} items of its key (
          {bytesText(located.itemBytes)}, {shareText(located.limitShare)} of the limit).
        </>
      )}
    </p>
  );
}

interface EditedProps {
  readonly item: ReturnType<typeof useItem>;
  readonly isWrong: boolean;
  readonly isReviewed: boolean;
}

function Edited({ item, isWrong, isReviewed }: EditedProps): VNode {
  const id = useId();
  return (
    <>
      {item.problem === undefined ? null : (
        <p class="problem" role="alert">
          {item.problem}
        </p>
      )}
      {item.isAnother ? (
        <p role="status">
          The id or the partition key is another one. An item keeps both for life, so this is
          created as an item of its own; the former one stays until it is deleted.
        </p>
      ) : null}
      {isReviewed ? (
        <ChangedLines label="The item before and after" before={item.before} after={item.text} />
      ) : item.other === undefined ? (
        <div class="field">
          <label class="fieldLabel" for={id}>
            JSON
          </label>
          <textarea
            id={id}
            class="input mono itemText"
            rows={18}
            spellcheck={false}
            value={item.text}
            onInput={(event) => item.setText(event.currentTarget.value)}
            aria-invalid={isWrong ? "true" : undefined}
          />
        </div>
      ) : (
        <TwoVersions
          what="the item"
          mine={item.text}
          theirs={item.other.text}
          onKeepTheirs={item.takeOther}
          onSaveMine={() => void item.saveOver()}
        />
      )}
    </>
  );
}

function Asked({ work }: { readonly work: ItemWork }): VNode | null {
  const { asked, ask, remove, discard, stage } = work;
  const goOn = (): void => ask(undefined);
  if (asked === undefined) return null;
  return asked === "delete" ? (
    <Confirm
      title="Delete this item?"
      action="Delete the item"
      isDangerous
      onConfirm={() => void remove()}
      onClose={goOn}
    >
      <p>It cannot be brought back, except from a backup.</p>
    </Confirm>
  ) : (
    <Dialog
      title="Leave without saving?"
      onClose={goOn}
      foot={
        <>
          <Button onPress={goOn}>Go on editing</Button>
          <Button kind="danger" onPress={discard}>
            Discard the changes
          </Button>
          {stage === undefined ? null : (
            <Button kind="primary" onPress={stage}>
              Keep them for later
            </Button>
          )}
        </>
      }
    >
      <p>What you have changed in this item is not saved.</p>
    </Dialog>
  );
}

function placeIn(named: string): ItemPlace {
  try {
    const [keys, id] = JSON.parse(named) as readonly [readonly unknown[], string];
    return { keys, id: String(id) };
  } catch {
    return { keys: [], id: named };
  }
}

function jsonProblem(text: string): string | undefined {
  try {
    return isObject(JSON.parse(text)) ? undefined : "An item is an object: { … }.";
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : ""}`;
  }
}
