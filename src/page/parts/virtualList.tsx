/** A long list of rows of one height, of which only those in sight are drawn. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { windowOf } from "./window.ts";

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Pixels. */
  readonly rowHeight: number;
  readonly children: (row: Row) => ComponentChildren;
}

const OVERSCAN = 8;

export function VirtualList<Row>({
  label,
  rows,
  keyOf,
  rowHeight,
  children,
}: VirtualListProps<Row>): VNode {
  const box = useRef<HTMLUListElement>(null);
  const [view, setView] = useState({ scrollTop: 0, viewHeight: 0 });
  useEffect(() => {
    const element = box.current!;
    const measure = (): void =>
      setView({ scrollTop: element.scrollTop, viewHeight: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const { from, to, above, below } = windowOf({
    ...view,
    rowHeight,
    count: rows.length,
    overscan: OVERSCAN,
  });
  return (
    <ul
      class="virtualList"
      ref={box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the box.
      tabIndex={0}
    >
      <li aria-hidden="true" style={{ height: `${above}px` }} />
      {rows.slice(from, to).map((row, index) => (
        <li
          key={keyOf(row)}
          aria-setsize={rows.length}
          aria-posinset={from + index + 1}
          style={{ height: `${rowHeight}px` }}
        >
          {children(row)}
        </li>
      ))}
      <li aria-hidden="true" style={{ height: `${below}px` }} />
    </ul>
  );
}
