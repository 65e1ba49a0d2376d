/**
 * Draws a trend: marks as SVG stretched to their box, all words as HTML beside them so that text
 * keeps its size. One widget to focus: arrows move the cursor, and the slot under it is read out.
 * Below it stands the table of exactly what is drawn.
 */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Disclosure } from "../parts/disclosure.tsx";
import { EventLane, EventList } from "./eventLane.tsx";
import type { ChartEvent } from "./reshapeEvents.ts";
import { linear, timeTicks } from "./scale.ts";
import { BOX, slotAt, type TrendSlot, trendMarks } from "./trend.ts";

interface TrendPlotProps {
  /** What the chart shows, in one sentence with numbers. */
  readonly summary: string;
  readonly slots: readonly TrendSlot[];
  readonly slotMs: number;
  /** The share at the top; 1 is the limit. */
  readonly top?: number | undefined;
  readonly events?: readonly ChartEvent[] | undefined;
  /** What a slot says, for the cursor. */
  readonly says: (slot: TrendSlot) => string;
  readonly minuteText: (at: number) => string;
  /** Names of the two lines. */
  readonly upperName: string;
  readonly lowerName: string;
  readonly table: ComponentChildren;
}

const TICK_COUNT = 6;

export function TrendPlot(props: TrendPlotProps): VNode {
  const { summary, slots, slotMs, top = 1, says, minuteText } = props;
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const from = slots[0]?.at ?? 0;
  const to = (slots.at(-1)?.at ?? 0) + slotMs;
  const time = linear(from, to);
  const move = (event: KeyboardEvent): void => {
    const at = cursor ?? slots.length;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: slots.length - 1 }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    setCursor(Math.min(slots.length - 1, Math.max(0, next)));
  };
  const point = (event: PointerEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setCursor(slotAt(slots, (event.clientX - box.left) / box.width));
  };
  const slot = cursor === undefined ? undefined : slots[cursor];
  return (
    <figure class="plot">
      <Legend upperName={props.upperName} lowerName={props.lowerName} slots={slots} />
      <EventLane events={props.events ?? []} place={time.place} minuteText={minuteText} />
      <div class="plotGrid">
        <Shares top={top} />
        <div
          class="plotBox"
          role="application"
          aria-roledescription="chart"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move in the chart.
          tabIndex={0}
          aria-label={`${summary} Arrows move the cursor.`}
          onKeyDown={move}
          onPointerMove={point}
          onPointerLeave={() => setCursor(undefined)}
          onBlur={() => setCursor(undefined)}
        >
          <Marks slots={slots} slotMs={slotMs} top={top} />
          {slot === undefined ? null : (
            <div class="cursor" style={{ left: `${time.place(slot.at + slotMs / 2) * 100}%` }} />
          )}
        </div>
        <div class="axisX" aria-hidden="true">
          {timeTicks(from, to, TICK_COUNT).map((at) => (
            <span key={at} style={{ left: `${time.place(at) * 100}%` }}>
              {minuteText(at)}
            </span>
          ))}
        </div>
      </div>
      <p class="cursorWords" aria-live="polite">
        {slot === undefined ? "Point at the chart, or move in it with arrows." : says(slot)}
      </p>
      <figcaption>{summary}</figcaption>
      <EventList events={props.events ?? []} place={time.place} minuteText={minuteText} />
      <Disclosure summary="As a table">{props.table}</Disclosure>
    </figure>
  );
}

function Shares({ top }: { readonly top: number }): VNode {
  return (
    <div class="axisY" aria-hidden="true">
      <span>{Math.round(top * 100)} %</span>
      <span>{Math.round(top * 50)} %</span>
      <span>0 %</span>
    </div>
  );
}

type LegendProps = Pick<TrendPlotProps, "upperName" | "lowerName" | "slots">;

/** Only what occurs is named. */
function Legend({ upperName, lowerName, slots }: LegendProps): VNode {
  const hasRefused = slots.some(({ refusedShare }) => (refusedShare ?? 0) > 0);
  const hasGaps = slots.some(({ upper, lower }) => upper === undefined && lower === undefined);
  return (
    <ul class="legend">
      <li class="upperKey">{upperName}</li>
      <li class="lowerKey">{lowerName}</li>
      <li class="betweenKey">skew</li>
      {hasRefused ? <li class="refusedKey">requests refused (429)</li> : null}
      {hasGaps ? <li class="gapKey">nobody counted</li> : null}
    </ul>
  );
}

function Marks({
  slots,
  slotMs,
  top,
}: {
  readonly slots: readonly TrendSlot[];
  readonly slotMs: number;
  readonly top: number;
}): VNode {
  const marks = trendMarks(slots, { slotMs, top });
  const limit = BOX - BOX / top;
  return (
    <svg viewBox={`0 0 ${BOX} ${BOX}`} preserveAspectRatio="none" aria-hidden="true">
      {marks.gaps.map(({ x, width }) => (
        <rect key={x} class="gap" x={x} y={0} width={width} height={BOX} />
      ))}
      {marks.refused.map(({ x, width }) => (
        <rect key={x} class="refused" x={x} y={0} width={width} height={BOX} />
      ))}
      <path class="between" d={marks.between} />
      <line class="half" x1={0} x2={BOX} y1={BOX / 2} y2={BOX / 2} />
      <line class="limit" x1={0} x2={BOX} y1={limit} y2={limit} />
      <path class="lower" d={marks.lower} />
      <path class="upper" d={marks.upper} />
    </svg>
  );
}
