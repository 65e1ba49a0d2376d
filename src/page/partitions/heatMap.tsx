/**
 * The heat map: cells on a canvas, all words and lines as HTML beside and over it. One widget to
 * focus: arrows move the cursor, Enter pins the cell under it, `+` and `-` zoom in time, `r` shows
 * everything again.
 */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { EventLane } from "../chart/eventLane.tsx";
import type { ChartEvent } from "../chart/reshapeEvents.ts";
import { linear, timeTicks } from "../chart/scale.ts";
import { KEY_TABLE } from "../control/keyTable.ts";
import { useTimes } from "../parts/times.ts";
import { HeatCanvas } from "./heatCanvas.tsx";
import {
  cellAt,
  columnSums,
  cursorAfter,
  type HeatGrid,
  type ShownMetric,
  warmestOf,
} from "./heatGrid.ts";
import { hasAllBoundaries, rowLabels } from "./heatLabels.ts";
import type { TopKeys } from "./splitVerdict.ts";

interface Place {
  readonly row: number;
  readonly column: number;
}

interface HeatMapProps {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
  readonly keys: TopKeys;
  readonly summary: string;
  readonly pickedId: string;
  readonly pinned: Place | undefined;
  readonly onPin: (place: Place | undefined) => void;
  /** In or out by one step around a time, or back to everything. */
  readonly onZoom: (way: "in" | "out" | "reset", at: number) => void;
  readonly says: (place: Place) => string;
  readonly events: readonly ChartEvent[];
  /** When a split cut two neighbours apart, as far as it is known. */
  readonly cutAt: (neighbours: readonly [string, string]) => number | undefined;
}

const TICK_COUNT = 6;
/** In pixels, as the style sheet has it. */
const MAP_HEIGHT = 384;
const LABEL_HEIGHT = 15;

export function HeatMap(props: HeatMapProps): VNode {
  const { grid, metric, pinned, onPin, summary, says } = props;
  const [cursor, setCursor] = useState<Place | undefined>(undefined);
  const { rowCount, columnCount, times } = grid;
  const shown = cursor && {
    row: Math.min(cursor.row, rowCount - 1),
    column: Math.min(cursor.column, columnCount - 1),
  };
  const box = useRef<HTMLElement>(null);
  // Where the map is wider than its box, the newest is what one looks for.
  useEffect(() => {
    if (box.current !== null) box.current.scrollLeft = box.current.scrollWidth;
  }, []);
  const begin = (): Place => shown ?? pinned ?? warmestOf(grid, metric);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!pressed(event, { ...props, at: begin(), isShown: shown !== undefined, setCursor })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const placeUnder = (event: MouseEvent): Place => placeIn(grid, event);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box. */}
      <section ref={box} class="heatScroll" tabIndex={0} aria-label="Heat map, scrolls sideways">
        <div class="heatGrid">
          <HeatEvents times={times} events={props.events} />
          <PartitionIds grid={grid} pickedId={props.pickedId} />
          <div
            class="heatBox"
            role="application"
            aria-roledescription="heat map"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move in the map.
            tabIndex={0}
            aria-label={`${summary} Arrows move the cursor, Enter pins a cell.`}
            onKeyDown={onKeyDown}
            onPointerMove={(event) => setCursor(placeUnder(event))}
            onPointerLeave={() => setCursor(undefined)}
            onClick={(event) => onPin(placeUnder(event))}
            onBlur={() => setCursor(undefined)}
          >
            <HeatCanvas grid={grid} metric={metric} />
            <Boundaries grid={grid} cutAt={props.cutAt} pickedId={props.pickedId} />
            <Mark grid={grid} place={pinned} name="pinnedMark" />
            <Mark grid={grid} place={shown} name="cursorMark" />
          </div>
          <KeyNames grid={grid} keys={props.keys} />
          <Sums grid={grid} />
          <Times times={times} />
        </div>
      </section>
      <p class="cursorWords" aria-live="polite">
        {shown === undefined
          ? "Point at the map, or move in it with arrows; Enter or a click pins a cell."
          : says(shown)}
      </p>
    </>
  );
}

interface Pressed extends Pick<HeatMapProps, "grid" | "pinned" | "onPin" | "onZoom"> {
  readonly at: Place;
  /** False until the cursor is shown; the first arrow shows it where it is. */
  readonly isShown: boolean;
  readonly setCursor: (place: Place) => void;
}

/** Acts on a key; false when it is none of the map's. */
function pressed(event: KeyboardEvent, to: Pressed): boolean {
  const { grid, at, isShown, pinned, onPin, onZoom, setCursor } = to;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const time = grid.times[at.column]!;
  const isKey = (keys: readonly string[]): boolean => keys.includes(event.key);
  const moved = cursorAfter(event.key, at, grid);
  if (moved !== undefined) setCursor(isShown ? moved : at);
  else if (isKey(KEY_TABLE.pin.keys)) onPin(at);
  else if (event.key === "Escape" && pinned !== undefined) onPin(undefined);
  else if (isKey(KEY_TABLE.zoomIn.keys)) onZoom("in", time);
  else if (isKey(KEY_TABLE.zoomOut.keys)) onZoom("out", time);
  else if (isKey(KEY_TABLE.resetZoom.keys)) onZoom("reset", time);
  else return false;
  return true;
}

