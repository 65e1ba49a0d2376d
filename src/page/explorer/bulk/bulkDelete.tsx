/** Many items deleted at once, after a look at them; or a whole logical partition by its key. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { bytesText, counted } from "../../../base/wording.ts";
import type { LocateReport, OverviewRow } from "../../../protocol/admin.ts";
import type { DeletePriceAnswer } from "../../../protocol/adminQuery.ts";
import { useAdmin, usePage, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Grid } from "../../parts/grid.tsx";
import { Meter } from "../../parts/meter.tsx";
import { chargeText } from "../../parts/numbers.ts";
import { Panel } from "../../parts/panel.tsx";
import { Empty } from "../../parts/states.tsx";
import { containerRoute } from "../../session/containerRoute.ts";
import { containerPath, keyHeader } from "../data/dataPlane.ts";
import { keyExample, parsedKeys } from "../data/typedKeys.ts";
import { deletePriceWords } from "./deletePriceWords.ts";
import type { BulkDeletion, Selected, Target } from "./selection.ts";
import { deleteAll, newDeletion, SELECTED_MAX, select } from "./selection.ts";

const FIRST_SHOWN = 20;
const LISTED_MAX = 20;

interface BulkDeleteProps {
  readonly row: OverviewRow;
  readonly onChanged: () => void;
}

export function BulkDelete(props: BulkDeleteProps): VNode {
  return (
    <div class="stack">
      <ByFilter {...props} />
      <ByKey {...props} />
    </div>
  );
}

interface FilteredDeletion {
  readonly found: Selected | undefined;
  readonly problem: string | undefined;
  readonly deletion: BulkDeletion | undefined;
  find(where: string): Promise<void>;
  forget(): void;
  start(targets: readonly Target[]): Promise<void>;
  stop(): void;
}

function useFilteredDeletion({ row, onChanged }: BulkDeleteProps): FilteredDeletion {
  const { server, announcer } = usePage();
  const [found, setFound] = useState<Selected | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [deletion, setDeletion] = useState<BulkDeletion | undefined>(undefined);
  const isStopped = useRef(false);
  // Who leaves the view stops it: nobody would see what becomes of it.
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const find = async (where: string): Promise<void> => {
    setDeletion(undefined);
    const answer = await select(server, row, where);
    setFound(answer.ok ? answer.value : undefined);
    setProblem(answer.ok ? undefined : answer.error.message);
  };
  const start = async (targets: readonly Target[]): Promise<void> => {
    isStopped.current = false;
    setDeletion(newDeletion(targets.length));
    const terms = { isStopped: () => isStopped.current, onProgress: setDeletion };
    const ended = await deleteAll(server, row, targets, terms);
    setDeletion(ended);
    setFound(undefined);
    announcer.say(`Deleted ${counted(ended.deletedCount, "item")}.`);
    onChanged();
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { found, problem, deletion, find, forget: () => setFound(undefined), start, stop };
}

function ByFilter(props: BulkDeleteProps): VNode {
  const { row } = props;
  const [where, setWhere] = useParameter("where", "");
  const [isAsked, setAsked] = useState(false);
  const { found, problem, deletion, ...filtered } = useFilteredDeletion(props);
  const isRunning = deletion !== undefined && !deletion.isOver;
  const whyNot =
    where.trim() === "" ? "Type a filter; true means all." : isRunning ? "It runs." : undefined;
  return (
    <Panel title={`Delete items of ${row.database}/${row.container}`}>
      <div class="stack tight">
        <form
          class="stack tight"
          onSubmit={(event) => {
            event.preventDefault();
            if (whyNot === undefined) void filtered.find(where);
          }}
        >
          <TextField
            label="Items where"
            isMono
            placeholder='c.status = "closed"'
            value={where}
            onInput={(text) => {
              setWhere(text);
              filtered.forget();
            }}
            problem={problem}
          />
          <div class="tools">
            <Button type="submit" kind="primary" whyNot={whyNot} onPress={() => undefined}>
              Show what would be deleted
            </Button>
          </div>
        </form>
        {found === undefined || isRunning ? null : (
          <Preview row={row} found={found} onDelete={() => setAsked(true)} />
        )}
        {deletion === undefined ? null : <Progress deletion={deletion} onStop={filtered.stop} />}
        {isAsked && found !== undefined ? (
          <Confirm
            title={`Delete ${counted(found.targets.length, "item")}?`}
            action={`Delete ${counted(found.targets.length, "item")}`}
            isDangerous
            onConfirm={() => {
              setAsked(false);
              void filtered.start(found.targets);
            }}
            onClose={() => setAsked(false)}
          >
            <p>
              They cannot be brought back, except from a backup. Items that were changed since they
              were shown stay.
            </p>
          </Confirm>
        ) : null}
      </div>
    </Panel>
  );
}

interface PreviewProps {
  readonly row: OverviewRow;
  readonly found: Selected;
  readonly onDelete: () => void;
}

function Preview({ row, found, onDelete }: PreviewProps): VNode {
  const price = useAdmin<DeletePriceAnswer>(`${containerRoute(row)}deletePrice`).value;
  const { targets, isCut, ru } = found;
  if (targets.length === 0) {
    return <Empty title="No item is like that.">Looking cost {chargeText(ru)}.</Empty>;
  }
  return (
    <>
      <p>
        <strong>{counted(targets.length, "item")}</strong> would be deleted
        {isCut ? `, the first of more than ${SELECTED_MAX}` : ""}. Looking cost {chargeText(ru)}.
        {price === undefined ? "" : ` ${deletePriceWords(price, targets.length)}`}
      </p>
      <Grid
        label="The first items that would be deleted"
        columns={[
          { id: "id", title: "Id", cell: ({ id }: Target) => id },
          { id: "key", title: "Partition key", cell: ({ keys }: Target) => JSON.stringify(keys) },
        ]}
        rows={targets.slice(0, FIRST_SHOWN)}
        keyOf={({ id, keys }) => JSON.stringify([keys, id])}
      />
      <div class="tools">
        <Button kind="danger" onPress={onDelete}>
          Delete {counted(targets.length, "item")}…
        </Button>
      </div>
    </>
  );
}

interface ProgressProps {
  readonly deletion: BulkDeletion;
  readonly onStop: () => void;
}

function Progress({ deletion, onStop }: ProgressProps): VNode {
  const { total, deletedCount, changed, goneCount, failed, ru, isOver } = deletion;
  const triedCount = deletedCount + changed.length + goneCount + failed.length;
  return (
    <div>
      <Meter share={total === 0 ? 1 : triedCount / total} />
      <p role={isOver ? "status" : undefined}>
        {deletedCount} of {counted(total, "item")} deleted, {chargeText(ru)}.{" "}
        {isOver && triedCount < total ? `Stopped: ${total - triedCount} were not tried. ` : ""}
        {goneCount === 0 ? "" : `${goneCount} were gone already.`}
      </p>
      <Listed title="Left, because they were changed since they were shown" texts={changed} />
      <Listed title="Could not be deleted" texts={failed} />
      {isOver ? null : <Button onPress={onStop}>Stop</Button>}
    </div>
  );
}

function Listed({
  title,
  texts,
}: {
  readonly title: string;
  readonly texts: readonly string[];
}): VNode | null {
  if (texts.length === 0) return null;
  const more = texts.length - LISTED_MAX;
  return (
    <div class="problem">
      <p>
        {title}: {texts.length}
      </p>
      <ul>
        {texts.slice(0, LISTED_MAX).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {more > 0 ? <li>and {more} more</li> : null}
      </ul>
    </div>
  );
}

interface KeyDeletion {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly place: LocateReport | undefined;
  readonly problem: string | undefined;
  readonly whyNot: string | undefined;
  remove(): Promise<void>;
}

function useKeyDeletion({ row, onChanged }: BulkDeleteProps): KeyDeletion {
  const { server, announcer } = usePage();
  const [text, setText] = useParameter("key", "");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const keys = parsedKeys(text, row.partitionKeyPaths);
  const located = useAdmin<LocateReport>(
    keys.ok
      ? `${containerRoute(row)}locate?key=${encodeURIComponent(JSON.stringify(keys.value))}`
      : undefined,
  );
  const place = keys.ok ? located.value : undefined;
  const whyNot = !keys.ok
    ? keys.error
    : place?.itemCount === 0
      ? "No item has this key."
      : undefined;
  const remove = async (): Promise<void> => {
    if (!keys.ok) return;
    const path = `${containerPath(row)}/operations/partitionkeydelete`;
    const answer = await server.data({ method: "POST", path, headers: keyHeader(keys.value) });
    setProblem(answer.ok ? undefined : answer.error.message);
    if (!answer.ok) return;
    announcer.say(`Deleted the items with the key ${text}.`);
    setText("");
    onChanged();
  };
  const failure = problem ?? located.failure?.message;
  return { text, setText, place, problem: failure, whyNot, remove };
}

function ByKey(props: BulkDeleteProps): VNode {
  const { text, setText, place, problem, whyNot, remove } = useKeyDeletion(props);
  const [isAsked, setAsked] = useState(false);
  const paths = props.row.partitionKeyPaths;
  return (
    <Panel title="Delete a logical partition">
      <div class="stack tight">
        <TextField
          label={`Partition key, ${paths.join(", ")}`}
          isMono
          placeholder={keyExample(paths)}
          value={text}
          onInput={setText}
          problem={problem}
        />
        {place === undefined ? null : (
          <p>
            {counted(place.itemCount, "item")} ({bytesText(place.itemBytes)}) on the physical{" "}
            partition {place.partitionId}. The server deletes them in one operation, whatever was
            changed meanwhile.
          </p>
        )}
        <div class="tools">
          <Button kind="danger" whyNot={whyNot} onPress={() => setAsked(true)}>
            Delete the logical partition…
          </Button>
        </div>
        {isAsked ? (
          <Confirm
            title={`Delete all items with the key ${text}?`}
            action="Delete the logical partition"
            isDangerous
            onConfirm={() => {
              setAsked(false);
              void remove();
            }}
            onClose={() => setAsked(false)}
          >
            <p>They cannot be brought back, except from a backup.</p>
          </Confirm>
        ) : null}
      </div>
    </Panel>
  );
}
