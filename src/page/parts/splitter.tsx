/**
 * Two panes and a bar between them that can be moved, by pointer and by arrows. Where it was is
 * kept in the browser, by name.
 */
import type { ComponentChildren, VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { movedBy } from "./keyMoves.ts";

interface SplitterProps {
  /** Differs from that of every other splitter. */
  readonly name: string;
  /** What the bar does, such as "Width of the tree". */
  readonly label: string;
  /** `row`: panes beside each other. */
  readonly direction: "row" | "column";
  /** Pixels of the first pane. */
  readonly usual: number;
  readonly min: number;
  readonly max: number;
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
}

export function Splitter(props: SplitterProps): VNode {
  const { name, label, direction, usual, min, max, first, second } = props;
  const [extent, setExtent] = useState(() => keptExtent(name) ?? usual);
  const box = useRef<HTMLDivElement>(null);
  const move = (wanted: number): void => {
    const next = Math.round(Math.min(max, Math.max(min, wanted)));
    setExtent(next);
    localStorage.setItem(keyOf(name), String(next));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = movedBy(event.key, extent, { min, max, isRow: direction === "row" });
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const bar = event.currentTarget as HTMLElement;
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { left, top } = box.current!.getBoundingClientRect();
    move(direction === "row" ? event.clientX - left : event.clientY - top);
  };
  const size = `${extent}px`;
  return (
    <div class={`splitter ${direction}`} ref={box}>
      <div class="firstPane" style={direction === "row" ? { width: size } : { height: size }}>
        {first}
      </div>
      <hr
        class="splitterBar"
        tabIndex={0}
        aria-label={label}
        aria-orientation={direction === "row" ? "vertical" : "horizontal"}
        aria-valuenow={extent}
        aria-valuemin={min}
        aria-valuemax={max}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
      />
      <div class="secondPane">{second}</div>
    </div>
  );
}

function keyOf(name: string): string {
  return `orrery.splitter.${name}`;
}

function keptExtent(name: string): number | undefined {
  const kept = Number(localStorage.getItem(keyOf(name)) ?? Number.NaN);
  return Number.isFinite(kept) ? kept : undefined;
}
