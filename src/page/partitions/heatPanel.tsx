/** Heat over time: the map, its legend, the pinned cell in words, and its table. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { ok } from "../../base/result.ts";
import { HOUR_MS } from "../../base/units.ts";
import { bytesText, countText } from "../../base/wording.ts";
import type { HeatReport, HistoryReport, JobsAnswer } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { EventList } from "../chart/eventLane.tsx";
import { cutAt, jobEvents, rateEvents } from "../chart/reshapeEvents.ts";
import { linear } from "../chart/scale.ts";
import { useAdmin, useAnswer, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { amountText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { Answered, NoData } from "../parts/states.tsx";
import { useTimes } from "../parts/times.ts";
import type { Watched } from "../session/answers.ts";
import { containerRoute } from "../session/containerRoute.ts";
import type { ServerReply } from "../session/server.ts";
import {
  type HeatCell,
  type HeatGrid,
  type HeatPair,
  heatGridOf,
  heatSummary,
  METRICS,
  ownerOfRow,
  type ShownMetric,
  sinceFirstCount,
  sizeSummary,
  stretchText,
} from "./heatGrid.ts";
import { hasAllBoundaries } from "./heatLabels.ts";
import { HeatMap } from "./heatMap.tsx";
import {
  pinIn,
  pinnedCell,
  pinText,
  SPANS,
  spanIn,
  zoomAfter,
  zoomIn,
  zoomText,
} from "./heatSpan.ts";
import { HeatTable } from "./heatTable.tsx";
import { keyText, ownerIndexOf } from "./keyPlace.ts";
import { LateDetails } from "./lateDetails.tsx";
import { withSizesNow } from "./sizeOverTime.ts";
import type { TopKeys } from "./splitVerdict.ts";

const HEAT_SECONDS = 15;
/** Few rows are easier to see; many partitions need more. */
const ROW_COUNT = 64;
const ROW_COUNT_MAX = 256;

function rowCountFor(partitionCount: number): number {
  return Math.min(ROW_COUNT_MAX, ROW_COUNT * Math.ceil(partitionCount / 16));
}

const METRIC_WORDS: Readonly<Record<ShownMetric, string>> = {
  share: "share of allotment",
  ru: "RU",
  throttled: "429s",
  bytes: "size",
};

interface HeatPanelProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
  readonly pickedId: string;
  readonly onPick: (partitionId: string) => void;
}

export function HeatPanel(props: HeatPanelProps): VNode {
  const { report } = props;
  const { answers } = usePage();
  const [spanId, setSpan] = useParameter("span", "1h");
  const [metricId, setMetric] = useParameter("metric", "share");
  const [zoomed] = useParameter("zoom", "");
  const span = spanIn(spanId);
  const zoom = zoomIn(zoomed);
  const metric = METRICS.find((each) => each === metricId) ?? "share";
  const { key, heat } = useHeat(report, { span, zoom, hasSizes: metric === "bytes" });
  return (
    <Panel
      title="Load and size over keys and time"
      beside={
        <div class="tools">
          <Segmented
            label="Time shown"
            choices={SPANS.map(({ id, word }) => ({ value: id, word }))}
            value={span.id}
            onChoose={(value) => setSpan(value, { isStep: true })}
          />
          <Segmented
            label="Colour is"
            choices={METRICS.map((value) => ({ value, word: METRIC_WORDS[value] }))}
            value={metric}
            onChoose={(value) => setMetric(value, { isStep: true })}
          />
        </div>
      }
    >
      <Answered
        of={heat}
        loading={`Reading the ${span.text}.`}
        rows={12}
        onRetry={() => answers.urge(key)}
      >
        {(pair) => (
          <Heat
            {...props}
            pair={pair}
            metric={metric}
            spanText={zoom === undefined ? span.text : "time shown"}
          />
        )}
      </Answered>
    </Panel>
  );
}

interface HeatWanted {
  readonly span: ReturnType<typeof spanIn>;
  readonly zoom: ReturnType<typeof zoomIn>;
  readonly hasSizes: boolean;
}

