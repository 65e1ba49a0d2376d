/** A plain table: a caption, a name over each column, and the first cell as the name of its row. */
import type { NumberColumn } from "../../drawing/numberColumns.ts";
import type { Markup, Piece } from "./markup.ts";
import { html } from "./markup.ts";

/** All cells are numbers, and to the right. */
export function dataTable<T>(
  caption: string,
  columns: readonly NumberColumn<T>[],
  rows: readonly T[],
): Markup {
  const [first, ...others] = columns;
  return html`<table><caption>${caption}</caption>${headRow(columns.map(({ name }) => [name, "n"]))}
<tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row" class="n">${first!.text(row)}</th>${others.map(
        ({ text }) => html`<td class="n">${text(row)}</td>`,
      )}</tr>`,
  )}</tbody></table>`;
}

/** Names over columns; "n" where numbers stand below. */
export function headRow(names: readonly (readonly [Piece, ("n" | undefined)?])[]): Markup {
  return html`<thead><tr>${names.map(([name, kind]) =>
    kind === "n"
      ? html`<th scope="col" class="n">${name}</th>`
      : html`<th scope="col">${name}</th>`,
  )}</tr></thead>`;
}
