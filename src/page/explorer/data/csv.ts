/**
 * Comma-separated values: rows of results as text, and such text as items. Quotes as RFC 4180 has
 * them. Cells that a spreadsheet would take for a formula get an apostrophe before them.
 */

export function csvText(names: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [names.map(cellText), ...rows.map((row) => row.map(cellText))];
  return `${lines.map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

function cellText(value: unknown): string {
  if (value === undefined) return "";
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value);
  const safe = isText && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe === "" ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The cells of each line; a line break inside quotes is part of its cell. */
export function csvCells(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === ",") {
      row.push(cell);
      cell = "";
    } else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[at + 1] === "\n") at++;
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else cell += sign;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.length > 1 || cells[0] !== "");
}
