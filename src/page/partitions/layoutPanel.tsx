/**
 * The key space as a strip, cut into physical partitions. One widget to focus: arrows select a
 * partition, which all other panels then are about. Its table lists every partition.
 */
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { bytesText, counted } from "../../base/wording.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";
import { useParameter } from "../control/page.ts";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { nextIndex } from "../parts/keyMoves.ts";
import { Meter } from "../parts/meter.tsx";
import { amountText, percentText, rateText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { throttledShareOf } from "./answer.ts";
import { keyLineOf, keyText, placeText } from "./keyPlace.ts";
import { LateDetails } from "./lateDetails.tsx";
import { layoutMarks, type PartitionMark, WIDTHS, type WidthBy } from "./layoutMarks.ts";
import { averagePercentOf, type TopKeys } from "./splitVerdict.ts";

const WORDS: Readonly<Record<WidthBy, string>> = {
  keySpace: "key space",
  bytes: "bytes",
  items: "items",
  load: "load",
};

interface LayoutPanelProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
  readonly picked: PartitionReport;
  readonly onPick: (id: string) => void;
}

export function LayoutPanel({ report, keys, picked, onPick }: LayoutPanelProps): VNode {
  const [width, setWidth] = useParameter("width", "keySpace");
  const by = WIDTHS.find((each) => each === width) ?? "keySpace";
  const marks = layoutMarks(report.partitions, keys, by);
  return (
    <Panel
      title="Layout of the key space"
      beside={
        <div class="tools">
          <span class="small">width is</span>
          <Segmented
            label="Width is"
            choices={WIDTHS.map((value) => ({ value, word: WORDS[value] }))}
            value={by}
            onChoose={(chosen) => setWidth(chosen, { isStep: true })}
          />
        </div>
      }
    >
      <Strip marks={marks} picked={picked} onPick={onPick} report={report} by={by} />
      {marks.some((mark) => mark.partition.id === picked.id && mark.width < WORDS_FROM) ? (
        <p>{wordsOf(picked, report)}.</p>
      ) : null}
      <p class="small">
        Boxes are physical partitions in key order; in each its largest logical partitions, the
        stronger the colour the more of what it is allotted they spent in the last five minutes.
        {keyLineOf(report.partitions).isEven || by !== "keySpace"
          ? ""
          : " Hashes of the first version have no even scale: all are drawn alike."}
      </p>
      <LateDetails
        summary={`As a table: ${counted(report.partitions.length, "physical partition")}`}
      >
        {() => <PartitionTable report={report} picked={picked} onPick={onPick} />}
      </LateDetails>
    </Panel>
  );
}

interface StripProps extends Pick<LayoutPanelProps, "picked" | "onPick" | "report"> {
  readonly marks: readonly PartitionMark[];
  readonly by: WidthBy;
}

/** From this part of the strip on there is room for words. */
const WORDS_FROM = 0.09;
/** Frames around more boxes than these would leave nothing to see inside of them. */
const FRAMED_MAX = 60;
/** And from this one on for an id. */
const ID_FROM = 0.03;

function Strip({ marks, picked, onPick, report, by }: StripProps): VNode {
  const id = useId();
  const at = marks.findIndex(({ partition }) => partition.id === picked.id);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, at, marks.length);
    if (next === undefined) return;
    event.preventDefault();
    onPick(marks[next]!.partition.id);
  };
  return (
    <div
      class={[
        "layoutStrip",
        ...(marks[at] !== undefined && marks[at].width >= WORDS_FROM ? ["told"] : []),
        ...(marks.length > FRAMED_MAX ? ["dense"] : []),
      ].join(" ")}
      role="listbox"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={`Physical partitions, width is ${WORDS[by]}`}
      aria-activedescendant={`${id}-${picked.id}`}
      onKeyDown={onKeyDown}
    >
      {marks.map(({ partition, width, keys }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus.
        // biome-ignore lint/a11y/useKeyWithClickEvents: arrows move in the list.
        <div
          key={partition.id}
          id={`${id}-${partition.id}`}
          class="stripPart"
          role="option"
          aria-selected={partition.id === picked.id}
          onClick={() => onPick(partition.id)}
          style={{ width: `${width * 100}%` }}
        >
          <span class="unseen">{wordsOf(partition, report)}</span>
          <div class="stripKeys" aria-hidden="true">
            {keys.map((mark) => (
              <span
                key={mark.key.epk}
                class={`heat h${mark.step}`}
                style={{ width: `${mark.width * 100}%` }}
              >
                {width * mark.width >= WORDS_FROM ? keyText(mark.key) : ""}
              </span>
            ))}
          </div>
          {width >= WORDS_FROM ? <Below partition={partition} report={report} /> : null}
          {width < WORDS_FROM && width >= ID_FROM ? (
            <strong class="stripId" aria-hidden="true">
              {partition.id}
            </strong>
          ) : null}
        </div>
      ))}
    </div>
  );
}

