/** The tail of a container's changes. New ones wait behind a button; no row moves by itself. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { useAnswer, usePage, useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { type Column, Grid } from "../../parts/grid.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Empty, Failed } from "../../parts/states.tsx";
import { useTimes } from "../../parts/times.ts";
import { keyExample, parsedKeys } from "../data/typedKeys.ts";
import { readOn } from "./readTail.ts";
import { CHANGES_MAX, type Change, EMPTY_TAIL, type RangeTail, type Tail } from "./tail.ts";

const EVERY_SECONDS = 2;
const WINDOW_ROWS = 16;

export function FeedTail({ row }: { readonly row: OverviewRow }): VNode {
  const [from, setFrom] = useParameter("from", "now");
  const [mode, setMode] = useParameter("mode", "latest");
  const [keyText, setKeyText] = useParameter("key", "");
  const [round, setRound] = useState(0);
  const [time, setTime] = useState("");
  const keys = parsedKeys(keyText, row.partitionKeyPaths);
  const name = JSON.stringify([row.database, row.container, from, mode, keyText, round]);
  const isTime = from !== "now" && from !== "beginning";
  const start = isTime ? "time" : (from as "now" | "beginning");
  const takeTime = (text: string): void => {
    setTime(text);
    if (text !== "") setFrom(text);
  };
  return (
    <Panel title={`Change feed of ${row.database}/${row.container}`}>
      <div class="stack tight">
        <div class="tools">
          <Segmented
            label="From"
            choices={[
              { value: "now", word: "From now" },
              { value: "beginning", word: "From the beginning" },
              { value: "time", word: "From a time" },
            ]}
            value={start}
            onChoose={(next) => setFrom(next === "time" ? time || "1970-01-01T00:00" : next)}
          />
          <Segmented
            label="Changes"
            choices={[
              { value: "latest", word: "Latest version" },
              { value: "all", word: "All versions and deletes" },
            ]}
            value={mode === "all" ? "all" : "latest"}
            onChoose={setMode}
          />
          <Button onPress={() => setRound(round + 1)}>Begin again</Button>
        </div>
        {isTime ? <TimeField value={from} onTime={takeTime} /> : null}
        <KeyFilter row={row} start={keyText} onFilter={setKeyText} />
        <Followed
          key={name}
          row={row}
          name={name}
          terms={{
            mode: mode === "all" ? "all" : "latest",
            from,
            keys: keys.ok ? keys.value : undefined,
          }}
        />
      </div>
    </Panel>
  );
}

interface TimeFieldProps {
  readonly value: string;
  readonly onTime: (text: string) => void;
}

function TimeField({ value, onTime }: TimeFieldProps): VNode {
  return (
    <label class="field">
      <span class="fieldLabel">Changes since, in local time</span>
      <input
        type="datetime-local"
        class="input"
        value={value}
        onChange={(event) => onTime(event.currentTarget.value)}
      />
    </label>
  );
}

interface KeyFilterProps {
  readonly row: OverviewRow;
  readonly start: string;
  readonly onFilter: (text: string) => void;
}

function KeyFilter({ row, start, onFilter }: KeyFilterProps): VNode {
  const [draft, setDraft] = useState(start);
  const keys = parsedKeys(draft, row.partitionKeyPaths);
  const whyNot = draft === "" || keys.ok ? undefined : keys.error;
  return (
    <form
      class="tools atFoot"
      onSubmit={(event) => {
        event.preventDefault();
        if (whyNot === undefined) onFilter(draft);
      }}
    >
      <TextField
        label="Only this partition key"
        placeholder={keyExample(row.partitionKeyPaths)}
        isMono
        value={draft}
        onInput={setDraft}
        problem={whyNot}
      />
      <Button type="submit" whyNot={whyNot} onPress={() => undefined}>
        Filter the tail
      </Button>
    </form>
  );
}

interface FollowedProps {
  readonly row: OverviewRow;
  readonly name: string;
  readonly terms: Parameters<typeof readOn>[2];
}

function Followed({ row, name, terms }: FollowedProps): VNode {
  const { server } = usePage();
  const [isPaused, setPaused] = useState(false);
  const [seenCount, setSeenCount] = useState(0);
  const [opened, setOpened] = useState<Change | undefined>(undefined);
  const held = useRef<Tail>(EMPTY_TAIL);
  const watched = useAnswer<Tail>(
    isPaused ? undefined : `feed ${name}`,
    async () => {
      const answer = await readOn(server, row, terms, held.current);
      if (answer.ok) held.current = answer.value;
      return answer;
    },
    EVERY_SECONDS,
  );
  const { changes, readCount, ranges } = held.current;
  const newCount = Math.min(readCount - seenCount, changes.length);
  const shown = changes.filter(({ number }) => number < seenCount);
  return (
    <>
      {watched.failure === undefined ? null : <Failed failure={watched.failure} />}
      <div class="tools">
        <Button onPress={() => setPaused(!isPaused)}>
          {isPaused ? "Resume the tail" : "Pause the tail"}
        </Button>
        {newCount === 0 ? null : (
          <Button kind="primary" onPress={() => setSeenCount(readCount)}>
            {newCount} new
          </Button>
        )}
        <span class="small">
          {counted(readCount, "change")} read; the last {CHANGES_MAX} are kept.{" "}
          {isPaused ? "Paused: nothing is asked." : "Reading on every two seconds, which costs RU."}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title={newCount > 0 ? "Changes have come." : "Nothing has changed yet."}>
          {newCount > 0
            ? "Press the button above to see them."
            : "Write an item, and it appears here."}
        </Empty>
      ) : (
        <ChangeTable changes={shown} onOpen={setOpened} />
      )}
      <RangeTable ranges={ranges} />
      {opened === undefined ? null : (
        <Dialog
          title={`Item ${opened.id}, as of this change`}
          size="large"
          onClose={() => setOpened(undefined)}
        >
          <JsonBox label="The item as JSON" value={opened.item} />
        </Dialog>
      )}
    </>
  );
}

function JsonBox({ label, value }: { readonly label: string; readonly value: unknown }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box.
    <section class="jsonText" tabIndex={0} aria-label={label}>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}

interface ChangeTableProps {
  readonly changes: readonly Change[];
  readonly onOpen: (change: Change) => void;
}

function ChangeTable({ changes, onOpen }: ChangeTableProps): VNode {
  const { timeText } = useTimes();
  const columns: readonly Column<Change>[] = [
    {
      id: "id",
      title: "Item",
      cell: (change) => (
        <Button kind="quiet" class="cellButton" onPress={() => onOpen(change)}>
          {change.id}
        </Button>
      ),
    },
    { id: "kind", title: "Change", cell: ({ kind }) => kind },
    { id: "at", title: "At", cell: ({ ts }) => (ts === undefined ? "–" : timeText(ts * 1000)) },
    { id: "range", title: "Range", cell: ({ rangeId }) => rangeId, isSecondary: true },
    { id: "lsn", title: "LSN", cell: ({ lsn }) => lsn ?? "–", isNumber: true, isSecondary: true },
  ];
  return (
    <Grid
      label="Changes, the newest first"
      columns={columns}
      rows={changes}
      keyOf={({ number }) => String(number)}
      onOpen={onOpen}
      windowRows={WINDOW_ROWS}
    />
  );
}

function RangeTable({ ranges }: { readonly ranges: readonly RangeTail[] }): VNode {
  return (
    <Grid
      label="Lag by feed range"
      columns={[
        { id: "range", title: "Feed range", cell: ({ rangeId }: RangeTail) => rangeId },
        {
          id: "behind",
          title: "Behind",
          cell: ({ behind }: RangeTail) =>
            behind === undefined
              ? "not known"
              : behind === 0
                ? "caught up"
                : counted(behind, "change"),
        },
      ]}
      rows={ranges}
      keyOf={({ rangeId }) => rangeId}
    />
  );
}
