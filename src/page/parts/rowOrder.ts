/**
 * The order of rows in a table. It does not change under somebody's hands: while the pointer or the
 * focus is in the table, rows stay where they are, and new ones come last.
 */

/** `load` sorts upwards by the column of that name, `-load` downwards. */
interface SortTerms<Row> {
  readonly column: string;
  readonly isDescending: boolean;
  readonly sortValueOf: (row: Row) => number | string;
}

export function parseSort(text: string): {
  readonly column: string;
  readonly isDescending: boolean;
} {
  return text.startsWith("-")
    ? { column: text.slice(1), isDescending: true }
    : { column: text, isDescending: false };
}

/** What a click on the head of a column makes of the order: first largest, then smallest. */
export function nextSort(present: string, column: string): string {
  return present === `-${column}` ? column : `-${column}`;
}

export function sortedRows<Row>(
  rows: readonly Row[],
  terms: SortTerms<Row> | undefined,
): readonly Row[] {
  if (terms === undefined) return rows;
  const sign = terms.isDescending ? -1 : 1;
  return rows.toSorted(
    (one, other) => sign * compare(terms.sortValueOf(one), terms.sortValueOf(other)),
  );
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}

/** Rows in the order of `former` keys, new ones behind them. */
export function keptOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  former: readonly string[],
): readonly Row[] {
  const places = new Map(former.map((key, index) => [key, index]));
  const placeOf = (row: Row): number => places.get(keyOf(row)) ?? former.length;
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}
