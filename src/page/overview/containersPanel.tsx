/** The containers, each with its busiest physical partition beside the whole. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { bytesText } from "../../base/wording.ts";
import { useKey, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { Link } from "../parts/link.tsx";
import { Meter } from "../parts/meter.tsx";
import { amountText, percentText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Empty } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { placeAt } from "../session/place.ts";
import type { JudgedRow } from "./verdict.ts";

interface ContainersPanelProps {
  readonly rows: readonly JudgedRow[];
  /** The container whose trend is shown. */
  readonly pickedName: string | undefined;
  readonly onPick: (name: string) => void;
}

export function ContainersPanel({ rows, pickedName, onPick }: ContainersPanelProps): VNode {
  const { router } = usePage();
  const [filter, setFilter] = useParameter("filter", "");
  const [sort, setSort] = useParameter("sort", "-state");
  const field = useRef<HTMLInputElement | null>(null);
  useKey("filter", () => field.current?.focus());
  const wanted = filter.toLowerCase();
  const found = rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Panel title="Containers" isBare beside={<Legend />}>
      {rows.length < 2 ? null : (
        <div class="panelTools">
          <TextField
            label="Filter containers"
            isLabelHidden
            type="search"
            placeholder="Filter by name  ( / )"
            value={filter}
            onInput={setFilter}
            inputRef={(element) => {
              field.current = element;
            }}
          />
        </div>
      )}
      {found.length === 0 ? (
        <Empty
          title={`None of ${rows.length} containers has “${filter}” in its name.`}
          action={<Button onPress={() => setFilter("")}>Clear the filter</Button>}
        />
      ) : (
        <Grid
          label="Containers"
          columns={COLUMNS}
          rows={found}
          keyOf={({ name }) => name}
          pickedKey={pickedName}
          onPick={({ name }) => onPick(name)}
          onOpen={({ row }) => router.go(placeAt("partitions", row))}
          sort={sort}
          onSort={setSort}
          note={noteOf}
        />
      )}
    </Panel>
  );
}

function Legend(): VNode {
  return (
    <ul class="legend">
      <li class="firstKey">busiest physical partition</li>
      <li class="secondKey">whole container</li>
      <li class="bareKey">the gap is what an uneven key costs</li>
    </ul>
  );
}

const COLUMNS: readonly Column<JudgedRow>[] = [
  {
    id: "name",
    title: (
      <>
        Container
        <br />
        and partition key
      </>
    ),
    sortBy: ({ name }) => name,
    cell: ({ row, name }) => (
      <>
        <Link to={placeAt("partitions", row)}>{name}</Link>
        <br />
        <code class="small">{row.partitionKeyPaths.join(", ")}</code>
      </>
    ),
  },
  {
    id: "items",
    title: (
      <>
        Items
        <br />
        size
      </>
    ),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ row }) => row.itemCount,
    cell: ({ row }) => (
      <>
        {amountText(row.itemCount)}
        <br />
        <span class="small">{bytesText(row.itemBytes)}</span>
      </>
    ),
  },
  {
    id: "partitions",
    title: (
      <>
        Physical
        <br />
        partitions
      </>
    ),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ row }) => row.partitionCount,
    cell: ({ row }) => amountText(row.partitionCount),
  },
  {
    id: "rate",
    title: (
      <>
        Rate
        <br />
        RU/s
      </>
    ),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ row }) => row.ratePerSecond,
    cell: ({ row }) => amountText(row.ratePerSecond),
  },
  {
    id: "load",
    title: (
      <>
        Use of the rate,
        <br />
        last minute
      </>
    ),
    sortBy: ({ row }) => row.busiestPercent,
    cell: (each) => <Use each={each} />,
  },
  {
    id: "throttled",
    title: (
      <>
        Refused
        <br />
        (429)
      </>
    ),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ row }) => row.throttledShare ?? -1,
    cell: ({ row }) => shareText(row.throttledShare),
  },
  {
    id: "largest",
    title: (
      <>
        Largest key,
        <br />
        of its limit
      </>
    ),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ row }) => row.largestLogicalBytes / row.logicalPartitionBytesMax,
    cell: ({ row }) => (
      <>
        {bytesText(row.largestLogicalBytes)}
        <br />
        <span class="small">
          {shareText(row.largestLogicalBytes / row.logicalPartitionBytesMax)} of{" "}
          {bytesText(row.logicalPartitionBytesMax)}
        </span>
      </>
    ),
  },
  {
    id: "state",
    title: "State",
    sortBy: ({ urgency, row }) => urgency * 1000 + row.busiestPercent,
    cell: ({ tone, word }) => <Tag tone={tone} word={word} />,
  },
];

/** Where nothing was asked there is nothing to show: that is not zero. */
function Use({ each: { row } }: { readonly each: JudgedRow }): VNode {
  if (row.throttledShare === undefined) return <span class="small">no requests</span>;
  return (
    <div class="use">
      <div class="useWords">
        <strong class={row.busiestPercent >= 100 ? "badText" : ""}>
          {percentText(row.busiestPercent)}
        </strong>
        <span class="small">whole {percentText(row.wholePercent)}</span>
      </div>
      <Meter share={row.busiestPercent / 100} second={row.wholePercent / 100} />
    </div>
  );
}

function noteOf({ firing, row }: JudgedRow): VNode | undefined {
  const [worst] = firing.filter(({ severity }) => severity !== "info");
  if (worst === undefined) return undefined;
  return (
    <>
      {worst.says} <Link to={placeAt("partitions", row)}>Show where</Link>
    </>
  );
}
