/** One item: its JSON to look at and to change, and where it lies. */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { bytesText } from "../../base/wording.ts";
import type { LocateReport, OverviewRow } from "../../protocol/admin.ts";
import { useAdmin, useKey } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { shareText } from "../parts/numbers.ts";
import { containerRoute } from "../session/containerRoute.ts";
import { ChangedLines } from "./changedLines.tsx";
import { isObject } from "./data/tableColumns.ts";
import { TwoVersions } from "./twoVersions.tsx";
import { type ItemPlace, useItem } from "./useItem.ts";

interface ItemDialogProps {
  readonly row: OverviewRow;
  /** `new`, or the key values and the id as JSON. */
  readonly named: string;
  readonly onClose: () => void;
  readonly onRenamed: (named: string) => void;
  readonly onChanged: () => void;
}

export function ItemDialog({ row, named, onClose, onRenamed, onChanged }: ItemDialogProps): VNode {
  const place = named === "new" ? undefined : placeIn(named);
  const [asked, setAsked] = useState<"delete" | "leave" | undefined>(undefined);
  const item = useItem(row, place, ({ keys, id }) => {
    onChanged();
    onRenamed(JSON.stringify([keys, id]));
  });
  const wrong = jsonProblem(item.text);
  const whyNot =
    wrong ?? (item.isChanged || place === undefined ? undefined : "Nothing was changed.");
  const save = (): void => {
    if (whyNot === undefined) void item.save();
  };
  const [isReviewing, setReviewing] = useState(false);
  const canReview = place !== undefined && item.isChanged && item.other === undefined;
  const review = (): void => setReviewing(canReview && !isReviewing);
  useKey("save", save);
  useKey("review", review);
  const leave = (): void => (item.isChanged ? setAsked("leave") : onClose());
  const remove = async (): Promise<void> => {
    setAsked(undefined);
    if (!(await item.remove())) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog
      title={place === undefined ? "New item" : `Item ${place.id}`}
      size="large"
      onClose={leave}
      foot={
        <>
          {place === undefined ? null : (
            <Button kind="danger" onPress={() => setAsked("delete")}>
              Delete…
            </Button>
          )}
          {canReview ? (
            <Button onPress={review} isPressed={isReviewing}>
              {isReviewing ? "Go on editing" : "Review the changes"}
            </Button>
          ) : null}
          <Button onPress={leave}>Close</Button>
          <Button kind="primary" onPress={save} whyNot={whyNot}>
            {place === undefined ? "Create the item" : "Save the item"}
          </Button>
        </>
      }
    >
      <Whereabouts row={row} place={place} />
      <Edited item={item} isWrong={wrong !== undefined} isReviewed={canReview && isReviewing} />
      <Asked
        asked={asked}
        onClose={() => setAsked(undefined)}
        onDelete={remove}
        onLeave={onClose}
      />
    </Dialog>
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

interface AskedProps {
  readonly asked: "delete" | "leave" | undefined;
  readonly onClose: () => void;
  readonly onDelete: () => Promise<void>;
  readonly onLeave: () => void;
}

function Asked({ asked, onClose, onDelete, onLeave }: AskedProps): VNode | null {
  if (asked === undefined) return null;
  return asked === "delete" ? (
    <Confirm
      title="Delete this item?"
      action="Delete the item"
      isDangerous
      onConfirm={() => void onDelete()}
      onClose={onClose}
    >
      <p>It cannot be brought back, except from a backup.</p>
    </Confirm>
  ) : (
    <Confirm
      title="Leave without saving?"
      action="Discard the changes"
      isDangerous
      onConfirm={onLeave}
      onClose={onClose}
    >
      <p>What you have changed in this item is not saved.</p>
    </Confirm>
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
