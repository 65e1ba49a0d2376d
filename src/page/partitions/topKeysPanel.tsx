/** The top logical partitions of the container, by load or by size. */
import type { VNode } from "preact";
import { bytesText, countText } from "../../base/wording.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { usePage, useParameter } from "../control/page.ts";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { Link } from "../parts/link.tsx";
import { amountText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Empty } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { itemsOfKey } from "../session/keyQuery.ts";
import { type PagePlace, placeAt } from "../session/place.ts";
import { keyRows, type TopKeyRow } from "./keyRows.ts";
import type { TopKeys } from "./splitVerdict.ts";

interface TopKeysPanelProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
  readonly onPick: (partitionId: string) => void;
  readonly pickedId: string;
}

const SHOWN_ROWS = 10;

export function TopKeysPanel({ report, keys, onPick, pickedId }: TopKeysPanelProps): VNode {
  const { router } = usePage();
  const usual = keys.byLoad.length > 0 ? "load" : "size";
  const [by, setBy] = useParameter("by", "");
  const [sort, setSort] = useParameter("sort", "");
  const [only, setOnly] = useParameter("only", "all");
  const chosen = by === "load" || by === "size" ? by : usual;
  const listed = chosen === "load" ? keys.byLoad : keys.bySize;
  const wanted =
    only === "picked" ? listed.filter(({ partitionId }) => partitionId === pickedId) : listed;
  const rows = keyRows(report, wanted);
  return (
    <Panel
      title="Top keys"
      isBare
      beside={
        <div class="tools">
          <Segmented
            label="Keys of"
            choices={[
              { value: "all", word: "all partitions" },
              { value: "picked", word: `partition ${pickedId}` },
            ]}
            value={only === "picked" ? "picked" : "all"}
            onChoose={(value) => setOnly(value, { isStep: true })}
          />
          <Segmented
            label="Top by"
            choices={[
              { value: "load", word: "by load" },
              { value: "size", word: "by size" },
            ]}
            value={chosen}
            onChoose={(value) => setBy(value, { isStep: true })}
          />
        </div>
      }
    >
      {rows.length === 0 ? (
        <Empty title={chosen === "load" ? "No key has had requests." : "No key has items."}>
          {chosen === "load"
            ? "Loads are those of the last five minutes; the heaviest keys are followed."
            : "Once items are written, the largest logical partitions stand here."}
        </Empty>
      ) : (
        <Grid
          label="Top keys"
          columns={columnsFor(report)}
          rows={rows}
          keyOf={({ key }) => key.epk}
          onPick={({ key }) => onPick(key.partitionId)}
          onOpen={({ key }) => router.go(explorerPlace(report, key))}
          sort={sort}
          onSort={setSort}
          windowRows={rows.length > SHOWN_ROWS ? SHOWN_ROWS : undefined}
        />
      )}
    </Panel>
  );
}

/** Where no item is left from which the key could be read, only its container can be shown. */
function explorerPlace(report: ContainerReport, { partitionKey }: TopKeyRow["key"]): PagePlace {
  return partitionKey === undefined
    ? placeAt("explorer", report)
    : itemsOfKey(report, partitionKey);
}

/** Heads are broken so that the last column is in sight beside the panels at the right. */
function twoLines(first: string, second: string): VNode {
  return (
    <span>
      {first}
      <br />
      {second}
    </span>
  );
}

function columnsFor(report: ContainerReport): readonly Column<TopKeyRow>[] {
  return [...sizeColumns(report), ...LOAD_COLUMNS];
}

function sizeColumns(report: ContainerReport): readonly Column<TopKeyRow>[] {
  const { logicalPartitionBytesMax } = report.limits;
  return [
    {
      id: "key",
      title: "Partition key",
      sortBy: ({ name }) => name,
      cell: ({ key, name }) => (
        <Link to={explorerPlace(report, key)} aria-label={`Open ${name} in Explorer`}>
          <code>{name}</code>
        </Link>
      ),
    },
    {
      id: "on",
      title: "On",
      isNumber: true,
      sortBy: ({ key }) => Number(key.partitionId),
      cell: ({ key }) => key.partitionId,
    },
    {
      id: "items",
      title: "Items",
      isNumber: true,
      isSecondary: true,
      sortBy: ({ key }) => key.itemCount,
      cell: ({ key }) => amountText(key.itemCount),
    },
    {
      id: "bytes",
      title: "Size",
      isNumber: true,
      isSecondary: true,
      sortBy: ({ key }) => key.itemBytes,
      cell: ({ key }) => bytesText(key.itemBytes),
    },
    {
      id: "limit",
      title: twoLines("Of", bytesText(logicalPartitionBytesMax)),
      isNumber: true,
      isSecondary: true,
      sortBy: ({ limitShare }) => limitShare,
      cell: ({ limitShare }) => shareText(limitShare),
    },
  ];
}

const LOAD_COLUMNS: readonly Column<TopKeyRow>[] = [
  {
    id: "ru",
    title: twoLines("RU,", "5 minutes"),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ key }) => key.ru ?? -1,
    cell: ({ key }) => (key.ru === undefined ? "–" : countText(key.ru)),
  },
  {
    id: "whole",
    title: twoLines("Of all", "RU"),
    isNumber: true,
    isSecondary: true,
    sortBy: ({ wholeShare }) => wholeShare ?? -1,
    cell: ({ wholeShare }) => shareText(wholeShare),
  },
  {
    id: "own",
    title: twoLines("Of its", "partition's RU"),
    isNumber: true,
    sortBy: ({ loadShare }) => loadShare ?? -1,
    cell: ({ loadShare }) => shareText(loadShare),
  },
  {
    id: "refused",
    title: "429s",
    isNumber: true,
    isSecondary: true,
    sortBy: ({ key }) => key.throttledCount ?? -1,
    cell: ({ key }) => (key.throttledCount === undefined ? "–" : countText(key.throttledCount)),
  },
  {
    id: "state",
    title: "State",
    sortBy: ({ word = "" }) => word,
    cell: ({ tone, word }) =>
      tone === undefined || word === undefined ? null : <Tag tone={tone} word={word} />,
  },
];