interface BelowProps {
  readonly partition: PartitionReport;
  readonly report: ContainerReport;
}

function Below({ partition, report: { limits } }: BelowProps): VNode {
  const { id, itemBytes, lastFiveMinutes } = partition;
  return (
    <div class="stripWords" aria-hidden="true">
      <strong>Partition {id}</strong>
      <span>
        {bytesText(itemBytes)}, {shareText(itemBytes / limits.physicalPartitionBytesMax)} of{" "}
        {bytesText(limits.physicalPartitionBytesMax)}
      </span>
      <Meter
        share={lastFiveMinutes.normalizedPercent / 100}
        second={averagePercentOf(partition) / 100}
      />
      <span class={lastFiveMinutes.throttledCount > 0 ? "badText" : ""}>
        peak {percentText(lastFiveMinutes.normalizedPercent)} of its rate, 429s{" "}
        {shareText(throttledShareOf(lastFiveMinutes))}
      </span>
    </div>
  );
}

function wordsOf(partition: PartitionReport, { limits }: ContainerReport): string {
  const { id, itemBytes, itemCount, lastFiveMinutes } = partition;
  return (
    `Partition ${id}: ${bytesText(itemBytes)}, ` +
    `${shareText(itemBytes / limits.physicalPartitionBytesMax)} of its limit, ` +
    `${amountText(itemCount)} items, busiest second ` +
    `${percentText(lastFiveMinutes.normalizedPercent)} of its rate, ` +
    `${shareText(throttledShareOf(lastFiveMinutes))} refused`
  );
}

const TABLE_ROWS = 12;

function PartitionTable({ report, picked, onPick }: Omit<LayoutPanelProps, "keys">): VNode {
  const [sort, setSort] = useParameter("partitionSort", "");
  const columns = [...sizeColumns(report), ...LOAD_COLUMNS];
  return (
    <Grid
      label="Physical partitions"
      columns={columns}
      rows={report.partitions}
      keyOf={({ id }) => id}
      pickedKey={picked.id}
      onPick={({ id }) => onPick(id)}
      sort={sort}
      onSort={setSort}
      windowRows={report.partitions.length > TABLE_ROWS ? TABLE_ROWS : undefined}
    />
  );
}

function sizeColumns({ partitions, limits }: ContainerReport): readonly Column<PartitionReport>[] {
  const line = keyLineOf(partitions);
  const { physicalPartitionBytesMax } = limits;
  return [
    { id: "id", title: "Id", sortBy: ({ id }) => Number(id), cell: ({ id }) => id },
    {
      id: "keys",
      title: "Keys",
      isSecondary: true,
      sortBy: ({ min }) => min,
      cell: ({ min, max }) =>
        line.isEven
          ? `${placeText(line.place(min))} to ${placeText(line.place(max))}`
          : min === ""
            ? "from the first"
            : `from ${min.slice(0, 10)}`,
    },
    {
      id: "items",
      title: "Items",
      isNumber: true,
      isSecondary: true,
      sortBy: ({ itemCount }) => itemCount,
      cell: ({ itemCount }) => amountText(itemCount),
    },
    {
      id: "logical",
      title: "Keys held",
      isNumber: true,
      isSecondary: true,
      sortBy: ({ logicalPartitionCount }) => logicalPartitionCount,
      cell: ({ logicalPartitionCount }) => amountText(logicalPartitionCount),
    },
    {
      id: "bytes",
      title: `Size, of ${bytesText(physicalPartitionBytesMax)}`,
      isNumber: true,
      sortBy: ({ itemBytes }) => itemBytes,
      cell: ({ itemBytes }) =>
        `${bytesText(itemBytes)}, ${shareText(itemBytes / physicalPartitionBytesMax)}`,
    },
  ];
}

const LOAD_COLUMNS: readonly Column<PartitionReport>[] = [
  {
    id: "allotted",
    title: "Allotted",
    isNumber: true,
    isSecondary: true,
    sortBy: ({ allottedRate }) => allottedRate,
    cell: ({ allottedRate }) => rateText(allottedRate),
  },
  {
    id: "peak",
    title: "Peak of its rate",
    isNumber: true,
    sortBy: ({ lastFiveMinutes }) => lastFiveMinutes.normalizedPercent,
    cell: ({ lastFiveMinutes }) => percentText(lastFiveMinutes.normalizedPercent),
  },
  {
    id: "ru",
    title: "RU, 5 minutes",
    isNumber: true,
    isSecondary: true,
    sortBy: ({ lastFiveMinutes }) => lastFiveMinutes.ru,
    cell: ({ lastFiveMinutes }) => amountText(lastFiveMinutes.ru),
  },
  {
    id: "throttled",
    title: "429s",
    isNumber: true,
    sortBy: ({ lastFiveMinutes }) => throttledShareOf(lastFiveMinutes) ?? -1,
    cell: ({ lastFiveMinutes }) => shareText(throttledShareOf(lastFiveMinutes)),
  },
];