function placeIn(grid: HeatGrid, event: MouseEvent): Place {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return cellAt(
    grid,
    (event.clientX - box.left) / box.width,
    (event.clientY - box.top) / box.height,
  );
}

function Times({ times }: Pick<HeatGrid, "times">): VNode {
  const { minuteText } = useTimes();
  const [from, to] = [times[0]!, times.at(-1)!];
  return (
    <div class="axisX heatTimes" aria-hidden="true">
      {timeTicks(from, to, TICK_COUNT).map((at) => (
        <span key={at} style={{ left: `${(100 * (at - from)) / (to - from)}%` }}>
          {minuteText(at)}
        </span>
      ))}
    </div>
  );
}

function HeatEvents({
  times,
  events,
}: Pick<HeatGrid, "times"> & Pick<HeatMapProps, "events">): VNode {
  const { minuteText } = useTimes();
  const { place } = linear(times[0]!, times.at(-1)!);
  return (
    <div class="heatEvents">
      <EventLane events={events} place={place} minuteText={minuteText} />
    </div>
  );
}

type BoundariesProps = Pick<HeatMapProps, "grid" | "cutAt" | "pickedId">;

/** A boundary that a split made begins where the split ended: the key space forks there. */
function Boundaries({ grid, cutAt, pickedId }: BoundariesProps): VNode {
  const { spans, rowCount, times } = grid;
  const isShown = (index: number): boolean =>
    hasAllBoundaries(grid) ||
    [spans[index], spans[index + 1]].some((span) => span?.partition.id === pickedId);
  const { place } = linear(times[0]!, times.at(-1)!);
  const leftOf = (index: number): number => {
    const cut = cutAt([spans[index]!.partition.id, spans[index + 1]!.partition.id]);
    return cut === undefined ? 0 : Math.min(1, Math.max(0, place(cut)));
  };
  return (
    <>
      {spans
        .slice(1)
        .map(({ partition, from }, index) =>
          isShown(index) ? (
            <div
              key={partition.id}
              class="heatBoundary"
              style={{ top: `${(100 * from) / rowCount}%`, left: `${100 * leftOf(index)}%` }}
            />
          ) : null,
        )}
    </>
  );
}

interface MarkProps {
  readonly grid: HeatGrid;
  readonly place: Place | undefined;
  readonly name: string;
}

function Mark({ grid: { rowCount, columnCount }, place, name }: MarkProps): VNode | null {
  if (place === undefined) return null;
  const { row, column } = place;
  return (
    <div
      class={name}
      style={{
        top: `${(100 * row) / rowCount}%`,
        left: `${(100 * column) / columnCount}%`,
        height: `${100 / rowCount}%`,
        width: `${100 / columnCount}%`,
      }}
    />
  );
}

interface PartitionIdsProps {
  readonly grid: HeatGrid;
  readonly pickedId: string;
}

/** The ids of the physical partitions, where there is room for them. */
function PartitionIds({ grid: { spans, rowCount }, pickedId }: PartitionIdsProps): VNode {
  const height = ({ from, to }: (typeof spans)[number]): number => (to - from) / rowCount;
  return (
    <div class="heatIds" aria-hidden="true">
      {spans.map((span) => (
        <span
          key={span.partition.id}
          class={span.partition.id === pickedId ? "picked" : ""}
          style={{ top: `${(100 * span.from) / rowCount}%`, height: `${100 * height(span)}%` }}
        >
          {height(span) * MAP_HEIGHT >= LABEL_HEIGHT ? span.partition.id : ""}
        </span>
      ))}
    </div>
  );
}

interface KeyNamesProps {
  readonly grid: HeatGrid;
  readonly keys: TopKeys;
}

/** The names of top keys, at their rows. */
function KeyNames({ grid, keys }: KeyNamesProps): VNode {
  const labels = useMemo(
    () => rowLabels(grid, keys.byLoad, LABEL_HEIGHT / MAP_HEIGHT),
    [grid, keys],
  );
  return (
    <div class="heatNames" aria-hidden="true">
      {labels.map(({ text, place }) => (
        <span key={text} style={{ top: `${100 * place}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

/** RU of all keys for each span of time, relative to the most in view. */
function Sums({ grid }: { readonly grid: HeatGrid }): VNode {
  const sums = columnSums(grid);
  const most = Math.max(0, ...sums.map((sum) => sum ?? 0));
  return (
    <svg
      class="heatSums"
      viewBox={`0 0 ${sums.length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {sums.map((sum, column) => {
        const height = most === 0 || sum === undefined ? 0 : sum / most;
        return <rect key={column} x={column} y={1 - height} width={0.9} height={height} />;
      })}
    </svg>
  );
}
