/**
 * The cells of a heat map on a canvas. Colours are read from the style sheet, off one hidden mark
 * for each step, so that the canvas follows the theme; neighbours of one look are one rectangle.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useObserved, usePage } from "../control/page.ts";
import { type HeatGrid, lookOf, type ShownMetric } from "./heatGrid.ts";

interface HeatCanvasProps {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
}

const STEPS = Array.from({ length: 10 }, (_, step) => step);

export function HeatCanvas({ grid, metric }: HeatCanvasProps): VNode {
  const { appearance } = usePage();
  const look = useObserved(appearance);
  const box = useRef<HTMLDivElement>(null);
  const [drawCount, setDrawCount] = useState(0);
  useEffect(() => {
    const again = (): void => setDrawCount((count) => count + 1);
    const observer = new ResizeObserver(again);
    observer.observe(box.current!);
    const schemes = window.matchMedia("(prefers-color-scheme: dark)");
    schemes.addEventListener("change", again);
    return () => {
      observer.disconnect();
      schemes.removeEventListener("change", again);
    };
  }, []);
  useEffect(() => {
    const element = box.current!;
    const canvas = element.querySelector("canvas")!;
    const marks = [...element.querySelectorAll<HTMLElement>(".heatInk > *")];
    const inks = marks.map((mark) => getComputedStyle(mark).backgroundColor);
    const ratio = window.devicePixelRatio;
    canvas.width = Math.max(1, Math.round(element.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(element.clientHeight * ratio));
    paint(canvas, grid, metric, inks);
  }, [grid, metric, drawCount, look]);
  return (
    <div class="heatCanvas" ref={box} aria-hidden="true">
      <canvas />
      <div class="heatInk">
        {STEPS.map((step) => (
          <span key={step} class={`heat h${step}`} />
        ))}
        <span class="gapInk" />
        <span class="hatchInk" />
      </div>
    </div>
  );
}

const GAP_INK = 10;
const HATCH_INK = 11;
const HATCH_STEP = 5;
const DEEP = 5;
const DEEPEST = 9;

function paint(
  canvas: HTMLCanvasElement,
  grid: HeatGrid,
  metric: ShownMetric,
  inks: readonly string[],
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { rowCount, columnCount } = grid;
  const x = (column: number): number => Math.round((column / columnCount) * canvas.width);
  const y = (row: number): number => Math.round((row / rowCount) * canvas.height);
  for (let row = 0; row < rowCount; row++) {
    let column = 0;
    while (column < columnCount) {
      const { step, isBeyond } = lookOf(grid, row, column, metric);
      let end = column + 1;
      while (end < columnCount) {
        const next = lookOf(grid, row, end, metric);
        if (next.step !== step || next.isBeyond !== isBeyond) break;
        end++;
      }
      const area = [x(column), y(row), x(end) - x(column), y(row + 1) - y(row)] as const;
      context.fillStyle = inks[step ?? GAP_INK]!;
      context.fillRect(...area);
      // Lines that differ from what they are drawn on.
      if (isBeyond) hatch(context, area, inks[(step ?? 0) >= DEEP ? HATCH_INK : DEEPEST]!);
      column = end;
    }
  }
}

/** Slanted lines over a stretch of cells. */
function hatch(
  context: CanvasRenderingContext2D,
  [left, top, width, height]: readonly [number, number, number, number],
  ink: string,
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = left - height; at < left + width; at += HATCH_STEP) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}
