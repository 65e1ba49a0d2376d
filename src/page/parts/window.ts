/** Which rows of a long list are in sight, so that only those are drawn. */

interface Scrolled {
  /** All in pixels. */
  readonly scrollTop: number;
  readonly viewHeight: number;
  readonly rowHeight: number;
  readonly count: number;
  /** Rows that are drawn beyond what is in sight, on either side. */
  readonly overscan: number;
}

interface RowWindow {
  /** The first row that is drawn, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Pixels that the rows before and after would take. */
  readonly above: number;
  readonly below: number;
}

export function windowOf({
  scrollTop,
  viewHeight,
  rowHeight,
  count,
  overscan,
}: Scrolled): RowWindow {
  const top = Math.max(0, scrollTop);
  const first = Math.floor(top / rowHeight) - overscan;
  const last = Math.ceil((top + viewHeight) / rowHeight) + overscan;
  const to = Math.min(count, Math.max(0, last));
  const from = Math.min(to, Math.max(0, first));
  return { from, to, above: from * rowHeight, below: (count - to) * rowHeight };
}