/** The heat of the span, up to now, or of the zoom. */
function useHeat(
  report: ContainerReport,
  { span, zoom, hasSizes }: HeatWanted,
): { readonly key: string; readonly heat: Watched<HeatPair> } {
  const { server, clock } = usePage();
  const route = containerRoute(report);
  const rowCount = rowCountFor(report.partitions.length);
  const ask = async (): Promise<ServerReply<HeatPair>> => {
    const to = clock.wallNow();
    const times = zoom ?? { from: to - span.hours * HOUR_MS, to };
    const wanted = `from=${times.from}&to=${times.to}&rows=${span.columnCount}&columns=${rowCount}`;
    const [ru, throttled] = await Promise.all(
      (["ru", "throttled"] as const).map((of) =>
        server.admin<HeatReport>(`${route}heat?metric=${of}&${wanted}`),
      ),
    );
    if (!ru!.ok) return ru!;
    if (!throttled!.ok) return throttled!;
    const pair = { ru: ru!.value, throttled: throttled!.value };
    if (!hasSizes) return ok(pair);
    const slotSeconds = Math.ceil((times.to - times.from) / 1000 / span.columnCount);
    const about = `from=${times.from}&to=${times.to}&slotSeconds=${slotSeconds}`;
    const sizes = await server.admin<HistoryReport>(`${route}history?${about}`);
    if (!sizes.ok) return sizes;
    const known = sizes.value;
    const latest = zoom === undefined ? withSizesNow(known, report.partitions, pair.ru) : known;
    return ok({ ...pair, sizes: latest });
  };
  const zoomKey = zoom === undefined ? "" : zoomText(zoom);
  const key = `${route}heat ${span.id} ${zoomKey} ${rowCount}${hasSizes ? " sizes" : ""}`;
  const heat = useAnswer<HeatPair>(key, ask, zoom === undefined ? HEAT_SECONDS : undefined);
  return { key, heat };
}

interface HeatProps extends HeatPanelProps {
  readonly pair: HeatPair;
  readonly metric: ShownMetric;
  readonly spanText: string;
}

function Heat({ report, keys, pickedId, onPick, pair, metric, spanText }: HeatProps): VNode {
  const { dayText, minuteText } = useTimes();
  const [spanId] = useParameter("span", "1h");
  const [zoomed, setZoom] = useParameter("zoom", "");
  const [pin, setPin] = useParameter("pin", "");
  const grid = useGrid(pair, report, zoomed !== "");
  const reshapes = useReshapes(report);
  const { times, bounds, rowCount, columnCount } = grid;
  if (columnCount < 1 || rowCount < 1) return <NoData>Nobody counted in the {spanText}.</NoData>;
  const summary = metric === "bytes" ? sizeSummary(grid) : heatSummary(grid, spanText);
  const pinned = pinnedCell(pinIn(pin), grid);
  const says = ({ row, column }: { readonly row: number; readonly column: number }): string => {
    const owner = ownerOfRow(grid, row);
    const where = `keys ${stretchText(grid, row)}, partition ${owner?.id ?? "–"}`;
    return `${dayText(times[column]!)}, ${where}: ${cellWords(grid.cell(row, column), metric)}`;
  };
  return (
    <div class="stack tight">
      <Legend grid={grid} metric={metric} />
      <HeatMap
        grid={grid}
        metric={metric}
        keys={keys}
        summary={summary}
        pickedId={pickedId}
        pinned={pinned}
        says={says}
        {...reshapes}
        onPin={(place) => {
          if (place === undefined) setPin("");
          else {
            setPin(pinText({ at: times[place.column]!, epk: bounds[place.row]! }));
            const owner = ownerOfRow(grid, place.row);
            if (owner !== undefined) onPick(owner.id);
          }
        }}
        onZoom={(way, at) => {
          const shown = { from: times[0]!, to: times.at(-1)! };
          const next = zoomAfter(way, shown, at, spanIn(spanId));
          setZoom(next === undefined ? "" : zoomText(next));
        }}
      />
      <p>{summary}</p>
      {zoomed === "" ? null : <Zoomed times={times} onReset={() => setZoom("")} />}
      {pinned === undefined ? null : (
        <Pinned
          grid={grid}
          metric={metric}
          place={pinned}
          keys={keys}
          timeText={`${dayText(times[pinned.column]!)} to ${minuteText(times[pinned.column + 1]!)}`}
          onUnpin={() => setPin("")}
        />
      )}
      <AsLists grid={grid} metric={metric} events={reshapes.events} />
    </div>
  );
}

interface AsListsProps extends Pick<Reshapes, "events"> {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
}

/** What is drawn, in words and numbers. */
function AsLists({ grid, metric, events }: AsListsProps): VNode {
  const { minuteText } = useTimes();
  const { place } = linear(grid.times[0]!, grid.times.at(-1)!);
  return (
    <>
      <EventList {...{ events, place, minuteText }} />
      <LateDetails summary={TABLE_WORDS[metric === "bytes" ? "bytes" : "load"]}>
        {() => <HeatTable grid={grid} metric={metric} />}
      </LateDetails>
    </>
  );
}

/** Who zooms to a time sees all of it; otherwise what lies before the first count is left out. */
function useGrid(pair: HeatPair, { partitions }: ContainerReport, isZoomed: boolean): HeatGrid {
  return useMemo(
    () => heatGridOf(isZoomed ? pair : sinceFirstCount(pair), partitions),
    [pair, partitions, isZoomed],
  );
}

type Reshapes = Pick<Parameters<typeof HeatMap>[0], "events" | "cutAt">;

