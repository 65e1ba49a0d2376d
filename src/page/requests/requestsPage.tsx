/** Requests: what do clients ask, and why is it refused? The last thousand, newest first. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import type { RequestsAnswer } from "../../protocol/admin.ts";
import { useAdmin, useKey, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import { TextField } from "../parts/field.tsx";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { chargeText } from "../parts/numbers.ts";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { useTimes } from "../parts/times.ts";
import {
  type AskedRow,
  groupIn,
  inGroup,
  pathText,
  requestRows,
  requestsAnswer,
  STATUS_GROUPS,
  statusText,
  toneOfStatus,
  withWords,
} from "./requestRows.ts";

const REQUESTS_SECONDS = 5;
const ROWS_SHOWN = 20;

export function RequestsPage(): VNode {
  const { answers } = usePage();
  const requests = useAdmin<RequestsAnswer>("requests", REQUESTS_SECONDS);
  return (
    <Answered
      of={requests}
      loading="Reading the last requests."
      rows={12}
      onRetry={() => answers.urge("requests")}
    >
      {(answer) => <Shown rows={requestRows(answer.requests)} />}
    </Answered>
  );
}

function Shown({ rows }: { readonly rows: readonly AskedRow[] }): VNode {
  const { clock } = usePage();
  const [status, setStatus] = useParameter("status", "all");
  const [words, setWords] = useParameter("filter", "");
  const [pickedKey, setPicked] = useParameter("of", "");
  const setGroup = (chosen: string): void => setStatus(chosen, { isStep: true });
  const group = groupIn(status);
  const worded = withWords(rows, words);
  const found = inGroup(worded, group);
  const clear = (): void => {
    setWords("");
    setStatus("all");
  };
  return (
    <>
      <AnswerHead
        question="Requests: what do clients ask, and why is it refused?"
        answer={requestsAnswer(rows, clock.wallNow())}
        more="The last thousand, in memory. What this page asks is not among them."
      />
      <Panel title="Last requests" isBare>
        <Filters rows={worded} {...{ words, setWords, group }} onGroup={setGroup} />
        {rows.length === 0 ? (
          <Empty title="Nothing yet.">
            Each request of a client stands here with its status, its charge, its time, and why it
            was refused.
          </Empty>
        ) : found.length === 0 ? (
          <Empty
            title={`None of ${rows.length} requests passes the filter.`}
            action={<Button onPress={clear}>Clear the filter</Button>}
          />
        ) : (
          <Table rows={found} pickedKey={pickedKey} onPick={(key) => setPicked(key)} />
        )}
      </Panel>
      <Picked row={rows.find(({ key }) => key === pickedKey)} onClose={() => setPicked("")} />
    </>
  );
}

interface FiltersProps {
  /** Those that have the words. */
  readonly rows: readonly AskedRow[];
  readonly words: string;
  readonly setWords: (words: string) => void;
  readonly group: ReturnType<typeof groupIn>;
  readonly onGroup: (group: string) => void;
}

function Filters({ rows, words, setWords, group, onGroup }: FiltersProps): VNode {
  const field = useRef<HTMLInputElement | null>(null);
  useKey("filter", () => field.current?.focus());
  return (
    <div class="panelTools">
      <TextField
        label="Filter requests"
        isLabelHidden
        type="search"
        placeholder="Filter by path, reason or activity id  ( / )"
        value={words}
        onInput={setWords}
        inputRef={(element) => {
          field.current = element;
        }}
      />
      <Segmented
        label="Status"
        choices={STATUS_GROUPS.map(({ value, word }) => ({
          value,
          word: `${word} ${inGroup(rows, value).length}`,
        }))}
        value={group}
        onChoose={onGroup}
      />
    </div>
  );
}

interface TableProps {
  readonly rows: readonly AskedRow[];
  readonly pickedKey: string;
  readonly onPick: (key: string) => void;
}

function Table({ rows, pickedKey, onPick }: TableProps): VNode {
  const [sort, setSort] = useParameter("sort", "-at");
  const { timeText } = useTimes();
  return (
    <Grid
      label="Last requests"
      columns={columnsWith(timeText)}
      rows={rows}
      keyOf={({ key }) => key}
      pickedKey={pickedKey}
      onPick={({ key }) => onPick(key)}
      sort={sort}
      onSort={setSort}
      windowRows={rows.length > ROWS_SHOWN ? ROWS_SHOWN : undefined}
    />
  );
}

function columnsWith(timeText: (at: number) => string): readonly Column<AskedRow>[] {
  return [
    { id: "at", title: "When", sortBy: ({ at }) => at, cell: ({ at }) => timeText(at) },
    {
      id: "status",
      title: "Status",
      sortBy: (row) => statusText(row),
      cell: (row) => <Tag tone={toneOfStatus(row.status)} word={statusText(row)} />,
    },
    {
      id: "asked",
      title: "Request",
      sortBy: ({ path, method }) => `${path} ${method}`,
      cell: ({ method, path }) => (
        <code class="cellText">
          {method} {pathText(path)}
        </code>
      ),
    },
    {
      id: "ru",
      title: "RU",
      isNumber: true,
      sortBy: ({ charge }) => charge ?? -1,
      cell: ({ charge }) => charge?.toFixed(2) ?? "–",
    },
    {
      id: "ms",
      title: "ms",
      isNumber: true,
      isSecondary: true,
      sortBy: ({ ms }) => ms,
      cell: ({ ms }) => ms.toFixed(1),
    },
    {
      id: "why",
      title: "Why it was refused",
      isSecondary: true,
      cell: ({ reason }) => <span class="cellText">{reason ?? ""}</span>,
    },
  ];
}

interface PickedProps {
  readonly row: AskedRow | undefined;
  readonly onClose: () => void;
}

/** All there is of one request: the table has room for one line of it. */
function Picked({ row, onClose }: PickedProps): VNode | null {
  const { dayText, timeText } = useTimes();
  if (row === undefined) return null;
  const { at, method, path, charge, ms, activityId, reason } = row;
  return (
    <Panel title="The picked request" beside={<Button onPress={onClose}>Close</Button>}>
      <dl class="facts">
        <div>
          <dt>Request</dt>
          <dd>
            <code>
              {method} {pathText(path)}
            </code>
          </dd>
        </div>
        <div>
          <dt>Answer</dt>
          <dd>
            {statusText(row)}
            {charge === undefined ? "" : `, ${chargeText(charge)}`}, {ms.toFixed(1)} ms, at{" "}
            {timeText(at)} ({dayText(at)})
          </dd>
        </div>
        {reason === undefined ? null : (
          <div>
            <dt>Why</dt>
            <dd>{reason}</dd>
          </div>
        )}
        <div>
          <dt>Activity id</dt>
          <dd>
            <code>{activityId}</code> <CopyButton text={activityId} what="the activity id" />
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