/** What happened to the container, for the lane above the map and its forks. */
function useReshapes(report: ContainerReport): Reshapes {
  const jobs = useAdmin<JobsAnswer>("jobs", HEAT_SECONDS).value;
  return {
    events: [
      ...(jobs === undefined ? [] : jobEvents(jobs, report)),
      ...rateEvents(report.rateChanges),
    ],
    cutAt: (neighbours) => cutAt(jobs?.jobs ?? [], report, neighbours),
  };
}

const TABLE_WORDS = {
  load: "As a table: every cell in which something was spent, or nobody counted",
  bytes: "As a table: the size in every cell, or that nobody counted",
};

interface ZoomedProps {
  readonly times: readonly number[];
  readonly onReset: () => void;
}

function Zoomed({ times, onReset }: ZoomedProps): VNode {
  const { dayText, minuteText } = useTimes();
  return (
    <p>
      Zoomed to {dayText(times[0]!)} to {minuteText(times.at(-1)!)}.{" "}
      <Button kind="quiet" onPress={onReset}>
        Show everything
      </Button>
    </p>
  );
}

function cellWords(cell: HeatCell | undefined, metric: ShownMetric): string {
  if (cell === undefined) return "nobody counted.";
  if (metric === "bytes") {
    return cell.bytes === undefined ? "nobody counted its size." : `${bytesText(cell.bytes)}.`;
  }
  const { ru, share, throttledCount } = cell;
  if (ru === 0 && throttledCount === 0) return "nothing.";
  return (
    `${countText(ru)} RU, ${shareText(share)} of the allotment, ` +
    `${countText(throttledCount)} requests refused (429).`
  );
}

interface LegendProps {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
}

const STEPS = Array.from({ length: 10 }, (_, step) => step);

const SCALE_WORDS: Readonly<Record<ShownMetric, string>> = {
  share: "RU, share of what its partition is allotted now",
  ru: "RU of a cell, relative to this view",
  throttled: "429s of a cell, relative to this view",
  bytes: "size of the whole physical partition, relative to this view",
};

function scaleEnd({ most }: HeatGrid, metric: ShownMetric): string {
  switch (metric) {
    case "share":
      return "100 %";
    case "ru":
      return `${amountText(most.ru)} RU`;
    case "throttled":
      return `${amountText(most.throttled)} refused`;
    case "bytes":
      return bytesText(most.bytes);
  }
}

function Legend({ grid, metric }: LegendProps): VNode {
  return (
    <ul class="legend">
      <li class="bareKey">{SCALE_WORDS[metric]}</li>
      <li class="bareKey heatScale">
        0
        <span class="heatRamp" aria-hidden="true">
          {STEPS.map((step) => (
            <span key={step} class={`heat h${step}`} />
          ))}
        </span>
        {scaleEnd(grid, metric)}
      </li>
      {metric === "share" ? (
        <li class="bareKey">
          <span class="heat beyond swatch" aria-hidden="true" /> asked for more (429)
        </li>
      ) : null}
      <li class="gapKey">nobody counted</li>
      <li class="bareKey">
        {hasAllBoundaries(grid)
          ? "line: boundary of physical partitions"
          : "lines: boundaries of the picked partition"}
        ; below: RU of all keys
      </li>
    </ul>
  );
}

interface PinnedProps {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
  readonly place: { readonly row: number; readonly column: number };
  readonly keys: TopKeys;
  readonly timeText: string;
  readonly onUnpin: () => void;
}

function Pinned(props: PinnedProps): VNode {
  const { grid, metric, keys, timeText, onUnpin } = props;
  const { row, column } = props.place;
  const cell = grid.cell(row, column);
  const [from, to] = [grid.bounds[row]!, grid.bounds[row + 1]!];
  const inside = [...keys.byLoad, ...keys.bySize].filter(({ epk }) => from <= epk && epk < to);
  const names = [...new Set(inside.map(keyText))];
  const index = ownerIndexOf(
    grid.spans.map(({ partition }) => partition),
    from,
  );
  const owner = ownerOfRow(grid, row) ?? grid.spans[index]?.partition;
  return (
    <section class="pinned" aria-label="Pinned cell">
      <h3>
        Pinned: {timeText}{" "}
        <Button kind="quiet" onPress={onUnpin}>
          Unpin
        </Button>
      </h3>
      <dl class="facts">
        <div>
          <dt>Keys</dt>
          <dd>
            {stretchText(grid, row)}
            {names.length === 0 ? "" : `, in it ${names.slice(0, 5).join(", ")}`}
            {names.length > 5 ? ` and ${names.length - 5} more` : ""}
          </dd>
        </div>
        <div>
          <dt>Partition</dt>
          <dd>{owner?.id ?? "–"}</dd>
        </div>
        <div>
          <dt>{metric === "bytes" ? "Size" : "Spent"}</dt>
          <dd>{cellWords(cell, metric)}</dd>
        </div>
      </dl>
    </section>
  );
}
